// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/host/patience.hpp>
#include <hyperplane/ilu/detail/csr_ilu_factor.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Rows of incomplete factorizations of a BlockCsr on hosts, without lists of products.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a thread needs to eliminate a row.
template <class Scalar, int n>
struct alignas(64) CsrIluRowSpace {
  std::vector<int> slots;  ///< which block of the row each row of the matrix is the column of, or no_slot
  std::vector<block::Columns<Scalar, n>> blocks;  ///< of the row
  std::atomic<bool> is_taken = false;
  static constexpr int no_slot = -1;
};

/// As many as an execution space has threads. Where others use them that are more, these wait for one another.
template <class Scalar, int n>
class CsrIluRowSpaces {
 public:
  using Space = CsrIluRowSpace<Scalar, n>;

  /// For matrices of so many rows, which have up to `widest` blocks.
  CsrIluRowSpaces(int threads, std::size_t rows, std::size_t widest) : m_spaces(as_size(threads)) {
    for (auto& space : m_spaces) {
      space.slots.assign(rows, Space::no_slot);
      space.blocks.resize(widest);
    }
  }

  /// One that no other thread has until it is given back: mostly the one that the thread had before.
  Space& take() {
    thread_local std::size_t number = 0;
    for (host::Patience patience;; patience.wait()) {
      for (std::size_t tries = 0; tries < m_spaces.size(); ++tries) {
        if (number >= m_spaces.size()) number = 0;
        auto& space = m_spaces[number];
        // Acquire: it is as the thread before has left it.
        if (!space.is_taken.exchange(true, std::memory_order_acquire)) return space;
        ++number;
      }
    }
  }
  static void give_back(Space& space) { space.is_taken.store(false, std::memory_order_release); }

 private:
  std::vector<Space> m_spaces;
};

/// Blocks of A without the products of factors that are subtracted from them: row after row, by subtracting multiples
/// of those before it from all of its blocks.
template <class Scalar, int n, class Storage, class MatrixRef>
struct CsrIluRowElimination : CsrIluInput<Scalar, n, Storage, MatrixRef> {
  using Columns = block::Columns<Scalar, n>;
  using Spaces = CsrIluRowSpaces<Scalar, n>;
  using Units = typename CsrIluInput<Scalar, n, Storage, MatrixRef>::Units;

  Spaces* m_spaces;

  class Row {
   public:
    KOKKOS_FUNCTION Row(const CsrIluRowElimination& of, std::int64_t row, const Units& units)
        : m_of(of),
          m_begin(of.m_factors.m_lower_begin[row]),
          m_count(static_cast<int>(of.m_factors.m_diagonal[row] + 1 - m_begin)),
          m_upper_begin(of.m_factors.m_upper_begin[row]),
          m_upper_count(static_cast<int>(of.m_factors.m_upper_end[row] - m_upper_begin)) {
      KOKKOS_IF_ON_HOST(
          (m_space = &of.m_spaces->take(); m_slots = m_space->slots.data(); m_blocks = m_space->blocks.data();))
      for_blocks([&](int slot, std::int64_t number) {
        m_slots[m_of.m_factors.m_columns[number]] = slot;
        m_blocks[slot] = m_of.given(units, number);
      });
    }
    KOKKOS_FUNCTION ~Row() {
      for_blocks([&](int, std::int64_t number) { m_slots[m_of.m_factors.m_columns[number]] = no_slot; });
      KOKKOS_IF_ON_HOST((Spaces::give_back(*m_space);))
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;

    KOKKOS_FUNCTION Columns before(std::int64_t number) const { return m_blocks[number - m_begin]; }
    KOKKOS_FUNCTION Columns behind(std::int64_t number) const { return m_blocks[m_count + (number - m_upper_begin)]; }
    /// Subtracts the products of a block before the diagonal.
    KOKKOS_FUNCTION void is_written(std::int64_t number) const {
      auto const& factors = m_of.m_factors;
      auto const before = factors.m_columns[number];
      auto const* const lower = factors.block(number);
      auto const begin = factors.m_upper_begin[before];
      auto const count = factors.m_upper_end[before] - begin;
      auto const* const columns = factors.m_columns + begin;
      auto const* upper = factors.block(begin);
      for (int u = 0; u < count; ++u, upper += n * n) {
        int const slot = m_slots[columns[u]];
        if (slot != no_slot) m_blocks[slot].template add_product<true>(lower, upper);
      }
    }

   private:
    static constexpr int no_slot = CsrIluRowSpace<Scalar, n>::no_slot;

    template <class Visit>
    KOKKOS_FUNCTION void for_blocks(const Visit& visit) const {
      for (int slot = 0; slot < m_count; ++slot) visit(slot, m_begin + slot);
      for (int slot = 0; slot < m_upper_count; ++slot) visit(m_count + slot, m_upper_begin + slot);
    }

    const CsrIluRowElimination& m_of;
    CsrIluRowSpace<Scalar, n>* m_space = nullptr;
    int* m_slots = nullptr;
    Columns* m_blocks = nullptr;
    std::int64_t m_begin;
    int m_count;  ///< up to the diagonal
    std::int64_t m_upper_begin;
    int m_upper_count;
  };
  KOKKOS_FUNCTION Row row(std::int64_t row, const Units& units) const { return Row(*this, row, units); }

  /// Prefetches what is read and written first of a row.
  void prefetch([[maybe_unused]] std::int64_t row) const {
#if defined(__GNUC__)
    auto const& factors = this->m_factors;
    for (auto const number : {factors.m_lower_begin[row], factors.m_upper_begin[row]}) {
      __builtin_prefetch(this->m_sources + number);
      __builtin_prefetch(factors.m_columns + number);
      __builtin_prefetch(factors.block(number), 1);
    }
#endif
  }

  KOKKOS_FUNCTION Columns pivot(std::int64_t row, const Units& units) const {
    auto const& factors = this->m_factors;
    auto const diagonal = factors.m_diagonal[row];
    auto result = this->given(units, diagonal);
    for (auto lower = factors.m_lower_begin[row]; lower < diagonal; ++lower) {
      auto const before = factors.m_columns[lower];
      for (auto upper = factors.m_upper_begin[before]; upper < factors.m_upper_end[before]; ++upper) {
        if (factors.m_columns[upper] == row) {
          result.template add_product<true>(factors.block(lower), factors.block(upper));
        }
      }
    }
    return result;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
