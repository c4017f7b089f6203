// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Makes a device the current one for a while.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : m_before(cuda::current_device()) {
    if (device != m_before) cuda::check(cudaSetDevice(device), "cudaSetDevice");
  }
  ~CurrentDevice() { cudaSetDevice(m_before); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int m_before;
};

/// Lets kernels of a device store into memory of another one. Throws Error where devices cannot.
inline void enable_peer_access(int from, int to) {
  if (from == to) return;
  int possible = 0;
  cuda::check(cudaDeviceCanAccessPeer(&possible, from, to), "cudaDeviceCanAccessPeer");
  if (possible == 0) {
    fail("BlockIlu0OnDevices: CUDA device " + std::to_string(from) + " has no access to the memory of device " +
         std::to_string(to));
  }
  CurrentDevice const current(from);
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
/// Parts may share a device, to try things out, where `multiprocessors` leaves some for each of them.
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

  /// An instance for each part, from the lowest on; not two on one stream. Throws Error where there are more parts than
  /// layers, and where devices cannot run it or have no access to their neighbours' memory.
  BlockIlu0OnDevices(const std::vector<Exec>& instances, const Grid& box, const Options& options = {})
      : m_instances(instances), m_box(box) {
    check(options);
    for (int p = 0; p < count(); ++p) {
      detail::CurrentDevice const current(exec(p).cuda_device());
      m_windows.emplace_back(exec(p).cuda_stream(), Part::window_bytes(part(p)));
      for (int const other : {p - 1, p + 1}) {
        if (other >= 0 && other < count()) detail::enable_peer_access(exec(p).cuda_device(), exec(other).cuda_device());
      }
    }
    for (int p = 0; p < count(); ++p) {
      detail::CurrentDevice const current(exec(p).cuda_device());
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
  int first_layer(int p) const { return static_cast<int>(static_cast<long long>(m_box.nk()) * p / count()); }
  const Exec& exec(int p) const { return m_instances[detail::as_size(p)]; }

  /// Computes the factors of A, given in parts. Throws Error where their grids are others.
  template <class MatrixStorage>
  void factor(std::span<const BlockStencil7<Scalar, n, Exec, MatrixStorage>> a) {
    check_count("factor", a.size());
    for (int p = 0; p < count(); ++p)
      detail::check_grid("BlockIlu0OnDevices::factor", "A", a[detail::as_size(p)].grid(), part(p));
    for_parts([&](int p, std::size_t at) { m_parts[at].factor(exec(p), a[at]); });
  }

  /// x = M^-1 rhs, given in parts; x may be rhs. Throws Error before the first factor() and where grids are others.
  void solve(std::span<const Vector> rhs, std::span<const Vector> x) const {
    check_count("solve", rhs.size());
    check_count("solve", x.size());
    for (int p = 0; p < count(); ++p) {
      detail::check_grid("BlockIlu0OnDevices::solve", "the right-hand side", rhs[detail::as_size(p)].grid(), part(p));
      detail::check_grid("BlockIlu0OnDevices::solve", "x", x[detail::as_size(p)].grid(), part(p));
    }
    for_parts([&](int p, std::size_t at) { m_parts[at].solve(exec(p), rhs[at], x[at]); });
  }

  /// Whether the last factor() failed, where, and why: the first failure from the lowest part on, with the point of the
  /// box. Waits for all instances.
  FactorStatus status() const {
    FactorStatus first;
    for (int p = 0; p < count(); ++p) {
      detail::CurrentDevice const current(exec(p).cuda_device());
      auto found = m_parts[detail::as_size(p)].status(exec(p));
      if (found.ok() || !first.ok()) continue;
      found.point.k += first_layer(p);
      if (found.block) found.block->point.k += first_layer(p);
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
      int sharing = 0;
      for (auto const& other : m_instances) sharing += other.cuda_device() == exec(p).cuda_device();
      detail::CurrentDevice const current(exec(p).cuda_device());
      if (sharing > 1 &&
          (options.multiprocessors == 0 || sharing * options.multiprocessors > cuda::multiprocessor_count())) {
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
      detail::CurrentDevice const current(exec(p).cuda_device());
      launch(p, detail::as_size(p));
    }
  }

  std::byte* window(int p) const { return p < 0 || p >= count() ? nullptr : m_windows[detail::as_size(p)].data(); }

  std::vector<Exec> m_instances;
  Grid m_box;
  std::vector<cuda::DeviceArray<std::byte>> m_windows;
  std::vector<Part> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
