// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// Parallelograms of space-time in a core's cache, for hosts.
///
/// A core takes its part of the line from right to left, a tile at a time, and many levels of each: with each level a
/// tile moves to the right by the stencil's half width, so that it needs nothing from its left neighbour, and of its
/// right one the first points of every level, which that has left behind. Nothing but the ends of the part is computed
/// twice.
///
/// In the working array the lanes of a vector have points far apart (lane l has points l K to (l + 1) K - 1 of the
/// tile), so that a point's neighbours are in the same lane of the vectors beside its own: all loads are aligned, and
/// nothing is shuffled but at the lanes' ends. The shift of a half width is taken as a shift of the array: slot s is
/// computed from the slots s to s + 2 w and can overwrite the first of them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How a core's part of the line is cut.
struct SweptSkewedCut {
  std::int64_t m_begin, m_end;  ///< points of the part
  std::int64_t m_reach;         ///< points that a tile moves to the right by, over all levels
  std::int64_t m_tiles;
  std::int64_t m_lane_points;  ///< K: slots of a lane

  /// `halo`: slots beyond those of a tile that it reads. The rightmost tile loses twice the reach.
  SweptSkewedCut(std::int64_t begin, std::int64_t end, std::int64_t reach, int lanes, std::int64_t halo,
                 std::int64_t most_points)
      : m_begin(begin), m_end(end), m_reach(reach) {
    auto const total = end - begin + 2 * reach + halo;
    m_tiles = (total + most_points - 1) / most_points;
    m_lane_points = std::max(halo, (total + m_tiles * lanes - 1) / (m_tiles * lanes));
  }
};

template <class Problem>
class SweptSkewedTile {
  using Scalar = typename Problem::scalar_type;
  using State = SweptPointState<Problem>;
  using Row = SweptRow<Problem>;
  static constexpr int width = Problem::half_width;
  static constexpr int sub_steps = Problem::sub_steps;
  static constexpr int components = Problem::components;
  static constexpr int lanes = host_vector_bytes / static_cast<int>(sizeof(Scalar));

 public:
  /// Slots beside a tile: of the stencil, and of the state at the beginning of the time step.
  static constexpr int halo = std::max(2, sub_steps) * width;
  /// Problems of one sub-step are computed in place.
  static constexpr int rows = sub_steps == 1 ? 1 : SweptLevels<Problem>::rows;
  static constexpr int lane_count = lanes;

  static constexpr std::int64_t row_stride(std::int64_t lane_points) { return (lane_points + halo) * lanes; }
  /// Values of the working array with lanes of `lane_points` slots, and room for the edges of `levels` levels.
  static constexpr std::int64_t work_size(std::int64_t lane_points, std::int64_t levels) {
    return (rows * row_stride(lane_points) + levels * halo) * components;
  }

  SweptSkewedTile(const Problem& problem, std::int64_t points, const SweptSkewedCut& cut, Scalar* work)
      : m_problem(problem), m_points(points), m_cut(cut), m_lane_points(cut.m_lane_points) {
    auto const stride = row_stride(m_lane_points);
    for (int r = 0; r < rows; ++r) m_rows[r] = {work + r * components * stride, stride};
    m_edges = work + rows * components * stride;
  }

  /// `steps` steps of the cut's part, from one line into another.
  void run(const Row& from, const Row& to, std::int64_t steps) {
    for (auto tile = m_cut.m_tiles; tile-- > 0;) {
      m_begin = m_cut.m_begin - m_cut.m_reach + tile * m_lane_points * lanes;
      load(from);
      std::int64_t level = 0;
      for (std::int64_t s = 0; s < steps; ++s) {
        with_all_sub_steps([&](auto sub_step) {
          fill<sub_step.value>(level++, tile + 1 == m_cut.m_tiles);
          sweep<sub_step.value>();
          m_begin += width;
        });
      }
      store(to);
    }
  }

 private:
  static constexpr int row_before(int sub_step) { return rows == 1 ? 0 : SweptLevels<Problem>::row(sub_step); }
  static constexpr int row_after(int sub_step) { return rows == 1 ? 0 : SweptLevels<Problem>::row(sub_step + 1); }

  template <class F>
  static void with_all_sub_steps(const F& f) {
    [&]<int... sub_step>(std::integer_sequence<int, sub_step...>) {
      (f(std::integral_constant<int, sub_step>{}), ...);
    }(std::make_integer_sequence<int, sub_steps>{});
  }

  void load(const Row& from) {
    for (int c = 0; c < components; ++c) {
      for (int l = 0; l < lanes; ++l) {
        auto const first = m_begin + l * m_lane_points;
        const Scalar* const line = from.m_data + c * from.m_stride;
        Scalar* const slots = m_rows[0].m_data + c * m_rows[0].m_stride + l;
        if (first >= 0 && first + m_lane_points <= m_points) {
          for (std::int64_t k = 0; k < m_lane_points; ++k) slots[k * lanes] = line[first + k];
        } else {
          for (std::int64_t k = 0; k < m_lane_points; ++k) slots[k * lanes] = line[on_line(first + k)];
        }
      }
    }
  }

