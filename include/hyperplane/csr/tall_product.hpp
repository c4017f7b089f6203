// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/tall_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/tall_rows.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/host/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Y = A X, or Y = B - A X; by columns: of blocks of A^T.
template <bool subtract, bool by_columns, class Exec, class Scalar, int n, int count, class Storage, class Offset>
struct CsrTallProduct {
  CsrTallBlocks<Storage, Offset> m_blocks;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_y;
  std::int64_t m_rows;

  /// Blocks of A do in memory, those of A^T do not.
  static constexpr bool follow_one_another = HostExecutionSpace<Exec> && !by_columns;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    if (HostExecutionSpace<Exec> && index + 1 < m_rows) m_blocks.template prefetch<n, count>(index + 1, m_x);
    if constexpr (follow_one_another) m_blocks.template prefetch_behind<n>(index);
    run_tall<Exec, Scalar, count>(*this, index);
  }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t index) const { return index; }

  /// For vectors first, ..., first + width - 1.
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void run(std::int64_t row, int first) const {
    auto const begin = row * (n * count) + first;
    auto const given = [&](int r) { return block::load_tall<Scalar, width>(m_b + begin + r * count); };
    // Each pass takes some rows of all blocks, and for each part of the vectors again. For the first part it asks for
    // as many, but blocks of few lines are asked for at once. Asked for at once, n = 16 took up to a third more time.
    constexpr int rows_asked = n * n * sizeof(Storage) > 256 ? block::detail::tall_rows<by_columns, n> : n;
    [[maybe_unused]] int asked = first == 0 ? 0 : n;
    auto const products = [&](const auto& add) {
      m_blocks.template products<n, count>(row, m_x + first, [&](const Storage* a, const Scalar* x) {
#if defined(HYPERPLANE_VECTOR_EXTENSION)
        if constexpr (follow_one_another) {
          if (asked < n) host::prefetch_behind_block<n>(a, asked, rows_asked);
        }
#endif
        add(a, x);
      });
      asked += rows_asked;
    };
    auto const store = [&](int r, const auto& total) { block::store_tall<Scalar>(total, m_y + begin + r * count); };
    if constexpr (by_columns && HostExecutionSpace<Exec>) {
      sum_tall_each<subtract, true, Scalar, n, count, width>(given, products, store);
    } else {
      sum_tall<subtract, by_columns, Scalar, n, count, width>(given, products, store);
    }
  }
};

template <bool subtract, bool by_columns, class Exec, class Matrix, class Storage, class Offset, class Scalar, int n,
          int count>
void multiply_tall(const char* label, const Exec& exec, const Matrix& matrix,
                   const CsrTallBlocks<Storage, Offset>& blocks, const PointVectors<Scalar, n, count, Exec>& b,
                   const PointVectors<Scalar, n, count, Exec>& x, const PointVectors<Scalar, n, count, Exec>& y) {
  double const bytes = block_csr_bytes_of_row<Scalar>(matrix) + 2.0 * n * count * sizeof(Scalar);
  constexpr int threads = tall_threads<Exec, count>;
  launch(label, LongIndexRange<Exec>(exec, 0, matrix.rows() * threads), bytes / threads,
         CsrTallProduct<subtract, by_columns, Exec, Scalar, n, count, Storage, Offset>{
             blocks, b.flat().data(), x.flat().data(), y.flat().data(), matrix.rows()});
}

template <class Scalar, int n, class Exec, class Storage, class Offset>
CsrTallBlocks<Storage, Offset> tall_blocks(const BlockCsr<Scalar, n, Exec, Storage, Offset>& a) {
  return {a.offsets().data(), a.offsets().data() + 1, a.columns().data(), nullptr, nullptr, a.values().data()};
}
template <class Scalar, int n, class Exec, class Storage, class Offset>
CsrTallBlocks<Storage, std::int64_t> tall_blocks(const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& a) {
  return {a.begin().data(), a.begin().data() + 1,      a.entry_rows().data(), a.blocks().data(),
          nullptr,          a.matrix().values().data()};
}

/// What Y = A X, or R = B - A X, wants of its vectors.
template <class Vectors>
void check_tall_product(const char* function, const Vectors& x, const Vectors& result, std::int64_t rows) {
  check_product(function, x.flat(), result.flat(), rows, Vectors::block_size * Vectors::vectors);
}

}  // namespace detail

/// Y = A X for several vectors; blocks of A are read once. On hosts the sums of each vector are those of apply() for it
/// alone, term by term: the same bits, where the compiler fuses the same products with sums. X and Y are different
/// vectors with the rows of A, or Error is thrown. One launch, no allocation, no fence; asynchronous on the given
/// instance. Cost: 2 n^2 flops per block and vector; n^2 values and an index per block, 2 n values per point and
/// vector, and those of X again that no cache has kept.
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage, class Offset>
void apply(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
           const PointVectors<Scalar, n, count, Exec>& x, const PointVectors<Scalar, n, count, Exec>& y) {
  detail::check_tall_product("apply", x, y, a.rows());
  detail::multiply_tall<false, false>("Hyperplane::BlockCsr::apply_several", exec, a, detail::tall_blocks(a), x, x, y);
}

/// R = B - A X for several vectors. X and R are different vectors; R may be B. See apply().
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage, class Offset>
void residual(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
              const PointVectors<Scalar, n, count, Exec>& b, const PointVectors<Scalar, n, count, Exec>& x,
              const PointVectors<Scalar, n, count, Exec>& r) {
  detail::check_rows("residual", "b", b.flat(), a.rows(), n * count);
  detail::check_tall_product("residual", x, r, a.rows());
  detail::multiply_tall<true, false>("Hyperplane::BlockCsr::residual_several", exec, a, detail::tall_blocks(a), b, x,
                                     r);
}

/// Y = A^T X for several vectors. See that of A.
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage, class Offset>
void apply(const Exec& exec, const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& a,
           const PointVectors<Scalar, n, count, Exec>& x, const PointVectors<Scalar, n, count, Exec>& y) {
  detail::check_tall_product("apply", x, y, a.rows());
  detail::multiply_tall<false, true>("Hyperplane::TransposedBlockCsr::apply_several", exec, a.matrix(),
                                     detail::tall_blocks(a), x, x, y);
}

/// R = B - A^T X for several vectors. X and R are different vectors; R may be B. See apply().
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage, class Offset>
void residual(const Exec& exec, const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& a,
              const PointVectors<Scalar, n, count, Exec>& b, const PointVectors<Scalar, n, count, Exec>& x,
              const PointVectors<Scalar, n, count, Exec>& r) {
  detail::check_rows("residual", "b", b.flat(), a.rows(), n * count);
  detail::check_tall_product("residual", x, r, a.rows());
  detail::multiply_tall<true, true>("Hyperplane::TransposedBlockCsr::residual_several", exec, a.matrix(),
                                    detail::tall_blocks(a), b, x, r);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
