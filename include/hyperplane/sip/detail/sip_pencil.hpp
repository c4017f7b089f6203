// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/host/pencil_sweep.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sip/detail/sip_coefficients.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/detail/pencil_neighbours.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// The coefficients of SIP on the host: every operation is on full SIMD vectors along skewed pencils.
template <class Scalar, class Exec, class Storage, class MatrixStorage, int vector_length>
struct SipCoefficientsPencil {
  using PackType = Pack<Scalar, vector_length>;

  BlockStencil7Ref<MatrixStorage, 1, vector_length> m_a;
  BlockIlu0Factors<Storage, 1, vector_length> m_factors;
  typename SingularPivotRecord<Exec>::Ref m_singular;
  Scalar m_alpha;
  SipMask m_mask;

  void operator()(int pencil, std::int64_t begin, std::int64_t end) const {
    auto const& map = m_a.map();
    auto const access = [factors = m_factors](std::int64_t pack) { return factors.upper(pack, UpperBlock::top); };
    PencilNeighbours<Scalar, vector_length, sip_upper, decltype(access)> const neighbours(map, pencil, access);
    PackType west[sip_upper], south[sip_upper], bottom[sip_upper];
    bool const all_rows = m_mask.m_values == nullptr && (pencil + 1) * vector_length <= m_a.grid().nj();
    // Of the point in lane 0, if there is one.
    std::int64_t i = begin % map.pitch();
    std::int64_t k = begin / map.pitch();
    for (std::int64_t step = begin; step < end; ++step, ++i) {
      if (i == map.pitch()) {
        i = 0;
        ++k;
      }
      std::int64_t const pack = pencil * map.steps() + step;
      // From memory, where they are as narrow as they are kept.
      neighbours.load(step - 1, west);
      neighbours.south(step, west, south);
      neighbours.load(step - map.pitch(), bottom);
      PackType a[stencil7_size];
      for (int d = 0; d < stencil7_size; ++d) a[d] = PackType::load(m_a.pack_block(pack, static_cast<Direction>(d)));
      bool const full = all_rows && i >= vector_length - 1 && i < m_a.grid().ni() && k < m_a.grid().nk();
      if (full) {
        keep_inside(pencil, i, k, a);
      } else {
        keep_used(pack, a);
      }
      PackType pivot;
      auto point = sip_point(entries(a), upper(bottom), upper(south), upper(west), PackType(m_alpha), pivot);
      if (any(pivot * PackType(0) != PackType(0)) || any(point.inverse() * PackType(0) != PackType(0))) {
        record(pack, pivot, point.inverse());
      }
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
  void keep_inside(int pencil, std::int64_t i, std::int64_t k, PackType (&a)[stencil7_size]) const {
    auto const& grid = m_a.grid();
    constexpr int last = vector_length - 1;
    auto const at = [&](Direction direction) -> PackType& { return a[static_cast<int>(direction)]; };
    if (k == 0) at(Direction::bottom) = PackType(0);
    if (k + 1 == grid.nk()) at(Direction::top) = PackType(0);
    if (pencil == 0) at(Direction::south).set(0, Scalar(0));
    if ((pencil + 1) * vector_length == grid.nj()) at(Direction::north).set(last, Scalar(0));
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

  void record(std::int64_t pack, const PackType& pivot, const PackType& inverse) const {
    for (int lane = 0; lane < vector_length; ++lane) {
      Point p;
      if (m_a.map().find_point(pack, lane, p) && !sip_regular(pivot[lane], inverse[lane])) {
        m_singular.record(m_a.grid().index(p), 0);
      }
    }
  }
};

/// On Path::pencil along pencils.
template <class Scalar, HostExecutionSpace Exec, class Storage, int vector_length>
class SipCoefficients<Scalar, Exec, Storage, vector_length> {
 public:
  SipCoefficients(const Exec& exec, const PencilMap<vector_length>& map, Path path, int /*multiprocessors*/)
      : m_path(path), m_sweep(exec, "Hyperplane::Sip", map.pencils(), map.steps(), vector_length - 1, sweep_block) {}

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const BlockIlu0Factors<Storage, 1, vector_length>& factors, const SingularPivotRecord<Exec>& singular,
                  Scalar alpha, const SipMask& mask) const {
    if (m_path != Path::pencil) return sip_coefficients_portable(exec, a, factors, singular, alpha, mask);
    m_sweep.run(exec, "Hyperplane::Sip::factor",
                SipCoefficientsPencil<Scalar, Exec, Storage, MatrixStorage, vector_length>{a, factors, singular.ref(),
                                                                                           alpha, mask});
  }

 private:
  // As the sweeps of BILU(0) for n = 1.
  static constexpr int sweep_block = 64;

  Path m_path;
  host::PencilSweep<Exec> m_sweep;
};

}  // namespace hyperplane::detail
