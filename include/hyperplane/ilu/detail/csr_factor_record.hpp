// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/given_structure.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

/// What kernels of a factorization of a BlockCsr record.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// ConcludeFactorization, and the same of the piece of the structure that is another one: of which row it is.
template <class Difference, class Diagnose>
struct ConcludeCsrFactorization {
  std::uint64_t* m_words;
  Difference m_difference;
  ConcludeFactorization<Diagnose> m_pivots;

  KOKKOS_FUNCTION void operator()(int index) const {
    conclude_csr_difference(m_difference, m_words);
    m_pivots(index);
  }
};

/// The first pivot that is singular, and a row of A that has another structure than the plan was made of.
template <ExecutionSpace Exec>
class CsrFactorRecord {
  static constexpr auto none = no_structure_word;

 public:
  /// Waits for the instance, so that the first factorization may be on another one.
  CsrFactorRecord(const Exec& exec, const std::string& label)
      : m_words(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), 4),
        m_pivots(Kokkos::subview(m_words, std::pair(0, 2))) {
    Kokkos::deep_copy(exec, m_words, none);
    exec.fence("Hyperplane::CsrFactorRecord");
  }

  /// Of pivots.
  typename SingularPivotRecord<Exec>::Ref ref() const { return m_pivots.ref(); }
  unsigned long long* word() const { return m_pivots.word(); }
  /// The word that is lowered to the first piece of the structure of A that differs.
  std::uint64_t* structure_word() const { return m_words.data() + 2; }

  /// As that of SingularPivotRecord, with the difference that was looked for.
  template <class Difference, class Diagnose>
  void conclude(const Exec& exec, const Difference& difference, const Diagnose& diagnose) const {
    launch(conclude_label, IndexRange<Exec>(exec, 0, 1), 2.0 * sizeof(std::uint64_t),
           ConcludeCsrFactorization<Difference, Diagnose>{
               structure_word(), difference, {m_pivots.ref().words(), diagnose}});
  }

  struct Found {
    std::optional<std::int64_t> other_row;
    std::optional<typename SingularPivotRecord<Exec>::Place> pivot;
  };
  /// Of the last factorization. Waits for the instance.
  Found find(const Exec& exec) const {
    auto const words = to_vector(exec, m_words);
    Found found{std::nullopt, SingularPivotRecord<Exec>::place_of(words[1])};
    if (words[3] != none) found.other_row = static_cast<std::int64_t>(words[3]);
    return found;
  }

 private:
  typename SingularPivotRecord<Exec>::Words m_words;  ///< those of pivots, and two like them of structures
  SingularPivotRecord<Exec> m_pivots;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
