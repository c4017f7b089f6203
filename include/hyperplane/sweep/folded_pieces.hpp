// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Points of a direction that follow one another in a folded order: a half without its middle, or the middle alone.
struct FoldedRange {
  int first = 0;  ///< point
  int step = 1;   ///< from each to the next
  int count = 0;
  bool is_middle = false;

  int at(int number) const { return first + step * number; }
};

/// Ranges of a direction: two halves and the middle, or all points.
inline std::vector<FoldedRange> folded_ranges(const DirectionOrder& order) {
  int const middle = order.middle(), last = order.extent() - 1;
  if (!order.has_second_half()) return {{0, 1, order.extent()}};
  return {{0, 1, middle}, {last, -1, last - middle}, {middle, 1, 1, true}};
}

/// A box of points, with a recursion of the natural order from its own corner. A slab is the lines along i of a layer
/// whose points share SIMD groups. They run one point behind one another, so that a step has the points whose factors
/// are in one group; a tile is some steps of a slab.
struct FoldedPiece {
  FoldedRange i, j, k;
  int lanes;  ///< lines of a slab
  int steps;  ///< of a tile

  int middles() const { return int{i.is_middle} + int{j.is_middle} + int{k.is_middle}; }
  double points() const { return double(i.count) * j.count * k.count; }
  /// Counted from the corner.
  int slabs() const { return slab(j.count - 1) + 1; }
  std::int64_t tiles() const { return std::int64_t{k.count} * tiles_of_layer(); }
  /// How many tiles the slab before has to be ahead.
  int lag() const { return (lanes - 1 + steps - 1) / steps; }

  /// Some steps of a slab: lane l has the line j_of_lane_0 + l, if that is one of the box, and its first point in step
  /// steps_behind(l).
  struct Tile {
    int k_point;
    int step_begin, step_end;
    int j_of_lane_0;
    int lane_begin, lane_end;
  };
  Tile tile(int slab, std::int64_t number) const {
    int const step_begin = static_cast<int>(number % tiles_of_layer()) * steps;
    int const first = j.at(first_line(slab)), last = j.at(std::min(first_line(slab + 1), j.count) - 1);
    int const j_of_lane_0 = first / lanes * lanes;
    return {k.at(static_cast<int>(number / tiles_of_layer())),
            step_begin,
            std::min(step_begin + steps, i.count + lanes - 1),
            j_of_lane_0,
            std::min(first, last) - j_of_lane_0,
            std::max(first, last) + 1 - j_of_lane_0};
  }
  int steps_behind(int lane) const { return j.step > 0 ? lane : lanes - 1 - lane; }

  /// Calls at(point) for those of a tile, from the corner, or towards it.
  template <class AtPoint>
  void for_points(const Tile& tile, Sweep sweep, const AtPoint& at) const {
    bool const forward = sweep == Sweep::forward;
    bool const lanes_rise = (j.step > 0) == forward;
    for (int s = tile.step_begin; s < tile.step_end; ++s) {
      int const step = forward ? s : tile.step_begin + tile.step_end - 1 - s;
      for (int l = tile.lane_begin; l < tile.lane_end; ++l) {
        int const lane = lanes_rise ? l : tile.lane_begin + tile.lane_end - 1 - l;
        int const x = step - steps_behind(lane);
        if (x >= 0 && x < i.count) at(Point{i.at(x), tile.j_of_lane_0 + lane, tile.k_point});
      }
    }
  }

 private:
  int tiles_of_layer() const { return (i.count + lanes - 1 + steps - 1) / steps; }
  /// The slab of a line, and the first line of a slab.
  int slab(int line) const { return j.step * (j.at(line) / lanes - j.first / lanes); }
  int first_line(int slab) const {
    if (slab == 0) return 0;
    int const begin = (j.first / lanes + slab * j.step) * lanes;
    return j.step > 0 ? begin - j.first : j.first - (begin + lanes - 1);
  }
};

