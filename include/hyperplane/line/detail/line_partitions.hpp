// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/line/line_set.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// When few lines are cut.
struct LineCutting {
  std::int64_t lanes;  ///< that should have work
  int lanes_a_line;    ///< where there are less for each line, none is cut
  int parts;           ///< of a line, at least
  int points;          ///< of a part, at least
};

/// Parts read 5 n^2 values per point instead of 3 n^2 and need more launches. Measured (docs/notes/lines.md):
/// two parts lose as often as they win, four and more win, and more than fill the lanes gain nothing. That a part has
/// eight points is an estimate.
constexpr LineCutting host_line_cutting(std::int64_t lanes) { return {lanes, 4, 4, 8}; }

/// Measured on an H200: lines have work for four packs a multiprocessor, since a pack waits most of the time. With less
/// than eight parts a factorization takes longer than whole, and so it does, in eight parts, with as many lines as 16
/// parts of each fill the device. Parts of eight points are slower than parts of 16. `scanned`: where a line has many
/// threads anyway, as for n = 1; that it takes parts of 1024 points to gain from cutting is an estimate.
constexpr LineCutting cuda_line_cutting(int multiprocessors, int vector_length, bool scanned) {
  return {4 * std::int64_t{multiprocessors} * vector_length, 16, 8, scanned ? 1024 : 16};
}

/// Into how many parts each line should be cut: 1 is none.
constexpr int choose_line_partitions(std::int64_t lines, int longest, const LineCutting& cutting) {
  auto const lanes = cutting.lanes / lines;
  auto const parts = std::min<std::int64_t>(lanes, longest / cutting.points);
  return lanes < cutting.lanes_a_line || parts < cutting.parts ? 1 : static_cast<int>(parts);
}

/// Lines cut into parts by separators, points that belong to no part. Points of both sets are ordinals of the lines.
///
/// An open line of m points has a part at both ends; a periodic one begins with a separator, and its last part ends
/// before it. Every part has a point; a periodic line of one point is a separator alone.
struct LinePartitions {
  /// The separators beside a part, as ordinals of `separators`; -1 where the line ends.
  struct Neighbours {
    std::int64_t left, right;
  };

  std::vector<std::int64_t> part_offsets{0}, part_points;
  std::vector<Neighbours> neighbours;  ///< of each part
  std::vector<std::int64_t> separator_offsets{0}, separator_points;
  bool single = true;  ///< whether lines are periodic and have one separator each

  /// `count` parts of each line, or as many as it can have.
  LinePartitions(const LineSet& lines, int count) {
    bool const periodic = lines.ends() == LineEnds::periodic;
    for (std::int64_t line = 0; line < lines.count(); ++line) {
      int const length = lines.length(line);
      int const cuts = periodic ? std::clamp(count, 1, std::max(1, length / 2)) : std::min(count - 1, (length - 1) / 2);
      add(lines.first(line), length, cuts, periodic);
      single = single && periodic && cuts == 1;
    }
  }

 private:
  void add(std::int64_t first, int length, int cuts, bool periodic) {
    int const parts = std::min(periodic ? cuts : cuts + 1, length - cuts);
    auto const first_cut = static_cast<std::int64_t>(separator_points.size());
    auto next = first;
    for (int part = 0; part < std::max(parts, cuts); ++part) {
      if (periodic) separator_points.push_back(next++);
      if (part < parts) {
        int const inner = length - cuts;
        int const points = inner / parts + (part < inner % parts ? 1 : 0);
        for (int p = 0; p < points; ++p) part_points.push_back(next++);
        part_offsets.push_back(static_cast<std::int64_t>(part_points.size()));
        neighbours.push_back(
            periodic ? Neighbours{first_cut + part, first_cut + (part + 1) % cuts}
                     : Neighbours{part > 0 ? first_cut + part - 1 : -1, part < cuts ? first_cut + part : -1});
      }
      if (!periodic && part < cuts) separator_points.push_back(next++);
    }
    if (cuts > 0) separator_offsets.push_back(static_cast<std::int64_t>(separator_points.size()));
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
