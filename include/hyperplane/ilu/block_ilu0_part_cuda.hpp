// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_slab_factor_plan.hpp>
#include <hyperplane/ilu/detail/block_ilu0_diagnosis.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The memory in which the parts of a box meet, see BlockIlu0Part: that of this part, and as this device sees it that
/// of the part below (lower k) and of the part above; null where there is none.
struct PartWindows {
  std::byte* own = nullptr;
  std::byte* below = nullptr;
  std::byte* above = nullptr;
};

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
/// layer in each sweep, and n^2 values in a factorization, which has one launch more. Needs compute capability 9.0 and
/// n > 1.
template <Real Scalar, int n, CudaExecutionSpace Exec, Real StorageScalar = Scalar>
  requires(n > 1)
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
      : m_map(part),
        m_below(blocks(windows, m_map).received),
        m_lower(exec, "Hyperplane::BlockIlu0Part::lower", m_map.pack_count()),
        m_upper(exec, "Hyperplane::BlockIlu0Part::upper", m_map.pack_count()),
        m_singular(exec, "Hyperplane::BlockIlu0Part::status") {
    require(windows.own != nullptr || (windows.below == nullptr && windows.above == nullptr),
            "BlockIlu0Part: there is no window for what neighbours send");
    if (options.multiprocessors < 0) {
      fail("BlockIlu0Part: " + std::to_string(options.multiprocessors) + " multiprocessors are not possible");
    }
    require(cuda::current_device() == exec.cuda_device(),
            "BlockIlu0Part: the current CUDA device is not that of the execution space instance");
    if (auto const missing = lacking(); !missing.empty()) fail("BlockIlu0Part: path slab " + missing);
    m_sweeps = std::make_shared<Sweeps>(exec, m_map, packets(windows, m_map), options.multiprocessors);
    m_factor = std::make_shared<Factor>(exec.cuda_stream(), m_map, options.multiprocessors, blocks(windows, m_map));
  }

  const Grid& grid() const { return m_map.grid(); }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid of
  /// A is another one. A singular pivot is recorded, see status(); parts above it then fail too.
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("BlockIlu0Part::factor", "A", a.grid(), grid());
    m_factored = false;
    check_factor<MatrixStorage>();
    cuda::labelled(exec, "Hyperplane::BlockIlu0::factor", [&] { launch_factor(exec, a); });
    conclude_factor(exec, a);
    m_factored = true;
  }

  /// Throws Error where the device cannot factor matrices of this type.
  template <class MatrixStorage>
  void check_factor() const {
    m_factor->template check<MatrixStorage>();
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    detail::check_grid("BlockIlu0Part::solve", "the right-hand side", rhs.grid(), grid());
    detail::check_grid("BlockIlu0Part::solve", "x", x.grid(), grid());
    require(m_factored, "BlockIlu0Part::solve: called before factor");
    cuda::labelled(exec, detail::solve_label(detail::Sweeps::both), [&] { launch_solve(exec, rhs, x); });
  }

  /// Whether the last factor() failed in this part, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_singular.status(exec, grid()); }

 private:
  template <Real OtherScalar, int other_n, CudaExecutionSpace OtherExec, Real OtherStorage>
    requires(other_n > 1)
  friend class BlockIlu0OnDevices;

  template <class MatrixStorage>
  void launch_factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) const {
    (*m_factor)(exec.cuda_stream(), a.ref(), factors(), m_singular.word());
  }
  /// What follows the kernel.
  template <class MatrixStorage>
  void conclude_factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) const {
    detail::count_bytes("Hyperplane::BlockIlu0::factor", 7.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)) *
                                                             static_cast<double>(grid().size()));
    using Below = detail::CudaBlocksBelow<StorageScalar, n, vector_length>;
    m_singular.conclude(exec, detail::BlockIlu0Diagnosis<Scalar, n, StorageScalar, MatrixStorage, vector_length, Below>{
                                  a.ref(), factors(), {m_below, m_map}});
    m_factor->publish_read(exec.cuda_stream());
  }
  void launch_solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    m_sweeps->launch(exec, factors(), rhs.ref(), x.ref());
  }

  using Map = SlabMap<vector_length>;
  using Factors = detail::TriangularFactors<StorageScalar, n, vector_length>;
  using Window = detail::CudaPartWindow<Scalar, n, StorageScalar, vector_length>;
  using Sweeps = detail::PartSweeps<Scalar, n, Exec, StorageScalar>;
  using Factor = detail::BlockIlu0CudaSlabFactor<Scalar, n, StorageScalar, vector_length, true>;

  Factors factors() const { return Factors{m_map, m_lower.ref(), m_upper.ref()}; }

  static detail::CudaPartPackets<typename Window::Packet> packets(const PartWindows& windows, const Map& map) {
    return {Window(windows.own, map).packets(), Window(windows.below, map).packets(),
            Window(windows.above, map).packets()};
  }
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

  Map m_map;
  const StorageScalar* m_below;
  InterleavedView<StorageScalar, vector_length, detail::lower_blocks * n * n, Exec> m_lower;
  InterleavedView<StorageScalar, vector_length, detail::upper_blocks * n * n, Exec> m_upper;
  detail::SingularPivotRecord<Exec> m_singular;
  std::shared_ptr<Sweeps> m_sweeps;
  std::shared_ptr<Factor> m_factor;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
