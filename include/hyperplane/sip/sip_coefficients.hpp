// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/sip/detail/sip_units.hpp>
#include <hyperplane/sip/sip_ordered_factors.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The coefficients of SIP at the points of a hyperplane, see Sip: one thread for each point. Also what is wrong where
/// they are not finite.
template <class Scalar, class Exec, class Storage, class MatrixStorage, int vector_length>
struct SipCoefficientsPlane {
  using Factors = SipOrderedFactors<Storage, vector_length>;

  HyperplaneMap m_planes;
  BlockStencil7Ref<MatrixStorage, 1, vector_length> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_alpha;
  SipMask m_mask;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const ordered = m_planes.point(m_plane, q);
    Point const p = m_factors.point(ordered);
    auto const a = entries(p);
    auto const& map = m_a.map();
    auto const pack = map.pack(p.i, p.j, p.k);
    int const lane = map.lane(p.j);
    SipPoint<Scalar> point{};
    if (m_mask.contains(m_a.grid(), p)) {
      Scalar pivot;
      point = sip_point(a, upper(p, Direction::bottom), upper(p, Direction::south), upper(p, Direction::west), m_alpha,
                        pivot);
      take_sip_into_units(m_factors.m_scales, pack, lane, point);
      // What comes after a singular pivot is singular too: the first one in the order counts.
      if (sip_excess<Storage, Scalar>(pivot, point) != 0) m_singular.record(m_a.grid().index(ordered), 0);
    }

    for (int e = 0; e < lower_blocks; ++e) {
      m_factors.lower(pack, static_cast<LowerBlock>(e))[lane] = static_cast<Storage>(point.m_lower[e]);
    }
    for (int e = 0; e < upper_blocks; ++e) {
      m_factors.upper(pack, static_cast<UpperBlock>(e))[lane] = static_cast<Storage>(point.m_upper[e]);
    }
  }

  /// What is wrong at the first point that is not regular, by its number in the order.
  KOKKOS_FUNCTION PivotFinding diagnose(std::int64_t number) const {
    Point const p = m_factors.point(m_a.grid().point(number));
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      if (!(entry(p, m_factors.direction(direction)) * 0 == 0)) return {FactorFailure::not_finite, d};
    }
    for (int s = 0; s < upper_blocks; ++s) {
      auto const ordered = sweep_direction<Sweep::forward>(s);
      auto const direction = m_factors.direction(ordered);
      Point const other = neighbour(p, direction);
      if (!m_mask.contains(m_a.grid(), other)) continue;
      if (!(entry(other, opposite(ordered)) * 0 == 0)) {
        return {FactorFailure::not_finite, neighbour_blocks + static_cast<int>(direction)};
      }
    }
    Scalar pivot;
    auto point = sip_point(entries(p), upper(p, Direction::bottom), upper(p, Direction::south),
                           upper(p, Direction::west), m_alpha, pivot);
    if constexpr (Factors::Scales::exist) {
      auto const equation = sip_equation_units(m_factors.m_scales, point)[0];
      point = sip_in_units(point, equation, power_reciprocal(equation));
    }
    if (pivot == 0) return {FactorFailure::zero_row, 0};
    bool const is_overflow = sip_excess<Storage, Scalar>(pivot, point) != 0;
    // Else other roundings than those of the kernel left a little of what vanished there.
    return {is_overflow ? FactorFailure::overflow : FactorFailure::singular, 0};
  }

 private:
  KOKKOS_FUNCTION SipEntries<Scalar> entries(const Point& p) const {
    return {entry(p, Direction::center), entry(p, Direction::bottom), entry(p, Direction::south),
            entry(p, Direction::west),   entry(p, Direction::east),   entry(p, Direction::north),
            entry(p, Direction::top)};
  }

  /// That of A in the direction that the ordering calls so, and zero where it points out of the grid or to a masked
  /// point.
  KOKKOS_FUNCTION Scalar entry(const Point& p, Direction ordered) const {
    auto const direction = m_factors.direction(ordered);
    if (!m_mask.contains(m_a.grid(), neighbour(p, direction))) return 0;
    auto const& map = m_a.map();
    return static_cast<Scalar>(m_a.pack_block(map.pack(p.i, p.j, p.k), direction)[map.lane(p.j)]);
  }

  /// The upper coefficients of a neighbour, none where there is no such point.
  KOKKOS_FUNCTION SipUpper<Scalar> upper(const Point& p, Direction ordered) const {
    Point const other = neighbour(p, m_factors.direction(ordered));
    if (!m_a.grid().contains(other)) return {0, 0, 0};
    auto const& map = m_a.map();
    auto const pack = map.pack(other.i, other.j, other.k);
    int const lane = map.lane(other.j);
    auto const value = [&](UpperBlock block) { return static_cast<Scalar>(m_factors.upper(pack, block)[lane]); };
    return {value(UpperBlock::top), value(UpperBlock::north), value(UpperBlock::east)};
  }
};

