// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "register_blocks.hpp"

namespace hyperplane::perf {

template void register_list<1>(KernelBenchmarks<Kokkos::DefaultHostExecutionSpace>&, BlockReferences&,
                               const BlockCase&);
#if defined(KOKKOS_ENABLE_CUDA)
template void register_list<1>(KernelBenchmarks<Kokkos::Cuda>&, BlockReferences&, const BlockCase&);
#endif

}  // namespace hyperplane::perf
