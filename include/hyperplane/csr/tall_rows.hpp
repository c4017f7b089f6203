// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/tall_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// What products and sweeps of a BlockCsr with several vectors share.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The blocks of rows that are multiplied with several vectors.
template <class Storage, class Offset>
struct CsrTallBlocks {
  const Offset* m_begin;  ///< of the entries of each row
  const Offset* m_end;
  const int* m_columns;           ///< of each entry, the point whose values it is multiplied with
  const std::int64_t* m_numbers;  ///< of each entry, its block; or none, where they have the same numbers
  const Storage* m_values;

  /// take(r, b - the sum of products with x) for unknown r of `width` vectors, `count` apart; without `subtract`, the
  /// sum.
  template <bool subtract, bool by_columns, int n, int count, int width, class Scalar, class Take>
  KOKKOS_FORCEINLINE_FUNCTION void sum(std::int64_t row, const Scalar* b, const Scalar* x, const Take& take) const {
    // Blocks by columns are subtracted one after the other, those by rows in a sum: as for one vector.
    constexpr bool subtracts_each = subtract && by_columns;
    const Scalar* const given = subtract ? b + row * (n * count) : nullptr;
    block::tall_sums<Scalar, n, count, by_columns, width>(
        [&](auto& sums) {
          if constexpr (subtracts_each) sums.begin_with(given);
          auto const end = static_cast<std::int64_t>(m_end[row]);
          for (auto entry = static_cast<std::int64_t>(m_begin[row]); entry < end; ++entry) {
            auto const number = m_numbers != nullptr ? m_numbers[entry] : entry;
            sums.template add<subtracts_each>(m_values + number * (n * n),
                                              x + std::int64_t{m_columns[entry]} * (n * count));
          }
        },
        [&](int r, const auto& total) {
          if constexpr (subtract && !by_columns) {
            take(r, block::load_tall<Scalar, width>(given + r * count) - total);
          } else {
            take(r, total);
          }
        });
  }
};

/// take(r, unknown r of A x) for a block and `width` vectors, whose values are side by side in x.
template <bool by_columns, int n, int width, class Storage, class Scalar, class Take>
KOKKOS_FORCEINLINE_FUNCTION void multiply_tall_block(const Storage* a, const Scalar* x, const Take& take) {
  block::tall_sums<Scalar, n, width, by_columns, width>([&](auto& sums) { sums.template add<false>(a, x); }, take);
}

/// Threads that a kernel has for each row: on devices one for each vector.
template <class Exec, int count>
inline constexpr int tall_threads = HostExecutionSpace<Exec> ? 1 : count;

/// The row of an index of a kernel, and of vectors as many as it has there: order.row(index).
template <class Exec, class Scalar, int count, class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void run_tall(const Kernel& kernel, std::int64_t index) {
  if constexpr (tall_threads<Exec, count> == 1) {
    block::for_tall<Scalar, count>(kernel, kernel.row(index));
  } else {
    kernel.template run<1>(kernel.row(index / count), static_cast<int>(index % count));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
