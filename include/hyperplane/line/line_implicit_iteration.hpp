// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/detail/line_sweeps.hpp>
#include <hyperplane/line/line_implicit_options.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// right = rhs + S x, or with S^T, of a LineImplicitIteration with such a matrix: `terms` are those of -S.
template <class Matrix>
struct LineImplicitRest {
  template <bool transposed, class Exec, class Vector>
  static void run(const char* label, const Exec& exec, const Matrix& a, const Vector& rhs, const Vector& x,
                  const Vector& right, const OffLineTerms& terms) {
    if constexpr (transposed) {
      apply_or_residual_transposed<true>("LineImplicit", label, exec, a, &rhs, x, right, terms);
    } else {
      apply_or_residual<true>("LineImplicit", label, exec, a, &rhs, x, right, terms);
    }
  }
};

/// Whether M^-1 of a solver of lines is the inverse of M, but for rounding.
template <class Lines>
inline constexpr bool solves_directly = false;
template <class Scalar, int n, class Exec, class Storage>
inline constexpr bool solves_directly<BlockTridiagonal<Scalar, n, Exec, Storage>> = true;

/// The iteration of LineImplicit, on one grid or several. A plan as LineImplicit.
template <class Vector, class Matrix, class Lines>
class LineImplicitIteration {
  using Exec = typename Vector::execution_space;
  using Scalar = typename Vector::scalar_type;

 public:
  /// `domain` is what vectors are made for, `grids` are its grids: no lines where there are none.
  template <class Domain>
  LineImplicitIteration(const Exec& exec, const Domain& domain, const std::vector<Grid>& grids,
                        const LineImplicitOptions& options, const typename Lines::Options& line_options)
      : m_options(options),
        m_x(exec, domain, "Hyperplane::LineImplicit::x"),
        m_right(exec, domain, "Hyperplane::LineImplicit::right") {
    check_options(options);
    if (grids.empty()) return;
    for (auto const direction : options.directions) {
      m_lines.emplace_back(exec, LineSet::along(grids, direction), line_options);
    }
  }

  const LineImplicitOptions& options() const { return m_options; }
  /// The line solvers, of the directions in turn.
  const std::vector<Lines>& lines() const { return m_lines; }

  void factor(const Exec& exec, const Matrix& a) {
    m_matrix = a;
    for (auto& lines : m_lines) lines.factor_flat(exec, a.flat().data());
  }

  /// Throws Error before the first factor(), and with the transpose where there are several directions whose lines are
  /// not solved directly: it takes M^-1 for the inverse of M. `has_guess`: x is one.
  template <bool transposed>
  void run(const Exec& exec, const char* function, const Vector& rhs, const Vector& x, bool has_guess) const {
    if (transposed && !solves_directly<Lines> && m_options.directions.size() > 1) {
      fail(std::string(function) + ": lines of " + std::to_string(m_options.directions.size()) +
           " directions are not solved by BlockTridiagonal, expected one direction");
    }
    if (!m_matrix) fail(std::string(function) + ": called before factor");
    auto const directions = static_cast<int>(m_lines.size());
    int const last = m_options.sweeps * directions - 1;
    for_line_sweeps(last + 1, !has_guess, m_x, x, [&](int sweep, const Vector* before, const Vector& after) {
      step<transposed>(exec, (transposed ? last - sweep : sweep) % directions, rhs, before, after);
    });
  }

 private:
  /// after <- (1 - w) before + w M^-1 (rhs + S before); nothing before is zero.
  template <bool transposed>
  void step(const Exec& exec, int direction, const Vector& rhs, const Vector* before, const Vector& after) const {
    auto const& lines = m_lines[as_size(direction)];
    auto const w = static_cast<Scalar>(m_options.relaxation);
    if (before != nullptr) {
      constexpr const char* label =
          transposed ? "Hyperplane::LineImplicit::transposed_rest" : "Hyperplane::LineImplicit::rest";
      LineImplicitRest<Matrix>::template run<transposed>(
          label, exec, *m_matrix, rhs, *before, m_right,
          OffLineTerms{lower_neighbour(m_options.directions[as_size(direction)])});
    }
    auto const* const right = (before != nullptr ? m_right : rhs).flat().data();
    auto* const solved = (w == Scalar(1) ? after : m_right).flat().data();
    lines.template solve_flat<transposed>(exec, right, solved);
    if (w == Scalar(1)) return;
    relax(exec, w, static_cast<std::int64_t>(after.flat().size()), m_right.flat().data(),
          before != nullptr ? before->flat().data() : nullptr, after.flat().data());
  }

  LineImplicitOptions m_options;
  Vector m_x;
  Vector m_right;
  std::vector<Lines> m_lines;
  std::optional<Matrix> m_matrix;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
