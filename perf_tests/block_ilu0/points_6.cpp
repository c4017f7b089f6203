// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register_points.hpp"

namespace hyperplane::perf {

template void register_points<6>(KernelBenchmarks<Kokkos::DefaultHostExecutionSpace>&, Cache&, const Grid&);
#if defined(KOKKOS_ENABLE_CUDA)
template void register_points<6>(KernelBenchmarks<Kokkos::Cuda>&, Cache&, const Grid&);
#endif

}  // namespace hyperplane::perf
