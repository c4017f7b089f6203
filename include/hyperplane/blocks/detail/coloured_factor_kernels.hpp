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

/// What a preconditioner with the factors (d + L)(I + d^-1 U) makes of couplings across interfaces. That of BILU(0):
/// L and U are those of A, and neighbours of lower colours subtract from d.
template <class Scalar>
struct Ilu0Couplings {
  static constexpr bool subtracts = true;
  KOKKOS_FUNCTION static constexpr Scalar scale() { return 1; }
};
/// That of SSOR, whose d is D / w whatever the neighbours are; L and U are those of A times 1 / (2 - w), as Ssor keeps
/// L, and as U is to be for the inverse that Ssor keeps.
template <class Scalar>
struct SsorCouplings {
  static constexpr bool subtracts = false;
  Scalar m_relaxation;
  KOKKOS_FUNCTION Scalar scale() const { return 1 / (2 - m_relaxation); }
};

/// Where kernels note that couplings of points are not finite, or cannot be stored. Points are numbered in the order in
/// which all of them are looked at.
template <class Record>
struct FaceRecord {
  Record m_record;
  std::int64_t m_first;

  /// Whether a coupling is finite; records where it is not, and where what is kept of it cannot be stored.
  template <class Storage, int n, class Coefficients, class Scalar>
  KOKKOS_FUNCTION bool check(std::int64_t p, Direction direction, const Coefficients& c,
                             const block::Matrix<Scalar, n>& kept) const {
    if (!block::is_finite<n>(c)) {
      m_record.record(m_first + p, static_cast<int>(direction));
      return false;
    }
    if (block::storage_excess<Storage, Scalar>(kept) != Scalar(0)) overflow(p);
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

/// A copy of the couplings C_pq of a colour to lower ones, scaled, which a solve needs when the matrix is gone. Where
/// they subtract: d of these points, D_p - sum of C_pq (d_q^-1 C_qp), into the matrix, with what was there kept for
/// RestoreDiagonals.
template <class Rule, class Scalar, int n, class Storage, class MatrixStorage, int vector_length, class Record>
struct TakeLowerNeighbours {
  using GivenBlock = block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>;

  Rule m_rule;
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const Storage* m_upper;      ///< d_q^-1 C_qp
  Storage* m_lower;            ///< C_pq, scaled
  MatrixStorage* m_diagonals;  ///< D_p as it was
  const FaceCoupling* m_reverse;
  FaceRecord<Record> m_record;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    FacePoint const point = m_points[p];
    if constexpr (Rule::subtracts) {
      subtract(p, point);
    } else {
      for (int number = point.begin; number < point.end; ++number) keep(p, point, number);
    }
  }

 private:
  /// Whether the coupling is finite.
  KOKKOS_FUNCTION bool keep(std::int64_t p, const FacePoint& point, int number) const {
    Direction const direction = m_couplings[number].direction;
    GivenBlock const c{entries(point, direction)};
    block::Matrix<Scalar, n> kept;
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < n; ++row) kept(row, column) = m_rule.scale() * c(row, column);
    }
    for (int e = 0; e < n * n; ++e) {
      m_lower[std::int64_t{number} * (n * n) + e] = static_cast<Storage>(kept.m_entries[e]);
    }
    return m_record.template check<Storage, n>(p, direction, c, kept);
  }

  KOKKOS_FUNCTION void subtract(std::int64_t p, const FacePoint& point) const {
    MatrixStorage* const center = entries(point, Direction::center);
    block::Matrix<Scalar, n> d;
    for (int e = 0; e < n * n; ++e) {
      m_diagonals[p * (n * n) + e] = center[e * vector_length];
      d.m_entries[e] = static_cast<Scalar>(center[e * vector_length]);
    }
    // Diagonal blocks that are not finite are named by the factorization of their grid block.
    bool finite = block::is_finite<n>(d);
    for (int number = point.begin; number < point.end; ++number) {
      finite = keep(p, point, number) && finite;
      FaceCoupling const coupling = m_couplings[number];
      // Two of them, where the points are neighbours across two faces.
      for (int reverse = coupling.reverse_begin; reverse < coupling.reverse_end; ++reverse) {
        if (!(m_reverse[reverse].donor == point.slot)) continue;
        block::gemm_subtract<n>(GivenBlock{entries(point, coupling.direction)},
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

/// d_p^-1 C_pq of the couplings to higher colours, scaled; d_p^-1 as it is kept.
template <class Rule, class Scalar, int n, class Storage, class MatrixStorage, int vector_length, class Record>
struct ScaleUpperNeighbours {
  Rule m_rule;
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
      for (auto& entry : u.m_entries) entry *= m_rule.scale();
      m_record.template check<Storage, n>(p, m_couplings[number].direction, c, u);
      for (int e = 0; e < n * n; ++e) {
        m_upper[std::int64_t{number} * (n * n) + e] = static_cast<Storage>(u.m_entries[e]);
      }
    }
  }
};

/// Looks at couplings that the factorization of the grid blocks has taken: C_pq of those to lower colours, and of those
/// to higher ones C_pq and d_p^-1 C_pq, as it is kept.
template <class Rule, class Scalar, int n, class Storage, class MatrixStorage, int vector_length, class Record>
struct CheckCouplings {
  using GivenBlock = block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>;

  Rule m_rule;
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const TriangularFactors<Storage, n, vector_length>* m_factors;
  FaceRecord<Record> m_record;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    FacePoint const point = m_points[p];
    for (int number = point.begin; number < point.end; ++number) {
      Direction const direction = m_couplings[number].direction;
      GivenBlock const c{m_a.pack_data(point.slot.pack, static_cast<int>(direction) * n * n) + point.slot.lane};
      block::Matrix<Scalar, n> kept;
      for (int e = 0; e < n * n; ++e) kept.m_entries[e] = m_rule.scale() * c(e % n, e / n);
      for (int s = 0; s < upper_blocks; ++s) {
        if (direction != sweep_direction<Sweep::backward>(s)) continue;
        const Storage* const upper = m_factors[point.block].upper(point.pack, static_cast<UpperBlock>(s));
        for (int e = 0; e < n * n; ++e) {
          kept.m_entries[e] = static_cast<Scalar>(upper[e * vector_length + point.slot.lane]);
        }
      }
      m_record.template check<Storage, n>(p, direction, c, kept);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
