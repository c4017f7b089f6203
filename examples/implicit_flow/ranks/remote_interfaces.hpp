// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/interfaces.hpp"

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>

#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace implicit_flow {

template <hyperplane::ExecutionSpace Exec>
void pack_layer(const Exec& exec, const hyperplane::Interface& interface, const CellsBehind<Exec>& behind,
                const LayerValues<Exec>& values) {
  for_each_cell(
      exec, "implicit_flow::pack", interface, KOKKOS_LAMBDA(const hyperplane::Point& p) {
        auto const cell = behind(p);
        for (int c = 0; c < equations; ++c) values.at(p, c) = cell[c];
      });
}

template <hyperplane::ExecutionSpace Exec>
void pack_layer(const Exec& exec, const hyperplane::Interface& interface, const VolumesBehind<Exec>& behind,
                const LayerValues<Exec>& values) {
  for_each_cell(
      exec, "implicit_flow::pack", interface,
      KOKKOS_LAMBDA(const hyperplane::Point& p) { values.at(p, 0) = behind(p); });
}

/// Interfaces between this rank and others: of each, the values of the layer that is behind it. The rank that has the
/// donor packs them in the order of the other's cells, so that no rank needs to know the axes of others.
template <hyperplane::ExecutionSpace Exec>
class RemoteInterfaces {
 public:
  RemoteInterfaces(MPI_Comm communicator, const hyperplane::DistributedGrid& grid) : m_communicator(communicator) {
    int const rank = grid.communicator().rank();
    for (auto const& interface : grid.whole().interfaces()) {
      int const owner = grid.owner(interface.block), donor_owner = grid.owner(interface.donor);
      if (owner == donor_owner) continue;
      // Both sides go through the interfaces in the same order, which is that of their messages.
      if (owner == rank) m_received.push_back({interface, donor_owner, made(interface)});
      if (donor_owner == rank) m_sent.push_back({interface, owner, made(interface)});
    }
  }

  /// Brings values from the donors of other ranks: behind(interface), on the rank that has the donor, is what kernels
  /// read them with. Waits for the instance and for the messages.
  template <class MakeBehind>
  void exchange(const Exec& exec, const MakeBehind& behind) const {
    for (auto const& side : m_sent) pack_layer(exec, side.interface, behind(side.interface), side.values);
    // Kernels that read what came before are finished, too.
    exec.fence("implicit_flow::exchange");
    std::vector<MPI_Request> requests;
    for (auto const& side : m_received) {
      auto const& values = side.values.values;
      MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, side.rank, tag, m_communicator,
                &requests.emplace_back());
    }
    for (auto const& side : m_sent) {
      auto const& values = side.values.values;
      MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_DOUBLE, side.rank, tag, m_communicator,
                &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  struct Side {
    hyperplane::Interface interface;  ///< with the numbers of the whole grid
    int rank;                         ///< the other one
    LayerValues<Exec> values;
  };
  /// Those whose donors other ranks have, with what came, in the order of the whole grid.
  const std::vector<Side>& received() const { return m_received; }

 private:
  static constexpr int tag = 0;

  static LayerValues<Exec> made(const hyperplane::Interface& interface) {
    auto const& [begin, end] = interface.points;
    LayerValues<Exec> result{begin, {end.i - begin.i, end.j - begin.j, end.k - begin.k}};
    auto const cells = static_cast<std::size_t>(result.layer.size());
    result.values = decltype(result.values)("layer of an interface", cells, equations);
    return result;
  }

  MPI_Comm m_communicator;
  std::vector<Side> m_received, m_sent;
};

}  // namespace implicit_flow
