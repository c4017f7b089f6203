// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Solves with M and with M^T of the preconditioners on a grid beside BILU(0): block SSOR, block Jacobi and
// line-implicit iteration with n = 5, SIP. Verified as adjoints of one another, then timed with copy and triad next to
// every repetition.

#include "support/assemble.hpp"
#include "support/cost_model.hpp"
#include "support/kernel_benchmarks.hpp"
#include "support/suites.hpp"

#include "unit_tests/support/transfer.hpp"

#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

/// A preconditioner M with its system.
template <class M, class Exec>
class AdjointProblem {
 public:
  static constexpr int n = M::Vector::block_size;

  AdjointProblem(const Exec& exec, const Grid& grid, const std::string& what)
      : m_system{grid, n}, m_a(exec, grid, "a"), m_b(exec, grid, "b"), m_x(exec, grid, "x"), m_m(exec, grid) {
    assemble(exec, m_system, m_a);
    assemble(exec, m_system, m_b);
    m_m.factor(exec, m_a);
    if (auto const status = m_m.status(exec); !status.ok()) throw std::runtime_error(status.message());
    check(exec, what);
  }

  void solve(const Exec& exec) const { m_m.solve(exec, m_b, m_x); }
  void solve_transposed(const Exec& exec) const { m_m.solve_transposed(exec, m_b, m_x); }

 private:
  /// Throws where c^T M^-1 b is not b^T M^-T c, with c of the same entries in another order.
  void check(const Exec& exec, const std::string& what) const {
    auto const b = m_system.rhs();
    std::vector<double> const c(b.rbegin(), b.rend());
    solve(exec);
    auto const x = test::to_host(exec, m_x);
    auto const dc = test::to_device<double, n>(exec, m_system.grid, c);
    m_m.solve_transposed(exec, dc, dc);
    auto const y = test::to_host(exec, dc);
    double const left = std::inner_product(c.begin(), c.end(), x.begin(), 0.0);
    double const right = std::inner_product(b.begin(), b.end(), y.begin(), 0.0);
    double size = 0.0;
    for (std::size_t e = 0; e < b.size(); ++e) size += std::abs(c[e] * x[e]) + std::abs(b[e] * y[e]);
    if (std::abs(left - right) <= 1e-13 * size) return;
    throw std::runtime_error(what + ": the solve with the transpose is not the adjoint of the plain one");
  }

  RandomSystem m_system;
  BlockStencil7<double, n, Exec> m_a;
  BlockVector<double, n, Exec> m_b, m_x;
  M m_m;
};

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    add<Ssor<double, 5, Exec>>("ssor", grid(64), solve_cost(5, 8, 8));
    add<BlockJacobi<double, 5, Exec>>("jacobi", grid(64), {25.0 * 8 + 10.0 * 8, 50.0});
    // The three blocks of a line, as bench_block_tridiagonal counts them.
    add<LineImplicit<double, 5, Exec>>("lines", grid(64), {75.0 * 8 + 20.0 * 8, 150.0});
    add<Sip<double, Exec>>("sip", grid(128), solve_cost(1, 8, 8));
  }

 private:
  Grid grid(int points) const { return m_benchmarks.settings().smoke ? Grid(13, 6, 7) : Grid(points, points, points); }

  template <class M>
  void add(const std::string& which, const Grid& grid, const Cost& cost) {
    using Problem = AdjointProblem<M, Exec>;
    auto const key =
        std::string(Exec::name()) + "/" + which + "/double/n=" + std::to_string(Problem::n) + "/" + to_string(grid);
    auto const make = [=, exec = m_benchmarks.exec()] { return std::make_shared<Problem>(exec, grid, which); };
    auto const add_kernel = [&](const std::string& kernel, void (*run)(Problem&, const Exec&)) {
      m_benchmarks.template add<Problem>(kernel + "/" + key, key, grid.size(), cost, make, run);
    };
    add_kernel("solve", [](Problem& problem, const Exec& exec) { problem.solve(exec); });
    add_kernel("solve_transposed", [](Problem& problem, const Exec& exec) { problem.solve_transposed(exec); });
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
