// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks_or_parts.hpp"
#include "interfaces.hpp"
#include "steady.hpp"

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/ghost_points.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>

#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace implicit_flow {

/// What FlowSolver needs to know of where grid blocks are, where one process has all of them. Ranks, in ranks/, has the
/// same functions for several. The matrix and the preconditioner are stored as Storage, double or float, but factors of
/// BILU(0) and SSOR as LinearOptions::factor_storage; all else is double.
template <hyperplane::ExecutionSpace Exec, class Storage = double>
class OneProcess {
 public:
  using execution_space = Exec;
  using storage_type = Storage;
  using Grid = hyperplane::MultiBlockGrid;
  using Matrix = hyperplane::MultiBlockStencil7<double, equations, Exec, Storage>;
  using Vector = hyperplane::MultiBlockVector<double, equations, Exec>;
  template <class P>
  using Preconditioner = BlocksOrParts<P, Storage>;
  static constexpr bool may_have_terminal = true;
  /// Whether factors of BILU(0) and SSOR can have fewer bits than the matrix.
  static constexpr bool has_short_factors = std::is_same_v<Storage, float>;

  explicit OneProcess(const hyperplane::MultiBlockGrid& cells) : m_grid(cells) {}

  const Grid& grid() const { return m_grid; }
  /// Of the coupling and the parts that the options ask for; `block` are the options of P.
  template <class P>
  static Preconditioner<P> preconditioner(const Exec& exec, const Grid& grid, const LinearOptions& options,
                                          const typename P::Options& block = {}) {
    return {exec, grid, options, block};
  }
  /// All grid blocks, of whichever process.
  static const hyperplane::MultiBlockGrid& all_blocks(const Grid& grid) { return grid; }
  /// The numbers of the grid blocks of this process. Lists of problems, fields and so on are in their order.
  std::vector<int> blocks() const {
    std::vector<int> result(static_cast<std::size_t>(m_grid.block_count()));
    std::iota(result.begin(), result.end(), 0);
    return result;
  }

  /// What fills ghost cells behind interfaces: fill() does, of as many layers and components as ghosts() was told.
  using Ghosts = hyperplane::GhostPoints<Exec>;
  Ghosts ghosts(const Exec& exec, int layers, int /*components*/) const { return {exec, m_grid, layers}; }
  static void fill(const Exec& exec, const Ghosts& ghosts, int components, const BlockFields<Exec>& fields) {
    ghosts.fill(exec, components, fields, fields);
  }

  /// Over all processes, like all that follows.
  double sum(double value) const { return value; }
  double least(double value) const { return value; }
  /// What f() returns. Where it throws in one process, all throw.
  template <class F>
  auto agree(const F& f) const {
    return f();
  }
  /// Calls f() in one process, which prints and writes files. Where it throws, all throw.
  template <class F>
  void speak(const F& f) const {
    f();
  }
  /// The cells of all grid blocks in the process that speaks, from those of each process; nothing elsewhere.
  std::vector<std::vector<Quintet<double>>> gather(std::vector<std::vector<Quintet<double>>> own) const { return own; }

  /// What there is beside one process and doubles, for people.
  std::string description() const { return std::is_same_v<Storage, float> ? ", matrix stored as float" : ""; }

 private:
  hyperplane::MultiBlockGrid m_grid;
};

}  // namespace implicit_flow