  void store(const Row& to) const {
    for (int c = 0; c < components; ++c) {
      for (int l = 0; l < lanes; ++l) {
        auto const first = m_begin + l * m_lane_points;
        Scalar* const line = to.m_data + c * to.m_stride + first;
        const Scalar* const slots = m_rows[0].m_data + c * m_rows[0].m_stride + l;
        auto const last = std::min(m_lane_points, m_cut.m_end - first);
        for (auto k = std::max<std::int64_t>(0, m_cut.m_begin - first); k < last; ++k) line[k] = slots[k * lanes];
      }
    }
  }

  /// A point of the line for any place: those beyond its ends are set before they count.
  std::int64_t on_line(std::int64_t i) const {
    if constexpr (Problem::boundary == SweptBoundary::periodic) {
      auto const rest = i % m_points;
      return rest < 0 ? rest + m_points : rest;
    }
    return std::clamp<std::int64_t>(i, 0, m_points - 1);
  }

  /// Where slot q of the tile is, q counted in points of the line; those from lanes * K on are beside the last lane.
  std::int64_t place(std::int64_t q) const {
    auto const lane = std::min<std::int64_t>(q / m_lane_points, lanes - 1);
    return (q - lane * m_lane_points) * lanes + lane;
  }

  /// What the sweep reads beside what it computes, in the row of the level before.
  template <int sub_step>
  void fill(std::int64_t level, bool rightmost) {
    auto const& row = m_rows[row_before(sub_step)];
    auto* const edges = m_edges + level * halo * components;
    auto const slots = lanes * m_lane_points;
    for (int h = 0; h < halo; ++h) {
      State state = row.load(m_lane_points * lanes - 1);  // any: the rightmost tile loses as much
      if (!rightmost) {
        for (int c = 0; c < components; ++c) state[c] = edges[h * components + c];
      }
      row.store((m_lane_points + h) * lanes + lanes - 1, state);
    }
    if constexpr (Problem::boundary != SweptBoundary::periodic) {
      if (m_begin < 0) {
        for (int j = 1; j <= width; ++j) set_beyond(row, -j, j, SweptEnd::left);
      }
      if (m_begin + slots + halo > m_points) {
        for (int j = 1; j <= width; ++j) set_beyond(row, m_points - 1 + j, m_points - 1 - j, SweptEnd::right);
      }
    }
    for (int h = 0; h < halo; ++h) {
      State const first = row.load(h * lanes);
      for (int c = 0; c < components; ++c) {
        edges[h * components + c] = first[c];
        Scalar* const values = row.m_data + c * row.m_stride;
        for (int l = 0; l + 1 < lanes; ++l) values[(m_lane_points + h) * lanes + l] = values[h * lanes + l + 1];
      }
    }
  }

  /// The point beyond an end, if it is in the tile.
  void set_beyond(const Row& row, std::int64_t point, std::int64_t image, SweptEnd end) {
    auto const slots = lanes * m_lane_points + halo;
    auto const in_tile = [&](std::int64_t i) { return i >= m_begin && i < m_begin + slots; };
    if (!in_tile(point)) return;
    if constexpr (Problem::boundary == SweptBoundary::fixed) {
      row.store(place(point - m_begin), m_problem.outside(end));
    } else {
      // Where the image is in another tile, no point of the line needs it.
      if (in_tile(image)) row.store(place(point - m_begin), row.load(place(image - m_begin)));
    }
  }

  template <int sub_step>
  void sweep() {
    sweep<sub_step>(std::make_index_sequence<std::size_t{2 * width + 1}>{});
  }
  template <int sub_step, std::size_t... k>
  void sweep(std::index_sequence<k...>) {
    auto const problem = m_problem;
    auto const before = m_rows[row_before(sub_step)];
    auto const start = m_rows[0];
    auto const after = m_rows[row_after(sub_step)];
    auto const slots = lanes * m_lane_points;
    HYPERPLANE_INDEPENDENT
    for (std::int64_t i = 0; i < slots; ++i) {
      State const u[] = {before.load(i + static_cast<std::int64_t>(k) * lanes)...};
      const State* const centre = u + width;
      after.store(i, problem.template step<sub_step>(
                         centre, sub_step == 0 ? *centre : start.load(i + (sub_step + 1) * width * lanes)));
    }
  }

  Problem m_problem;
  std::int64_t m_points;
  SweptSkewedCut m_cut;
  std::int64_t m_lane_points;
  std::int64_t m_begin = 0;  ///< the point of slot 0
  Row m_rows[std::size_t{rows}];
  Scalar* m_edges;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
