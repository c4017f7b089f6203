// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/tall_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/csr/tall_rows.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Sweeps over the rows of a BlockCsr with several vectors: block rows of a level, of which devices have a thread for
/// each vector.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a sweep has for a row besides what is computed there.
template <class Exec, class Scalar, int n, int count>
struct CsrTallPoints {
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = 8;
  void prefetch(std::int64_t index) const { prefetch_point<n * count>(m_order.row(index), m_rhs, m_y); }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const { return m_order.row(index); }
};

/// Y = B - F Y over the blocks F that rows have, multiplied with d^-1 where that is wanted; Y may be B. `transposed`: F
/// and d^-1 are those of columns, transposed.
template <bool transposed, bool with_diagonal, class Exec, class Scalar, int n, int count, class Storage>
struct CsrTallSweep : CsrTallPoints<Exec, Scalar, n, count> {
  CsrTallBlocks<Storage, std::int64_t> m_blocks;
  const std::int64_t* m_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const { run_tall<Exec, Scalar, count>(*this, index); }

  /// For vectors first, ..., first + width - 1.
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t row, int first) const {
    Scalar* const y = this->m_y + row * (n * count) + first;
    auto const store = [&](int r, const auto& total) { block::store_tall<Scalar>(total, y + r * count); };
    auto const subtract = [&](const auto& take) {
      m_blocks.template sum<true, !transposed, n, count, width>(row, this->m_rhs + first, this->m_y + first, take);
    };
    if constexpr (with_diagonal) {
      Scalar right[std::size_t{n * width}];
      subtract([&](int r, const auto& total) { block::store_tall<Scalar>(total, right + r * width); });
      multiply_tall_block<!transposed, n, width>(m_blocks.m_values + m_diagonal[row] * (n * n), right, store);
    } else {
      subtract(store);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
