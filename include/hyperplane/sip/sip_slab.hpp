// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/outside_lanes.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/sip/detail/sip_units.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/slab_neighbours.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The coefficients of SIP on the host: every operation is on full SIMD vectors along skewed slabs.
template <class Scalar, class Exec, class Storage, class MatrixStorage, int vector_length>
struct SipCoefficientsSlab {
  using PackType = Pack<Scalar, vector_length>;
  using Factors = TriangularFactors<Storage, 1, vector_length>;

  BlockStencil7Ref<MatrixStorage, 1, vector_length> m_a;
  Factors m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_alpha;
  SipMask m_mask;

  void operator()(int slab, std::int64_t begin, std::int64_t end) const {
    // Copies, which what is written cannot change.
    auto const matrix = m_a;
    auto const factors = m_factors;
    auto const& map = matrix.map();
    PackType const alpha(m_alpha);
    bool const masked = m_mask.m_values != nullptr;
    auto const access = [&factors](std::int64_t pack) { return factors.upper(pack, UpperBlock::top); };
    SlabNeighbours<Scalar, vector_length, sip_upper, decltype(access)> const neighbours(map, slab, access);
    PackType west[sip_upper], south[sip_upper], bottom[sip_upper];
    neighbours.load(begin - 1, west);
    // A step waits for the one before. What no step waits for is done a step later, from memory, while the next one
    // waits, and leaves it the registers.
    Computed computed[2];
    std::int64_t remainder = begin % map.pitch();
    for (std::int64_t step = begin; step < end; ++step, ++remainder) {
      if (remainder == map.pitch()) remainder = 0;
      PackPlace const place{slab, step, remainder};
      std::int64_t const pack = map.first_pack(slab) + step;
      neighbours.south(step, west, south);
      neighbours.load(step - map.pitch(), bottom);
      PackType a[stencil7_size];
      HYPERPLANE_HOST_UNROLL
      for (int d = 0; d < stencil7_size; ++d) {
        auto const direction = static_cast<Direction>(d);
        a[d] = PackType::load(matrix.pack_block(pack, direction));
        OutsideLanes<vector_length> const outside(map, place, direction);
        if (outside.any()) a[d] = select(lanes_between<PackType>(outside.m_begin, outside.m_end), PackType(0), a[d]);
      }
      bool const all_used = !masked && is_full(map, place);
      typename PackType::Mask unused;
      if (!all_used) [[unlikely]] {
        unused = masked ? unused_lanes(pack, a) : padding_lanes<PackType>(map, place);
        HYPERPLANE_HOST_UNROLL
        for (int d = 0; d < stencil7_size; ++d) {
          a[d] = select(unused, PackType(static_cast<Direction>(d) == Direction::center ? 1 : 0), a[d]);
        }
      }
      PackType pivot;
      auto point = sip_point(entries(a), upper(bottom), upper(south), upper(west), alpha, pivot);
      if (!all_used) [[unlikely]] {
        // Coefficients of the points before may be no numbers.
        pivot = select(unused, PackType(1), pivot);
        for (auto& value : point.m_lower) value = select(unused, PackType(0), value);
        for (auto& value : point.m_upper) value = select(unused, PackType(0), value);
      }
      HYPERPLANE_HOST_UNROLL
      for (int e = 0; e < upper_blocks; ++e) {
        point.m_upper[e].store(factors.upper(pack, static_cast<UpperBlock>(e)));
        // The next point has it as it is kept.
        west[e] = point.m_upper[e].template rounded<Storage>();
      }
      computed[step % 2] = {pivot, point};
      if (step > begin) keep_lower(map, factors, pack - 1, computed[(step + 1) % 2]);
    }
    keep_lower(map, factors, map.first_pack(slab) + end - 1, computed[(end + 1) % 2]);
    stream_fence();
  }

 private:
  struct Computed {
    PackType m_pivot;
    SipPoint<PackType> m_point;
  };

