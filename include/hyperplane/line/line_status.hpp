// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/line/line_set.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a factorization along lines found: nothing, or where the first failure was (the lowest line, on it the lowest
/// position; on a line that is cut into partitions, positions of these before those of separators) and what it is.
struct LineStatus : FactorDiagnosis {
  std::int64_t line = 0;
  int position = 0;
  std::int64_t point = 0;
  std::optional<Point> grid_point{};         ///< where the lines are grid lines
  std::optional<LineDirection> direction{};  ///< of grid lines
  /// The block that is not finite, where it is known.
  std::optional<LineBlock> block{};
  int block_position = 0;  ///< of the point that has it: this one, or the one before

  std::string message() const {
    auto place = " on line " + std::to_string(line);
    if (direction) place += std::string(" along ") + name(*direction);
    place += " at position " + std::to_string(position) + ", point " + std::to_string(point);
    if (grid_point) place += " " + detail::to_text(*grid_point);
    return message_at(place, block ? describe(*block) : "");
  }

 private:
  std::string describe(LineBlock wrong) const {
    auto const which = wrong == LineBlock::lower ? "lower" : wrong == LineBlock::upper ? "upper" : "diagonal";
    auto const text = std::string(which) + " block";
    return block_position == position ? text : text + " of position " + std::to_string(block_position);
  }
};

namespace detail {

/// The status for a failure at an ordinal of the lines.
inline LineStatus line_status(const LineSet& lines, std::int64_t ordinal, const PivotFinding& finding) {
  LineStatus status;
  status.failure = finding.failure;
  status.line = lines.line_of(ordinal);
  status.position = static_cast<int>(ordinal - lines.first(status.line));
  status.point = lines.point(status.line, status.position);
  if (status.singular()) status.equation = finding.index;
  if (finding.failure == FactorFailure::not_finite && finding.index != unknown_block) {
    bool const own = finding.index < neighbour_blocks;
    status.block = own ? static_cast<LineBlock>(finding.index) : LineBlock::upper;
    status.block_position = own ? status.position : status.position - 1;
  }
  if (lines.on_grids()) {
    status.grid_point = lines.grid_point(status.line, status.position);
    status.direction = lines.direction();
  }
  return status;
}

/// The status for the row of a matrix that has another structure than a plan was made of; all points are on lines.
inline LineStatus other_structure_status(const LineSet& lines, std::int64_t row) {
  std::int64_t ordinal = 0;
  for (std::int64_t line = 0; line < lines.count(); ++line) {
    for (int position = 0; position < lines.length(line); ++position) {
      if (lines.point(line, position) == row) ordinal = lines.first(line) + position;
    }
  }
  return line_status(lines, ordinal, {FactorFailure::other_structure, 0});
}

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
