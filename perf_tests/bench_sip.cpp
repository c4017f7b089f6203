// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// SIP on each path: coefficients, each sweep, a solve (both), three solves with one matrix (one after another and
// together) and one iteration, with coefficients in double and, on the path of slabs, in float and half, on the grids
// of E. Dufrechou, P. Ezzatti, G. Usera, "Avoiding synchronization to accelerate a CFD solver in GPU", and on cubes;
// each verified once, then timed with copy and triad next to every repetition. Beside them the bound without
// synchronisation, which moves what a sweep moves and waits for nothing: its results are wrong; conversions from and to
// natural, red-black and hyperplane order; and a forward sweep with a launch for each plane on arrays in those orders.

#include "support/kernel_benchmarks.hpp"
#include "support/ordered_sweep.hpp"
#include "support/problem.hpp"
#include "support/suites.hpp"
#include "support/unsynchronised_sweep.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/red_black_order.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/stencil/convert.hpp>
#include <hyperplane/sweep/comparison_paths.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace hyperplane::perf {
namespace {

/// Seven coefficients of A read and seven written. `matrix` and `storage` are the bytes of one of each.
constexpr Cost coefficients_cost(int matrix, int storage) { return {7.0 * (matrix + storage), 40.0}; }

/// correction_cost() of a matrix that may be stored otherwise than the plan's coefficients.
constexpr Cost iteration_cost(int matrix, int storage, int scalar) {
  return residual_cost(1, matrix, scalar) + solve_cost(1, storage, scalar) + Cost{3.0 * scalar, 1.0};
}

/// Its coefficients, a vector read and one written.
constexpr Cost forward_cost(int storage, int scalar) { return {4.0 * storage + 2.0 * scalar, 8.0}; }
constexpr Cost backward_cost(int storage, int scalar) { return {3.0 * storage + 2.0 * scalar, 6.0}; }

/// Coefficients once for all right-hand sides.
constexpr Cost several_cost(int count, int storage, int scalar) {
  return {7.0 * storage + 4.0 * count * scalar, 14.0 * count};
}

inline constexpr int components = 3;  // of a velocity

/// A vector and a matrix on their way between an order of points and the storage of SIP.
template <class Order, class Exec>
class Conversion {
 public:
  Conversion(const Exec& exec, const Grid& grid)
      : m_order(grid),
        m_values("values", grid.size()),
        m_arrays("arrays", grid.size(), stencil7_size),
        m_x(exec, grid),
        m_a(exec, grid) {}

  void from(const Exec& exec) const { pack(exec, m_values, m_x, m_order); }
  void to(const Exec& exec) const { unpack(exec, m_x, m_values, m_order); }
  void matrix_from(const Exec& exec) const { pack(exec, m_arrays, m_a, m_order); }

 private:
  Order m_order;
  Kokkos::View<double*, typename Exec::memory_space> m_values;
  Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space> m_arrays;
  BlockVector<double, 1, Exec> m_x;
  BlockStencil7<double, 1, Exec> m_a;
};

/// A matrix, whose coefficients are stored as float where those of the plan have 16 bits, and a plan of it.
template <class Exec, class Storage>
class SipProblem {
 public:
  using Solver = Sip<double, Exec, Storage>;
  using MatrixStorage = std::conditional_t<ShortReal<Storage>, float, Storage>;

