// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "assemble.hpp"
#include "relative_difference.hpp"

#include "unit_tests/support/serial_reference.hpp"
#include "unit_tests/support/transfer.hpp"

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::perf {

using test::to_host;

struct AddTo {
  double* m_x;
  const double* m_dx;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { m_x[i] += m_dx[i]; }
};

/// One system, and everything that the benchmarks do with it. `verify` runs each of them once against the serial
/// reference and throws where they differ by more than rounding to the storage type explains.
template <int n, class Exec, class Storage>
class Problem {
 public:
  static constexpr int block_size = n;
  /// Of the matrix, where factors have 16 bits or less.
  using MatrixStorage = std::conditional_t<Real<Storage>, Storage, float>;

  Problem(const Exec& exec, const Grid& grid, SweepPath path, const FoldedDirections& folded = {})
      : m_system{grid, n},
        m_a(exec, grid, "a"),
        m_b(exec, grid, "b"),
        m_x(exec, grid, "x"),
        m_r(exec, grid, "r"),
        m_ilu(exec, grid, {.path = path, .folded = folded}) {
    assemble(exec, m_system, m_a);
    assemble(exec, m_system, m_b);
    m_ilu.factor(exec, m_a);
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  const RandomSystem& system() const { return m_system; }
  /// Result of the last solve, apply or correct, by rows.
  std::vector<double> x(const Exec& exec) const { return to_host(exec, m_x); }

  void factor(const Exec& exec) { m_ilu.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_ilu.solve(exec, m_b, m_x); }
  void solve_transposed(const Exec& exec) const { m_ilu.solve_transposed(exec, m_b, m_x); }
  void apply(const Exec& exec) const { hyperplane::apply(exec, m_a, m_b, m_x); }
  void apply_transposed(const Exec& exec) const { hyperplane::apply_transposed(exec, m_a, m_b, m_x); }
  void residual(const Exec& exec) const { hyperplane::residual(exec, m_a, m_b, m_x, m_r); }
  /// x += M^-1 (b - A x)
  void correct(const Exec& exec) const {
    residual(exec);
    m_ilu.solve(exec, m_r, m_r);
    auto const x = m_x.flat();
    Kokkos::parallel_for("Hyperplane::perf::update", Kokkos::RangePolicy<Exec>(exec, 0, x.size()),
                         AddTo{x.data(), m_r.flat().data()});
  }

  void verify(const Exec& exec, const test::ReferenceIlu0<RandomSystem>& reference) {
    auto const b = m_system.rhs();
    solve(exec);
    auto const x_reference = reference.solve(b);
    check("solve", x(exec), x_reference);
    hyperplane::residual(exec, m_a, m_b, m_b, m_r);
    check("residual", to_host(exec, m_r), difference(b, test::reference_product(m_system, b)));

    correct(exec);
    auto corrected = reference.solve(difference(b, test::reference_product(m_system, x_reference)));
    std::transform(x_reference.begin(), x_reference.end(), corrected.begin(), corrected.begin(), std::plus<>{});
    check("correction", x(exec), corrected);

    apply(exec);
    check("apply", x(exec), test::reference_product(m_system, b));

    apply_transposed(exec);
    check("apply_transposed", x(exec), test::reference_transposed_product(m_system, b));

    solve_transposed(exec);
    check("transposed solve", x(exec), reference.solve_transposed(b));

    // The factors must be the same the second time: the timed loop overwrites them again and again.
    factor(exec);
    solve(exec);
    check("solve after another factor", x(exec), x_reference);
  }

 private:
  static std::vector<double> difference(const std::vector<double>& a, std::vector<double> b) {
    std::transform(a.begin(), a.end(), b.begin(), b.begin(), std::minus<>{});
    return b;
  }

  void check(const char* what, const std::vector<double>& actual, const std::vector<double>& expected) const {
    check_reference(std::string(what) + " on " + to_string(m_system.grid), n, rounding_error<Storage>, actual,
                    expected);
  }

  RandomSystem m_system;
  BlockStencil7<double, n, Exec, MatrixStorage> m_a;
  BlockVector<double, n, Exec> m_b;
  BlockVector<double, n, Exec> m_x;
  BlockVector<double, n, Exec> m_r;
  BlockIlu0<double, n, Exec, Storage> m_ilu;
};

}  // namespace hyperplane::perf
