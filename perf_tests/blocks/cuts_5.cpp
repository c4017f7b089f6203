// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register_blocks.hpp"

namespace hyperplane::perf {

template void register_cuts<5>(KernelBenchmarks<Kokkos::DefaultHostExecutionSpace>&, BlockReferences&, const BoxCuts&);
#if defined(KOKKOS_ENABLE_CUDA)
template void register_cuts<5>(KernelBenchmarks<Kokkos::Cuda>&, BlockReferences&, const BoxCuts&);
#endif

}  // namespace hyperplane::perf
