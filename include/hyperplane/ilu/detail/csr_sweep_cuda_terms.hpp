// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>

#include <cstdint>
#include <type_traits>

/// What sweeps over the rows of a BlockCsr on CUDA are made of, whether rows wait for one another or levels do. n
/// threads of a warp have one row, a value of it each.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

inline constexpr unsigned int whole_warp = 0xffffffff;

/// Rows that one warp takes at a time.
template <int n>
inline constexpr int csr_sweep_rows = 32 / n;

inline constexpr int csr_sweep_threads = 128;

/// Entries of a sum that are loaded together.
template <int n>
inline constexpr int csr_sweep_terms = n <= 2    ? 6
                                       : n <= 5  ? 4
                                       : n <= 7  ? 3
                                       : n <= 10 ? 2
                                                 : 1;

/// Where some entries of a row have their values and their blocks. That is loaded long before blocks are: these are
/// then one load away. Each of the n threads of a row has its share of it, for all of them.
template <int n, bool blocks_are_listed>
class CsrSweepPlaces {
 public:
  static constexpr int count = csr_sweep_terms<n>;

  /// Entries at, at + 1, ..., before end, of thread r of a row.
  template <class Blocks>
  __device__ CsrSweepPlaces(const Blocks& blocks, std::int64_t at, std::int64_t end, int r) {
    if constexpr (!blocks_are_listed) m_numbers[0] = at;
#pragma unroll
    for (int i = 0; i < share; ++i) {
      std::int64_t const entry = at + i * n + r;
      bool const has = entry < end;
      m_columns[i] = has ? blocks.m_columns[entry] : none;
      if constexpr (blocks_are_listed) m_numbers[i] = has ? blocks.number(entry) : 0;
    }
  }

  /// A column that is not there is negative. `first` is the lane that has the first share; by all threads of a warp.
  /// Threads of no row may get what others have, and make nothing of it.
  __device__ int column(int e, int first) const { return __shfl_sync(whole_warp, m_columns[e / n], first + e % n); }
  __device__ std::int64_t number(int e, int first) const {
    if constexpr (blocks_are_listed) {
      return __shfl_sync(whole_warp, static_cast<long long>(m_numbers[e / n]), first + e % n);
    } else {
      return m_numbers[0] + e;
    }
  }

 private:
  static constexpr int none = -1;
  static constexpr int share = (count + n - 1) / n;

  int m_columns[share];
  std::int64_t m_numbers[blocks_are_listed ? share : 1];
};

/// A value that need not be awaited.
template <class Scalar>
struct CsrKnownValue {
  Scalar m_value;

  __device__ Scalar value() const { return m_value; }
};

/// Some entries of a row, for all threads of a warp together: blocks are loaded first, then values of as many vectors.
/// Value is a cuda::AwaitedValue or a CsrKnownValue. (Values in an object of their own, which is made when they are
/// awaited, took a third more time by reverse Cuthill-McKee on an H200; why, the instructions did not tell.)
template <class Sweep, class Scalar, int n, int vectors, class Blocks, class Value>
class CsrSweepTerms {
  static constexpr bool awaits = !std::is_same_v<Value, CsrKnownValue<Scalar>>;
  using Stored = std::conditional_t<awaits, Value, Scalar>;

 public:
  static constexpr int count = csr_sweep_terms<n>;
  using Places = CsrSweepPlaces<n, Blocks::are_listed(Sweep::transposed)>;

  /// Of a thread that has value r of each, the one of row 0 at `values`, and those of rows `step` apart; `first` is the
  /// lane that has the first value.
  __device__ CsrSweepTerms(const Blocks& blocks, const Places& places, const Stored* values, std::int64_t step, int r,
                           int first) {
#pragma unroll
    for (int e = 0; e < count; ++e) {
      std::int64_t const column = places.column(e, first);
      bool const has = column >= 0;
      m_from[e] = has ? values + column * step : nullptr;
      if constexpr (awaits) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) m_values[e][v].m_word = Value::vacant;
      }
      auto const* const block = blocks.m_values + places.number(e, first) * (n * n);
#pragma unroll
      for (int c = 0; c < n; ++c) m_blocks[e][c] = has ? entry<Sweep::by_rows>(block, r, c) : Scalar(0);
    }
  }

  /// Until all values are there.
  __device__ void wait()
    requires awaits
  {
    bool missing;
    do {
      missing = false;
#pragma unroll
      for (int e = 0; e < count; ++e) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          if (is_missing(e, v)) m_values[e][v] = Value::load(m_from[e] + v * n);
        }
      }
