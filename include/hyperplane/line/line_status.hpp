// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/grid/grid.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane {

/// What a factorization along lines found: either all pivots were regular, or where the first singular one was (the
/// lowest line, on it the lowest position, and there the first equation; on a line that is cut into parts, positions of
/// parts before those of separators). The factors are not usable after one.
struct LineStatus {
  bool singular = false;
  std::int64_t line = 0;
  int position = 0;
  std::int64_t point = 0;
  std::optional<Point> grid_point;         ///< where the lines are grid lines
  std::optional<LineDirection> direction;  ///< of grid lines
  int equation = 0;

  bool ok() const { return !singular; }
  std::string message() const {
    if (!singular) return "factorization is regular";
    auto text = "singular pivot on line " + std::to_string(line);
    if (direction) text += std::string(" along ") + name(*direction);
    text += " at position " + std::to_string(position) + ", point " + std::to_string(point);
    if (grid_point) {
      text += " (" + std::to_string(grid_point->i) + ", " + std::to_string(grid_point->j) + ", " +
              std::to_string(grid_point->k) + ")";
    }
    return text + ", equation " + std::to_string(equation);
  }

  /// The status for a singular pivot at an ordinal of the lines.
  static LineStatus singular_at(const LineSet& lines, std::int64_t ordinal, int equation) {
    LineStatus status;
    status.singular = true;
    status.line = lines.line_of(ordinal);
    status.equation = equation;
    status.position = static_cast<int>(ordinal - lines.first(status.line));
    status.point = lines.point(status.line, status.position);
    if (lines.grid()) {
      status.grid_point = lines.grid_point(status.line, status.position);
      status.direction = lines.direction();
    }
    return status;
  }
};

}  // namespace hyperplane
