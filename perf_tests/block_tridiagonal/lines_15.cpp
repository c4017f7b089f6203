// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register_lines.hpp"

namespace hyperplane::perf {

template void register_lines<15>(KernelBenchmarks<Kokkos::DefaultHostExecutionSpace>&);
#if defined(KOKKOS_ENABLE_CUDA)
template void register_lines<15>(KernelBenchmarks<Kokkos::Cuda>&);
#endif

}  // namespace hyperplane::perf
