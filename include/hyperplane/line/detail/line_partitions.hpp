// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/line/line_set.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyperplane::detail {

/// Into how many parts each line should be cut so that `lanes` lanes have work: 1 is none. Parts read 5 n^2 values a
/// point instead of 3 n^2 and need more launches. Measured on a host (docs/performance.md, few lines): two parts lose
/// as often as they win, four and more win, and more than fill the lanes gain nothing. On an H200 16 lines in as many
/// parts as fill the lanes take a ninth of the time. A part has at least eight points, an estimate.
constexpr int choose_line_partitions(std::int64_t lines, int longest, std::int64_t lanes) {
  auto const parts = std::min<std::int64_t>(lanes / lines, longest / 8);
  return parts < 4 ? 1 : static_cast<int>(parts);
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

}  // namespace hyperplane::detail
