// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The largest n of n x n blocks.
inline constexpr int max_block_size = 16;

/// Vectors that one PointVectors, or one BlockVectors, may have.
inline constexpr int max_vectors = 8;

namespace detail {
template <int n, class F>
decltype(auto) dispatch_block_size_from(int block_size, F&& f) {
  if constexpr (n < max_block_size) {
    if (block_size != n) return dispatch_block_size_from<n + 1>(block_size, std::forward<F>(f));
  }
  return std::forward<F>(f)(std::integral_constant<int, n>{});
}
}  // namespace detail

/// Calls `f(std::integral_constant<int, block_size>{})`: the one place where a block size that is known at run time
/// becomes a template argument. Throws Error unless 1 <= block_size <= max_block_size.
template <class F>
decltype(auto) dispatch_block_size(int block_size, F&& f) {
  if (block_size < 1 || block_size > max_block_size) {
    fail("block size " + std::to_string(block_size) + " is not between 1 and " + std::to_string(max_block_size));
  }
  return detail::dispatch_block_size_from<1>(block_size, std::forward<F>(f));
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
