// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One iteration x <- M^-1 (b + S x) of LineImplicit, in each direction, its factorization, and the same with block
// Jacobi inside the lines; each verified once, then timed with copy and triad next to every repetition. Beside them the
// residual b - A x, the same product with all seven blocks.

#include "support/kernel_benchmarks.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/line/line_jacobi.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

/// All blocks of A or of the factors of M read once; b + S x: b and x read, the sum written; the lines: it is read, the
/// intermediate vector written and read again, x written.
constexpr Cost iteration_cost(int n, int storage, int scalar) {
  return {7.0 * n * n * storage + 7.0 * n * scalar, 14.0 * n * n};
}

constexpr Cost residual_cost(int n, int storage, int scalar) {
  return {7.0 * n * n * storage + 3.0 * n * scalar, 14.0 * n * n};
}

/// The three blocks of a row along the line read, and as many written.
constexpr Cost line_factor_cost(int n, int storage) { return {6.0 * n * n * storage, 6.0 * n * n * n}; }

/// Block Jacobi inside the lines: as the iteration, but what is read again and again counts once.
constexpr Cost line_jacobi_cost(int n, int storage, int scalar) {
  return {7.0 * n * n * storage + 7.0 * n * scalar, 8.0 * n * n};
}

template <int n, class Exec, class Lines>
class LineProblem {
 public:
  LineProblem(const Exec& exec, const Grid& grid, LineDirection direction)
      : m_system{grid, n},
        m_direction(direction),
        m_a(exec, grid, "a"),
        m_b(exec, grid, "b"),
        m_x(exec, grid, "x"),
        m_r(exec, grid, "r"),
        m_lines(exec, grid, {.directions = {direction}}) {
    assemble(exec, m_system, m_a);
    assemble(exec, m_system, m_b);
    m_lines.factor(exec, m_a);
    if (auto const status = m_lines.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor(const Exec& exec) { m_lines.factor(exec, m_a); }
  void iterate(const Exec& exec) const { m_lines.iterate(exec, m_b, m_x); }
  void compute_residual(const Exec& exec) const { residual(exec, m_a, m_b, m_x, m_r); }

  /// M x' = b + S x, equation by equation at some hundred thousand points, with coefficients made anew.
  void verify(const Exec& exec, double tolerance) const {
    iterate(exec);
    auto const before = to_host(exec, m_x);
    iterate(exec);
    auto const after = to_host(exec, m_x);
    auto const& grid = m_system.grid;
    std::int64_t const stride = std::max<std::int64_t>(1, grid.size() / 100'000);
    double worst = 0;
    double largest = 0;
    for (std::int64_t p = 0; p < grid.size(); p += stride) {
      Point const at = grid.point(p);
      for (int r = 0; r < n; ++r) {
        double difference = -m_system.rhs(at, r);
        for (auto const d : stencil7_directions) {
          Point const other = neighbour(at, d);
          if (!grid.contains(other)) continue;
          bool const rest = detail::OffLineTerms{lower_neighbour(m_direction)}.has(d);
          auto const& x = rest ? before : after;
          for (int c = 0; c < n; ++c) {
            difference += m_system.coefficient(at, d, r, c) * x[grid.index(other) * n + c];
          }
        }
        worst = std::max(worst, std::abs(difference));
        largest = std::max(largest, std::abs(m_system.rhs(at, r)));
      }
    }
    if (worst <= tolerance * largest) return;
    throw std::runtime_error("an iteration on " + to_string(grid) + ", n = " + std::to_string(n) +
                             ", misses M x = b + S x by " + std::to_string(worst / largest) + ", tolerance " +
                             std::to_string(tolerance));
  }

 private:
  RandomSystem m_system;
  LineDirection m_direction;
  BlockStencil7<double, n, Exec> m_a;
  BlockVector<double, n, Exec> m_b;
  BlockVector<double, n, Exec> m_x;
  BlockVector<double, n, Exec> m_r;
  LineImplicit<double, n, Exec, double, Lines> m_lines;
};

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  /// The paper's block sizes and grids; half of each extent on the host.
  void register_all() {
    int const scale = HostExecutionSpace<Exec> ? 2 : 1;
    Grid const cube = m_benchmarks.settings().smoke ? Grid(13, 6, 7) : Grid(128 / scale, 128 / scale, 128 / scale);
    Grid const grid = m_benchmarks.settings().smoke ? Grid(13, 6, 7) : Grid(64 / scale, 64 / scale, 128 / scale);
    register_block_size<3>(cube);
    register_block_size<5>(cube);
    register_block_size<10>(grid);
    register_block_size<15>(grid);
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    using Direct = LineProblem<n, Exec, BlockTridiagonal<double, n, Exec>>;
    for (auto const direction : {LineDirection::i, LineDirection::j, LineDirection::k}) {
      double const rounding = 64.0 * n * std::numeric_limits<double>::epsilon();
      add<Direct, n>("factor", grid, direction, line_factor_cost(n, 8), rounding,
                     [](Direct& problem, const Exec& exec) { problem.factor(exec); });
      add<Direct, n>("iteration", grid, direction, iteration_cost(n, 8, 8), rounding,
                     [](Direct& problem, const Exec& exec) { problem.iterate(exec); });
      if (direction == LineDirection::i) {
        add<Direct, n>("residual", grid, direction, residual_cost(n, 8, 8), rounding,
                       [](Direct& problem, const Exec& exec) { problem.compute_residual(exec); });
      }
      // What the tolerance of 1e-4 leaves of D^-1 times the residual, times D.
      if constexpr (n == 5) {
        using Inexact = LineProblem<n, Exec, LineJacobi<double, n, Exec>>;
        add<Inexact, n>("inexact", grid, direction, line_jacobi_cost(n, 8, 8), 0.1,
                        [](Inexact& problem, const Exec& exec) { problem.iterate(exec); });
      }
    }
  }

  template <class Problem, int n>
  void add(const std::string& kernel, const Grid& grid, LineDirection direction, const Cost& cost, double tolerance,
           void (*run)(Problem&, const Exec&)) {
    auto const key =
        std::string(Exec::name()) + "/" + name(direction) + "/double/n=" + std::to_string(n) + "/" + to_string(grid);
    m_benchmarks.template add<Problem>(
        kernel + "/" + key, (kernel == "inexact" ? "inexact/" : "direct/") + key, grid.size(), cost,
        [=, exec = m_benchmarks.exec()] {
          auto made = std::make_shared<Problem>(exec, grid, direction);
          made->verify(exec, tolerance);
          return made;
        },
        run);
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
