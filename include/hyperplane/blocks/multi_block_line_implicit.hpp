// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_options.hpp>
#include <hyperplane/blocks/multi_block_status.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_implicit_iteration.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Inside of grid blocks: in one launch where there is one for products.
template <class Scalar, int n, class Exec, class Storage>
struct LineImplicitRest<MultiBlockStencil7<Scalar, n, Exec, Storage>> {
  using Matrix = MultiBlockStencil7<Scalar, n, Exec, Storage>;
  using Vector = MultiBlockVector<Scalar, n, Exec>;

  template <bool transposed>
  static void run(const char* label, const Exec& exec, const Matrix& a, const Vector& rhs, const Vector& x,
                  const Vector& right, const OffLineTerms& terms) {
    if constexpr (!transposed && Matrix::GroupedApply::exists) {
      a.grouped_apply().template run<true>(label, exec, a.flat().data(), rhs.flat().data(), x.flat().data(),
                                           right.flat().data(), terms);
    } else {
      for (int g = 0; g < a.grid().block_count(); ++g) {
        LineImplicitRest<BlockStencil7<Scalar, n, Exec, Storage>>::template run<transposed>(
            label, exec, a.block(g), rhs.block(g), x.block(g), right.block(g), terms);
      }
    }
  }
};

}  // namespace detail

/// The line-implicit iteration in each of several grid blocks, whose lines end at interfaces: lines of all of them are
/// solved together, in the launches that one grid has. (Lines along k are read and written as fast as those of one
/// grid where all grid blocks have the same I, or no more points along i than the vector length; elsewhere, as lines
/// along j, through a table.) A plan as MultiBlock; coupling is none.
template <class Scalar, int n, class Exec, class StorageScalar, class Lines>
class MultiBlock<LineImplicit<Scalar, n, Exec, StorageScalar, Lines>> {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  static constexpr int block_size = n;
  using Options = MultiBlockOptions<LineImplicitOptions>;
  using Vector = MultiBlockVector<Scalar, n, Exec>;
  using Matrix = MultiBlockStencil7<Scalar, n, Exec, detail::WideStorage<Scalar, StorageScalar>>;
  using Status = MultiBlockStatus<LineStatus>;
  using RemoteColours = std::monostate;
  static constexpr bool can_be_coloured = false;
  static constexpr bool has_coupling(Coupling coupling) { return coupling == Coupling::none; }
  static bool has_options(const Options& options) { return has_coupling(options.coupling); }
  /// The same, of the same matrix, with factors of another type.
  template <class Other>
  using WithStorage =
      MultiBlock<typename LineImplicit<Scalar, n, Exec, StorageScalar, Lines>::template WithStorage<Other>>;

  /// Throws Error where the coupling is another one than none, colours are given, and where LineImplicit does.
  MultiBlock(const Exec& exec, const MultiBlockGrid& grid, const Options& options = {})
      : m_grid(grid),
        m_colours(checked_colours(grid, options)),
        m_iteration(exec, grid, {grid.blocks().begin(), grid.blocks().end()}, options.block,
                    typename Lines::Options()) {}

  /// None. Throws Error as the constructor does.
  static std::vector<int> checked_colours(const MultiBlockGrid&, const Options& options) {
    if (!has_coupling(options.coupling)) {
      fail("MultiBlock: this preconditioner has " + detail::no_coupling<MultiBlock>(options.coupling));
    }
    require(options.colours.empty(), "MultiBlock: colours are given, and coupling none takes none");
    return {};
  }

  const MultiBlockGrid& grid() const { return m_grid; }
  Coupling coupling() const { return Coupling::none; }
  const std::vector<int>& colours() const { return m_colours; }

  /// Factors the lines of A, and keeps A: see LineImplicit. Throws Error where the grid of A is another one.
  void factor(const Exec& exec, const Matrix& a) {
    detail::check_multi_block_grid("MultiBlock::factor", "A", a.grid(), m_grid);
    m_iteration.factor(exec, a);
  }

  /// The iteration from x = 0; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<false>(exec, "MultiBlock::solve", rhs, x);
  }

  /// The transpose of what solve() does, see LineImplicit::solve_transposed().
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<true>(exec, "MultiBlock::solve_transposed", rhs, x);
  }

  /// Whether the last factor() failed, where, and why: the first failure of the first grid block that has one, with
  /// line and point of the grid block. Waits for the instance.
  Status status(const Exec& exec) const { return first_failure(exec).status; }

  /// As that of the other MultiBlocks.
  struct Failure {
    Status status{};
    int place = 0;
  };
  Failure first_failure(const Exec& exec) const {
    Failure first;
    for (auto const& lines : m_iteration.lines()) {
      LineStatus status = lines.status(exec);
      if (status.ok()) continue;
      auto const [number, line] = lines.lines().grid_of(status.line);
      if (!first.status.ok() && first.status.grid_block <= number) continue;
      status.line = line;
      status.point = m_grid.block(number).index(*status.grid_point);
      first = {{status, number}, 1};
    }
    return first;
  }

 private:
  template <bool transposed>
  void run(const Exec& exec, const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_multi_block_grid(function, "the right-hand side", rhs.grid(), m_grid);
    detail::check_multi_block_grid(function, "x", x.grid(), m_grid);
    m_iteration.template run<transposed>(exec, function, rhs, x, false);
  }

  MultiBlockGrid m_grid;
  std::vector<int> m_colours;
  detail::LineImplicitIteration<Vector, Matrix, Lines> m_iteration;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
