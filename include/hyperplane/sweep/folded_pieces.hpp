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

/// A box of points, with a recursion of the natural order from its own corner. Its points are taken tile by tile: lines
/// along i whose points share SIMD groups, cut into pieces of `tile` points.
struct FoldedPiece {
  FoldedRange i, j, k;
  int lanes;  ///< lines that share groups
  int tile;

  int middles() const { return int{i.is_middle} + int{j.is_middle} + int{k.is_middle}; }
  double points() const { return double(i.count) * j.count * k.count; }
  /// Counted from the corner.
  int slabs() const { return slab(j.count - 1) + 1; }
  std::int64_t tiles() const { return std::int64_t{k.count} * tiles_of_line(); }

  /// Calls at(point) for those of a tile of a slab, from the corner, or towards it.
  template <class AtPoint>
  void for_points(int slab, std::int64_t tile_number, Sweep sweep, const AtPoint& at) const {
    int const k_point = k.at(static_cast<int>(tile_number / tiles_of_line()));
    int const i_begin = static_cast<int>(tile_number % tiles_of_line()) * tile;
    int const i_end = std::min(i_begin + tile, i.count);
    int const j_begin = first_line(slab), j_end = std::min(first_line(slab + 1), j.count);
    auto const line = [&](int y) {
      for (int x = i_begin; x < i_end; ++x) {
        at(Point{i.at(sweep == Sweep::forward ? x : i_begin + i_end - 1 - x), j.at(y), k_point});
      }
    };
    for (int y = j_begin; y < j_end; ++y) line(sweep == Sweep::forward ? y : j_begin + j_end - 1 - y);
  }

 private:
  int tiles_of_line() const { return (i.count + tile - 1) / tile; }
  /// The slab of a line, and the first line of a slab.
  int slab(int line) const { return j.step * (j.at(line) / lanes - j.first / lanes); }
  int first_line(int slab) const {
    if (slab == 0) return 0;
    int const begin = (j.first / lanes + slab * j.step) * lanes;
    return j.step > 0 ? begin - j.first : j.first - (begin + lanes - 1);
  }
};

/// The points of a folded order on hosts, by threads that follow one another by progress words (host::SlabSweep). The
/// halves of the folded directions make up to eight boxes, which do not need one another. Behind them come the middle
/// planes without their middle lines, then those lines, and the middle point: one launch for each of these that there
/// is.
template <HostExecutionSpace Exec>
class FoldedPieces {
 public:
  /// Of SIMD groups with as many lanes; a thread takes about `steps` groups at a time.
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

  /// As FoldedPlanes do.
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
        : m_pieces(std::move(pieces)), m_sweep(exec, label, extents(m_pieces), 0, 1) {
      double points = 0, steps = 0;
      for (auto const& piece : m_pieces) {
        points += piece.points();
        steps += static_cast<double>(piece.slabs()) * static_cast<double>(piece.tiles());
      }
      m_points_of_step = points / steps;
    }

    static std::vector<typename host::SlabSweep<Exec>::Extent> extents(const std::vector<FoldedPiece>& pieces) {
      std::vector<typename host::SlabSweep<Exec>::Extent> result;
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
      for (auto tile = begin; tile < end; ++tile) {
        m_piece.for_points(forward ? slab : m_piece.slabs() - 1 - slab, forward ? tile : m_piece.tiles() - 1 - tile,
                           m_sweep, m_at);
      }
    }
  };

  std::vector<Stage> m_stages;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
