// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/simd/native_vector.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Macros.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Sums of products of single blocks with several vectors at a time, whose values of an equation are neighbours:
/// unknown c of vector j at c * stride + j. On hosts a vector of the processor has an unknown of as many vectors as it
/// has lanes, and an entry of a block is read for all of them. The sums of a vector are those of ColumnSum and
/// sum_rows, term by term.
namespace hyperplane::inline HYPERPLANE_ABI::block {

namespace detail {

#if defined(HYPERPLANE_VECTOR_EXTENSION)
template <class T>
inline constexpr int tall_lanes = hyperplane::detail::host_vector_bytes / static_cast<int>(sizeof(T));
template <bool by_columns, int n>
inline constexpr int tall_chains = by_columns ? column_chains<n> : n;
// Registers that have sums; entries of a block and values of vectors are in others.
inline constexpr int tall_registers = hyperplane::detail::host_vector_bytes == 64 ? 24 : 12;
#else
template <class T>
inline constexpr int tall_lanes = 1;
template <bool by_columns, int n>
inline constexpr int tall_chains = 1;
inline constexpr int tall_registers = 16;  // as many as the largest block has rows
#endif

/// Rows of a block whose sums are taken together, in passes of about as many.
template <bool by_columns, int n>
inline constexpr int tall_most_rows =
    tall_registers / tall_chains<by_columns, n> > 1 ? tall_registers / tall_chains<by_columns, n> : 1;
template <bool by_columns, int n>
inline constexpr int tall_passes = (n + tall_most_rows<by_columns, n> - 1) / tall_most_rows<by_columns, n>;
template <bool by_columns, int n>
inline constexpr int tall_rows = (n + tall_passes<by_columns, n> - 1) / tall_passes<by_columns, n>;

/// Vectors that are taken together where as many are left.
template <class T, int left>
inline constexpr int tall_width =
    left >= tall_lanes<T> ? tall_lanes<T> : static_cast<int>(std::bit_floor(static_cast<unsigned>(left)));

/// An unknown of `width` vectors.
template <class T, int width>
struct TallValuesOf {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
  using type = hyperplane::detail::NativeVector<T, width>;
#endif
};
template <class T>
struct TallValuesOf<T, 1> {
  using type = T;
};

}  // namespace detail

template <class T, int width>
using TallValues = typename detail::TallValuesOf<T, width>::type;

template <class T, int width>
KOKKOS_FORCEINLINE_FUNCTION TallValues<T, width> load_tall(const T* from) {
  if constexpr (width == 1) {
    return *from;
  } else {
    TallValues<T, width> values;
    std::memcpy(&values, from, sizeof values);
    return values;
  }
}
template <class T, class Values>
KOKKOS_FORCEINLINE_FUNCTION void store_tall(const Values& values, T* to) {
  if constexpr (std::is_same_v<Values, T>) {
    *to = values;
  } else {
    std::memcpy(to, &values, sizeof values);
  }
}

namespace detail {

/// The sums of rows first, ..., first + rows - 1 of blocks, stored by columns or by rows, for `width` vectors.
template <class T, int n, int stride, bool by_columns, int width, int first, int rows>
class TallTile {
  static constexpr int chains = tall_chains<by_columns, n>;
  using Values = TallValues<T, width>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION TallTile() {
    HYPERPLANE_HOST_UNROLL
    for (int r = 0; r < rows; ++r) {
      HYPERPLANE_HOST_UNROLL
      for (int chain = 0; chain < chains; ++chain) m_sums[r][chain] = Values{};
    }
  }
  /// Beginning with given(r).
  template <class Given>
  KOKKOS_FORCEINLINE_FUNCTION void begin_with(const Given& given) {
    HYPERPLANE_HOST_UNROLL
    for (int r = 0; r < rows; ++r) m_sums[r][0] = given(first + r);
  }

  /// += or -= A x
  template <bool subtract, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    HYPERPLANE_HOST_UNROLL
    for (int c = 0; c < n; ++c) {
      auto const values = load_tall<T, width>(x + c * stride);
      HYPERPLANE_HOST_UNROLL
      for (int r = 0; r < rows; ++r) {
        auto const entry = static_cast<T>(a[by_columns ? c * n + first + r : (first + r) * n + c]);
        if constexpr (subtract) {
          m_sums[r][c % chains] -= values * entry;
        } else {
          m_sums[r][c % chains] += values * entry;
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Values total(int r) const {
    auto sum = m_sums[r][0];
    HYPERPLANE_HOST_UNROLL
    for (int chain = 1; chain < chains; ++chain) sum += m_sums[r][chain];
    return sum;
  }

 private:
  Values m_sums[std::size_t{rows}][std::size_t{chains}];
};

}  // namespace detail

/// As sum_rows() for blocks by rows, and ColumnSum for blocks by columns: `add_all(sums)` adds products to sums,
/// `take(r, total)` has the sums of all vectors for each row. Both are called for some of the rows after the others.
template <class T, int n, int stride, bool by_columns, int width, int first = 0, class AddAll, class Take>
KOKKOS_FORCEINLINE_FUNCTION void tall_sums(const AddAll& add_all, const Take& take) {
  constexpr int most = detail::tall_rows<by_columns, n>;
  constexpr int rows = most < n - first ? most : n - first;
  detail::TallTile<T, n, stride, by_columns, width, first, rows> sums;
  add_all(sums);
  HYPERPLANE_HOST_UNROLL
  for (int r = 0; r < rows; ++r) take(first + r, sums.total(r));
  if constexpr (first + rows < n) tall_sums<T, n, stride, by_columns, width, first + rows>(add_all, take);
}

/// kernel.template run<width>(row, first) for all vectors of a row, as many at a time as a vector of the processor has
/// lanes.
template <class T, int count, int first = 0, class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void for_tall(const Kernel& kernel, std::int64_t row) {
  constexpr int width = detail::tall_width<T, count - first>;
  kernel.template run<width>(row, first);
  if constexpr (first + width < count) for_tall<T, count, first + width>(kernel, row);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
