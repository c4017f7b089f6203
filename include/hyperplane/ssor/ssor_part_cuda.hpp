// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/check_grid.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/ssor/detail/cut_faces.hpp>
#include <hyperplane/ssor/detail/ssor_factor.hpp>
#include <hyperplane/ssor/ssor_relaxation.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/stencil_diagnosis.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/part_sweeps_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {
template <class Part>
class PartsOnDevices;
}  // namespace detail

struct SsorPartOptions {
  /// w of the formula, as in SsorOptions.
  double relaxation = 1.0;
  /// Multiprocessors of the device that kernels of the plan may occupy; 0: all.
  int multiprocessors = 0;
};

/// Block SSOR of a box that is cut along k into parts, each of which is on a CUDA device of its own: M and its bits are
/// those of Ssor on the whole box. This is what one device has of it, as BlockIlu0Part is of BILU(0): the same windows,
/// into which no blocks come, the same rules for calls, and the same sweeps at the same cost. Points do not depend on
/// one another in the factorization, so that factor() waits for no other part.
///
/// Needs compute capability 9.0. Factors in Half are for SsorOnDevices, as for BILU(0).
template <Real Scalar, int n, CudaExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class SsorPart {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = SsorPartOptions;
  using Vector = BlockVector<Scalar, n, Exec>;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;

  /// What the current device lacks, in words; empty where it has all.
  static std::string lacking() { return Sweeps::lacking(); }

  /// Bytes of the window of a part.
  static std::size_t window_bytes(const Grid& part) { return Sweeps::Window::packet_bytes(typename Sweeps::Map(part)); }

  /// Throws Error where the relaxation is out of range, where the device cannot run it, and where a window is missing
  /// that a neighbour needs.
  SsorPart(const Exec& exec, const Grid& part, const PartWindows& windows, const Options& options = {})
      : m_relaxation(detail::checked_ssor_relaxation("SsorPart", options.relaxation)),
        m_cuts{windows.below != nullptr, windows.above != nullptr},
        m_sweeps(exec, "SsorPart", part, windows, options.multiprocessors) {}

  const Grid& grid() const { return m_sweeps.grid(); }
  double relaxation() const { return m_relaxation; }

  /// Computes the factors of A, which may be overwritten when the instance has finished. Throws Error where the grid of
  /// A is another one. A singular diagonal block is recorded: see status().
  template <class MatrixStorage>
    requires(!detail::has_scales<StorageScalar>)
  void factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) {
    detail::check_grid("SsorPart::factor", "A", a.grid(), grid());
    m_sweeps.fill([&] {
      launch_factor(exec, a);
      conclude_factor(exec, a);
    });
  }

  /// Any device factors matrices of this type.
  template <class MatrixStorage>
  void check_factor() const {}

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { m_sweeps.solve(exec, rhs, x); }

  /// What the first solve_transposed() does besides. While kernels of other parts wait for one of this part nothing may
  /// fail.
  void prepare_transposed(const Exec& exec) const { m_sweeps.prepare_transposed(exec); }

  /// x = M^-T rhs, as solve(). The first call prepares the launch.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    m_sweeps.solve_transposed(exec, rhs, x);
  }

  /// Whether the last factor() failed in this part, where, and why. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_sweeps.singular().status(exec, grid()); }

 private:
  template <class>
  friend class detail::PartsOnDevices;

  /// What a plan over devices has of all parts. Tools are told of the kernel where it is launched.
  static constexpr const char* plan_name = "SsorOnDevices";
  static constexpr const char* factor_label = nullptr;
  using Sweeps = detail::PartSweeps<Scalar, n, Exec, StorageScalar>;

  const Sweeps& sweeps() const { return m_sweeps; }
  template <class MatrixStorage>
  void launch_factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) const {
    using Kernel =
        detail::SsorFactor<Scalar, Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length, detail::CutFaces>;
    detail::launch(
        "Hyperplane::Ssor::factor", detail::IndexRange<Exec>(exec, 0, m_sweeps.map().pack_count() * vector_length),
        7.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar)),
        Kernel{a.ref(), m_sweeps.factors(), m_sweeps.singular().ref(), static_cast<Scalar>(m_relaxation), m_cuts});
  }
  template <class MatrixStorage>
  void conclude_factor(const Exec& exec, const BlockStencil7<Scalar, n, Exec, MatrixStorage>& a) const {
    using Range = detail::StoredRange<Scalar, StorageScalar>;
    using Diagnosis = detail::DiagonalDiagnosis<Scalar, n, Range, MatrixStorage, vector_length, true, detail::CutFaces>;
    m_sweeps.singular().conclude(exec, Diagnosis{a.ref(), m_cuts});
  }

  double m_relaxation;
  detail::CutFaces m_cuts;
  Sweeps m_sweeps;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
