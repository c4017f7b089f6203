// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole solves of BiCGStab with BILU(0) to 1e-10 from zero: A and factors in double, factors in float, and with a copy
// of A in float that products read, factors in float and in half, and a copy and factors in half. Verified by the
// residual of x, computed from x with A in double, then timed with copy and triad next to every repetition. And
// iterations of BiCGStab and FGMRES, in double and with directions in float, beside what their solves and products take
// alone.

#include "support/cache.hpp"
#include "support/cost_model.hpp"
#include "support/harness.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"

#include <hyperplane/core/half.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/compressed_basis_fgmres.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/stencil/narrow.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::perf {
namespace {

constexpr double tolerance = 1e-10;

/// Convection and diffusion of n coupled unknowns, and of a time derivative what a large time step leaves.
struct ConvectionSystem {
  RandomSystem random;

  KOKKOS_FUNCTION double coefficient(const Point& p, Direction direction, int r, int c) const {
    double const coupling = 0.02 * random.coefficient(p, direction, r, c);
    if (r != c) return coupling;
    bool const upwind = direction == Direction::west || direction == Direction::south;
    return coupling + (direction == Direction::center ? 7.25 : upwind ? -1.8 : -0.9);
  }
  KOKKOS_FUNCTION double rhs(const Point& p, int c) const { return random.rhs(p, c); }
};

/// Factors are stored as Storage, and the matrix that products read as Products.
template <int n, class Exec, class Products, class Storage, class Method = BiCgStab<BlockVector<double, n, Exec>>>
class SolveProblem {
 public:
  SolveProblem(const Exec& exec, const Grid& grid)
      : m_a(exec, grid, "a"),
        m_b(exec, grid, "b"),
        m_x(exec, grid, "x"),
        m_ilu(exec, grid),
        m_method(exec, grid, {.tolerance = tolerance, .max_iterations = 1000}) {
    ConvectionSystem const system{{.grid = grid, .n = n, .dominance = 0.0}};
    assemble(exec, system, m_a);
    assemble(exec, system, m_b);
    if constexpr (narrowed_products) m_copy = std::make_unique<Copy>(narrowed<Products>(exec, m_a));
    m_ilu.factor(exec, m_a);
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
    verify(exec);
  }

  void solve(const Exec& exec) { solve(exec, m_method.options().limits()); }
  void solve(const Exec& exec, const KrylovLimits& limits) {
    Kokkos::deep_copy(exec, m_x.flat(), 0.0);
    if constexpr (narrowed_products) {
      m_result = m_method.solve(exec, NarrowedMatrix(m_a, *m_copy), m_ilu, m_b, m_x, limits);
    } else {
      m_result = m_method.solve(exec, m_a, m_ilu, m_b, m_x, limits);
    }
  }
  /// So many iterations, whatever the residual.
  void iterate(const Exec& exec, int count) {
    solve(exec, {.tolerance = 0.0, .max_iterations = count});
    if (iterations() == count) return;
    throw std::runtime_error("only " + std::to_string(iterations()) + " of " + std::to_string(count) +
                             " iterations on " + to_string(m_a.grid()));
  }
  void precondition(const Exec& exec) const { m_ilu.solve(exec, m_b, m_x); }
  void multiply(const Exec& exec) const { apply(exec, m_a, m_b, m_x); }

  int iterations() const { return m_result.iterations; }
  /// Relative to the right-hand side.
  double residual_norm() const { return m_residual; }
  /// Two products, two solves, 19 values of vectors for each unknown; not the beginning, the end, and what is done now
  /// and then.
  Cost cost() const {
    auto const product = apply_cost(n, sizeof(Products), 8), sweeps = solve_cost(n, sizeof(Storage), 8);
    constexpr double units = ShortReal<Products> ? n * sizeof(Products) : 0.0;
    return {iterations() * (2.0 * (product.bytes + units + sweeps.bytes) + 19.0 * n * 8.0),
            iterations() * 2.0 * (product.flops + sweeps.flops)};
  }

 private:
  static constexpr bool narrowed_products = !std::is_same_v<Products, double>;
  using Vector = BlockVector<double, n, Exec>;
  using Copy = NarrowedStencil7<double, n, Exec, Products>;

  static double norm(const Exec& exec, const Vector& v) {
    double sum = 0.0;
    for (double const value : to_host(exec, v)) sum += value * value;
    return std::sqrt(sum);
  }

  void verify(const Exec& exec) {
    solve(exec);
    Vector const r(exec, m_a.grid());
    residual(exec, m_a, m_b, m_x, r);
    m_residual = norm(exec, r) / norm(exec, m_b);
    if (m_result.converged() && m_residual <= 1.001 * tolerance) return;
    throw std::runtime_error("a solve on " + to_string(m_a.grid()) + ", n = " + std::to_string(n) + ": " +
                             m_result.message() + " after " + std::to_string(m_result.iterations) +
                             " iterations, the residual is " + std::to_string(m_residual / tolerance) +
                             " times what it is to be");
  }