#pragma unroll
      for (int e = 0; e < count; ++e) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) missing = missing || is_missing(e, v);
      }
    } while (__any_sync(whole_warp, missing));
  }

  /// Where they are. solved(row, value) is what a value of a row is multiplied as.
  template <class Solved>
  __device__ void load(const Places& places, int first, const Solved& solved)
    requires(!awaits)
  {
#pragma unroll
    for (int e = 0; e < count; ++e) {
      std::int64_t const column = places.column(e, first);
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        m_values[e][v].m_value = m_from[e] != nullptr ? solved(column, m_from[e][v]) : Scalar(0);
      }
    }
  }

  __device__ void add_to(Scalar (&sums)[vectors], int first) const {
#pragma unroll
    for (int e = 0; e < count; ++e) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
#pragma unroll
        for (int v = 0; v < vectors; ++v) {
          auto const x_c = __shfl_sync(whole_warp, m_values[e][v].value(), first + c);
          if (m_from[e] == nullptr) continue;
          if constexpr (Sweep::sums_products) {
            sums[v] += m_blocks[e][c] * x_c;
          } else {
            sums[v] -= m_blocks[e][c] * x_c;
          }
        }
      }
    }
  }

 private:
  /// Entry (r, c) of a block.
  template <bool by_rows, class Storage>
  __device__ static Scalar entry(const Storage* block, int r, int c) {
    return static_cast<Scalar>(block[by_rows ? r * n + c : c * n + r]);
  }
  __device__ bool is_missing(int e, int v) const { return m_from[e] != nullptr && m_values[e][v].is_vacant(); }

  Scalar m_blocks[count][n];
  const Stored* m_from[count];
  Value m_values[count][vectors];
};

/// What a sweep makes of the sum of its products: with a row of the diagonal block D, of the thread that has the row.
template <class Sweep, class Scalar, int n>
class CsrSweepResult {
  static constexpr bool with_diagonal = Sweep::diagonal != CsrSweepDiagonal::none;

 public:
  template <class Blocks>
  __device__ CsrSweepResult(const Blocks& blocks, std::int64_t row, int r) {
    if constexpr (with_diagonal) {
      auto const* const block = blocks.diagonal(row >= 0 ? row : 0);
#pragma unroll
      for (int c = 0; c < n; ++c) {
        m_row[c] = row >= 0 ? static_cast<Scalar>(block[Sweep::transposed ? r * n + c : c * n + r]) : Scalar(0);
      }
    }
  }

  /// Rounds as the portable kernels do. `first` is the lane that has the first value.
  template <class Blocks>
  __device__ Scalar of(const Blocks& blocks, Scalar right, Scalar sum, int first) const {
    if constexpr (Sweep::diagonal == CsrSweepDiagonal::of_product) {
      if constexpr (Sweep::transposed) {
        return right - product(sum, first);
      } else {
#pragma unroll
        for (int c = 0; c < n; ++c) right -= m_row[c] * __shfl_sync(whole_warp, sum, first + c);
        return right;
      }
    } else {
      Scalar const rest = Sweep::sums_products ? blocks.scaled(right) - sum : sum;
      if constexpr (with_diagonal) {
        return product(rest, first);
      } else {
        return rest;
      }
    }
  }

 private:
  __device__ Scalar product(Scalar value, int first) const {
    Scalar sum(0);
#pragma unroll
    for (int c = 0; c < n; ++c) sum += m_row[c] * __shfl_sync(whole_warp, value, first + c);
    return sum;
  }

  Scalar m_row[with_diagonal ? n : 1];
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
