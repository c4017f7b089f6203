// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// BILU(0) of a GridOnDevices, by BlockIlu0Part: M and its bits are those of BlockIlu0 on the whole box. Matrices and
/// vectors are BlockStencil7OnDevices and BlockVectorOnDevices, or are given in parts, each on its device.
///
/// A plan: see BlockIlu0Part. Calls launch the kernels of all parts, one device after the other, and wait for none.
/// Where parts share a device, `multiprocessors` has to leave some for each of them. Where a launch fails, as on a
/// device that is lost, others may wait for it for good: end the program.
template <Real Scalar, int n, CudaExecutionSpace Exec, Real StorageScalar = Scalar>
  requires(n > 1)
class BlockIlu0OnDevices {
 public:
  using Part = BlockIlu0Part<Scalar, n, Exec, StorageScalar>;
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlu0PartOptions;
  using Vector = BlockVectorOnDevices<Scalar, n, Exec>;
  using PartVector = typename Part::Vector;
  static constexpr int block_size = n;

  /// Throws Error where devices cannot run it.
  explicit BlockIlu0OnDevices(const GridOnDevices<Exec>& grid, const Options& options = {}) : m_grid(grid) {
    check(options);
    m_grid.for_parts(
        [&](int p) { m_windows.emplace_back(m_grid.exec(p).cuda_stream(), Part::window_bytes(m_grid.part(p))); });
    m_grid.for_parts([&](int p) {
      m_parts.emplace_back(m_grid.exec(p), m_grid.part(p), PartWindows{window(p), window(p - 1), window(p + 1)},
                           options);
    });
  }
  /// Waits for all devices: kernels of one may write into the window of another.
  ~BlockIlu0OnDevices() {
    for (int p = 0; p < m_grid.count(); ++p) cudaStreamSynchronize(m_grid.exec(p).cuda_stream());
  }
  BlockIlu0OnDevices(const BlockIlu0OnDevices&) = delete;
  BlockIlu0OnDevices& operator=(const BlockIlu0OnDevices&) = delete;

  const GridOnDevices<Exec>& grid() const { return m_grid; }

  /// Computes the factors of A; asynchronous on the given instance, see GridOnDevices. Throws Error where A is on
  /// another grid.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid_on_devices("BlockIlu0OnDevices::factor", "A", a.grid(), m_grid);
    m_grid.in_order(exec, [&] { factor(a.parts()); });
  }

  /// x = M^-1 rhs; x may be rhs. Asynchronous on the given instance, see GridOnDevices. Throws Error before the first
  /// factor() and where vectors are on other grids.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_grid_on_devices("BlockIlu0OnDevices::solve", "the right-hand side", rhs.grid(), m_grid);
    detail::check_grid_on_devices("BlockIlu0OnDevices::solve", "x", x.grid(), m_grid);
    m_grid.in_order(exec, [&] { solve(rhs.parts(), x.parts()); });
  }

  /// The same of A in parts, on their instances alone. Throws Error where their grids are others.
  template <class MatrixStorage>
  void factor(std::span<const BlockStencil7<Scalar, n, Exec, MatrixStorage>> a) {
    check_count("factor", a.size());
    for (int p = 0; p < m_grid.count(); ++p)
      detail::check_grid("BlockIlu0OnDevices::factor", "A", a[detail::as_size(p)].grid(), m_grid.part(p));
    m_factored = false;
    m_grid.for_parts([&](int p) { m_parts[detail::as_size(p)].template check_factor<MatrixStorage>(); });
    // A tool may have the host wait after each kernel that it is told of, so it is told of all as one: kernels of a
    // part wait for those of others.
    cuda::labelled(m_grid.exec(0), "Hyperplane::BlockIlu0::factor", [&] {
      m_grid.for_parts(
          [&](int p) { m_parts[detail::as_size(p)].launch_factor(m_grid.exec(p), a[detail::as_size(p)]); });
    });
    m_grid.for_parts(
        [&](int p) { m_parts[detail::as_size(p)].conclude_factor(m_grid.exec(p), a[detail::as_size(p)]); });
    m_factored = true;
  }

  /// The same of vectors in parts, on their instances alone. Throws Error before the first factor() and where grids are
  /// others.
  void solve(std::span<const PartVector> rhs, std::span<const PartVector> x) const {
    check_count("solve", rhs.size());
    check_count("solve", x.size());
    for (int p = 0; p < m_grid.count(); ++p) {
      detail::check_grid("BlockIlu0OnDevices::solve", "the right-hand side", rhs[detail::as_size(p)].grid(),
                         m_grid.part(p));
      detail::check_grid("BlockIlu0OnDevices::solve", "x", x[detail::as_size(p)].grid(), m_grid.part(p));
    }
    require(m_factored, "BlockIlu0OnDevices::solve: called before factor");
    cuda::labelled(m_grid.exec(0), detail::solve_label(detail::Sweeps::both), [&] {
      m_grid.for_parts([&](int p) {
        auto const at = detail::as_size(p);
        m_parts[at].launch_solve(m_grid.exec(p), rhs[at], x[at]);
      });
    });
  }

  /// Whether the last factor() failed, where, and why: the first failure from the lowest part on, with the point of the
  /// box. Waits for all instances.
  FactorStatus status() const {
    FactorStatus first;
    m_grid.for_parts([&](int p) {
      auto found = m_parts[detail::as_size(p)].status(m_grid.exec(p));
      if (found.ok() || !first.ok()) return;
      int const below = m_grid.first_layer(p);
      found.point.k += below;
      if (found.block) {
        found.block->point.k += below;
        found.points_out = !m_grid.box().contains(neighbour(found.block->point, found.block->direction));
      }
      first = found;
    });
    return first;
  }

 private:
  void check(const Options& options) const {
    m_grid.for_parts([&](int p) {
      int sharing = 0;
      for (int other = 0; other < m_grid.count(); ++other) {
        sharing += m_grid.exec(other).cuda_device() == m_grid.exec(p).cuda_device();
      }
      if (sharing > 1 &&
          (options.multiprocessors == 0 || options.multiprocessors > cuda::multiprocessor_count() / sharing)) {
        fail("BlockIlu0OnDevices: " + std::to_string(sharing) + " parts on CUDA device " +
             std::to_string(m_grid.exec(p).cuda_device()) +
             " wait for one another: options have to leave multiprocessors for each");
      }
    });
  }

  void check_count(const char* function, std::size_t given) const {
    if (given == detail::as_size(m_grid.count())) return;
    fail("BlockIlu0OnDevices::" + std::string(function) + ": " + std::to_string(given) +
         " parts are given, there are " + std::to_string(m_grid.count()));
  }

  std::byte* window(int p) const {
    return p < 0 || p >= m_grid.count() ? nullptr : m_windows[detail::as_size(p)].data();
  }

  GridOnDevices<Exec> m_grid;
  std::vector<cuda::DeviceArray<std::byte>> m_windows;
  std::vector<Part> m_parts;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