  static SipUpper<PackType> upper(const PackType (&u)[sip_upper]) { return {u[0], u[1], u[2]}; }
  static SipEntries<PackType> entries(const PackType (&a)[stencil7_size]) {
    auto const at = [&](Direction direction) { return a[static_cast<int>(direction)]; };
    return {at(Direction::center), at(Direction::bottom), at(Direction::south), at(Direction::west),
            at(Direction::east),   at(Direction::north),  at(Direction::top)};
  }

  /// Keeps the lower coefficients of a pack, in their units, and records what is not regular.
  HYPERPLANE_FORCEINLINE_HOST_FUNCTION void keep_lower(const SlabMap<vector_length>& map, const Factors& factors,
                                                       std::int64_t pack, const Computed& computed) const {
    auto point = computed.m_point;
    take_sip_into_units(factors.m_scales, pack, 0, point);
    auto const irregular = sip_excess<Storage, Scalar>(computed.m_pivot, point) != PackType(0);
    if (any(irregular)) [[unlikely]]
      record_lanes(map, pack, irregular, 0, m_singular);
    HYPERPLANE_HOST_UNROLL
    for (int e = 0; e < lower_blocks; ++e) {
      point.m_lower[e].stream(factors.lower(pack, static_cast<LowerBlock>(e)));
    }
  }

  /// The lanes that hold no point or a masked one; zeros for entries that point to masked points. Has copies, so that
  /// packs stay in registers where nothing is masked.
  typename PackType::Mask unused_lanes(std::int64_t pack, PackType (&a)[stencil7_size]) const {
    PackType entered[stencil7_size];
    for (int d = 0; d < stencil7_size; ++d) entered[d] = a[d];
    auto const unused = clear_masked(pack, entered);
    for (int d = 0; d < stencil7_size; ++d) a[d] = entered[d];
    return unused;
  }
  HYPERPLANE_APART_HOST_FUNCTION typename PackType::Mask clear_masked(std::int64_t pack,
                                                                      PackType (&a)[stencil7_size]) const {
    auto const& grid = m_a.grid();
    PackType used(1);
    for (int lane = 0; lane < vector_length; ++lane) {
      Point p;
      if (!m_a.map().find_point(pack, lane, p) || !m_mask.contains(grid, p)) {
        used.set(lane, Scalar(0));
        continue;
      }
      for (int d = 0; d < stencil7_size; ++d) {
        if (!m_mask.contains(grid, neighbour(p, static_cast<Direction>(d)))) a[d].set(lane, Scalar(0));
      }
    }
    return used == PackType(0);
  }
};

/// Bytes that a step of it moves, for the choice of threads.
template <class Storage, class MatrixStorage, int vector_length>
inline constexpr double sip_slab_bytes = 14.0 * (sizeof(MatrixStorage) + sizeof(Storage)) * vector_length;

/// Also along slabs.
template <class Scalar, HostExecutionSpace Exec, class Storage, int vector_length, SipMatrices matrices>
class SipCoefficients<Scalar, Exec, Storage, vector_length, matrices> {
 public:
  SipCoefficients(const Exec& exec, const SlabMap<vector_length>& map, bool by_slabs, int /*multiprocessors*/)
      : m_by_slabs(by_slabs),
        m_sweep(exec, "Hyperplane::Sip", map.slabs(), map.steps(), vector_length - 1,
                slab_steps<Storage, 1, vector_length>) {}

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const TriangularFactors<Storage, 1, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) const {
    if (!m_by_slabs) return sip_coefficients_portable(exec, a, factors, singular, alpha, mask);
    m_sweep.run(exec, "Hyperplane::Sip::factor", sip_slab_bytes<Storage, MatrixStorage, vector_length>,
                SipCoefficientsSlab<Scalar, Exec, Storage, MatrixStorage, vector_length>{a, factors, singular.ref(),
                                                                                         alpha, mask});
  }

 private:
  bool m_by_slabs;
  host::SlabSweep<Exec> m_sweep;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