  BlockStencil7<double, n, Exec> m_a;
  std::unique_ptr<Copy> m_copy;
  Vector m_b, m_x;
  BlockIlu0<double, n, Exec, Storage> m_ilu;
  Method m_method;
  KrylovResult m_result;
  double m_residual = 0.0;
};

/// Times iterations, and solves and products, of which an iteration has `applications`, and sets the counters:
///   iteration_ms, solves_ms, products_ms   of one iteration, best
///   over_parts                             an iteration over its solves and products
///   solve_over_parts                       the same of a whole solve to the tolerance, for each iteration of it
template <class Exec, class Problem>
void time_iterations(benchmark::State& state, const Exec& exec, Problem& problem, int applications) {
  constexpr int few = 5, many = 25;
  Samples shorter, longer, solves, products, whole;
  auto const times = [&](auto&& run) {
    return seconds_of(exec, [&] {
      for (int i = 0; i < (many - few) * applications; ++i) run();
    });
  };
  problem.iterate(exec, many);
  for (auto _ : state) {
    shorter.add(seconds_of(exec, [&] { problem.iterate(exec, few); }));
    longer.add(seconds_of(exec, [&] { problem.iterate(exec, many); }));
    solves.add(times([&] { problem.precondition(exec); }) / (many - few));
    products.add(times([&] { problem.multiply(exec); }) / (many - few));
    whole.add(seconds_of(exec, [&] { problem.solve(exec); }));
    state.SetIterationTime(longer.seconds().back());
  }
  double const iteration = (longer.best() - shorter.best()) / (many - few);
  double const parts = solves.best() + products.best();
  state.counters["iteration_ms"] = 1e3 * iteration;
  state.counters["solves_ms"] = 1e3 * solves.best();
  state.counters["products_ms"] = 1e3 * products.best();
  state.counters["over_parts"] = iteration / parts;
  state.counters["solve_ms"] = 1e3 * whole.best();
  state.counters["iterations"] = problem.iterations();
  state.counters["solve_over_parts"] = whole.best() / problem.iterations() / parts;
}

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    auto solved = grids_of(m_settings);
    if (!m_settings.smoke && !HostExecutionSpace<Exec>) solved.emplace_back(128, 128, 128);
    for (auto const& grid : solved) {
      add<5, double, double>("double", grid);
      add<5, double, float>("float_factors", grid);
      add<5, float, float>("float", grid);
      add<5, float, Half>("half_factors", grid);
      add<5, Half, Half>("half", grid);
    }
    using Vector = BlockVector<double, 5, Exec>;
    auto const grids = m_settings.smoke
                           ? grids_of(m_settings)
                           : std::vector{Grid(15, 15, 15), Grid(29, 29, 29), Grid(55, 55, 55), Grid(128, 128, 128)};
    for (auto const& grid : grids) {
      add_iterations<BiCgStab<Vector>>("bicgstab", grid, 2);
      add_iterations<Fgmres<Vector>>("fgmres", grid, 1);
      add_iterations<CompressedBasisFgmres<Vector>>("compressed_basis_fgmres", grid, 1);
    }
  }

 private:
  template <int n, class Products, class Storage>
  void add(const char* what, const Grid& grid) {
    using Problem = SolveProblem<n, Exec, Products, Storage>;
    auto const key = std::string(Exec::name()) + "/" + what + "/n=" + std::to_string(n) + "/" + to_string(grid);
    add_benchmark(m_settings, "bicgstab/" + key, [=, this](benchmark::State& state) {
      auto& problem = m_problem.get<Problem>(key, [&] { return std::make_shared<Problem>(m_exec, grid); });
      time_kernel(state, m_exec, *m_stream, grid.size(), problem.cost(), [&] { problem.solve(m_exec); });
      state.counters["iterations"] = problem.iterations();
      state.counters["residual"] = problem.residual_norm();
    });
  }

  template <class Method>
  void add_iterations(const char* what, const Grid& grid, int applications) {
    using Problem = SolveProblem<5, Exec, double, double, Method>;
    auto const key = std::string(Exec::name()) + "/" + what + "/n=5/" + to_string(grid);
    add_benchmark(m_settings, "iteration/" + key, [=, this](benchmark::State& state) {
      auto& problem =
          m_problem.get<Problem>("iteration/" + key, [&] { return std::make_shared<Problem>(m_exec, grid); });
      time_iterations(state, m_exec, problem, applications);
    });
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_problem;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
