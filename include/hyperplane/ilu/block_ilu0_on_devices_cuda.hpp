// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Lets kernels of a device store into memory of another one. Throws Error where devices cannot.
inline void enable_peer_access(int from, int to) {
  if (from == to) return;
  int possible = 0;
  cuda::check(cudaDeviceCanAccessPeer(&possible, from, to), "cudaDeviceCanAccessPeer");
  if (possible == 0) {
    fail("BlockIlu0OnDevices: CUDA device " + std::to_string(from) + " has no access to the memory of device " +
         std::to_string(to));
  }
  cuda::CurrentDevice const current(from);
  auto const status = cudaDeviceEnablePeerAccess(to, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();  // It is kept as the last error, which it is not.
    return;
  }
  cuda::check(status, "cudaDeviceEnablePeerAccess");
}

}  // namespace detail

/// BILU(0) of a box over several CUDA devices of one process, by BlockIlu0Part: M and its bits are those of BlockIlu0
/// on the whole box, which is cut along k into as many parts, of as equal numbers of layers as can be. Matrices and
/// vectors are in parts, each on its device.
///
/// A plan: see BlockIlu0Part. Calls launch the kernels of all parts, one device after the other, and wait for none.
/// Parts may share a device, to try things out, where `multiprocessors` leaves some for each of them. Where a launch
/// fails, as on a device that is lost, others may wait for it for good: end the program.
template <Real Scalar, int n, CudaExecutionSpace Exec, Real StorageScalar = Scalar>
  requires(n > 1)
class BlockIlu0OnDevices {
 public:
  using Part = BlockIlu0Part<Scalar, n, Exec, StorageScalar>;
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlu0PartOptions;
  using Vector = typename Part::Vector;
  static constexpr int block_size = n;