/// Whether threads are better busy with FoldedPieces, of which a thread takes a slab, than with FoldedPlanes, of which
/// all take a part: not where the boxes have slabs for less than a quarter of them, and hyperplanes points for all.
inline bool suits_folded_pieces(const FoldedOrder& order, int lanes, int threads) {
  int slabs = 0;
  for (auto const& j : folded_ranges(order.j())) {
    if (!j.is_middle) slabs += FoldedPiece{{}, j, {}, lanes, 1}.slabs();
  }
  slabs *= (order.i().has_second_half() ? 2 : 1) * (order.k().has_second_half() ? 2 : 1);
  constexpr int points_of_thread = 16;
  return 4 * slabs >= threads || order.grid().size() / order.plane_count() < std::int64_t{points_of_thread} * threads;
}

/// The points of a folded order on hosts, by threads that follow one another by progress words (host::SlabSweep). The
/// halves of the folded directions make up to eight boxes, which do not need one another. Behind them come the middle
/// planes without their middle lines, then those lines, and the middle point: one launch for each of these that there
/// is.
template <HostExecutionSpace Exec>
class FoldedPieces {
 public:
  /// Of SIMD groups with as many lanes; tiles have `steps` groups.
  FoldedPieces(const Exec& exec, const std::string& label, const FoldedOrder& order, int lanes, int steps) {
    std::vector<std::vector<FoldedPiece>> stages(4);
    for (auto const& k : folded_ranges(order.k())) {
      for (auto const& j : folded_ranges(order.j())) {
        for (auto const& i : folded_ranges(order.i())) {
          FoldedPiece const piece{i, j, k, lanes, steps};
          if (piece.points() > 0) stages[as_size(piece.middles())].push_back(piece);
        }
      }
    }
    for (auto& pieces : stages) {
      if (!pieces.empty()) m_stages.emplace_back(exec, label, std::move(pieces));
    }
  }

  /// As FoldedPlanes do. Where `at` has a function take(piece, tile), that is called instead for all points of a tile.
  template <class AtPoint>
  void run(const Exec& exec, const char* label, Sweep sweep, double bytes, const AtPoint& at) const {
    for (std::size_t s = 0; s < m_stages.size(); ++s) {
      auto const& stage = m_stages[sweep == Sweep::forward ? s : m_stages.size() - 1 - s];
      stage.m_sweep.run_all(exec, label, bytes * stage.m_points_of_step,
                            [&](int piece) { return Tiles<AtPoint>{stage.m_pieces[as_size(piece)], sweep, at}; });
    }
  }

 private:
  /// Pieces that do not depend on one another.
  struct Stage {
    std::vector<FoldedPiece> m_pieces;
    host::SlabSweep<Exec> m_sweep;
    double m_points_of_step;  ///< on average

    Stage(const Exec& exec, const std::string& label, std::vector<FoldedPiece> pieces)
        : m_pieces(std::move(pieces)), m_sweep(exec, label, extents(m_pieces), m_pieces.front().lag(), 1) {
      double points = 0, steps = 0;
      for (auto const& piece : m_pieces) {
        points += piece.points();
        steps += static_cast<double>(piece.slabs()) * static_cast<double>(piece.tiles());
      }
      m_points_of_step = points / steps;
    }

    static std::vector<typename host::SlabSweep<Exec>::Extent> extents(const std::vector<FoldedPiece>& pieces) {
      std::vector<typename host::SlabSweep<Exec>::Extent> result;
      result.reserve(pieces.size());
      for (auto const& piece : pieces) result.push_back({piece.slabs(), piece.tiles()});
      return result;
    }
  };

  /// The tiles of a slab, counted as the sweep takes them.
  template <class AtPoint>
  struct Tiles {
    FoldedPiece m_piece;
    Sweep m_sweep;
    AtPoint m_at;

    void operator()(int slab, std::int64_t begin, std::int64_t end) const {
      bool const forward = m_sweep == Sweep::forward;
      for (auto number = begin; number < end; ++number) {
        auto const tile =
            m_piece.tile(forward ? slab : m_piece.slabs() - 1 - slab, forward ? number : m_piece.tiles() - 1 - number);
        if constexpr (requires { m_at.take(m_piece, tile); }) {
          m_at.take(m_piece, tile);
        } else {
          m_piece.for_points(tile, m_sweep, m_at);
        }
      }
    }
  };

  std::vector<Stage> m_stages;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
