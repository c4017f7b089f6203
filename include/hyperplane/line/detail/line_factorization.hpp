// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/block_tridiagonal_fast_path.hpp>
#include <hyperplane/line/detail/block_tridiagonal_host.hpp>
#include <hyperplane/line/detail/block_tridiagonal_portable.hpp>
#include <hyperplane/line/detail/line_diagnosis.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_sample.hpp>
#include <hyperplane/line/detail/line_teams.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_path.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/sweep/factor_units.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/line/detail/block_tridiagonal_cuda.hpp>
#endif

#include <concepts>
#include <optional>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Block LU along open lines, one line after the other in each lane: factors, and the two kernels.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar>
class LineFactorization {
 public:
  using Layout = LineLayout<Scalar, Exec>;
  using FastPath = BlockTridiagonalFastPath<Scalar, n, Exec, StorageScalar>;
  using Factors = LineFactors<StorageScalar, n, Layout::vector_length>;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int internal_length = Layout::internal_vector_length;

  LineFactorization(const Exec& exec, const Layout& layout, LinePath path, std::optional<int> load_bits)
      : m_layout(layout),
        m_path(path),
        m_lower(exec, "Hyperplane::BlockTridiagonal::lower", layout.items()),
        m_upper(exec, "Hyperplane::BlockTridiagonal::upper", layout.items()),
        m_units(exec, "BlockTridiagonal", layout.items()),
        m_singular(exec, "Hyperplane::BlockTridiagonal::status"),
        m_fast_path(exec, layout, path, load_bits) {}

  const Layout& layout() const { return m_layout; }
  Factors factors() const { return {m_layout.ref(), m_lower.ref(), m_upper.ref(), m_units.ref()}; }

  template <class MatrixStorage, class Places>
  void factor(const Exec& exec, const LineMatrix<MatrixStorage, Places>& a) const {
    if constexpr (Factors::Scales::exist) {
      m_units.template choose<Scalar>(exec, LineSample<MatrixStorage, n, vector_length>(a, m_layout));
    }
    // Other paths gather blocks in the type of the factors. That is no place for a matrix if they have 16 bits.
    constexpr bool has_fast = !(ShortReal<StorageScalar> && std::same_as<Places, GatheredPlaces>);
    bool const portable = !has_fast || m_path == LinePath::portable;
    if constexpr (has_fast) {
      if (!portable) m_fast_path.factor(exec, a, factors(), m_singular);
    }
    if (portable) {
      auto const places = kernel_places<Scalar, Exec>(a.m_places);
      for_line_packs<vector_length / internal_length>(
          "Hyperplane::BlockTridiagonal::factor", exec, m_layout.packs(),
          (step_bytes + 3.0 * n * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar))) * line_slots(m_layout),
          Factor<MatrixStorage, std::remove_const_t<decltype(places)>>{with_places(a, places), factors(),
                                                                       m_singular.ref()});
    }
    using Diagnosis = LineDiagnosis<Scalar, n, StorageScalar, MatrixStorage, vector_length>;
    m_singular.conclude(exec, Diagnosis{{a, m_layout.ref(), m_layout.lines().count()}, factors()});
  }

  /// `columns` right-hand sides, of which one follows n values after the other; one unless `many`. With M^T where it is
  /// `transposed`.
  template <bool many, bool transposed, class Places>
  void solve(const Exec& exec, const LineUnknowns<const Scalar, Places>& rhs, const LineUnknowns<Scalar, Places>& x,
             int columns) const {
    if (m_path != LinePath::portable) {
      return m_fast_path.template solve<transposed>(exec, factors(), rhs, x, columns);
    }
    auto const places = kernel_places<Scalar, Exec>(x.m_places);
    for_line_packs<vector_length / internal_length>(
        line_solve_label(transposed), exec, m_layout.packs(),
        (step_bytes + 3.0 * n * n * sizeof(StorageScalar) + 4.0 * n * columns * sizeof(Scalar)) * line_slots(m_layout),
        LineSolvePortable<Scalar, n, StorageScalar, std::remove_const_t<decltype(places)>, vector_length,
                          internal_length, many, transposed>{factors(), with_places(rhs, places),
                                                             with_places(x, places), columns});
  }

  /// The first failure. Waits for the instance.
  std::optional<typename SingularPivotRecord<Exec>::Place> find_singular(const Exec& exec) const {
    return m_singular.find(exec);
  }

 private:
  /// Bytes that a core moves while a line waits for a step, which follows from the one before.
  static constexpr double step_bytes = 320;

  template <class MatrixStorage, class KernelPlaces>
  using Factor = std::conditional_t<
      HostExecutionSpace<Exec>, LineFactorHost<Scalar, n, Exec, StorageScalar, MatrixStorage, vector_length>,
      LineFactorPortable<Scalar, n, Exec, StorageScalar, MatrixStorage, KernelPlaces, vector_length, internal_length>>;

  Layout m_layout;
  LinePath m_path;
  InterleavedView<StorageScalar, vector_length, line_lower_blocks * n * n, Exec> m_lower;
  InterleavedView<StorageScalar, vector_length, n * n, Exec> m_upper;
  FactorUnits<StorageScalar, n, vector_length, Exec> m_units;
  SingularPivotRecord<Exec> m_singular;
  FastPath m_fast_path;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
