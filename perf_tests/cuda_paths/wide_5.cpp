// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register_paths.hpp"

namespace hyperplane::perf {

template void register_wide_paths<5>(KernelBenchmarks<Kokkos::Cuda>&, const Grid&);

}  // namespace hyperplane::perf
