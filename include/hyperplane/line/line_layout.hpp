// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/line/detail/line_tables.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/line/line_set.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The compact SIMD-interleaved layout of a set of lines: which lane of which group of lines has which line. In the
/// names here a group is a pack.
///
/// Lines of one length follow one another; lists are sorted by length first, so that the lines of a group are about
/// equally long; grid lines along i and k are put together as the skewed slabs of BlockVector have them, so that
/// vectors on the grid are read and written in whole SIMD groups. A shared handle; the constructor allocates the tables
/// and waits for the given instance. Throws Error where there is no line.
///
/// Memory: about 32 bytes per line. Grid lines along i and k have the padding of SlabMap too: with W lanes
/// (vector_length_v), J is rounded up to W, and along i a group has I + W - 1 steps for I points. Grid(64, 1, 64) along
/// i uses one lane of W, and takes about W times the memory and time that the same lines take as lists.
template <Real Scalar, ExecutionSpace Exec>
class LineLayout {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  static constexpr int vector_length = line_vector_length_v<Scalar, Exec>;
  static constexpr int internal_vector_length = internal_vector_length_v<Scalar, Exec>;
  using Ref = LineLayoutRef<vector_length>;

  LineLayout(const Exec& exec, const LineSet& lines)
      : m_lines(std::make_shared<const LineSet>(checked(lines))),
        m_tables(std::make_shared<const detail::LineTables>(
            detail::make_line_tables<vector_length, vector_length_v<Scalar, Exec>>(lines))),
        m_first_items(detail::to_space(exec, m_tables->first_items)),
        m_begins(detail::to_space(exec, m_tables->begins)),
        m_ends(detail::to_space(exec, m_tables->ends)),
        m_ordinals(detail::to_space(exec, m_tables->ordinals)),
        m_slots(detail::to_space(exec, m_tables->slots)),
        m_full_begins(detail::to_space(exec, std::vector<int>(detail::as_size(packs()), 0))),
        m_full_ends(detail::to_space(exec, m_tables->lengths())) {}

  const LineSet& lines() const { return *m_lines; }
  std::int64_t packs() const { return m_tables->packs; }
  /// Steps of all groups.
  std::int64_t items() const { return m_tables->first_items.back(); }
  Ref ref() const {
    return {packs(), m_first_items.data(), m_begins.data(), m_ends.data(), m_ordinals.data(), m_slots.data()};
  }
  /// Where the values of line storage are.
  detail::StridedPlaces<vector_length> places() const {
    return {m_first_items.data(), m_full_begins.data(), m_full_ends.data(), 1};
  }
  /// Slot of a position of a line in line storage: item * vector_length + lane.
  std::int64_t slot(std::int64_t line, int position) const {
    auto const place = m_tables->slots[detail::as_size(line)];
    auto const item = m_tables->first_items[detail::as_size(place / vector_length)] +
                      m_tables->begins[detail::as_size(place)] + position;
    return item * vector_length + place % vector_length;
  }
  /// The tables on the host.
  const detail::LineTables& tables() const { return *m_tables; }

  /// Throws Error, naming function and argument, unless the lines are the same.
  void require_same(const char* function, const char* argument, const LineLayout& other) const {
    if (m_lines != other.m_lines && !(*m_lines == *other.m_lines)) {
      fail(std::string(function) + ": " + argument + " is on other lines than the plan");
    }
  }

 private:
  static const LineSet& checked(const LineSet& lines) {
    require(lines.count() > 0, "LineLayout: there is no line");
    return lines;  // NOLINT(bugprone-return-const-ref-from-parameter): they outlive the constructor
  }

  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  std::shared_ptr<const LineSet> m_lines;
  std::shared_ptr<const detail::LineTables> m_tables;
  Table<std::int64_t> m_first_items;
  Table<int> m_begins;
  Table<int> m_ends;
  Table<std::int64_t> m_ordinals;
  Table<std::int64_t> m_slots;
  Table<int> m_full_begins;
  Table<int> m_full_ends;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
