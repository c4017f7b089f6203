// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_plan.hpp>
#include <hyperplane/ilu/detail/block_ilu0_diagnosis.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
template <class Part>
class PartsOnDevices;
}  // namespace detail

struct BlockIlu0PartOptions {
  /// Multiprocessors of the device that kernels of the plan may occupy; 0: all.
  int multiprocessors = 0;
};

/// BILU(0) of a box that is cut along k into parts, each of which is on a CUDA device of its own: M and its bits are
/// those of BlockIlu0 on the whole box. This is what one device has of it.
///
/// The wave through the box goes on from device to device inside the kernels, without the host: values cross a cut in
/// packets, each with the stamp of its solve, which are stored into the memory of the device that waits for them. So
/// all devices work at once but for the time until the wave has come to them. Blocks that the factorization hands on
/// are followed by a word that says how many are there.
///
/// Each part has a window: window_bytes() of its device's memory, all zero before the first use, into which the devices
/// of the neighbouring parts have to be able to store (cudaDeviceEnablePeerAccess in one process, CUDA IPC between
/// processes). The blocks of A below the first layer and above the last one are the couplings to the neighbouring
/// parts; where there is none, they are ignored, if finite.
///
/// A plan, as BlockIlu0: constructor and destructor allocate and free, factor() and solve() do not, do not fence, and
/// are asynchronous on the instance. All parts do the same calls in the same order, each on an instance of its own
/// device. Kernels of a part wait for those of the others, so no instance may have to wait, before its call, for what
/// another device does after it; and they occupy the multiprocessors while they wait, so what else waits for another
/// device, as exchanges of values do, is on the same instance, or ordered by events.
///
/// Cost of a part: that of BlockIlu0 on SweepPath::slab, and across each cut n words of 16 bytes for each point of a
/// layer in each sweep, and n^2 values in a factorization, which has one launch more. With n = 1 the kernels are those
/// of blocks. Needs compute capability 9.0.
///
/// Factors in Half are for BlockIlu0OnDevices: their units are those of the box, which a part by itself cannot choose.
template <Real Scalar, int n, CudaExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class BlockIlu0Part {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlu0PartOptions;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;

  /// What the current device lacks, in words; empty where it has all.
  static std::string lacking() {
    auto const sweeps = Sweeps::lacking();
    return sweeps.empty() ? Factor::lacking() : sweeps;
  }

  /// Bytes of the window of a part.
  static std::size_t window_bytes(const Grid& part) { return Window::bytes(Map(part)); }

  /// Throws Error where the device cannot run it, and where a window is missing that a neighbour needs.
  BlockIlu0Part(const Exec& exec, const Grid& part, const PartWindows& windows, const Options& options = {})
      : m_sweeps(exec, "BlockIlu0Part", part, windows, options.multiprocessors),
        m_below(blocks(windows, m_sweeps.map()).received),
        m_has_above(windows.above != nullptr) {
    if (auto const missing = Factor::lacking(); !missing.empty()) fail("BlockIlu0Part: path slab " + missing);
    m_factor = std::make_shared<Factor>(exec.cuda_stream(), m_sweeps.map(), options.multiprocessors,
                                        blocks(windows, m_sweeps.map()));
  }

  const Grid& grid() const { return m_sweeps.grid(); }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid of
  /// A is another one. A singular pivot is recorded, see status(); parts above it then fail too.
  template <class MatrixStorage>
    requires(!detail::has_scales<StorageScalar>)
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockIlu0Part::factor", "A", a.grid(), grid());
    m_sweeps.fill([&] {
      check_factor<MatrixStorage>();
      cuda::labelled(exec, factor_label, [&] { launch_factor(exec, a); });
      conclude_factor(exec, a);
    });
  }

  /// Throws Error where the device cannot factor matrices of this type.
  template <class MatrixStorage>
  void check_factor() const {
    m_factor->template check<MatrixStorage>();
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { m_sweeps.solve(exec, rhs, x); }

  /// What the first solve_transposed() does besides. While kernels of other parts wait for one of this part nothing may
  /// fail.
  void prepare_transposed(const Exec& exec) const { m_sweeps.prepare_transposed(exec); }

  /// x = M^-T rhs, as solve(). The first call prepares the launch.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    m_sweeps.solve_transposed(exec, rhs, x);
  }

  /// Whether the last factor() failed in this part, where, and why. As in the box, a block of its last layer for the
  /// part above that is not finite shows at the point above it, one layer beyond the part. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_sweeps.singular().status(exec, grid()); }

 private:
  template <class>
  friend class detail::PartsOnDevices;

  /// What a plan over devices has of all parts.
  static constexpr const char* plan_name = "BlockIlu0OnDevices";
  static constexpr const char* factor_label = "Hyperplane::BlockIlu0::factor";
  using Sweeps = detail::PartSweeps<Scalar, n, Exec, StorageScalar>;

  const Sweeps& sweeps() const { return m_sweeps; }
  /// The kernel, which waits for those of other parts: tools are told of all of them as one.
  template <class MatrixStorage>
  void launch_factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) const {
    (*m_factor)(exec.cuda_stream(), a.ref(), m_sweeps.factors(), m_sweeps.singular().word());
  }
  /// What follows the kernel.
  template <class MatrixStorage>
  void conclude_factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) const {
    detail::count_bytes(factor_label, 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)) *
                                          static_cast<double>(grid().size()));
    using Below = detail::CudaBlocksBelow<StorageScalar, n, vector_length>;
    auto const factors = m_sweeps.factors();
    m_sweeps.singular().conclude(
        exec, detail::BlockIlu0Diagnosis<Scalar, n, StorageScalar, MatrixStorage, vector_length, Below>{
                  a.ref(), factors, {m_below, m_has_above, m_sweeps.map(), factors.m_scales}});
    m_factor->publish_read(exec.cuda_stream());
  }

  using Map = typename Sweeps::Map;
  using Window = typename Sweeps::Window;
  using Factor = detail::BlockIlu0CudaSlabFactor<Scalar, n, StorageScalar, vector_length, true>;

  static detail::CudaPartBlocks<StorageScalar> blocks(const PartWindows& windows, const Map& map) {
    Window const own(windows.own, map), below(windows.below, map), above(windows.above, map);
    detail::CudaPartBlocks<StorageScalar> result;
    if (below) {
      result.received = own.blocks();
      result.progress = own.progress();
      result.read = below.read();
    }
    if (above) {
      result.above = above.blocks();
      result.progress_above = above.progress();
      result.read_above = own.read();
    }
    return result;
  }

  Sweeps m_sweeps;
  const StorageScalar* m_below;
  bool m_has_above;
  std::shared_ptr<Factor> m_factor;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
