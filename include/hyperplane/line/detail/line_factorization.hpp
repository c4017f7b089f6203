// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/core/path.hpp>
#include <hyperplane/line/detail/block_tridiagonal_fast_path.hpp>
#include <hyperplane/line/detail/block_tridiagonal_host.hpp>
#include <hyperplane/line/detail/block_tridiagonal_portable.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_teams.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_status.hpp>
#include <hyperplane/simd/interleaved_view.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/line/detail/block_tridiagonal_cuda.hpp>
#endif

#include <optional>
#include <type_traits>

namespace hyperplane::detail {

/// Block LU along open lines, one line after the other in each lane: factors, and the two kernels.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class LineFactorization {
 public:
  using Layout = LineLayout<Scalar, Exec>;
  using FastPath = BlockTridiagonalFastPath<Scalar, n, Exec, StorageScalar>;
  using Factors = LineFactors<StorageScalar, n, Layout::vector_length>;
  static constexpr int vector_length = Layout::vector_length;
  static constexpr int internal_length = Layout::internal_vector_length;

  LineFactorization(const Exec& exec, const Layout& layout, Path path, std::optional<int> load_bits)
      : m_layout(layout),
        m_path(path),
        m_lower(exec, "Hyperplane::BlockTridiagonal::lower", layout.items()),
        m_upper(exec, "Hyperplane::BlockTridiagonal::upper", layout.items()),
        m_singular(exec, "Hyperplane::BlockTridiagonal::status"),
        m_fast_path(exec, layout, path, load_bits) {
    prepare_line_packs(exec);
  }

  const Layout& layout() const { return m_layout; }
  Factors factors() const { return {m_layout.ref(), m_lower.ref(), m_upper.ref()}; }

  template <class MatrixStorage, class Places>
  void factor(const Exec& exec, const LineMatrix<MatrixStorage, Places>& a) const {
    m_singular.clear(exec);
    if (m_path != Path::portable) return m_fast_path.factor(exec, a, factors(), m_singular);
    for_line_packs<vector_length / internal_length>("Hyperplane::BlockTridiagonal::factor", exec, m_layout.packs(),
                                                    Factor<MatrixStorage, Places>{a, factors(), m_singular.ref()});
  }

  /// `columns` right-hand sides, of which one follows n values after the other; one unless `many`.
  template <bool many, class Places>
  void solve(const Exec& exec, const LineUnknowns<const Scalar, Places>& rhs, const LineUnknowns<Scalar, Places>& x,
             int columns) const {
    if (m_path != Path::portable) return m_fast_path.solve(exec, factors(), rhs, x, columns);
    for_line_packs<vector_length / internal_length>(
        "Hyperplane::BlockTridiagonal::solve", exec, m_layout.packs(),
        LineSolvePortable<Scalar, n, StorageScalar, Places, vector_length, internal_length, many>{factors(), rhs, x,
                                                                                                  columns});
  }

  /// The first singular pivot. Waits for the instance.
  std::optional<typename SingularPivotRecord<Exec>::Place> find_singular(const Exec& exec) const {
    return m_singular.find(exec);
  }

 private:
  template <class MatrixStorage, class Places>
  using Factor = std::conditional_t<
      HostExecutionSpace<Exec>, LineFactorHost<Scalar, n, Exec, StorageScalar, MatrixStorage, Places, vector_length>,
      LineFactorPortable<Scalar, n, Exec, StorageScalar, MatrixStorage, Places, vector_length, internal_length>>;

  Layout m_layout;
  Path m_path;
  InterleavedView<StorageScalar, vector_length, line_lower_blocks * n * n, Exec> m_lower;
  InterleavedView<StorageScalar, vector_length, n * n, Exec> m_upper;
  SingularPivotRecord<Exec> m_singular;
  FastPath m_fast_path;
};

}  // namespace hyperplane::detail
