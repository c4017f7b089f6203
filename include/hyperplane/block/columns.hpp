// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/column.hpp>
#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/simd/native_vector.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>

/// Sums of products of single blocks, as of matrices in compressed rows, where no packs of points can be made. On hosts
/// a vector of the processor holds a column of a block, or a part of it. Blocks are stored by columns, and behind them
/// are `overrun` values that may be read, and do not matter.
namespace hyperplane::inline HYPERPLANE_ABI::block {

#if defined(HYPERPLANE_VECTOR_EXTENSION)

namespace detail {

/// Sums of a ColumnSum that do not wait for one another.
template <int n>
inline constexpr int column_chains = n <= 8 ? std::min(n, 4) : 1;

}  // namespace detail

/// A block and products of blocks. With AVX-512, blocks of up to 8 rows stay in registers from the first product to the
/// last.
template <class T, int n>
class Columns {
  using Column = detail::Column<T, n>;
  // With AVX-512, so many columns, one of A and a value of B are in registers.
  static constexpr int tile = std::min(n, 8);

 public:
  static constexpr int overrun = Column::parts * Column::width - n;

  /// Of entries (r, c).
  template <class Entry>
  static HYPERPLANE_FORCEINLINE_FUNCTION Columns of(const Entry& entry) {
    Columns result;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) result.m_columns[c] = Column::of([&](int r) { return entry(r, c); });
    return result;
  }

  /// += or -= A B.
  template <bool subtract, class StorageA, class StorageB>
  HYPERPLANE_FORCEINLINE_FUNCTION void add_product(const StorageA* a, const StorageB* b) {
    add_to_tile<subtract, 0>(a, b);
  }

  /// Writes n^2 values and none behind them.
  template <class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void store(Storage* to) const {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) m_columns[c].store(to + c * n);
  }
  HYPERPLANE_FORCEINLINE_FUNCTION Matrix<T, n> matrix() const {
    Matrix<T, n> result;
    store(result.m_entries);
    return result;
  }
  /// hyperplane::detail::storage_excess of all entries.
  template <class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION T excess() const {
    Column sum = Column::of([](int) { return T(0); });
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      HYPERPLANE_UNROLL
      for (int part = 0; part < Column::parts; ++part) {
        auto const scale = sizeof(Storage) < sizeof(T) ? hyperplane::detail::storage_scale<Storage, T> : T(1);
        sum.m_parts[part] += m_columns[c].m_parts[part] * scale * T(0);
      }
    }
    T total(0);
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) total += sum[r];
    return total;
  }

 private:
  template <bool subtract, int first, class StorageA, class StorageB>
  HYPERPLANE_FORCEINLINE_FUNCTION void add_to_tile(const StorageA* a, const StorageB* b) {
    constexpr int count = std::min(tile, n - first);
    HYPERPLANE_UNROLL
    for (int m = 0; m < n; ++m) {
      auto const a_m = Column::load(a + m * n);
      HYPERPLANE_UNROLL
      for (int c = 0; c < count; ++c) {
        m_columns[first + c].template add<subtract>(a_m, static_cast<T>(b[(first + c) * n + m]));
      }
    }
    if constexpr (first + count < n) add_to_tile<subtract, first + count>(a, b);
  }

  Column m_columns[std::size_t{n}];
};

/// A vector and products of blocks with vectors.
template <class T, int n>
class ColumnSum {
  using Column = detail::Column<T, n>;
  static constexpr int chains = detail::column_chains<n>;

 public:
  HYPERPLANE_FORCEINLINE_FUNCTION ColumnSum() {
    HYPERPLANE_UNROLL
    for (int chain = 0; chain < chains; ++chain) m_sums[chain] = Column::of([](int) { return T(0); });
  }
  explicit HYPERPLANE_FORCEINLINE_FUNCTION ColumnSum(const T* from) : ColumnSum() {
    m_sums[0] = Column::of([&](int r) { return from[r]; });
  }

  /// += or -= A x
  template <bool subtract, class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) m_sums[c % chains].template add<subtract>(Column::load(a + c * n), x[c]);
  }
  /// The same where nothing behind the block may be read.
  template <bool subtract, class Storage>
  HYPERPLANE_FORCEINLINE_FUNCTION void add_last(const Storage* a, const T* x) {
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      m_sums[c % chains].template add<subtract>(Column::of([&](int r) { return a[c * n + r]; }), x[c]);
    }
  }

  HYPERPLANE_FORCEINLINE_FUNCTION void store(T* to) const { total().store(to); }
  /// += or -= the sum.
  template <bool subtract>
  HYPERPLANE_FORCEINLINE_FUNCTION void add_to(T* to) const {
    auto const sum = total();
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) to[r] = subtract ? to[r] - sum[r] : to[r] + sum[r];
  }

 private:
  HYPERPLANE_FORCEINLINE_FUNCTION Column total() const {
    auto result = m_sums[0];
    HYPERPLANE_UNROLL
    for (int chain = 1; chain < chains; ++chain) {
      HYPERPLANE_UNROLL
      for (int part = 0; part < Column::parts; ++part) result.m_parts[part] += m_sums[chain].m_parts[part];
    }
    return result;
  }

  Column m_sums[std::size_t{chains}];
};

#else

/// A block and products of blocks.
template <class T, int n>
class Columns {
 public:
  static constexpr int overrun = 0;

  template <class Entry>
  static KOKKOS_FORCEINLINE_FUNCTION Columns of(const Entry& entry) {
    Columns result;
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) result.m_block(r, c) = static_cast<T>(entry(r, c));
    }
    return result;
  }
  template <bool subtract, class StorageA, class StorageB>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(const StorageA* a, const StorageB* b) {
    NoWork no_work;
    detail::gemm_sum<n, subtract>(m_block, LaneMatrix<T, StorageA, n, 1>{a}, LaneMatrix<T, StorageB, n, 1>{b}, m_block,
                                  no_work);
  }
  template <class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void store(Storage* to) const {
    for (int e = 0; e < n * n; ++e) to[e] = static_cast<Storage>(m_block.m_entries[e]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Matrix<T, n> matrix() const { return m_block; }
  template <class Storage>
  KOKKOS_FORCEINLINE_FUNCTION T excess() const {
    return storage_excess<Storage, T>(m_block);
  }

 private:
  Matrix<T, n> m_block;
};

/// A vector and products of blocks with vectors.
template <class T, int n>
class ColumnSum {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ColumnSum() {
    for (int r = 0; r < n; ++r) m_sum[r] = T(0);
  }
  explicit KOKKOS_FORCEINLINE_FUNCTION ColumnSum(const T* from) {
    for (int r = 0; r < n; ++r) m_sum[r] = from[r];
  }
  template <bool subtract, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Storage* a, const T* x) {
    detail::gemv_columns<n, subtract>(LaneMatrix<T, Storage, n, 1>{a}, x, m_sum);
  }
  template <bool subtract, class Storage>
  KOKKOS_FORCEINLINE_FUNCTION void add_last(const Storage* a, const T* x) {
    add<subtract>(a, x);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* to) const {
    for (int r = 0; r < n; ++r) to[r] = m_sum[r];
  }
  template <bool subtract>
  KOKKOS_FORCEINLINE_FUNCTION void add_to(T* to) const {
    for (int r = 0; r < n; ++r) to[r] = subtract ? to[r] - m_sum[r] : to[r] + m_sum[r];
  }

 private:
  Vector<T, n> m_sum;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
