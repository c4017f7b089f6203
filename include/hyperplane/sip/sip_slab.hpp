// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
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

  BlockStencil7Ref<MatrixStorage, 1, vector_length> m_a;
  TriangularFactors<Storage, 1, vector_length> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_alpha;
  SipMask m_mask;

  void operator()(int slab, std::int64_t begin, std::int64_t end) const {
    auto const& map = m_a.map();
    auto const access = [factors = m_factors](std::int64_t pack) { return factors.upper(pack, UpperBlock::top); };
    SlabNeighbours<Scalar, vector_length, sip_upper, decltype(access)> const neighbours(map, slab, access);
    PackType west[sip_upper], south[sip_upper], bottom[sip_upper];
    bool const all_rows = m_mask.m_values == nullptr && (slab + 1) * vector_length <= m_a.grid().nj();
    // Of the point in lane 0, if there is one.
    std::int64_t i = begin % map.pitch();
    std::int64_t k = begin / map.pitch();
    for (std::int64_t step = begin; step < end; ++step, ++i) {
      if (i == map.pitch()) {
        i = 0;
        ++k;
      }
      std::int64_t const pack = map.first_pack(slab) + step;
      // From memory, where they are as narrow as they are kept.
      neighbours.load(step - 1, west);
      neighbours.south(step, west, south);
      neighbours.load(step - map.pitch(), bottom);
      PackType a[stencil7_size];
      for (int d = 0; d < stencil7_size; ++d) a[d] = PackType::load(m_a.pack_block(pack, static_cast<Direction>(d)));
      bool const full = all_rows && i >= vector_length - 1 && i < m_a.grid().ni() && k < m_a.grid().nk();
      if (full) {
        keep_inside(slab, i, k, a);
      } else {
        keep_used(pack, a);
      }
      PackType pivot;
      auto point = sip_point(entries(a), upper(bottom), upper(south), upper(west), PackType(m_alpha), pivot);
      take_sip_into_units(m_factors.m_scales, pack, 0, point);
      auto const irregular = sip_excess<Storage, Scalar>(pivot, point) != PackType(0);
      if (any(irregular)) [[unlikely]]
        record(pack, irregular);
      if (!full) clear_unused(pack, point);
      for (int e = 0; e < lower_blocks; ++e) {
        point.m_lower[e].store(m_factors.lower(pack, static_cast<LowerBlock>(e)));
      }
      for (int e = 0; e < upper_blocks; ++e) {
        point.m_upper[e].store(m_factors.upper(pack, static_cast<UpperBlock>(e)));
      }
    }
  }

 private:
  static SipUpper<PackType> upper(const PackType (&u)[sip_upper]) { return {u[0], u[1], u[2]}; }
  static SipEntries<PackType> entries(const PackType (&a)[stencil7_size]) {
    auto const at = [&](Direction direction) { return a[static_cast<int>(direction)]; };
    return {at(Direction::center), at(Direction::bottom), at(Direction::south), at(Direction::west),
            at(Direction::east),   at(Direction::north),  at(Direction::top)};
  }

  /// Zeros for entries that point out of the grid, where every lane has a point; i and k are those of lane 0.
  void keep_inside(int slab, std::int64_t i, std::int64_t k, PackType (&a)[stencil7_size]) const {
    auto const& grid = m_a.grid();
    constexpr int last = vector_length - 1;
    auto const at = [&](Direction direction) -> PackType& { return a[static_cast<int>(direction)]; };
    if (k == 0) at(Direction::bottom) = PackType(0);
    if (k + 1 == grid.nk()) at(Direction::top) = PackType(0);
    if (slab == 0) at(Direction::south).set(0, Scalar(0));
    if ((slab + 1) * vector_length == grid.nj()) at(Direction::north).set(last, Scalar(0));
    if (i == last) at(Direction::west).set(last, Scalar(0));
    if (i + 1 == grid.ni()) at(Direction::east).set(0, Scalar(0));
  }

  /// Zeros for entries that point out of the grid or to masked points; a unit pivot where there is no point or it is
  /// masked.
  void keep_used(std::int64_t pack, PackType (&a)[stencil7_size]) const {
    auto const& grid = m_a.grid();
    for (int lane = 0; lane < vector_length; ++lane) {
      Point p;
      bool const used = m_a.map().find_point(pack, lane, p) && m_mask.contains(grid, p);
      for (int d = 0; d < stencil7_size; ++d) {
        auto const direction = static_cast<Direction>(d);
        if (!used) {
          a[d].set(lane, Scalar(direction == Direction::center));
        } else if (!m_mask.contains(grid, neighbour(p, direction))) {
          a[d].set(lane, Scalar(0));
        }
      }
    }
  }

  /// Their coefficients are zero.
  void clear_unused(std::int64_t pack, SipPoint<PackType>& point) const {
    for (int lane = 0; lane < vector_length; ++lane) {
      Point p;
      if (m_a.map().find_point(pack, lane, p) && m_mask.contains(m_a.grid(), p)) continue;
      for (auto& value : point.m_lower) value.set(lane, Scalar(0));
      for (auto& value : point.m_upper) value.set(lane, Scalar(0));
    }
  }

  template <class Mask>
  void record(std::int64_t pack, const Mask& irregular) const {
    for (int lane = 0; lane < vector_length; ++lane) {
      Point p;
      if (irregular[lane] && m_a.map().find_point(pack, lane, p)) m_singular.record(m_a.grid().index(p), 0);
    }
  }
};

/// Bytes that a step of it moves, for the choice of threads.
template <class Storage, class MatrixStorage, int vector_length>
inline constexpr double sip_slab_bytes = 14.0 * (sizeof(MatrixStorage) + sizeof(Storage)) * vector_length;

/// Also along slabs.
template <class Scalar, HostExecutionSpace Exec, class Storage, int vector_length>
class SipCoefficients<Scalar, Exec, Storage, vector_length> {
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
