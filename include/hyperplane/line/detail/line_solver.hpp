// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/line_implicit_options.hpp>
#include <hyperplane/line/line_jacobi.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_status.hpp>

#include <variant>

namespace hyperplane::detail {

/// The solver of the lines that the options ask for.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class LineSolver {
 public:
  LineSolver(const Exec& exec, const LineSet& lines, const LineImplicitOptions& options)
      : m_solver(make(exec, lines, options)) {}

  const LineLayout<Scalar, Exec>& layout() const {
    return std::visit([](auto const& solver) -> auto const& { return solver.layout(); }, m_solver);
  }

  template <class Matrix>
  void factor(const Exec& exec, const Matrix& a) {
    std::visit([&](auto& solver) { solver.factor(exec, a); }, m_solver);
  }
  template <class Vector>
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    std::visit([&](auto const& solver) { solver.solve(exec, rhs, x); }, m_solver);
  }
  LineStatus status(const Exec& exec) const {
    return std::visit([&](auto const& solver) { return solver.status(exec); }, m_solver);
  }

 private:
  using Direct = BlockTridiagonal<Scalar, n, Exec, StorageScalar>;
  using Jacobi = LineJacobi<Scalar, n, Exec, StorageScalar>;
  using Solver = std::variant<Direct, Jacobi>;

  static Solver make(const Exec& exec, const LineSet& lines, const LineImplicitOptions& options) {
    if (options.solver == LineSolverKind::jacobi) return Jacobi(exec, lines, options.jacobi);
    return Direct(exec, lines, options.direct);
  }

  Solver m_solver;
};

}  // namespace hyperplane::detail
