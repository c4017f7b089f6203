// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cost_model.hpp"
#include "relative_difference.hpp"

#include "unit_tests/support/random_lines.hpp"

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/block_tridiagonal.hpp>
#include <hyperplane/line/block_tridiagonal_matrix.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/line/line_vector.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace hyperplane::perf {

/// Bytes of the factors of a point: a number of blocks and, of types that have them, the units of its rows.
template <FactorReal Storage>
constexpr double line_factor_bytes(int n, int blocks) {
  return blocks * n * n * sizeof(Storage) + (detail::has_scales<Storage> ? 2.0 * n : 0.0);
}

/// Block tridiagonal solve: L, d^-1 and d^-1 U once, of periodic lines also a spike (3 or 4 blocks); r read, the
/// intermediate vector written, read again, x written (4 n values of double).
template <FactorReal Storage>
constexpr Cost line_solve_cost(int n, LineEnds ends = LineEnds::open) {
  int const blocks = ends == LineEnds::periodic ? 4 : 3;
  return {line_factor_bytes<Storage>(n, blocks) + 4.0 * n * sizeof(double), 2.0 * blocks * n * n};
}

/// Factorization: 3 n^2 coefficients read and three blocks of the factors written; one inverse and two products.
template <Real MatrixStorage, FactorReal Storage>
constexpr Cost line_factor_cost(int n) {
  return {3.0 * n * n * sizeof(MatrixStorage) + line_factor_bytes<Storage>(n, 3), 6.0 * n * n * n};
}
static_assert(line_solve_cost<Half>(5).bytes == 320.0);
static_assert(line_solve_cost<double>(5).bytes == 760.0 &&
              line_solve_cost<double>(5, LineEnds::periodic).bytes == 960.0);

template <int n, class Exec, class Storage>
struct AssemblePoint {
  int m_length;
  typename BlockTridiagonalMatrix<double, n, Exec, Storage>::Ref m_a;
  typename LineVector<double, n, Exec>::Ref m_b;

  KOKKOS_FUNCTION void operator()(std::int64_t point) const {
    test::RandomLines const of{n};
    auto const line = point / m_length;
    int const p = static_cast<int>(point % m_length);
    for (int block = 0; block < line_blocks; ++block) {
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < n; ++r) {
          m_a(line, p, static_cast<LineBlock>(block), r, c) =
              static_cast<Storage>(of.coefficient(point, static_cast<LineBlock>(block), r, c));
        }
      }
    }
    for (int c = 0; c < n; ++c) m_b(line, p, c) = of.rhs(point, c);
  }
};

/// Points with a residual larger than the tolerance.
template <bool transposed, int n, class Exec>
struct CountWrong {
  int m_length;
  bool m_periodic;
  typename LineVector<double, n, Exec>::Ref m_x;
  double m_tolerance;

  KOKKOS_FUNCTION void operator()(std::int64_t point, std::int64_t& count) const {
    test::RandomLines const of{n};
    auto const line = point / m_length;
    int const p = static_cast<int>(point % m_length);
    for (int r = 0; r < n; ++r) {
      double sum = of.rhs(point, r);
      for (int block = 0; block < line_blocks; ++block) {
        int q = p + block - 1;
        if (!m_periodic && (q < 0 || q >= m_length)) continue;
        q = (q + m_length) % m_length;
        // Of A^T the neighbour's block that couples it to this point.
        auto const row = transposed ? line * m_length + q : point;
        auto const which = static_cast<LineBlock>(transposed ? line_blocks - 1 - block : block);
        for (int c = 0; c < n; ++c) {
          sum -= of.coefficient(row, which, transposed ? c : r, transposed ? r : c) * m_x(line, q, c);
        }
      }
      // NaN is wrong too.
      count += !(Kokkos::abs(sum) <= m_tolerance);
    }
  }
};

/// `count` systems of `length` points in line storage. The matrix is of the type of the factors, but of double where
/// that has 16 bits.
template <int n, class Exec, class Storage>
class LineProblem {
  using Solver = BlockTridiagonal<double, n, Exec, Storage>;
  using Vector = LineVector<double, n, Exec>;

 public:
  using MatrixStorage = detail::WideStorage<double, Storage>;
  using Matrix = BlockTridiagonalMatrix<double, n, Exec, MatrixStorage>;

  LineProblem(const Exec& exec, std::int64_t count, int length, const BlockTridiagonalOptions& options,
              LineEnds ends = LineEnds::open)
      : m_count(count),
        m_length(length),
        m_layout(exec, LineSet::uniform(count, length, ends)),
        m_a(exec, m_layout),
        m_b(exec, m_layout),
        m_x(exec, m_layout),
        m_solver(exec, m_layout, options) {
    assemble(exec);
    m_solver.factor(exec, m_a);
    if (auto const status = m_solver.status(exec); !status.ok()) throw std::runtime_error(status.message());
    // Twice: the timed loop overwrites the factors again and again.
    m_solver.factor(exec, m_a);
    m_solver.solve(exec, m_b, m_x);
    verify<false>(exec);
    m_solver.solve_transposed(exec, m_b, m_x);
    verify<true>(exec);
  }

  void factor(const Exec& exec) { m_solver.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_solver.solve(exec, m_b, m_x); }
  void solve_transposed(const Exec& exec) const { m_solver.solve_transposed(exec, m_b, m_x); }

  void assemble(const Exec& exec) const {
    Kokkos::parallel_for("Hyperplane::perf::assemble", Kokkos::RangePolicy<Exec>(exec, 0, m_count * m_length),
                         AssemblePoint<n, Exec, MatrixStorage>{m_length, m_a.ref(), m_b.ref()});
  }

  /// Throws unless A x = b, or A^T x = b, to rounding.
  template <bool transposed>
  void verify(const Exec& exec) const {
    double const tolerance = reference_tolerance(n, rounding_error<Storage>);
    bool const is_periodic = m_layout.lines().ends() == LineEnds::periodic;
    std::int64_t wrong = 0;
    Kokkos::parallel_reduce("Hyperplane::perf::verify", Kokkos::RangePolicy<Exec>(exec, 0, m_count * m_length),
                            CountWrong<transposed, n, Exec>{m_length, is_periodic, m_x.ref(), tolerance}, wrong);
    if (wrong == 0) return;
    std::ostringstream message;
    message << (transposed ? "transposed: " : "") << m_count << " lines of " << m_length << " points, n = " << n << ": "
            << wrong << " residuals are larger than " << tolerance;
    throw std::runtime_error(message.str());
  }

 private:
  std::int64_t m_count;
  int m_length;
  LineLayout<double, Exec> m_layout;
  Matrix m_a;
  Vector m_b;
  Vector m_x;
  Solver m_solver;
};

}  // namespace hyperplane::perf
