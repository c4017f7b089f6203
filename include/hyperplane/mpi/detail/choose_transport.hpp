// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/mpi/detail/gpu_aware.hpp>
#include <hyperplane/mpi/detail/peer_memory.hpp>
#endif

#include <set>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The ranks that have interfaces with this one, in ascending order.
inline std::vector<int> met_ranks(const DistributedGrid& grid) {
  int const rank = grid.communicator().rank();
  std::set<int> met;
  for (auto const& interface : grid.whole().interfaces()) {
    int const owner = grid.owner(interface.block), donor_owner = grid.owner(interface.donor);
    if (owner == donor_owner) continue;
    if (owner == rank) met.insert(donor_owner);
    if (donor_owner == rank) met.insert(owner);
  }
  return {met.begin(), met.end()};
}

/// Why a transport cannot be had; empty where it can, and the same text on all ranks. Collective.
template <ExecutionSpace Exec>
std::string describe_missing([[maybe_unused]] const Exec& exec, [[maybe_unused]] const DistributedGrid& grid,
                             Transport transport) {
  if (transport == Transport::host) return {};
  if constexpr (CudaExecutionSpace<Exec>) {
    auto const& communicator = grid.communicator();
    if (transport == Transport::gpu_aware) return describe_gpu_unaware(exec, communicator);
    auto const ranks = communicator.agree([&] { return met_ranks(grid); });
    return describe_unreachable_peers(exec, communicator, ranks);
  } else {
    return "it is for CUDA, kernels run on " + std::string(Exec::name());
  }
}

/// What the grid's transport() stands for with this execution space: host, gpu_aware or peer. Throws Error, on all
/// ranks, where it asks for one that cannot be had. Collective; waits for the instance.
template <ExecutionSpace Exec>
Transport choose_transport(const Exec& exec, const DistributedGrid& grid) {
  auto const wanted = grid.transport();
  if (wanted == Transport::automatic) {
    for (auto const transport : {Transport::peer, Transport::gpu_aware}) {
      if (describe_missing(exec, grid, transport).empty()) return transport;
    }
    return Transport::host;
  }
  auto const missing = describe_missing(exec, grid, wanted);
  if (!missing.empty()) fail(std::string("transport ") + name(wanted) + " cannot be had: " + missing);
  return wanted;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
