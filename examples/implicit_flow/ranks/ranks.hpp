// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/interfaces.hpp"
#include "../solver/steady.hpp"

#include <hyperplane/mpi/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace implicit_flow {

/// The grid blocks of a flow on the ranks of MPI_COMM_WORLD: about as many cells on each, and whole grid blocks, so
/// that a rank may have none. Rank 0 is the one that speaks. See OneProcess.
///
/// All but sums over all cells has the bits that it has in one process.
template <hyperplane::ExecutionSpace Exec>
class Ranks {
 public:
  using execution_space = Exec;
  using storage_type = double;
  static constexpr bool has_short_factors = false;
  using Grid = hyperplane::DistributedGrid;
  using Matrix = hyperplane::DistributedStencil7<double, equations, Exec>;
  using Vector = hyperplane::DistributedVector<double, equations, Exec>;
  template <class P>
  using Preconditioner = hyperplane::DistributedMultiBlock<P>;
  /// mpirun gives ranks one, wherever their output goes.
  static constexpr bool may_have_terminal = false;

  Ranks(const hyperplane::Communicator& communicator, const hyperplane::MultiBlockGrid& cells)
      : Ranks(hyperplane::DistributedGrid(communicator, cells)) {}
  /// With owners of one's own.
  explicit Ranks(const hyperplane::DistributedGrid& grid) : m_grid(grid) {}

  const Grid& grid() const { return m_grid; }
  template <class P>
  static Preconditioner<P> preconditioner(const Exec& exec, const Grid& grid, const LinearOptions& options,
                                          const typename P::Options& block = {}) {
    grid.communicator().agree([&] {
      if (options.parts) {
        throw hyperplane::Error("--preconditioner-parts is for one process: ranks want grid blocks, as --parts " +
                                to_string(*options.parts) + " cuts them");
      }
    });
    return {exec, grid, {.coupling = options.coupling, .block = block}};
  }
  static const hyperplane::MultiBlockGrid& all_blocks(const Grid& grid) { return grid.whole(); }
  std::vector<int> blocks() const { return {m_grid.blocks().begin(), m_grid.blocks().end()}; }

  using Ghosts = hyperplane::DistributedGhostPoints<double, Exec>;
  Ghosts ghosts(const Exec& exec, int layers, int components) const {
    return {exec, m_grid, {.layers = layers, .components = components}};
  }
  static void fill(const Exec& exec, const Ghosts& ghosts, int /*components*/, const BlockFields<Exec>& fields) {
    ghosts.start(exec, fields);
    ghosts.finish(exec, fields, fields);
  }

  double sum(double value) const {
    std::array values{value};
    communicator().sum(values);
    return values[0];
  }
  double least(double value) const {
    double result = 0;
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return result;
  }
  template <class F>
  auto agree(const F& f) const {
    return communicator().agree(f);
  }
  template <class F>
  void speak(const F& f) const {
    agree([&] {
      if (communicator().rank() == 0) f();
    });
  }
  std::vector<std::vector<Quintet<double>>> gather(std::vector<std::vector<Quintet<double>>> own) const {
    std::vector<std::vector<Quintet<double>>> result;
    auto const& whole = m_grid.whole();
    bool const speaks = communicator().rank() == 0;
    for (int b = 0; b < whole.block_count(); ++b) {
      bool const has = m_grid.is_local(b);
      if (!has && !speaks) continue;
      auto cells = has ? std::move(own[local(b)])
                       : std::vector<Quintet<double>>(static_cast<std::size_t>(whole.block(b).size()));
      auto const count = static_cast<int>(equations * whole.block(b).size());
      if (!has) MPI_Recv(cells.data(), count, MPI_DOUBLE, m_grid.owner(b), b, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!speaks) MPI_Send(cells.data(), count, MPI_DOUBLE, 0, b, MPI_COMM_WORLD);
      if (speaks) result.push_back(std::move(cells));
    }
    return result;
  }

  /// ", 3 ranks, 1 of them without a grid block"
  std::string description() const {
    int const ranks = communicator().size();
    std::vector<bool> has(static_cast<std::size_t>(ranks));
    for (int b = 0; b < m_grid.whole().block_count(); ++b) has[static_cast<std::size_t>(m_grid.owner(b))] = true;
    auto const idle = std::ranges::count(has, false);
    return ", " + std::to_string(ranks) + " ranks" +
           (idle > 0 ? ", " + std::to_string(idle) + " of them without a grid block (--parts cuts a grid)" : "");
  }

 private:
  const hyperplane::Communicator& communicator() const { return m_grid.communicator(); }
  /// The place of a grid block of this rank in its lists.
  std::size_t local(int number) const { return static_cast<std::size_t>(m_grid.local_number(number)); }

  hyperplane::DistributedGrid m_grid;
};

}  // namespace implicit_flow
