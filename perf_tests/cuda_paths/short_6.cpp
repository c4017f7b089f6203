// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register_paths.hpp"

namespace hyperplane::perf {

template void register_short_paths<6>(KernelBenchmarks<Kokkos::Cuda>&, const Grid&);

}  // namespace hyperplane::perf
