// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/simd/pack_lanes.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/folded_pieces.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A sweep over the tiles of a FoldedPiece on hosts, with one SIMD vector for the points of a step. Their factors are
/// in one group, and so are their values where levels of i and j rise in the same direction of the grid; elsewhere
/// values are gathered. Products and sums are those of FoldedSweepPoint, which has the middle lines of i and j.
template <Sweep sweep, class Scalar, int n, class Storage, int vector_length>
class FoldedLines {
  static constexpr bool forward = sweep == Sweep::forward;
  using AtPoint = FoldedSweepPoint<sweep, false, Scalar, n, Storage, vector_length, 1>;
  using PackType = Pack<Scalar, vector_length>;
  using StoredBlock = block::PackMatrix<PackType, Storage, n>;
  using Values = block::Vector<PackType, n>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;
  using Tile = FoldedPiece::Tile;

 public:
  explicit FoldedLines(const AtPoint& at) : m_at(at) {}

  void take(const FoldedPiece& piece, const Tile& tile) const {
    if (piece.i.is_middle || piece.j.is_middle) return piece.for_points(tile, sweep, m_at);
    constexpr int stride = forward ? 1 : -1;
    int const first = forward ? tile.step_begin : tile.step_end - 1;
    Values x;  // of the step before
    load(m_at.m_x[0], piece, tile, first - stride, 0, lanes_at(piece, tile, first - stride), x);
    for (int step = first; step >= tile.step_begin && step < tile.step_end; step += stride) {
      auto const lanes = lanes_at(piece, tile, step);
      if (lanes.m_begin == 0 && lanes.m_end == vector_length) {
        take_step(piece, tile, step, lanes, EveryLane{}, x);
      } else {
        take_step(piece, tile, step, lanes, lanes, x);
      }
    }
  }

 private:
  /// Those with a point of the piece.
  static SomeLanes lanes_at(const FoldedPiece& piece, const Tile& tile, int step) {
    // The lane whose line begins here, and the one behind that whose line ends here.
    int const begins = piece.steps_behind(step), ends = piece.steps_behind(step - piece.i.count);
    int const begin = piece.j.step > 0 ? ends + 1 : begins, end = piece.j.step > 0 ? begins + 1 : ends;
    int const first = std::max(begin, tile.lane_begin);
    return {first, std::max(std::min(end, tile.lane_end), first)};
  }
  static Point point(const FoldedPiece& piece, const Tile& tile, int step, int lane) {
    return {piece.i.at(step - piece.steps_behind(lane)), tile.j_of_lane_0 + lane, tile.k_point};
  }
  /// Where values of a lane are, in the layer dk above.
  static std::int64_t offset(const Vector& values, const FoldedPiece& piece, const Tile& tile, int step, int lane,
                             int dk) {
    Point const p = point(piece, tile, step, lane);
    return values.map().pack(p.i, p.j, p.k + dk) * (n * vector_length);
  }