/// As a diagnosis of the record.
template <class Plane>
struct SipDiagnosis {
  Plane m_plane;
  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t number, int /*code*/) const { return m_plane.diagnose(number); }
};

template <class Scalar, class Exec, class Storage, class MatrixStorage, int vector_length>
KOKKOS_FUNCTION auto sip_diagnosis(const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                                   const SipOrderedFactors<Storage, vector_length>& factors,
                                   const typename SingularPivotRecord<Exec>::Ref& singular, Scalar alpha,
                                   const SipMask& mask) {
  using Plane = SipCoefficientsPlane<Scalar, Exec, Storage, MatrixStorage, vector_length>;
  return SipDiagnosis<Plane>{Plane{HyperplaneMap(a.grid()), a, factors, singular, alpha, mask, 0}};
}

/// One launch for each hyperplane.
template <class Scalar, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void sip_coefficients_portable(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                               const SipOrderedFactors<Storage, vector_length>& factors,
                               const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) {
  HyperplaneMap const planes(a.grid());
  for (int p = 0; p < planes.plane_count(); ++p) {
    launch("Hyperplane::Sip::factor", IndexRange<Exec>(exec, 0, planes.plane_size(p)),
           14.0 * (sizeof(MatrixStorage) + sizeof(Storage)),
           SipCoefficientsPlane<Scalar, Exec, Storage, MatrixStorage, vector_length>{planes, a, factors, singular.ref(),
                                                                                     alpha, mask, p});
  }
}

template <class Scalar, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void sip_coefficients_portable(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                               const TriangularFactors<Storage, 1, vector_length>& factors,
                               const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) {
  sip_coefficients_portable(exec, a, SipOrderedFactors<Storage, vector_length>{factors, false}, singular, alpha, mask);
}

/// Follows what computed the coefficients.
template <class Scalar, ExecutionSpace Exec, class Storage, class MatrixStorage, int vector_length>
void conclude_sip_coefficients(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                               const SipOrderedFactors<Storage, vector_length>& factors,
                               const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) {
  singular.conclude(exec, sip_diagnosis<Scalar, Exec>(a, factors, singular.ref(), alpha, mask));
}

/// Of which matrices SipCoefficients are asked: of any, in Scalar and in float, with masked points and without, or of
/// those in Scalar without masked points alone.
enum class SipMatrices { any, unmasked_in_scalar };

/// What computes the coefficients, for an execution space, along slabs or by hyperplanes: a specialization may do
/// better than the portable way.
template <class Scalar, class Exec, class Storage, int vector_length, SipMatrices matrices = SipMatrices::any>
class SipCoefficients {
 public:
  SipCoefficients(const Exec&, const SlabMap<vector_length>&, bool /*by_slabs*/, int /*multiprocessors*/) {}

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const TriangularFactors<Storage, 1, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) const {
    sip_coefficients_portable(exec, a, factors, singular, alpha, mask);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
