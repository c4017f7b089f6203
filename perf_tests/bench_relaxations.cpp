// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factorization and solve of Ssor and BlockJacobi on grids, with factors in double, float and half: M x = b checked
// point by point, then timed with copy and triad next to every repetition.

#include "support/assemble.hpp"
#include "support/kernel_benchmarks.hpp"
#include "support/relative_difference.hpp"
#include "support/suites.hpp"

#include "unit_tests/support/serial_reference.hpp"
#include "unit_tests/support/transfer.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::perf {
namespace {

template <int n, class Exec, class Storage>
using JacobiOf = BlockJacobi<double, n, Exec, Storage>;
template <int n, class Exec, class Storage>
using SsorOf = Ssor<double, n, Exec, Storage>;

/// Of block Jacobi the diagonal blocks are read, and their inverses are written; d^-1 and two vectors in a solve.
constexpr Cost jacobi_factor_cost(int n, int matrix, int storage) {
  return {1.0 * n * n * (matrix + storage), 2.0 * n * n * n};
}
constexpr Cost jacobi_solve_cost(int n, int storage, int scalar) {
  return {1.0 * n * n * storage + 2.0 * n * scalar, 2.0 * n * n};
}
/// Of SSOR all blocks are read and written, and solves are those of BILU(0).
constexpr Cost ssor_factor_cost(int n, int matrix, int storage) {
  return {7.0 * n * n * (matrix + storage), 8.0 * n * n * n};
}

/// A matrix, whose blocks are stored as float where factors have 16 bits, and a plan of it.
template <class Plan>
class RelaxationProblem {
 public:
  static constexpr int n = Plan::block_size;
  using Exec = typename Plan::execution_space;
  using Storage = typename Plan::storage_type;
  using MatrixStorage = std::conditional_t<ShortReal<Storage>, float, Storage>;
  static constexpr bool is_ssor = std::is_same_v<Plan, SsorOf<n, Exec, Storage>>;

  RelaxationProblem(const Exec& exec, const Grid& grid)
      : m_system{grid, n}, m_a(exec, grid, "a"), m_b(exec, grid, "b"), m_x(exec, grid, "x"), m_plan(exec, grid) {
    assemble(exec, m_system, m_a);
    assemble(exec, m_system, m_b);
    m_plan.factor(exec, m_a);
    if (auto const status = m_plan.status(exec); !status.ok()) throw std::runtime_error(status.message());
    verify(exec);
  }

  void factor(const Exec& exec) { m_plan.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_plan.solve(exec, m_b, m_x); }

 private:
  using Values = std::vector<double>;

  /// Adds the products of the blocks of p in these directions and x.
  void add(const Values& x, const Point& p, std::initializer_list<Direction> directions, Values& sum) const {
    for (auto const d : directions) {
      Point const other = neighbour(p, d);
      if (!m_system.grid.contains(other)) continue;
      const double* const of_other = &x[static_cast<std::size_t>(m_system.grid.index(other) * n)];
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) sum[r] += m_system.coefficient(p, d, r, c) * of_other[c];
      }
    }
  }

  /// D^-1 U x of a point.
  Values relaxed(const Values& x, const Point& p) const {
    auto const d = m_system.block(m_system.grid.index(p), Direction::center);
    Values sum(std::size_t{n}, 0.0);
    add(x, p, {Direction::east, Direction::north, Direction::top}, sum);
    return test::inverse(d) * sum;
  }

  /// M x of a point: D x, and with SSOR (D + L) D^-1 (D + U) x.
  Values product(const Values& x, const Point& p) const {
    Values sum(std::size_t{n}, 0.0);
    add(x, p, {Direction::center}, sum);
    if (!is_ssor) return sum;
    add(x, p, {Direction::east, Direction::north, Direction::top}, sum);
    for (auto const d : {Direction::west, Direction::south, Direction::bottom}) {
      Point const other = neighbour(p, d);
      if (!m_system.grid.contains(other)) continue;
      auto y = relaxed(x, other);
      for (int c = 0; c < n; ++c) y[c] += x[static_cast<std::size_t>(m_system.grid.index(other) * n + c)];
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) sum[r] += m_system.coefficient(p, d, r, c) * y[c];
      }
    }
    return sum;
  }

  /// At ten thousand points.
  void verify(const Exec& exec) const {
    solve(exec);
    auto const x = test::to_host(exec, m_x);
    auto const& grid = m_system.grid;
    Values products, expected;
    for (std::int64_t at = 0; at < grid.size(); at += std::max<std::int64_t>(1, grid.size() / 10'000)) {
      Point const p = grid.point(at);
      auto const of_point = product(x, p);
      products.insert(products.end(), of_point.begin(), of_point.end());
      for (int c = 0; c < n; ++c) expected.push_back(m_system.rhs(p, c));
    }
    check_reference("M x on " + to_string(grid), n, rounding_error<Storage>, products, expected);
  }

  test::RandomSystem m_system;
  BlockStencil7<double, n, Exec, MatrixStorage> m_a;
  BlockVector<double, n, Exec> m_b, m_x;
  Plan m_plan;
};

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    for (auto const& grid : grids_of(m_benchmarks.settings())) {
      register_block_size<1>(grid);
      register_block_size<5>(grid);
      register_block_size<6>(grid);
    }
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_storage<n, double>("double", grid);
    register_storage<n, float>("float", grid);
    register_storage<n, Half>("half", grid);
  }

  template <int n, class Storage>
  void register_storage(const std::string& storage, const Grid& grid) {
    constexpr int bytes = sizeof(Storage), scalar = sizeof(double);
    constexpr int matrix = sizeof(typename RelaxationProblem<JacobiOf<n, Exec, Storage>>::MatrixStorage);
    add<JacobiOf<n, Exec, Storage>>("jacobi", storage, grid, jacobi_factor_cost(n, matrix, bytes),
                                    jacobi_solve_cost(n, bytes, scalar));
    add<SsorOf<n, Exec, Storage>>("ssor", storage, grid, ssor_factor_cost(n, matrix, bytes),
                                  solve_cost(n, bytes, scalar));
  }

  template <class Plan>
  void add(const std::string& what, const std::string& storage, const Grid& grid, const Cost& factor,
           const Cost& solve) {
    using Problem = RelaxationProblem<Plan>;
    auto const key = std::string(Exec::name()) + "/" + what + "/" + storage + "/n=" + std::to_string(Plan::block_size) +
                     "/" + to_string(grid);
    auto const make = [=, exec = m_benchmarks.exec()] { return std::make_shared<Problem>(exec, grid); };
    m_benchmarks.template add<Problem>("factor/" + key, key, grid.size(), factor, make,
                                       [](Problem& problem, const Exec& exec) { problem.factor(exec); });
    m_benchmarks.template add<Problem>("solve/" + key, key, grid.size(), solve, make,
                                       [](Problem& problem, const Exec& exec) { problem.solve(exec); });
  }

  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv); }