  /// An instance for each part, from the lowest on, each on a stream of its own. Throws Error where there are more
  /// parts than layers, and where devices cannot run it or have no access to their neighbours' memory.
  BlockIlu0OnDevices(const std::vector<Exec>& instances, const Grid& box, const Options& options = {})
      : m_instances(instances), m_box(box) {
    check(options);
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      m_windows.emplace_back(exec(p).cuda_stream(), Part::window_bytes(part(p)));
      for (int const other : {p - 1, p + 1}) {
        if (other >= 0 && other < count()) detail::enable_peer_access(exec(p).cuda_device(), exec(other).cuda_device());
      }
    }
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      m_parts.emplace_back(exec(p), part(p), PartWindows{window(p), window(p - 1), window(p + 1)}, options);
    }
  }
  /// Waits for all devices: kernels of one may write into the window of another.
  ~BlockIlu0OnDevices() {
    for (auto const& instance : m_instances) cudaStreamSynchronize(instance.cuda_stream());
  }
  BlockIlu0OnDevices(const BlockIlu0OnDevices&) = delete;
  BlockIlu0OnDevices& operator=(const BlockIlu0OnDevices&) = delete;

  /// Number of parts.
  int count() const { return static_cast<int>(m_instances.size()); }
  const Grid& box() const { return m_box; }
  /// Layers first_layer(p) to first_layer(p + 1) of the box.
  Grid part(int p) const { return {m_box.ni(), m_box.nj(), first_layer(p + 1) - first_layer(p)}; }
  int first_layer(int p) const { return first_layer(m_box, p, count()); }
  static int first_layer(const Grid& box, int p, int count) {
    return static_cast<int>(static_cast<long long>(box.nk()) * p / count);
  }
  const Exec& exec(int p) const { return m_instances[detail::as_size(p)]; }

  /// Computes the factors of A, given in parts. Throws Error where their grids are others.
  template <class MatrixStorage>
  void factor(std::span<const BlockStencil7<Scalar, n, Exec, MatrixStorage>> a) {
    check_count("factor", a.size());
    for (int p = 0; p < count(); ++p)
      detail::check_grid("BlockIlu0OnDevices::factor", "A", a[detail::as_size(p)].grid(), part(p));
    m_factored = false;
    for_parts([&](int, std::size_t at) { m_parts[at].template check_factor<MatrixStorage>(); });
    // A tool may have the host wait after each kernel that it is told of, so it is told of all as one: kernels of a
    // part wait for those of others.
    cuda::labelled(exec(0), "Hyperplane::BlockIlu0::factor",
                   [&] { for_parts([&](int p, std::size_t at) { m_parts[at].launch_factor(exec(p), a[at]); }); });
    for_parts([&](int p, std::size_t at) { m_parts[at].conclude_factor(exec(p), a[at]); });
    m_factored = true;
  }

  /// x = M^-1 rhs, given in parts; x may be rhs. Throws Error before the first factor() and where grids are others.
  void solve(std::span<const Vector> rhs, std::span<const Vector> x) const {
    check_count("solve", rhs.size());
    check_count("solve", x.size());
    for (int p = 0; p < count(); ++p) {
      detail::check_grid("BlockIlu0OnDevices::solve", "the right-hand side", rhs[detail::as_size(p)].grid(), part(p));
      detail::check_grid("BlockIlu0OnDevices::solve", "x", x[detail::as_size(p)].grid(), part(p));
    }
    require(m_factored, "BlockIlu0OnDevices::solve: called before factor");
    cuda::labelled(exec(0), detail::solve_label(detail::Sweeps::both), [&] {
      for_parts([&](int p, std::size_t at) { m_parts[at].launch_solve(exec(p), rhs[at], x[at]); });
    });
  }

  /// Whether the last factor() failed, where, and why: the first failure from the lowest part on, with the point of the
  /// box. Waits for all instances.
  FactorStatus status() const {
    FactorStatus first;
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      auto found = m_parts[detail::as_size(p)].status(exec(p));
      if (found.ok() || !first.ok()) continue;
      found.point.k += first_layer(p);
      if (found.block) {
        found.block->point.k += first_layer(p);
        found.points_out = !m_box.contains(neighbour(found.block->point, found.block->direction));
      }
      first = found;
    }
    return first;
  }

 private:
  void check(const Options& options) const {
    require(!m_instances.empty(), "BlockIlu0OnDevices: there is no execution space instance");
    if (count() > m_box.nk()) {
      fail("BlockIlu0OnDevices: " + std::to_string(count()) + " parts of " + std::to_string(m_box.nk()) +
           " layers are not possible");
    }
    for (int p = 0; p < count(); ++p) {
      for (int other = 0; other < p; ++other) {
        if (exec(other).cuda_stream() != exec(p).cuda_stream()) continue;
        fail("BlockIlu0OnDevices: parts " + std::to_string(other) + " and " + std::to_string(p) +
             " are on one stream, and wait for one another");
      }
    }
    for (int p = 0; p < count(); ++p) {
      int sharing = 0;
      for (auto const& other : m_instances) sharing += other.cuda_device() == exec(p).cuda_device();
      cuda::CurrentDevice const current(exec(p).cuda_device());
      if (sharing > 1 &&
          (options.multiprocessors == 0 || options.multiprocessors > cuda::multiprocessor_count() / sharing)) {
        fail("BlockIlu0OnDevices: " + std::to_string(sharing) + " parts on CUDA device " +
             std::to_string(exec(p).cuda_device()) +
             " wait for one another: options have to leave multiprocessors for each");
      }
    }
  }

  void check_count(const char* function, std::size_t given) const {
    if (given == m_instances.size()) return;
    fail("BlockIlu0OnDevices::" + std::string(function) + ": " + std::to_string(given) +
         " parts are given, there are " + std::to_string(count()));
  }

  /// launch(p, p) with the device of part p as the current one.
  template <class Launch>
  void for_parts(const Launch& launch) const {
    for (int p = 0; p < count(); ++p) {
      cuda::CurrentDevice const current(exec(p).cuda_device());
      launch(p, detail::as_size(p));
    }
  }

  std::byte* window(int p) const { return p < 0 || p >= count() ? nullptr : m_windows[detail::as_size(p)].data(); }

  std::vector<Exec> m_instances;
  Grid m_box;
  std::vector<cuda::DeviceArray<std::byte>> m_windows;
  std::vector<Part> m_parts;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
