// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/simd/pack.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::block {

/// Rows and columns of the sub-block of a product that is computed together, for values of type T. Two columns of up to
/// eight rows, and a value of A and two of B, fit in the registers of a target, or nearly.
template <class T, int n>
struct Tile {
  static constexpr int rows = n;
  static constexpr int columns = n >= 2 && n <= 8 ? 2 : 1;
};

namespace detail {

/// Whether blocks of T are so large that they are multiplied by square sub-blocks and inverted in panels as wide as
/// these.
template <class T, int n>
inline constexpr bool is_tiled = false;

/// Whether blocks of T are too large for the registers anyway: their products and inverses are functions that are
/// called, and compiled once.
template <class T, int n>
inline constexpr bool is_apart = false;

#if defined(HYPERPLANE_VECTOR_EXTENSION)
template <class T, int W, int n>
inline constexpr bool is_apart<Pack<T, W>, n> = n > 4;

/// For blocks of Pack: smaller ones fit in the registers of a host, or nearly.
template <class T, int W, int n>
inline constexpr bool is_tiled<Pack<T, W>, n> = n > 6;
#endif

// A tile, a column of it and one value more are in registers: 32 of them, or 16.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int largest_tile = 5;
#else
inline constexpr int largest_tile = 3;
#endif

}  // namespace detail

/// Sub-blocks of about the same size; the last has what is left.
template <class T, int n>
  requires(detail::is_tiled<T, n>)
struct Tile<T, n> {
  static constexpr int count = (n + detail::largest_tile - 1) / detail::largest_tile;
  static constexpr int rows = (n + count - 1) / count;
  static constexpr int columns = rows;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
