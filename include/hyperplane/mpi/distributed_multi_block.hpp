// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/apply.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_status.hpp>
#include <hyperplane/mpi/distributed_stencil7.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A preconditioner of the grid blocks of all ranks, made of one for each: a MultiBlock<P> of each rank.
///
/// Coupling::none leaves couplings across interfaces out of M, so that M, and the iterations of a Krylov method, do not
/// depend on which rank has which grid block. Coupling::coloured is refused where more than one rank has grid blocks.
///
/// A plan. Constructor, factor() and status() are collective: where one of them throws on a rank, all ranks throw
/// Error. factor() has a reduction of one number between ranks for that, and does not wait for the instance. solve() is
/// of each rank by itself. Cost, asynchrony and copies are as those of MultiBlock.
template <class P>
class DistributedMultiBlock {
 public:
  using Local = MultiBlock<P>;
  using scalar_type = typename Local::scalar_type;
  using execution_space = typename Local::execution_space;
  static constexpr int block_size = Local::block_size;
  using Options = typename Local::Options;
  using Vector = DistributedVector<scalar_type, block_size, execution_space>;
  using BlockStatus = decltype(std::declval<const P&>().status(std::declval<const execution_space&>()));
  using Status = DistributedStatus<BlockStatus>;

  /// Throws Error where MultiBlock does, and where more than one rank has grid blocks that would be coupled.
  DistributedMultiBlock(const execution_space& exec, const DistributedGrid& grid, const Options& options = {})
      : m_grid(grid), m_coupling(options.coupling), m_local(grid.communicator().agree([&] {
          check_coupling(grid, options);
          return Local(exec, grid.local(), grid.blocks().empty() ? without_coupling(options) : options);
        })) {}

  const DistributedGrid& grid() const { return m_grid; }
  Coupling coupling() const { return m_coupling; }
  /// That of the grid blocks of this rank.
  const Local& local() const { return m_local; }

  /// Computes the factors of A. Throws Error where the grid of A is another one.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const DistributedStencil7<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    m_factored = false;
    m_grid.communicator().agree([&] {
      detail::check_distributed_grid("DistributedMultiBlock::factor", "A", a.grid(), m_grid);
      m_local.factor(exec, a.local());
    });
    m_factored = true;
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    detail::check_distributed_grid("DistributedMultiBlock::solve", "the right-hand side", rhs.grid(), m_grid);
    detail::check_distributed_grid("DistributedMultiBlock::solve", "x", x.grid(), m_grid);
    require(m_factored, "DistributedMultiBlock::solve: called before factor");
    m_local.solve(exec, rhs.local(), x.local());
  }

  /// Whether the last factor() failed, where, and why, the same on all ranks: the failure in the grid block with the
  /// lowest number. Waits for the instance.
  Status status(const execution_space& exec) const {
    static_assert(std::is_trivially_copyable_v<BlockStatus>);
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    auto const& communicator = m_grid.communicator();
    auto const mine = communicator.agree([&] { return m_local.status(exec); });
    auto const number = mine.ok() ? none : std::int64_t{m_grid.blocks()[detail::as_size(mine.grid_block)]};
    auto const first = communicator.lowest(number);
    if (first == none) return {};
    BlockStatus status = mine;
    int const rank = m_grid.owner(static_cast<int>(first));
    detail::mpi_call("MPI_Bcast",
                     MPI_Bcast(&status, static_cast<int>(sizeof(status)), MPI_BYTE, rank, communicator.get()));
    return {status, static_cast<int>(first), rank};
  }

 private:
  static Options without_coupling(Options options) {
    options.coupling = Coupling::none;
    options.colours = {};
    return options;
  }

  static void check_coupling(const DistributedGrid& grid, const Options& options) {
    if (options.coupling != Coupling::coloured) return;
    for (int b = 1; b < grid.whole().block_count(); ++b) {
      if (grid.owner(b) == grid.owner(0)) continue;
      fail("DistributedMultiBlock: coupling coloured needs all grid blocks on one rank; grid block 0 is of rank " +
           std::to_string(grid.owner(0)) + ", grid block " + std::to_string(b) + " of rank " +
           std::to_string(grid.owner(b)));
    }
  }

  DistributedGrid m_grid;
  Coupling m_coupling;
  Local m_local;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
