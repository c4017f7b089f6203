// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace hyperplane {

/// What a factorization found: either all pivots were regular, or where the first singular one was (the lowest point
/// number, and at that point the first equation). The factors are not usable after a singular pivot.
struct FactorStatus {
  bool singular = false;
  Point point{};
  int equation = 0;

  bool ok() const { return !singular; }
  std::string message() const {
    if (!singular) return "factorization is regular";
    return "singular pivot at point (" + std::to_string(point.i) + ", " + std::to_string(point.j) + ", " +
           std::to_string(point.k) + "), equation " + std::to_string(equation);
  }
};

namespace detail {

/// Device-side record of the first singular pivot: one word that holds point number and equation, lowest wins.
///
/// Relaxed atomic minimum is enough: the word carries everything, and it is read on the host after the kernel.
template <ExecutionSpace Exec>
class SingularPivotRecord {
  using Word = std::uint64_t;
  static constexpr Word none = std::numeric_limits<Word>::max();

 public:
  class Ref {
   public:
    KOKKOS_FUNCTION explicit Ref(Word* word) : m_word(word) {}
    KOKKOS_FUNCTION void record(std::int64_t point_number, int equation) const {
      Kokkos::atomic_min(m_word, singular_pivot_word(point_number, equation));
    }

   private:
    Word* m_word;
  };

  SingularPivotRecord(const Exec& exec, const std::string& label)
      : m_word(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label)) {
    clear(exec);
  }

  Ref ref() const { return Ref(m_word.data()); }
  /// The word itself, for kernels that lower it by an atomic minimum of their own.
  Word* word() const { return m_word.data(); }

  void clear(const Exec& exec) const {
    // Not deep_copy, which may fence.
    Word* const word = m_word.data();
    Kokkos::parallel_for(
        "Hyperplane::FactorStatus::clear", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) { *word = none; });
  }

  /// Number of the point, or whatever record() was given, and equation.
  struct Place {
    std::int64_t number;
    int equation;
  };

  /// The first singular pivot, if there was one. Waits for the instance.
  std::optional<Place> find(const Exec& exec) const {
    Word word = none;
    Kokkos::deep_copy(exec, Kokkos::View<Word, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&word),
                      m_word);
    exec.fence("Hyperplane::FactorStatus");
    if (word == none) return std::nullopt;
    return Place{static_cast<std::int64_t>(word / max_block_size), static_cast<int>(word % max_block_size)};
  }

  /// Waits for the instance.
  FactorStatus status(const Exec& exec, const Grid& grid) const {
    auto const place = find(exec);
    if (!place) return {};
    return {.singular = true, .point = grid.point(place->number), .equation = place->equation};
  }

 private:
  Kokkos::View<Word, typename Exec::memory_space> m_word;
};

}  // namespace detail
}  // namespace hyperplane
