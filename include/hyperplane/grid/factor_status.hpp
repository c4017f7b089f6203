// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// What a diagnosis says of a failure: `index` is the row, the column, or which block is not finite; `number` that of
/// the point, where it is not the one that kernels have recorded.
struct PivotFinding {
  FactorFailure failure;
  int index;
  std::int64_t number = -1;
};

/// Blocks of other points than the one that fails have numbers from here on.
inline constexpr int neighbour_blocks = 8;
/// Which block it is is not known.
inline constexpr int unknown_block = 15;

inline std::string to_text(const Point& p) {
  return "(" + std::to_string(p.i) + ", " + std::to_string(p.j) + ", " + std::to_string(p.k) + ")";
}

}  // namespace detail

/// A block of a matrix: that of `point` in a direction.
struct BlockPlace {
  Point point{};
  Direction direction = Direction::center;
  friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

namespace detail {

/// "block west of point (0, 3, 1), which points out of the grid"; without the point where that is `here`.
inline std::string describe_block(const BlockPlace& block, bool points_out, std::optional<Point> here = std::nullopt) {
  auto text = std::string("block ") + name(block.direction);
  if (here != block.point) text += " of point " + to_text(block.point);
  return text + (points_out ? ", which points out of the grid" : "");
}

}  // namespace detail

/// What a factorization on a grid found: nothing, or where the first failure was (the lowest point number) and what it
/// is. What BILU(0) keeps of a point for one after it, in float or double, is looked at when it is used: where it is
/// too large, that point is named, unless a point between the two fails, too.
struct FactorStatus : FactorDiagnosis {
  Point point{};
  /// The block that is not finite, where it is known: of the point, or of one before it. It may point out of the grid.
  std::optional<BlockPlace> block{};
  bool points_out = false;  ///< whether that block points out of the grid

  std::string message() const {
    return message_at(" at point " + detail::to_text(point),
                      block ? detail::describe_block(*block, points_out, point) : "");
  }
};

namespace detail {

/// A word of a record in which there is nothing. A constant: without a flag for nvcc, devices do not call functions of
/// the standard library.
inline constexpr std::uint64_t nothing_recorded = std::numeric_limits<std::uint64_t>::max();

/// Moves what a factorization recorded to where status() finds it, as `diagnose(number, code)` explains it, a
/// PivotFinding; and gets ready for the next factorization.
template <class Diagnose>
struct ConcludeFactorization {
  std::uint64_t* m_words;
  Diagnose m_diagnose;

  KOKKOS_FUNCTION void operator()(int) const {
    auto const recorded = m_words[0];
    m_words[0] = nothing_recorded;
    m_words[1] = nothing_recorded;
    if (recorded == nothing_recorded) return;
    auto const number = static_cast<std::int64_t>(recorded / pivot_codes);
    PivotFinding const finding = m_diagnose(number, static_cast<int>(recorded % pivot_codes));
    auto const found = static_cast<std::uint64_t>(finding.number < 0 ? number : finding.number);
    m_words[1] =
        found << 8 | static_cast<std::uint64_t>(finding.failure) << 4 | static_cast<std::uint64_t>(finding.index);
  }
};

/// Whether the words of a record, after conclude(), say that the factorization has failed.
KOKKOS_FUNCTION inline bool is_failure(const std::uint64_t* words) { return words[1] != nothing_recorded; }

inline constexpr const char* conclude_label = "Hyperplane::FactorStatus::conclude";

/// Device-side record of the first failure of a factorization. Kernels lower one word, which holds point number and
/// code, to the lowest; after them conclude(), a launch for one thread, looks at that point again, if there is one, and
/// leaves what it found in another word. So the kernels have no more to do than to notice that something is wrong, and
/// the matrix is still there when it is looked for what.
///
/// Relaxed atomic minimum is enough: the word carries everything, and it is read after the kernel.
template <ExecutionSpace Exec>
class SingularPivotRecord {
  using Word = std::uint64_t;

 public:
  using Words = Kokkos::View<Word*, typename Exec::memory_space>;
  class Ref {
   public:
    KOKKOS_FUNCTION explicit Ref(Word* word) : m_word(word) {}
    KOKKOS_FUNCTION void record(std::int64_t point_number, int code) const {
      Kokkos::atomic_min(m_word, singular_pivot_word(point_number, code));
    }
    /// That word and the one for status().
    KOKKOS_FUNCTION Word* words() const { return m_word; }

   private:
    Word* m_word;
  };

