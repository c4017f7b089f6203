// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A stage of a row: as many packs as are copied at once, of factors, then of the right-hand side, then of the units of
/// equations, where factors have some. Bytes of a pack are multiples of 16, as bulk copies want them.
template <class Scalar, int n, class Storage, int vector_length>
struct CudaSlabStage {
  static constexpr std::size_t factor_bytes = std::size_t{lower_blocks * n * n * vector_length} * sizeof(Storage);
  static constexpr std::size_t vector_bytes = std::size_t{n * vector_length} * sizeof(Scalar);
  static constexpr std::size_t equation_bytes =
      has_scales<Storage> ? std::size_t{n * vector_length} * sizeof(BFloat16) : 0;
  static constexpr int chunk = [] {
    int packs = 1;
    while (packs < 16 && 2 * packs * factor_bytes <= 8192) packs *= 2;
    return packs;
  }();
  static constexpr std::size_t equations = chunk * (factor_bytes + vector_bytes);  ///< where they begin
  static constexpr std::size_t bytes = equations + chunk * equation_bytes;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
