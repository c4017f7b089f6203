// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/detail/copy_parts.hpp>
#include <hyperplane/blocks/detail/status_in_whole.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vectors.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

template <class Options>
struct PartedOptions {
  /// How many parts along i, j and k. {1, 1, 1}: the grid is not cut.
  std::array<int, 3> parts{1, 1, 1};
  Coupling coupling = Coupling::none;
  /// Those of the preconditioner of a part.
  Options block{};
};

namespace detail {

/// The mask of a preconditioner that takes one.
template <class P>
struct MaskOf {};
template <class P>
  requires requires { typename P::Mask; }
struct MaskOf<P> {
  using Mask = typename P::Mask;
};

}  // namespace detail

/// A preconditioner of one grid that is made of parts, with the vectors and the matrix of the grid: P is BlockIlu0,
/// Ssor, Sip or BlockJacobi, as Parted<BlockIlu0<double, 5, Exec>>. It is for codes that have one grid, and want what
/// the parts of a cut grid give: work that does not wait for other parts, or the preconditioner that many processes
/// would have. The matrix is of MatrixStorage.
///
/// The grid is cut as cut_grid() does it. M is that of MultiBlock<P> on the parts, with its couplings: `none` leaves
/// blocks of A between parts out of M, `coloured`, of BlockIlu0, Ssor and Sip, and `natural`, of the first two, take
/// them in. Of one part, and with `natural`, whose M is that of the whole grid, there is P itself, with its bits, and
/// nothing costs more than it does.
///
/// A plan: the constructor allocates and waits for the instance; the other functions do not, and are asynchronous on
/// it. Copies, made after factor(), share factors and working memory: at most one call of a plan and all its copies may
/// run at a time. Bits are as MultiBlock and P say.
///
/// Cost of parts, beside that of MultiBlock: a copy of A and of a vector, in memory; in factor() one launch that copies
/// A, in solve() two that copy vectors, 4 n values for each point. A itself is not written, and may be overwritten when
/// the instance has finished.
template <class P, Real MatrixStorage = typename P::storage_type>
class Parted : public detail::MaskOf<P> {
 public:
  using Vector = typename P::Vector;
  using scalar_type = typename Vector::scalar_type;
  using storage_type = typename P::storage_type;
  using execution_space = typename Vector::execution_space;
  using Options = PartedOptions<typename P::Options>;
  /// The same with factors of another type, of a Q that has them.
  template <class Other, class Q = P>
  using WithStorage = Parted<typename Q::template WithStorage<Other>, MatrixStorage>;
  static constexpr int block_size = Vector::block_size;
  using Matrix = BlockStencil7<scalar_type, block_size, execution_space, MatrixStorage>;
  template <int count>
  using Several = BlockVectors<scalar_type, block_size, count, execution_space>;
  using MultiBlockOfParts = MultiBlock<P>;
  /// Whether P has this one.
  static constexpr bool has_coupling(Coupling coupling) { return MultiBlockOfParts::has_coupling(coupling); }
  /// Whether factors of its type have what the options ask for.
  static bool has_options(const Options& options) { return MultiBlockOfParts::has_options(of_parts(options)); }
  /// Of one part, where it is P itself, and P says so.
  static bool quarter_pays(const Options& options)
    requires requires { P::quarter_pays(options.block); }
  {
    return options.parts == std::array{1, 1, 1} && P::quarter_pays(options.block);
  }

  static_assert(std::is_base_of_v<FactorStatus, typename MultiBlockOfParts::Status>,
                "a failure of LineImplicit is on a line of a part, not of the grid: use MultiBlock");

  /// Throws Error where a direction has fewer points than parts, or no part, where P has no such coupling, and where P
  /// refuses its options.
  Parted(const execution_space& exec, const Grid& grid, const Options& options = {})
      : m_grid(grid), m_options(options) {
    auto const cut = cut_grid(grid, options.parts);
    auto const chosen = of_parts(options);
    MultiBlockOfParts::checked_colours(cut.grid, chosen);
    if (cut.grid.block_count() == 1 || options.coupling == Coupling::natural) {
      m_whole.emplace(exec, grid, options.block);
    } else {
      m_parts = std::make_shared<Parts>(exec, grid, cut, chosen);
    }
  }

  const Grid& grid() const { return m_grid; }
  const Options& options() const { return m_options; }

  /// Computes the factors of A. Throws Error where the grid of A is another one.
  void factor(const execution_space& exec, const Matrix& a) {
    detail::check_grid("Parted::factor", "A", a.grid(), m_grid);
    m_factored = false;
    if (m_whole) {
      m_whole->factor(exec, a);
    } else {
      auto& parts = *m_parts;
      parts.copies.to_parts("Hyperplane::Parted::copy_matrix", exec, a.flat().data(), parts.a.flat().data(),
                            stencil7_size * block_size * block_size);
      parts.preconditioner.factor(exec, parts.a);
    }
    m_factored = true;
  }

