// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/status_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>
#include <hyperplane/sweep/parts_on_devices_cuda.hpp>
#include <hyperplane/sweep/units_on_devices_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A preconditioner of a GridOnDevices whose sweeps go from device to device, made of parts such as BlockIlu0Part.
template <class Part>
class PlanOnDevices {
  using Parts = PartsOnDevices<Part>;

 public:
  using scalar_type = typename Part::scalar_type;
  using storage_type = typename Part::storage_type;
  using execution_space = typename Part::execution_space;
  using Options = typename Part::Options;
  static constexpr int block_size = Part::block_size;
  using Vector = BlockVectorOnDevices<scalar_type, block_size, execution_space>;
  using PartVector = typename Part::Vector;
  template <class MatrixStorage>
  using PartMatrix = BlockStencil7<scalar_type, block_size, execution_space, MatrixStorage>;

  /// Throws Error where devices cannot run it.
  explicit PlanOnDevices(const GridOnDevices<execution_space>& grid, const Options& options = {})
      : m_grid(grid), m_units(grid), m_parts(instances(grid), grids(grid), options) {}
  PlanOnDevices(const PlanOnDevices&) = delete;
  PlanOnDevices& operator=(const PlanOnDevices&) = delete;

  const GridOnDevices<execution_space>& grid() const { return m_grid; }

  /// Computes the factors of A; asynchronous on the given instance, see GridOnDevices. Throws Error where A is on
  /// another grid.
  template <class MatrixStorage>
  void factor(const execution_space& exec,
              const BlockStencil7OnDevices<scalar_type, block_size, execution_space, MatrixStorage>& a) {
    check_grid_on_devices(m_names.factor.c_str(), "A", a.grid(), m_grid);
    m_grid.in_order(exec, [&] { factor(a.parts()); });
  }

  /// x = M^-1 rhs; x may be rhs. Asynchronous on the given instance, see GridOnDevices. Throws Error before the first
  /// factor() and where vectors are on other grids.
  void solve(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    check(m_names.solve, rhs, x);
    m_grid.in_order(exec, [&] { solve(rhs.parts(), x.parts()); });
  }

  /// x = M^-T rhs, as solve(). The first call prepares the launches.
  void solve_transposed(const execution_space& exec, const Vector& rhs, const Vector& x) const {
    check(m_names.solve_transposed, rhs, x);
    m_grid.in_order(exec, [&] { solve_transposed(rhs.parts(), x.parts()); });
  }

  /// The same of A in parts, on their instances alone. Throws Error where their grids are others.
  template <class MatrixStorage>
  void factor(std::span<const PartMatrix<MatrixStorage>> a) {
    check_count(m_names.factor, a.size());
    for (int p = 0; p < m_grid.count(); ++p) {
      check_grid(m_names.factor.c_str(), "A", a[as_size(p)].grid(), m_grid.part(p));
    }
    m_factored = false;
    m_parts.template check_factor<MatrixStorage>();
    m_units.choose(m_grid, a, [&](int p) -> auto& { return m_parts.units(p); });
    m_parts.factor([&](int p) -> auto& { return a[as_size(p)]; });
    m_factored = true;
  }

  /// The same of vectors in parts, on their instances alone. Throws Error before the first factor() and where grids are
  /// others.
  void solve(std::span<const PartVector> rhs, std::span<const PartVector> x) const {
    check(m_names.solve, rhs, x);
    m_parts.solve([&](int p) -> auto& { return rhs[as_size(p)]; }, [&](int p) -> auto& { return x[as_size(p)]; });
  }
  void solve_transposed(std::span<const PartVector> rhs, std::span<const PartVector> x) const {
    check(m_names.solve_transposed, rhs, x);
    m_parts.prepare_transposed();
    m_parts.solve_transposed([&](int p) -> auto& { return rhs[as_size(p)]; },
                             [&](int p) -> auto& { return x[as_size(p)]; });
  }

  /// Whether the last factor() failed, where, and why: the first failure in the order of the box, but an overflow of
  /// what a part has left to the one above it comes before other failures of the latter. Waits for all instances.
  FactorStatus status() const {
    return status_on_devices(m_grid, [&](int p) { return m_parts.status(p); });
  }

 private:
  /// Of functions, for messages.
  struct Names {
    static std::string full(const char* function) { return std::string(Parts::plan_name) + "::" + function; }
    std::string factor = full("factor");
    std::string solve = full("solve");
    std::string solve_transposed = full("solve_transposed");
  };

  static std::vector<execution_space> instances(const GridOnDevices<execution_space>& grid) {
    std::vector<execution_space> result;
    for (int p = 0; p < grid.count(); ++p) result.push_back(grid.exec(p));
    return result;
  }
  static std::vector<Grid> grids(const GridOnDevices<execution_space>& grid) {
    std::vector<Grid> result;
    for (int p = 0; p < grid.count(); ++p) result.push_back(grid.part(p));
    return result;
  }

  void check(const std::string& function, const Vector& rhs, const Vector& x) const {
    check_grid_on_devices(function.c_str(), "the right-hand side", rhs.grid(), m_grid);
    check_grid_on_devices(function.c_str(), "x", x.grid(), m_grid);
  }
  void check(const std::string& function, std::span<const PartVector> rhs, std::span<const PartVector> x) const {
    check_count(function, rhs.size());
    check_count(function, x.size());
    for (int p = 0; p < m_grid.count(); ++p) {
      check_grid(function.c_str(), "the right-hand side", rhs[as_size(p)].grid(), m_grid.part(p));
      check_grid(function.c_str(), "x", x[as_size(p)].grid(), m_grid.part(p));
    }
    if (!m_factored) fail(function + ": called before factor");
  }
  void check_count(const std::string& function, std::size_t given) const {
    if (given == as_size(m_grid.count())) return;
    fail(function + ": " + std::to_string(given) + " parts are given, there are " + std::to_string(m_grid.count()));
  }

  Names m_names;
  GridOnDevices<execution_space> m_grid;
  UnitsOnDevices<scalar_type, block_size, execution_space, storage_type> m_units;
  Parts m_parts;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
