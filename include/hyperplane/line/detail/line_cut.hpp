// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/line_partitions.hpp>
#include <hyperplane/line/detail/line_places.hpp>
#include <hyperplane/line/detail/line_separators.hpp>
#include <hyperplane/line/line_layout.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The failure at an ordinal.
struct LineSingular {
  std::int64_t ordinal;
  PivotFinding finding;
};

/// What LineSplit has of cut lines whatever the block size: the layouts of the parts and of the separators, where the
/// points of both are in the data of the lines, and which are beside which.
template <Real Scalar, ExecutionSpace Exec>
class LineCut {
  using Layout = LineLayout<Scalar, Exec>;
  using Places = LinePlaces<Scalar, Exec>;
  using Sides = LineSides<Scalar, Exec>;
  static constexpr int vector_length = Layout::vector_length;

 public:
  HYPERPLANE_APART_HOST_FUNCTION LineCut(const Exec& exec, const Layout& layout, int partitions)
      : LineCut(exec, layout, LinePartitions(layout.lines(), partitions)) {}

  /// None where every line is a single periodic point.
  const std::optional<Layout>& parts() const { return m_parts; }
  const Layout& separators() const { return m_separators; }
  /// Whether lines are periodic and have one separator each.
  bool single() const { return m_single; }
  /// Steps of the longest group of parts.
  int longest_part() const { return m_longest_part; }

  GatheredPlaces part_places(LineData where) const {
    return m_part_places ? m_part_places->of(where).gathered_places() : GatheredPlaces{};
  }
  GatheredPlaces separator_places(LineData where) const { return m_separator_places->of(where).gathered_places(); }

  /// Of the lanes of groups of parts: the slot of the separator before and after; -1 where there is none.
  const int* left_of_part() const { return m_left_of_part.data(); }
  const int* right_of_part() const { return m_right_of_part.data(); }
  LineSeparators beside_separators() const {
    return {m_before.data(), m_after.data(), m_same.data(), m_ordinal.data()};
  }

  /// A pivot that parts have not, unless there is a spike on a line before that is too large: both at ordinals of
  /// parts. After a singular pivot spikes are wrong, but not those of other lines.
  HYPERPLANE_APART_HOST_FUNCTION std::optional<LineSingular> first_of_parts(
      const std::optional<LineSingular>& pivot, const std::optional<LineSingular>& spike) const {
    if (!pivot || !spike) return pivot ? pivot : spike;
    auto const line = [&](const LineSingular& at) { return m_lines.line_of(in_lines(m_parts->lines(), at.ordinal)); };
    return line(*spike) < line(*pivot) ? spike : pivot;
  }

  /// The first failure of separators: of the reduced matrix, or of what couples them to parts. Both are at ordinals of
  /// separators, and where they are at the same one, the second has looked at the blocks of A.
  HYPERPLANE_APART_HOST_FUNCTION static std::optional<LineSingular> first_of_separators(
      std::optional<LineSingular> reduced, const std::optional<LineSingular>& coupling) {
    // The reduced matrix has blocks of its own.
    if (reduced && reduced->finding.failure == FactorFailure::not_finite) reduced->finding.index = unknown_block;
    if (!reduced || !coupling) return reduced ? reduced : coupling;
    return coupling->ordinal <= reduced->ordinal ? coupling : reduced;
  }

  /// The first of the failures that parts and separators have, at ordinals of theirs.
  HYPERPLANE_APART_HOST_FUNCTION std::optional<LineSingular> first_failure(
      std::optional<LineSingular> of_parts, std::optional<LineSingular> of_separators) const {
    if (of_parts) of_parts->ordinal = in_lines(m_parts->lines(), of_parts->ordinal);
    if (of_separators) of_separators->ordinal = in_lines(m_separators.lines(), of_separators->ordinal);
    if (!of_parts || !of_separators) return of_parts ? of_parts : of_separators;
    // After a singular part of a line the reduced matrix of that line is wrong, but not that of another.
    bool const separator_first = m_lines.line_of(of_separators->ordinal) < m_lines.line_of(of_parts->ordinal);
    return separator_first ? of_separators : of_parts;
  }