  /// The same with masked points, of a P that takes a mask, and of one part: else it throws Error, as parts have the
  /// mask of the matrix, see mask_points(). Where it refuses, it leaves the factors of before as they are.
  template <class Mask>
  void factor(const execution_space& exec, const Matrix& a, const Mask& mask)
    requires requires(P& p) { p.factor(exec, a, mask); }
  {
    require(m_whole.has_value(), "Parted::factor: a grid in parts takes no mask: mask_points() of A before factor()");
    m_whole->factor(exec, a, mask);
    m_factored = true;
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    check_solve("Parted::solve", rhs, x);
    if (m_whole) return m_whole->solve(exec, rhs, x);
    in_parts(exec, rhs, x,
             [&](const auto& preconditioner, const auto& parts) { preconditioner.solve(exec, parts, parts); });
  }

  /// x = M^-T rhs, of a P that has it; x may be rhs. Throws Error as solve() does.
  void solve_transposed(const execution_space& exec, const Vector& rhs, const Vector& x) const
    requires requires(const P& p) { p.solve_transposed(exec, rhs, x); }
  {
    check_solve("Parted::solve_transposed", rhs, x);
    if (m_whole) return m_whole->solve_transposed(exec, rhs, x);
    in_parts(exec, rhs, x, [&](const auto& preconditioner, const auto& parts) {
      preconditioner.solve_transposed(exec, parts, parts);
    });
  }

  /// x[v] = M^-1 rhs[v] for each v, as single solves do: of parts one after the other. Of a P that has this.
  void solve(const execution_space& exec, std::span<const Vector> rhs, std::span<const Vector> x) const
    requires requires(const P& p) { p.solve(exec, rhs, x); }
  {
    if (m_whole) return m_whole->solve(exec, rhs, x);
    if (rhs.size() != x.size()) {
      fail("Parted::solve: " + std::to_string(rhs.size()) + " right-hand sides and " + std::to_string(x.size()) + " x");
    }
    for (std::size_t v = 0; v < rhs.size(); ++v) solve(exec, rhs[v], x[v]);
  }

  /// The same of vectors in one piece of memory, and with M^T.
  template <int count>
  void solve(const execution_space& exec, const Several<count>& rhs, const Several<count>& x) const
    requires requires(const P& p) { p.solve(exec, rhs, x); }
  {
    if (m_whole) return m_whole->solve(exec, rhs, x);
    for (int v = 0; v < count; ++v) solve(exec, rhs[v], x[v]);
  }
  template <int count>
  void solve_transposed(const execution_space& exec, const Several<count>& rhs, const Several<count>& x) const
    requires requires(const P& p) { p.solve_transposed(exec, rhs, x); }
  {
    if (m_whole) return m_whole->solve_transposed(exec, rhs, x);
    for (int v = 0; v < count; ++v) solve_transposed(exec, rhs[v], x[v]);
  }

  /// Whether the last factor() failed, where, and why: of parts the first failure in the order of their factorization.
  /// Points are those of the grid. Waits for the instance.
  FactorStatus status(const execution_space& exec) const {
    if (m_whole) return m_whole->status(exec);
    auto const& parts = *m_parts;
    auto const found = parts.preconditioner.status(exec);
    if (found.ok()) return found;
    return detail::status_in_whole(found, m_grid, parts.cut.boxes[detail::as_size(found.grid_block)].begin);
  }

 private:
  static constexpr int vector_length = Vector::vector_length;

  static typename MultiBlockOfParts::Options of_parts(const Options& options) {
    // GCC warns of options without members that are initialized from others.
    typename MultiBlockOfParts::Options result;
    result.coupling = options.coupling;
    result.block = options.block;
    return result;
  }

  void check_solve(const char* function, const Vector& rhs, const Vector& x) const {
    detail::check_grid(function, "the right-hand side", rhs.grid(), m_grid);
    detail::check_grid(function, "x", x.grid(), m_grid);
    if (!m_factored) fail(std::string(function) + ": called before factor");
  }

  /// Calls solve(preconditioner, values) with the values of rhs in parts, which then are those of x.
  template <class Solve>
  void in_parts(const execution_space& exec, const Vector& rhs, const Vector& x, const Solve& solve) const {
    auto const& parts = *m_parts;
    auto* const values = parts.x.flat().data();
    parts.copies.to_parts("Hyperplane::Parted::copy_rhs", exec, rhs.flat().data(), values, block_size);
    solve(parts.preconditioner, parts.x);
    parts.copies.to_whole("Hyperplane::Parted::copy_x", exec, values, x.flat().data(), block_size);
  }

  struct Parts {
    Parts(const execution_space& exec, const Grid& grid, const CutGrid& cut_of_grid,
          const typename MultiBlockOfParts::Options& options)
        : cut(cut_of_grid),
          copies(exec, grid, cut),
          preconditioner(exec, cut.grid, options),
          a(exec, cut.grid, "Hyperplane::Parted::a"),
          x(exec, cut.grid, "Hyperplane::Parted::x") {}

    CutGrid cut;
    detail::PartCopies<vector_length, execution_space> copies;
    MultiBlockOfParts preconditioner;
    MultiBlockStencil7<scalar_type, block_size, execution_space, MatrixStorage> a;
    typename MultiBlockOfParts::Vector x;
  };

  Grid m_grid;
  Options m_options;
  std::optional<P> m_whole;
  std::shared_ptr<Parts> m_parts;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
