// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// What a factorization with Coupling::coloured does at interfaces.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where kernels note that couplings of points are not finite, or cannot be stored. Points are numbered in the order in
/// which all of them are looked at.
template <class Record>
struct FaceRecord {
  Record m_record;
  std::int64_t m_first;

  /// Whether a coupling is finite; records where it is not, and where it cannot be stored.
  template <class Storage, int n, class Coefficients>
  KOKKOS_FUNCTION bool check(std::int64_t p, Direction direction, const Coefficients& c) const {
    using Scalar = typename Coefficients::value_type;
    if (!block::is_finite<n>(c)) {
      m_record.record(m_first + p, static_cast<int>(direction));
      return false;
    }
    Scalar excess(0);
    for (int e = 0; e < n * n; ++e) excess += storage_excess<Storage, Scalar>(c(e % n, e / n));
    if (excess != Scalar(0)) overflow(p);
    return true;
  }
  KOKKOS_FUNCTION void overflow(std::int64_t p) const { m_record.record(m_first + p, unstorable_code); }
};

/// There is nothing to look at again: the code says all.
struct FaceDiagnosis {
  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t, int code) const {
    if (code == unstorable_code) return {FactorFailure::overflow, 0};
    return {FactorFailure::not_finite, code};
  }
};

/// d of the points of a colour that have neighbours of lower ones: D_p - sum of C_pq (d_q^-1 C_qp), into the matrix,
/// with what was there kept for restore(); and a copy of the C_pq, which a solve needs when the matrix is gone.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length, class Record>
struct SubtractLowerNeighbours {
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const Storage* m_upper;      ///< d_q^-1 C_qp
  Storage* m_lower;            ///< C_pq
  MatrixStorage* m_diagonals;  ///< D_p as it was
  const FaceCoupling* m_reverse;
  FaceRecord<Record> m_record;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    FacePoint const point = m_points[p];
    MatrixStorage* const center = entries(point, Direction::center);
    block::Matrix<Scalar, n> d;
    for (int e = 0; e < n * n; ++e) {
      m_diagonals[p * (n * n) + e] = center[e * vector_length];
      d.m_entries[e] = static_cast<Scalar>(center[e * vector_length]);
    }
    // Diagonal blocks that are not finite are named by the factorization of their grid block.
    bool finite = block::is_finite<n>(d);
    for (int number = point.begin; number < point.end; ++number) {
      FaceCoupling const coupling = m_couplings[number];
      const MatrixStorage* const c = entries(point, coupling.direction);
      finite = m_record.template check<Storage, n>(p, coupling.direction,
                                                   block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>{c}) &&
               finite;
      for (int e = 0; e < n * n; ++e) {
        m_lower[std::int64_t{number} * (n * n) + e] = static_cast<Storage>(c[e * vector_length]);
      }
      // Two of them, where the points are neighbours across two faces.
      for (int reverse = coupling.reverse_begin; reverse < coupling.reverse_end; ++reverse) {
        if (!(m_reverse[reverse].donor == point.slot)) continue;
        block::gemm_subtract<n>(block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>{c},
                                block::LaneMatrix<Scalar, Storage, n, 1>{m_upper + std::int64_t{reverse} * (n * n)}, d);
      }
    }
    if (finite && block::storage_excess<MatrixStorage, Scalar>(d) != Scalar(0)) m_record.overflow(p);
    for (int e = 0; e < n * n; ++e) center[e * vector_length] = static_cast<MatrixStorage>(d.m_entries[e]);
  }

  KOKKOS_FUNCTION MatrixStorage* entries(const FacePoint& point, Direction direction) const {
    return m_a.pack_data(point.slot.pack, static_cast<int>(direction) * n * n) + point.slot.lane;
  }
};

/// The diagonal blocks as they were.
template <int n, class MatrixStorage, int vector_length>
struct RestoreDiagonals {
  const FacePoint* m_points;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const MatrixStorage* m_diagonals;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    auto const [pack, lane] = m_points[p].slot;
    MatrixStorage* const center = m_a.pack_data(pack, static_cast<int>(Direction::center) * n * n) + lane;
    for (int e = 0; e < n * n; ++e) center[e * vector_length] = m_diagonals[p * (n * n) + e];
  }
};

/// d_p^-1 C_pq of the couplings to higher colours.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length, class Record>
struct ScaleUpperNeighbours {
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const TriangularFactors<Storage, n, vector_length>* m_factors;
  Storage* m_upper;
  FaceRecord<Record> m_record;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    FacePoint const point = m_points[p];
    block::LaneMatrix<Scalar, Storage, n, vector_length> const inverse{
        m_factors[point.block].lower(point.pack, LowerBlock::inverse) + point.slot.lane};
    for (int number = point.begin; number < point.end; ++number) {
      block::LaneMatrix<Scalar, MatrixStorage, n, vector_length> const c{
          m_a.pack_data(point.slot.pack, static_cast<int>(m_couplings[number].direction) * n * n) + point.slot.lane};
      block::Matrix<Scalar, n> u;
      block::gemm<n>(inverse, c, u);
      bool const finite = m_record.template check<MatrixStorage, n>(p, m_couplings[number].direction, c);
      if (finite && block::storage_excess<Storage, Scalar>(u) != Scalar(0)) m_record.overflow(p);
      for (int e = 0; e < n * n; ++e) {
        m_upper[std::int64_t{number} * (n * n) + e] = static_cast<Storage>(u.m_entries[e]);
      }
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