  SipProblem(const Exec& exec, const Grid& grid, SweepPath path)
      : SipProblem(exec, grid, Solver(exec, grid, {.path = path, .right_hand_sides = components})) {}
  SipProblem(const Exec& exec, const Grid& grid, ComparisonPath path)
      : SipProblem(exec, grid, with_comparison_path<Solver>(exec, grid, path, {.right_hand_sides = components})) {}
  SipProblem(const Exec& exec, const Grid& grid, Solver solver)
      : m_system{grid, 1},
        m_a(exec, grid, "a"),
        m_b(exec, grid, "b"),
        m_x(exec, grid, "x"),
        m_r(exec, grid, "r"),
        m_sip(std::move(solver)) {
    assemble(exec, m_system, m_a);
    assemble(exec, m_system, m_b);
    for (int v = 0; v < components; ++v) {
      m_velocity.emplace_back(exec, grid, "velocity");
      assemble(exec, m_system, m_velocity.back());
      m_solution.emplace_back(exec, grid, "solution");
    }
    factor(exec);
    if (auto const status = m_sip.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  void factor(const Exec& exec) { m_sip.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_sip.solve(exec, m_b, m_x); }
  void forward(const Exec& exec) const { m_sip.forward(exec, m_b, m_r); }
  void backward(const Exec& exec) const { m_sip.backward(exec, m_r, m_x); }
  void solve_together(const Exec& exec) const { m_sip.solve(exec, m_velocity, m_solution); }
  void solve_in_turn(const Exec& exec) const {
    for (int v = 0; v < components; ++v) m_sip.solve(exec, m_velocity[v], m_solution[v]);
  }
  /// x += M^-1 (b - A x)
  void iterate(const Exec& exec) const {
    residual(exec, m_a, m_b, m_x, m_r);
    m_sip.solve(exec, m_r, m_r);
    auto const x = m_x.flat();
    Kokkos::parallel_for("Hyperplane::perf::update", Kokkos::RangePolicy<Exec>(exec, 0, x.size()),
                         AddTo{x.data(), m_r.flat().data()});
  }

  /// The solve is that of the portable path, so are its parts and those of several, and the iteration converges.
  void verify(const Exec& exec) const {
    solve(exec);
    auto const x = to_host(exec, m_x);
    forward(exec);
    backward(exec);
    solve_together(exec);
    double const rounding = 32 * std::numeric_limits<double>::epsilon();
    if (x != to_host(exec, m_x) || !(relative_difference(x, to_host(exec, m_solution.back())) <= rounding)) {
      throw std::runtime_error("SIP on " + to_string(m_system.grid) + ", path " + name(m_sip.path()) +
                               ": the parts of a solve, or several, differ from it");
    }
    Solver portable(exec, m_system.grid, {.path = SweepPath::portable});
    portable.factor(exec, m_a);
    portable.solve(exec, m_b, m_x);
    double const difference = relative_difference(x, to_host(exec, m_x));
    double const tolerance = 32 * rounding_error<Storage>;
    if (!(difference <= tolerance)) {
      throw std::runtime_error("SIP on " + to_string(m_system.grid) + ", path " + name(m_sip.path()) +
                               ": relative difference from the portable path " + std::to_string(difference));
    }
    for (int iteration = 0; iteration < 30; ++iteration) iterate(exec);
    auto const solution = to_host(exec, m_x);
    iterate(exec);
    double const change = relative_difference(solution, to_host(exec, m_x));
    if (!(change <= 1e-3)) {
      throw std::runtime_error("SIP on " + to_string(m_system.grid) + ": 30 iterations leave a change of " +
                               std::to_string(change));
    }
  }

 private:
  RandomSystem m_system;
  BlockStencil7<double, 1, Exec, MatrixStorage> m_a;
  BlockVector<double, 1, Exec> m_b;
  BlockVector<double, 1, Exec> m_x;
  BlockVector<double, 1, Exec> m_r;
  std::vector<BlockVector<double, 1, Exec>> m_velocity;
  std::vector<BlockVector<double, 1, Exec>> m_solution;
  Solver m_sip;
};

template <class Exec>
class Suite {
  using Problem = SipProblem<Exec, double>;

 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    std::vector<SweepPath> paths = {SweepPath::portable, SweepPath::slab};
    if constexpr (!HostExecutionSpace<Exec>) paths.push_back(SweepPath::cuda_graph);
    for (auto const& grid : grids()) {
      for (auto const path : paths) {
        add_sweeps(grid, path);
        // Other paths compute coefficients, and take several right-hand sides, as the portable one or one after
        // another.
        if (path != SweepPath::portable && path != SweepPath::slab) continue;
        add("coefficients", grid, path, coefficients_cost(8, 8), [](Problem& p, const Exec& e) { p.factor(e); });
        add("solve_3_in_turn", grid, path, solve_cost(1, 8, 8) + solve_cost(1, 8, 8) + solve_cost(1, 8, 8),
            [](Problem& p, const Exec& e) { p.solve_in_turn(e); });
        add("solve_3_together", grid, path, several_cost(components, 8, 8),
            [](Problem& p, const Exec& e) { p.solve_together(e); });
      }
      add_storage<float>("float", grid);
      add_storage<Half>("half", grid);
      if constexpr (CudaExecutionSpace<Exec>) {
        for (auto const path : comparison_paths) add_sweeps(grid, path);
      }
      add_order<Grid>("natural", grid);
      add_order<RedBlackOrder>("red_black", grid);
      add_order<HyperplaneMap>("hyperplanes", grid);
      if (HostExecutionSpace<Exec>) continue;
      add_bound<Sweep::forward>("wrong_without_synchronisation_forward", grid, forward_cost(8, 8));
      add_bound<Sweep::backward>("wrong_without_synchronisation_backward", grid, backward_cost(8, 8));
    }
  }

 private:
  template <class ChosenPath>
  void add_sweeps(const Grid& grid, ChosenPath path) {
    add("iteration", grid, path, iteration_cost(8, 8, 8), [](Problem& p, const Exec& e) { p.iterate(e); });
    add("solve", grid, path, solve_cost(1, 8, 8), [](Problem& p, const Exec& e) { p.solve(e); });
    add("forward", grid, path, forward_cost(8, 8), [](Problem& p, const Exec& e) { p.forward(e); });
    add("backward", grid, path, backward_cost(8, 8), [](Problem& p, const Exec& e) { p.backward(e); });
  }

  template <class Storage>
  void add_storage(const std::string& storage, const Grid& grid) {
    using Stored = SipProblem<Exec, Storage>;
    constexpr int bytes = sizeof(Storage), matrix = sizeof(typename Stored::MatrixStorage);
    constexpr auto path = SweepPath::slab;
    add<Stored>(
        "coefficients", grid, path, coefficients_cost(matrix, bytes), [](Stored& p, const Exec& e) { p.factor(e); },
        storage);
    add<Stored>(
        "iteration", grid, path, iteration_cost(matrix, bytes, 8), [](Stored& p, const Exec& e) { p.iterate(e); },
        storage);
    add<Stored>("solve", grid, path, solve_cost(1, bytes, 8), [](Stored& p, const Exec& e) { p.solve(e); }, storage);
  }

  std::vector<Grid> grids() const {
    if (m_benchmarks.settings().smoke) return {Grid(13, 6, 7)};
    if (HostExecutionSpace<Exec>) return {Grid(32, 32, 32), Grid(64, 64, 64), Grid(96, 96, 96), Grid(128, 128, 128)};
    return {Grid(512, 64, 64), Grid(512, 128, 128), Grid(1024, 64, 64),  Grid(15, 15, 15),   Grid(29, 29, 29),
            Grid(64, 64, 64),  Grid(128, 128, 128), Grid(192, 192, 192), Grid(256, 256, 256)};
  }

  /// `storage` where it is not double.
  template <class Stored = Problem, class ChosenPath>
  void add(const std::string& kernel, const Grid& grid, ChosenPath path, const Cost& cost,
           void (*run)(std::type_identity_t<Stored>&, const Exec&), const std::string& storage = "") {
    auto const key =
        std::string(Exec::name()) + "/" + name(path) + (storage.empty() ? "/" : "/" + storage + "/") + to_string(grid);
    m_benchmarks.template add<Stored>(
        "sip_" + kernel + "/" + key, key, grid.size(), cost,
        [=, exec = m_benchmarks.exec()] {
          auto made = std::make_shared<Stored>(exec, grid, path);
          made->verify(exec);
          return made;
        },
        run,
        [=](benchmark::State& state) {
          int const planes = grid.ni() + grid.nj() + grid.nk() - 2;
          bool const one_sweep = kernel == "coefficients" || kernel == "forward" || kernel == "backward";
          state.counters["us/plane"] = 1e3 * state.counters["best_ms"] / (one_sweep ? 1 : 2) / planes;
        });
  }

  template <Sweep sweep>
  void add_bound(const std::string& kernel, const Grid& grid, const Cost& cost) {
    using Bound = UnsynchronisedSweep<sweep, Exec>;
    add_simple<Bound>(kernel, grid, cost, [](const Bound& b, const Exec& e) { b.run(e); });
  }

  template <class Order>
  void add_order(const std::string& order, const Grid& grid) {
    using Change = Conversion<Order, Exec>;
    Cost const vector{16.0, 0.0}, matrix{2.0 * stencil7_size * 8.0, 0.0};
    add_simple<Change>("from_" + order, grid, vector, [](const Change& c, const Exec& e) { c.from(e); });
    add_simple<Change>("to_" + order, grid, vector, [](const Change& c, const Exec& e) { c.to(e); });
    add_simple<Change>("matrix_from_" + order, grid, matrix, [](const Change& c, const Exec& e) { c.matrix_from(e); });
    using Ordered = OrderedSweep<Order, Exec>;
    add_simple<Ordered>("forward_in_order_" + order, grid, forward_cost(8, 8),
                        [](const Ordered& o, const Exec& e) { o.run(e); });
  }

  template <class Work>
  void add_simple(const std::string& kernel, const Grid& grid, const Cost& cost,
                  void (*run)(const Work&, const Exec&)) {
    auto const key = std::string(Exec::name()) + "/" + to_string(grid);
    m_benchmarks.template add<Work>(
        "sip_" + kernel + "/" + key, std::string(typeid(Work).name()) + key, grid.size(), cost,
        [=, exec = m_benchmarks.exec()] {
          auto made = std::make_shared<Work>(exec, grid);
          if constexpr (requires { made->verify(exec); }) made->verify(exec);
          return made;
        },
        run);
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