  /// Waits for the instance, so that the first factorization may be on another one.
  SingularPivotRecord(const Exec& exec, const std::string& label)
      : m_words(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), 2) {
    Kokkos::deep_copy(exec, m_words, nothing_recorded);
    exec.fence("Hyperplane::FactorStatus");
  }
  /// In two words of somebody else, who sets all bits of them.
  explicit SingularPivotRecord(const Words& words) : m_words(words) {}

  Ref ref() const { return Ref(m_words.data()); }
  /// The word itself, for kernels that lower it by CUDA's own atomic minimum, which takes this type.
  unsigned long long* word() const {
    static_assert(sizeof(unsigned long long) == sizeof(Word));
    return reinterpret_cast<unsigned long long*>(m_words.data());
  }

  /// Follows the kernels of a factorization. `diagnose` is called on the device for the point that was recorded.
  template <class Diagnose>
  void conclude(const Exec& exec, const Diagnose& diagnose) const {
    launch(conclude_label, IndexRange<Exec>(exec, 0, 1), sizeof(Word),
           ConcludeFactorization<Diagnose>{m_words.data(), diagnose});
  }

  /// Number of the point, or whatever record() was given, and what is wrong there.
  struct Place {
    std::int64_t number;
    PivotFinding finding;
  };

  /// The first failure, if there was one. Waits for the instance.
  std::optional<Place> find(const Exec& exec) const {
    Word words[2] = {nothing_recorded, nothing_recorded};
    Kokkos::deep_copy(exec, Kokkos::View<Word*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(words, 2),
                      m_words);
    exec.fence("Hyperplane::FactorStatus");
    return place_of(words[1]);
  }
  /// That of the word for status().
  static std::optional<Place> place_of(Word word) {
    if (word == nothing_recorded) return std::nullopt;
    return Place{static_cast<std::int64_t>(word >> 8),
                 {static_cast<FactorFailure>(word >> 4 & 15), static_cast<int>(word & 15)}};
  }

  /// Where numbers are those of points of a grid. Waits for the instance.
  FactorStatus status(const Exec& exec, const Grid& grid) const {
    return status(exec, grid, [](const Point& p) { return p; });
  }

  /// Where numbers are those of points in an order that has a point of the grid at `in_order(point)`.
  template <class InOrder>
  FactorStatus status(const Exec& exec, const Grid& grid, const InOrder& in_order) const {
    auto const place = find(exec);
    if (!place) return {};
    auto const failure = place->finding.failure;
    int const index = place->finding.index;
    FactorStatus status{{.failure = failure}, in_order(grid.point(place->number))};
    if (status.singular()) status.equation = index;
    if (failure == FactorFailure::not_finite && index != unknown_block) {
      // A neighbour's block is the one that points here.
      auto const direction = static_cast<Direction>(index % neighbour_blocks);
      bool const own = index < neighbour_blocks;
      status.block = own ? BlockPlace{status.point, direction}
                         : BlockPlace{neighbour(status.point, direction), opposite(direction)};
      status.points_out = own && !grid.contains(neighbour(status.point, direction));
    }
    return status;
  }

 private:
  Words m_words;
};

/// The words of a record that kernels have as `m_singular`, in either way.
KOKKOS_FUNCTION inline std::uint64_t* record_words(unsigned long long* singular) {
  return reinterpret_cast<std::uint64_t*>(singular);
}
template <class Ref>
KOKKOS_FUNCTION std::uint64_t* record_words(const Ref& singular) {
  return singular.words();
}

/// ConcludeFactorization of each of several grids. An entry is what kernels are told of a grid, with its record.
template <class Entry, class Group>
struct ConcludeGrids {
  const Entry* m_entries;
  Group m_group;

  KOKKOS_FUNCTION void operator()(int grid) const {
    auto const& entry = m_entries[grid];
    auto const diagnosis = m_group.diagnosis(entry, grid);
    ConcludeFactorization<std::remove_const_t<decltype(diagnosis)>>{record_words(entry.m_singular), diagnosis}(0);
  }
};

/// Follows the kernels of the factorizations of several grids, in one launch for all: `group.diagnosis(entry, grid)`
/// is called on the device, and by what it returns the record of the grid is explained.
template <ExecutionSpace Exec, class Entry, class Group>
void conclude_grids(const Exec& exec, int count, const Entry* entries, const Group& group) {
  launch(conclude_label, IndexRange<Exec>(exec, 0, count), sizeof(std::uint64_t),
         ConcludeGrids<Entry, Group>{entries, group});
}

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
