// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/tall_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/host/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// What products and sweeps of a BlockCsr with several vectors share.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where sums have nothing to be subtracted from.
struct NoneGiven {};

/// take(r, given(r) - unknown r of a sum of products) for `width` vectors, or without `subtract` take(r, that of the
/// sum). products(add) calls add(block, x) for each product, x with `stride` values for each unknown.
template <bool subtract, bool by_columns, class Scalar, int n, int stride, int width, class Given, class Products,
          class Take>
KOKKOS_FORCEINLINE_FUNCTION void sum_tall(const Given& given, const Products& products, const Take& take) {
  // Blocks by columns are subtracted one after the other, those by rows in a sum: as for one vector.
  constexpr bool subtracts_each = subtract && by_columns;
  block::tall_sums<Scalar, n, stride, by_columns, width>(
      [&](auto& sums) {
        if constexpr (subtracts_each) sums.begin_with(given);
        products([&](const auto* a, const Scalar* x) { sums.template add<subtracts_each>(a, x); });
      },
      [&](int r, const auto& total) {
        if constexpr (subtract && !by_columns) {
          take(r, given(r) - total);
        } else {
          take(r, total);
        }
      });
}

/// The same where one product after the other is added or subtracted: as rows do that give theirs to others. Without
/// `subtract` nothing is given.
template <bool subtract, bool by_columns, class Scalar, int n, int stride, int width, class Given, class Products,
          class Take>
KOKKOS_FORCEINLINE_FUNCTION void sum_tall_each(const Given& given, const Products& products, const Take& take) {
  Scalar total[std::size_t{n * width}];
  auto const set = [&](int r, const auto& values) { block::store_tall<Scalar>(values, total + r * width); };
  auto const get = [&](int r) { return block::load_tall<Scalar, width>(total + r * width); };
  for (int r = 0; r < n; ++r) {
    if constexpr (subtract) {
      set(r, given(r));
    } else {
      set(r, block::TallValues<Scalar, width>{});
    }
  }
  products([&](const auto* a, const Scalar* x) {
    sum_tall<false, by_columns, Scalar, n, stride, width>(
        NoneGiven(), [&](const auto& add) { add(a, x); },
        [&](int r, const auto& values) { set(r, subtract ? get(r) - values : get(r) + values); });
  });
  for (int r = 0; r < n; ++r) take(r, get(r));
}

/// take(r, unknown r of A x) for a block and `width` vectors, whose values are side by side in x.
template <bool by_columns, int n, int width, class Storage, class Scalar, class Take>
KOKKOS_FORCEINLINE_FUNCTION void multiply_tall_block(const Storage* a, const Scalar* x, const Take& take) {
  sum_tall<false, by_columns, Scalar, n, width, width>(NoneGiven(), [&](const auto& add) { add(a, x); }, take);
}

/// The blocks of rows that are multiplied with several vectors.
template <class Storage, class Offset>
struct CsrTallBlocks {
  const Offset* m_begin;  ///< of the entries of each row
  const Offset* m_end;
  const int* m_columns;           ///< of each entry, the point whose values it is multiplied with
  const std::int64_t* m_numbers;  ///< of each entry, its block; or none, where they have the same numbers
  const std::int64_t* m_sources;  ///< of each block, where its values are; or none, likewise
  const Storage* m_values;

  /// On hosts, asks for the values that a row is multiplied with: they are several lines, which are anywhere.
  template <int n, int count, class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] std::int64_t row, [[maybe_unused]] const Scalar* x) const {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
    for (auto entry = m_begin[row]; entry < m_end[row]; ++entry) {
      host::prefetch_values(x + std::int64_t{m_columns[entry]} * (n * count), n * count);
    }
#endif
  }

  /// On hosts, asks for what comes behind a row of small blocks that follow one another in memory.
  template <int n>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_behind([[maybe_unused]] std::int64_t row) const {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
    auto const begin = static_cast<std::int64_t>(m_begin[row]), end = static_cast<std::int64_t>(m_end[row]);
    if (begin != end) host::prefetch_behind_row<n>(m_values + begin * (n * n), end - begin);
#endif
  }

  /// add(block, its x) for each block of a row, for vectors that begin at x.
  template <int n, int count, class Scalar, class Add>
  KOKKOS_FORCEINLINE_FUNCTION void products(std::int64_t row, const Scalar* x, const Add& add) const {
    auto const end = static_cast<std::int64_t>(m_end[row]);
    for (auto entry = static_cast<std::int64_t>(m_begin[row]); entry < end; ++entry) {
      auto number = m_numbers != nullptr ? m_numbers[entry] : entry;
      if (m_sources != nullptr) number = m_sources[number];
      add(m_values + number * (n * n), x + std::int64_t{m_columns[entry]} * (n * count));
    }
  }
};

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