 private:
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  LineCut(const Exec& exec, const Layout& layout, const LinePartitions& cut)
      : m_lines(layout.lines()),
        m_single(cut.single),
        m_separators(exec, LineSet::lists(m_lines.size(), cut.separator_offsets, cut.separator_points,
                                          // Periodic as the lines are, unless they all have one separator, which
                                          // couples to itself alone.
                                          cut.single ? LineEnds::open : m_lines.ends())) {
    if (!cut.neighbours.empty()) {
      m_parts.emplace(exec, LineSet::lists(m_lines.size(), cut.part_offsets, cut.part_points));
      m_longest_part = std::ranges::max(m_parts->tables().lengths());
      m_part_places = sides(exec, layout, *m_parts);
    }
    m_separator_places = sides(exec, layout, m_separators);
    make_tables(exec, cut);
  }

  /// Where the points of `sublines`, whose points are ordinals of the layout's lines, are.
  static Sides sides(const Exec& exec, const Layout& layout, const Layout& sublines) {
    auto const& lines = layout.lines();
    auto const gathered = [&](int width, const auto& slot_of) {
      return Places::gathered(exec, sublines, width, [&](std::int64_t subline, int position) {
        auto const ordinal = sublines.lines().point(subline, position);
        auto const line = lines.line_of(ordinal);
        return slot_of(line, static_cast<int>(ordinal - lines.first(line)));
      });
    };
    int const outer_width = lines.on_grids() ? vector_length_v<Scalar, Exec> : 1;
    return Sides(gathered(vector_length, [&](std::int64_t line, int position) { return layout.slot(line, position); }),
                 gathered(outer_width, Places::outer_slots(lines)));
  }

  /// The ordinal in the lines of one of `sublines`.
  static std::int64_t in_lines(const LineSet& sublines, std::int64_t ordinal) {
    auto const subline = sublines.line_of(ordinal);
    return sublines.point(subline, static_cast<int>(ordinal - sublines.first(subline)));
  }

  void make_tables(const Exec& exec, const LinePartitions& cut) {
    std::vector<int> before(as_size(m_separators.items() * vector_length), -1), after = before, same(before.size(), 0);
    std::vector<int> ordinal(before.size(), 0);
    std::vector<int> left(as_size(m_parts ? m_parts->packs() * vector_length : 0), -1), right = left;
    std::vector<int> slot_of_separator;
    for (std::int64_t line = 0; line < m_separators.lines().count(); ++line) {
      for (int p = 0; p < m_separators.lines().length(line); ++p) {
        auto const slot = static_cast<int>(m_separators.slot(line, p));
        ordinal[as_size(slot)] = static_cast<int>(slot_of_separator.size());
        slot_of_separator.push_back(slot);
      }
    }
    for (std::size_t part = 0; part < cut.neighbours.size(); ++part) {
      auto const place = as_size(m_parts->tables().slots[part]);
      auto const& beside = cut.neighbours[part];
      int const length = m_parts->lines().length(static_cast<std::int64_t>(part));
      bool const is_same = beside.left == beside.right;
      if (beside.left >= 0) {
        left[place] = slot_of_separator[as_size(beside.left)];
        after[as_size(left[place])] = static_cast<int>(m_parts->slot(static_cast<std::int64_t>(part), 0));
        if (is_same) same[as_size(left[place])] |= 2;
      }
      if (beside.right >= 0) {
        right[place] = slot_of_separator[as_size(beside.right)];
        before[as_size(right[place])] = static_cast<int>(m_parts->slot(static_cast<std::int64_t>(part), length - 1));
        if (is_same) same[as_size(right[place])] |= 1;
      }
    }
    m_before = to_space(exec, before);
    m_after = to_space(exec, after);
    m_same = to_space(exec, same);
    m_ordinal = to_space(exec, ordinal);
    m_left_of_part = to_space(exec, left);
    m_right_of_part = to_space(exec, right);
  }

  LineSet m_lines;
  bool m_single;
  Layout m_separators;
  std::optional<Layout> m_parts;
  int m_longest_part = 0;
  std::optional<Sides> m_part_places;
  std::optional<Sides> m_separator_places;
  Table<int> m_before;
  Table<int> m_after;
  Table<int> m_same;
  Table<int> m_ordinal;
  Table<int> m_left_of_part;
  Table<int> m_right_of_part;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