  template <class Lanes>
  void take_step(const FoldedPiece& piece, const Tile& tile, int step, const SomeLanes& some, const Lanes& lanes,
                 Values& x) const {
    if (some.m_begin == some.m_end) {
      for (int c = 0; c < n; ++c) x[c] = PackType(0);
      return;
    }
    auto const& factors = m_at.m_factors;
    auto const& order = factors.m_order;
    Point const p = point(piece, tile, step, some.m_begin);
    Point const stored = order.stored(p);
    auto const pack = factors.m_map.pack(stored.i, stored.j, stored.k);
    Values sum, other;
    load(m_at.m_rhs[0], piece, tile, step, 0, lanes, sum);
    for (auto const direction : {Direction::bottom, Direction::top}) {
      if (!order.grid().contains(neighbour(p, direction)) || order.is_before(p, direction) != forward) continue;
      load(m_at.m_x[0], piece, tile, step, direction == Direction::top ? 1 : -1, lanes, other);
      block::gemv_subtract<n>(StoredBlock{factors.natural_coupling(pack, direction)}, other, sum);
    }
    // Towards the corner; of a backward sweep, away from it.
    bool const south = (piece.j.step > 0) == forward, west = (piece.i.step > 0) == forward;
    for (int c = 0; c < n; ++c) {
      other[c] = south ? shift_from_lower_lane(x[c], Scalar(0)) : shift_from_upper_lane(x[c], Scalar(0));
    }
    enter(piece, tile, step, some, south ? tile.lane_begin : tile.lane_end - 1,
          south ? Direction::south : Direction::north, other);
    block::gemv_subtract<n>(StoredBlock{factors.natural_coupling(pack, south ? Direction::south : Direction::north)},
                            other, sum);
    if constexpr (!forward) {
      int const ends = piece.steps_behind(step - (piece.i.count - 1));
      enter(piece, tile, step, some, ends, west ? Direction::west : Direction::east, x);
    }
    block::gemv_subtract<n>(StoredBlock{factors.natural_coupling(pack, west ? Direction::west : Direction::east)}, x,
                            sum);
    if constexpr (forward) {
      block::gemv<n>(StoredBlock{factors.lower(pack, LowerBlock::inverse)}, sum, x);
    } else {
      x = sum;
    }
    for (int c = 0; c < n; ++c) x[c] = lanes.only(x[c]);
    store(piece, tile, step, lanes, x);
  }

  /// The unknowns of a lane's neighbour that the step before does not have.
  void enter(const FoldedPiece& piece, const Tile& tile, int step, const SomeLanes& some, int lane, Direction direction,
             Values& values) const {
    if (!some.has(lane)) return;
    Point const other = neighbour(point(piece, tile, step, lane), direction);
    if (!m_at.m_factors.m_order.grid().contains(other)) return;
    for (int c = 0; c < n; ++c) values[c].set(lane, m_at.m_x[0](other, c));
  }

  static bool aligned(const FoldedPiece& piece) { return piece.i.step == piece.j.step; }
  static constexpr int first_lane(const EveryLane&) { return 0; }
  static int first_lane(const SomeLanes& lanes) { return lanes.m_begin; }
  static constexpr int last_lane(const EveryLane&) { return vector_length; }
  static int last_lane(const SomeLanes& lanes) { return lanes.m_end; }
  /// Between the values of lanes side by side, where they are not in one group.
  static constexpr std::int64_t lane_distance = 2 * n * vector_length + 1;

  template <class Lanes>
  void load(const Vector& from, const FoldedPiece& piece, const Tile& tile, int step, int dk, const Lanes& lanes,
            Values& values) const {
    int const begin = first_lane(lanes), end = last_lane(lanes);
    if (begin >= end) {
      for (int c = 0; c < n; ++c) values[c] = PackType(0);
      return;
    }
    const Scalar* const data = from.packs().pack_data(0) + offset(from, piece, tile, step, begin, dk);
    if (aligned(piece)) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) values[c] = lanes.template load<PackType>(data + c * vector_length);
      return;
    }
    for (int c = 0; c < n; ++c) {
      alignas(PackType) Scalar gathered[std::size_t{vector_length}] = {};
      const Scalar* const first = data + c * vector_length + begin;
      for (int l = begin; l < end; ++l) gathered[l] = first[(l - begin) * lane_distance];
      values[c] = PackType::load(gathered);
    }
  }

  template <class Lanes>
  void store(const FoldedPiece& piece, const Tile& tile, int step, const Lanes& lanes, const Values& values) const {
    auto const& to = m_at.m_x[0];
    int const begin = first_lane(lanes), end = last_lane(lanes);
    Scalar* const data = to.packs().pack_data(0) + offset(to, piece, tile, step, begin, 0);
    if (aligned(piece)) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) lanes.store(values[c], data + c * vector_length);
      return;
    }
    for (int c = 0; c < n; ++c) {
      alignas(PackType) Scalar scattered[std::size_t{vector_length}];
      values[c].store(scattered);
      Scalar* const first = data + c * vector_length + begin;
      for (int l = begin; l < end; ++l) first[(l - begin) * lane_distance] = scattered[l];
    }
  }

  AtPoint m_at;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
