// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/macros.hpp>
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

  LineLayout(const Exec& exec, const LineSet& lines) : m_shared(std::make_shared<const Shared>(exec, lines)) {}

  const LineSet& lines() const { return m_shared->lines; }
  std::int64_t packs() const { return tables().packs; }
  /// Steps of all groups.
  std::int64_t items() const { return tables().first_items.back(); }
  Ref ref() const {
    auto const& of = *m_shared;
    return {packs(), of.first_items.data(), of.begins.data(), of.ends.data(), of.ordinals.data(), of.slots.data()};
  }
  /// Where the values of line storage are.
  detail::StridedPlaces<vector_length> places() const {
    return {m_shared->first_items.data(), m_shared->full_begins.data(), m_shared->full_ends.data(), 1};
  }
  /// Slot of a position of a line in line storage: item * vector_length + lane.
  std::int64_t slot(std::int64_t line, int position) const {
    auto const place = tables().slots[detail::as_size(line)];
    auto const item = tables().first_items[detail::as_size(place / vector_length)] +
                      tables().begins[detail::as_size(place)] + position;
    return item * vector_length + place % vector_length;
  }
  /// The tables on the host.
  const detail::LineTables& tables() const { return m_shared->tables; }

  /// Throws Error, naming function and argument, unless the lines are the same.
  void require_same(const char* function, const char* argument, const LineLayout& other) const {
    if (m_shared != other.m_shared && !(lines() == other.lines())) {
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

  /// What all copies of the handle have in common: the lines, their tables on the host, and those in device memory.
  struct Shared {
    HYPERPLANE_APART_HOST_FUNCTION Shared(const Exec& exec, const LineSet& given)
        : lines(checked(given)),
          tables(detail::make_line_tables<vector_length, vector_length_v<Scalar, Exec>>(lines)),
          first_items(detail::to_space(exec, tables.first_items)),
          begins(detail::to_space(exec, tables.begins)),
          ends(detail::to_space(exec, tables.ends)),
          ordinals(detail::to_space(exec, tables.ordinals)),
          slots(detail::to_space(exec, tables.slots)),
          full_begins(detail::to_space(exec, std::vector<int>(detail::as_size(tables.packs), 0))),
          full_ends(detail::to_space(exec, tables.lengths())) {}

    LineSet lines;
    detail::LineTables tables;
    Table<std::int64_t> first_items;
    Table<int> begins;
    Table<int> ends;
    Table<std::int64_t> ordinals;
    Table<std::int64_t> slots;
    Table<int> full_begins;
    Table<int> full_ends;
  };

  std::shared_ptr<const Shared> m_shared;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
