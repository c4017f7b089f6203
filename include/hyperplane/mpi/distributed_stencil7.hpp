// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <hyperplane/mpi/detail/ghost_exchange.hpp>
#include <hyperplane/mpi/detail/mailbox.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A block matrix on the seven-point stencil of a DistributedGrid: each rank has the rows of its grid blocks, as a
/// MultiBlockStencil7.
///
/// The block of a point that points out of its grid block is the coupling to the neighbour across the interface there,
/// whichever rank has that one. Elsewhere it is ignored, as BlockStencil7 says. Of 16 bits it is a copy for products,
/// made by narrow().
///
/// A shared handle with the semantics of a Kokkos::View. The constructor is collective: it allocates on the given
/// instance, lists points on interfaces, prepares the messages of apply() and waits for the instance. Where that fails
/// on a rank, or the grid asks for a transport that cannot be had, all ranks throw Error. The end of the last handle is
/// collective with Transport::peer; nothing else here is, or allocates. Memory beside the local matrix: for
/// each pair of points across an interface up to 92 bytes of lists on both sides, and between ranks 2 n values (4 n
/// where there is a device) and 56 bytes more.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class DistributedStencil7 {
 public:
  using Local = MultiBlockStencil7<Scalar, n, Exec, StorageScalar>;
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = Local::vector_length;
  using Block = typename Local::Block;
  using Ghosts = detail::RankCouplings<Scalar, n, Exec, vector_length>;

  /// Allocates and sets to zero.
  DistributedStencil7(const Exec& exec, const DistributedGrid& grid,
                      const std::string& label = "Hyperplane::DistributedStencil7")
      : m_grid(grid),
        m_local(grid.communicator().agree([&] { return Local(exec, grid.local(), label); })),
        m_transport(detail::choose_transport(exec, grid)),
        m_ghosts(grid.communicator().agree([&] { return Ghosts(exec, grid, m_transport); })) {
    detail::connect_mailboxes(exec, grid.communicator(), m_transport,
                              [&](const auto& function) { function(m_ghosts.mailbox()); });
  }

  const DistributedGrid& grid() const { return m_grid; }
  /// How values of other ranks come: host, gpu_aware or peer.
  Transport transport() const { return m_transport; }
  /// The part of a grid block, by its number in the whole grid. Throws Error where another rank has it. Of 16 bits it
  /// is not to be narrowed by itself, which would make its couplings zero.
  Block block(int number) const { return m_local.block(m_grid.local_number(number)); }
  /// The part of this rank, without couplings to grid blocks of other ranks: narrowed by itself, one of 16 bits has
  /// zeros for these.
  const Local& local() const { return m_local; }
  /// All of this rank's storage as one contiguous array. Padding is zero and has to stay so.
  const typename Local::Storage::Flat& flat() const { return m_local.flat(); }
  /// Couplings across interfaces, and what brings the values of other ranks, for apply() and residual().
  const Ghosts& ghosts() const { return m_ghosts; }

 private:
  DistributedGrid m_grid;
  Local m_local;
  Transport m_transport;
  Ghosts m_ghosts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
