// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/simd/native_vector.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

/// Sums of products of blocks of 8 bits with vectors, whose unknowns are multiplied by factors that all blocks have in
/// common.
namespace hyperplane::inline HYPERPLANE_ABI::block {

/// Unknowns are multiplied by the factors before each product. Behind a block are `overrun` values that may be read,
/// and do not matter.
template <class T, int n>
class ScaledColumnSum {
 public:
  static constexpr int overrun = Columns<T, n>::overrun;

  /// The factors stay where they are.
  explicit KOKKOS_FORCEINLINE_FUNCTION ScaledColumnSum(const T* factors) : m_factors(factors) {}

  /// += A x; nothing behind x is read.
  KOKKOS_FORCEINLINE_FUNCTION void add(const Quarter* a, const T* x) {
    T scaled[std::size_t{n}];
    for (int c = 0; c < n; ++c) scaled[c] = x[c] * m_factors[c];
    m_sum.template add<false>(a, scaled);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(T* to) const { m_sum.store(to); }

 private:
  const T* m_factors;
  ColumnSum<T, n> m_sum;
};

#if defined(HYPERPLANE_VECTOR_EXTENSION)

/// Entries of a block follow one another through vectors of the processor, whatever a column has, so that fewer of them
/// are converted: 7 instead of 10 with n = 5 and 4 lanes. Each has a sum of its own, so that the factors are needed
/// once, at the end.
template <class T, int n>
class EntrySums {
  static constexpr int width = hyperplane::detail::host_vector_bytes / static_cast<int>(sizeof(T));
  static constexpr int groups = (n * n + width - 1) / width;
  /// After so many groups a row is in the same lane again.
  static constexpr int period = n / std::gcd(n, width);
  static constexpr int registers = hyperplane::detail::host_vector_bytes == 64 ? 32 : 16;
  using Vector = hyperplane::detail::NativeVector<T, width>;

 public:
  static constexpr int overrun = groups * width - n * n;
  /// Whether sums and unknowns are in registers.
  static constexpr bool fit = n > 1 && groups + n < registers;

  explicit HYPERPLANE_FORCEINLINE_FUNCTION EntrySums(const T* factors) : m_factors(factors) {
    HYPERPLANE_UNROLL
    for (int g = 0; g < groups; ++g) m_sums[g] = Vector{};
  }

  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Quarter* a, const T* x) { add(a, Unknowns(x), Groups()); }

  HYPERPLANE_FORCEINLINE_FUNCTION void store(T* to) const {
    Vector sums[std::size_t{period}] = {};
    add_to(sums, Unknowns(m_factors), Groups());
    T lanes[std::size_t{period * width}];
    std::memcpy(lanes, sums, sizeof lanes);
    HYPERPLANE_UNROLL
    for (int r = 0; r < n; ++r) {
      T total = lanes[r];
      HYPERPLANE_UNROLL
      for (int lane = r + n; lane < period * width; lane += n) total += lanes[lane];
      to[r] = total;
    }
  }

 private:
  using Groups = std::make_integer_sequence<int, groups>;
  using Lanes = std::make_integer_sequence<int, width>;

  /// For the lanes of each group that unknown whose column their entries are in, and zeros behind the last column.
  class Unknowns {
   public:
    explicit HYPERPLANE_FORCEINLINE_FUNCTION Unknowns(const T* x) {
      HYPERPLANE_UNROLL
      for (int c = 0; c < n; ++c) m_values[c] = hyperplane::detail::broadcast<T, width>(x[c]);
      m_values[n] = Vector{};
    }
    template <int group>
    HYPERPLANE_FORCEINLINE_FUNCTION Vector of() const {
      constexpr int first = group * width / n;
      return from<group, first>(m_values[first]);
    }

   private:
    /// `x` has the columns up to c.
    template <int group, int c>
    HYPERPLANE_FORCEINLINE_FUNCTION Vector from(const Vector& x) const {
      if constexpr (c < n && group * width + width > (c + 1) * n) {
        return from<group, c + 1>(blend<(c + 1) * n - group * width>(x, m_values[c + 1], Lanes()));
      } else {
        return x;
      }
    }
    /// y from a lane on.
    template <int first, int... lane>
    static HYPERPLANE_FORCEINLINE_FUNCTION Vector blend(const Vector& x, const Vector& y,
                                                        std::integer_sequence<int, lane...>) {
      return __builtin_shufflevector(x, y, (lane >= first ? width + lane : lane)...);
    }

    Vector m_values[std::size_t{n + 1}];
  };

  template <int... group>
  HYPERPLANE_FORCEINLINE_FUNCTION void add(const Quarter* a, const Unknowns& x, std::integer_sequence<int, group...>) {
    ((m_sums[group] += entries(a + group * width) * x.template of<group>()), ...);
  }
  static HYPERPLANE_FORCEINLINE_FUNCTION Vector entries(const Quarter* from) {
    hyperplane::detail::NativeVector<Quarter, width> values;
    std::memcpy(&values, from, sizeof values);
    return hyperplane::detail::convert<T, Quarter, width>(values);
  }
  template <int... group>
  HYPERPLANE_FORCEINLINE_FUNCTION void add_to(Vector* sums, const Unknowns& factors,
                                              std::integer_sequence<int, group...>) const {
    ((sums[group % period] += m_sums[group] * factors.template of<group>()), ...);
  }

  const T* m_factors;
  Vector m_sums[std::size_t{groups}];
};

template <class T, int n>
using QuarterSum = std::conditional_t<EntrySums<T, n>::fit, EntrySums<T, n>, ScaledColumnSum<T, n>>;

#else

template <class T, int n>
using QuarterSum = ScaledColumnSum<T, n>;

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::block
