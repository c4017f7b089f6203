// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/status_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <hyperplane/sweep/units_on_devices_cuda.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A preconditioner of a GridOnDevices whose sweeps go from device to device: the parts, such as BlockIlu0Part, and the
/// windows in which they meet.
template <class Part_>
class PlanOnDevices {
  static_assert(PartOfBox<Part_>);

 public:
  using Part = Part_;
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
      : m_grid(grid), m_units(grid) {
    check(options);
    m_grid.for_parts(
        [&](int p) { m_windows.emplace_back(m_grid.exec(p).cuda_stream(), Part::window_bytes(m_grid.part(p))); });
    m_grid.for_parts([&](int p) {
      m_parts.emplace_back(m_grid.exec(p), m_grid.part(p), PartWindows{window(p), window(p - 1), window(p + 1)},
                           options);
    });
  }
  /// Waits for all devices: kernels of one may write into the window of another.
  ~PlanOnDevices() {
    for (int p = 0; p < m_grid.count(); ++p) cudaStreamSynchronize(m_grid.exec(p).cuda_stream());
  }
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
    for (auto const& part : m_parts) part.template check_factor<MatrixStorage>();
    m_units.choose(m_grid, a, [&](int p) -> auto& { return part(p).sweeps().units(); });
    auto const launch = [&] { m_grid.for_parts([&](int p) { part(p).launch_factor(m_grid.exec(p), a[as_size(p)]); }); };
    if constexpr (Part::factor_label != nullptr) {
      // A tool may have the host wait after each kernel that it is told of, so it is told of all as one: kernels of a
      // part wait for those of others.
      cuda::labelled(m_grid.exec(0), Part::factor_label, launch);
    } else {
      launch();
    }
    m_grid.for_parts([&](int p) { part(p).conclude_factor(m_grid.exec(p), a[as_size(p)]); });
    m_factored = true;
  }

  /// The same of vectors in parts, on their instances alone. Throws Error before the first factor() and where grids are
  /// others.
  void solve(std::span<const PartVector> rhs, std::span<const PartVector> x) const {
    check(m_names.solve, rhs, x);
    run(solve_label(Sweeps::both),
        [&](int p) { part(p).sweeps().launch(m_grid.exec(p), rhs[as_size(p)], x[as_size(p)]); });
  }
  void solve_transposed(std::span<const PartVector> rhs, std::span<const PartVector> x) const {
    check(m_names.solve_transposed, rhs, x);
    m_grid.for_parts([&](int p) { part(p).prepare_transposed(m_grid.exec(p)); });
    run(transposed_label(Sweeps::both),
        [&](int p) { part(p).sweeps().launch_transposed(m_grid.exec(p), rhs[as_size(p)], x[as_size(p)]); });
  }

  /// Whether the last factor() failed, where, and why: the first failure from the lowest part on, with the point of the
  /// box. Waits for all instances.
  FactorStatus status() const {
    return status_on_devices(m_grid, [&](int p) { return part(p).status(m_grid.exec(p)); });
  }

 private:
  /// Of functions, for messages.
  struct Names {
    static std::string full(const char* function) { return std::string(Part::plan_name) + "::" + function; }
    std::string factor = full("factor");
    std::string solve = full("solve");
    std::string solve_transposed = full("solve_transposed");
  };

  const Part& part(int p) const { return m_parts[as_size(p)]; }

  template <class Launch>
  void run(const char* label, const Launch& launch) const {
    cuda::labelled(m_grid.exec(0), label, [&] { m_grid.for_parts(launch); });
  }

  void check(const Options& options) const {
    m_grid.for_parts([&](int p) {
      int sharing = 0;
      for (int other = 0; other < m_grid.count(); ++other) {
        sharing += m_grid.exec(other).cuda_device() == m_grid.exec(p).cuda_device();
      }
      if (sharing > 1 &&
          (options.multiprocessors == 0 || options.multiprocessors > cuda::multiprocessor_count() / sharing)) {
        fail(std::string(Part::plan_name) + ": " + std::to_string(sharing) + " parts on CUDA device " +
             std::to_string(m_grid.exec(p).cuda_device()) +
             " wait for one another: options have to leave multiprocessors for each");
      }
    });
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

  std::byte* window(int p) const { return p < 0 || p >= m_grid.count() ? nullptr : m_windows[as_size(p)].data(); }

  Names m_names;
  GridOnDevices<execution_space> m_grid;
  UnitsOnDevices<scalar_type, block_size, execution_space, storage_type> m_units;
  std::vector<cuda::DeviceArray<std::byte>> m_windows;
  std::vector<Part> m_parts;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
