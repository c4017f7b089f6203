// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_columns.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_units.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/sweep/equation_units_cuda.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Keeps the factors of a line's point, whose columns the line's threads have in registers, in their units where they
/// have some, and records where they cannot be kept.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length, int lanes, int line_threads,
          class Value>
struct CudaLineKeep {
  using Factors = LineFactors<Storage, n, vector_length>;
  using Thread = CudaLineColumns<n, vector_length, lanes, line_threads>;
  static constexpr int columns = Thread::columns;
  static constexpr bool has_units = Factors::Scales::exist;
  /// Of the shared memory of lines: d^-1, behind which S is, where there are units.
  static constexpr int inverse_values = (n > 2 ? n : 2) * n * vector_length;
  static constexpr std::size_t shared_values = inverse_values + (has_units ? n * vector_length : 0);
  using Columns = Scalar[columns][n][lanes];

  const Factors& m_factors;
  unsigned long long* m_singular;

  /// A lane of a step at which factors fail. Relaxed: the word carries everything, and it is read after the kernel.
  __device__ void record(const Thread& thread, std::int64_t pack, int step, int l, int code) const {
    if (!thread.exists(l, step)) return;
    auto const ordinal = m_factors.m_layout.ordinal(pack, thread.first_lane + l) + (step - thread.begins[l]);
    atomicMin(m_singular, static_cast<unsigned long long>(singular_pivot_word(ordinal, code)));
  }

  /// Records lanes whose sum of storage_excess() says that a value is too large.
  __device__ void check(const Thread& thread, std::int64_t pack, int step, const Scalar (&excess)[lanes]) const {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      if (!(excess[l] == 0)) record(thread, pack, step, l, unstorable_code);
    }
  }

  /// The thread's columns of L in units; S is in shared memory.
  __device__ void lower_in_units(const Thread& thread, const MatrixStorage* given, const Scalar* equations,
                                 std::int64_t pack, int step) const {
    bool any = false;
#pragma unroll
    for (int l = 0; l < lanes; ++l) any = any || thread.has_lower(l, step);
    Scalar excess[lanes] = {};
    Storage* const to = m_factors.lower(pack, step, LineFactor::lower) + thread.first_lane;
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      int const c = thread.column(j);
      if (!thread.owns(j)) continue;
      auto const unknown = unit(c);
      Scalar values[n][lanes] = {};
#pragma unroll
      for (int r = 0; r < n; ++r) {
        if (any) Value::given(given, r, c, values[r]);
      }
#pragma unroll
      for (int r = 0; r < n; ++r) {
        Scalar equation[lanes];
        Value::load(equations + r * vector_length, equation);
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          values[r][l] = thread.has_lower(l, step) ? values[r][l] * unknown * equation[l] : 0;
          excess[l] += storage_excess<Storage, Scalar>(values[r][l]);
        }
        Value::keep(to + (c * n + r) * vector_length, values[r]);
      }
    }
    check(thread, pack, step, excess);
  }

  /// Puts the thread's columns of d^-1 where they belong, and into shared memory for the line, with S of these columns
  /// where there are units.
  __device__ void inverse(const Thread& thread, Scalar* shared, std::int64_t pack, int step, const Columns& d,
                          const std::uint64_t (&order)[lanes]) const {
    Storage* const to = m_factors.lower(pack, step, LineFactor::inverse) + thread.first_lane;
    __syncwarp();
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      if (!thread.owns(j)) continue;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        int const c = static_cast<int>(order[l] >> (4 * thread.column(j)) & 0xfu);
        Scalar reciprocal = 1;
        if constexpr (has_units) {
          Scalar largest = 0;
#pragma unroll
          for (int r = 0; r < n; ++r) largest = max(largest, abs(d[j][r][l] * unit(n + r)));
          Scalar const equation = cuda_equation_unit(largest);
          reciprocal = cuda_unit_reciprocal(equation);
          shared[inverse_values + c * vector_length + l] = equation;
          auto const item = m_factors.m_layout.first_item(pack) + step;
          m_factors.m_scales.equation(item, c)[thread.first_lane + l] = BFloat16(equation);
        }
        Scalar excess = 0;
#pragma unroll
        for (int r = 0; r < n; ++r) {
          Scalar stored = d[j][r][l];
          if constexpr (has_units) stored *= unit(n + r) * reciprocal;
          excess += storage_excess<Storage, Scalar>(stored);
          shared[(c * n + r) * vector_length + l] = d[j][r][l];
          to[(c * n + r) * vector_length + l] = static_cast<Storage>(stored);
        }
        if (!(excess == 0)) record(thread, pack, step, l, unstorable_code);
      }
    }
    __syncwarp();
  }

  /// The thread's columns of d^-1 U, which are zero in lanes without a point behind.
  __device__ void upper(const Thread& thread, std::int64_t pack, int step, Columns& product) const {
    Storage* const to = m_factors.upper(pack, step) + thread.first_lane;
    [[maybe_unused]] Scalar excess[lanes] = {};
#pragma unroll
    for (int j = 0; j < columns; ++j) {
#pragma unroll
      for (int r = 0; r < n; ++r) {
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          if (!thread.has_upper(l, step)) product[j][r][l] = 0;
        }
        if (!thread.owns(j)) continue;
        Scalar stored[lanes];
        Value::copy(product[j][r], stored);
        if constexpr (has_units) {
          auto const factor = unit(n + r) * unit(thread.column(j));
#pragma unroll
          for (int l = 0; l < lanes; ++l) stored[l] *= factor;
        }
        Value::keep(to + (thread.column(j) * n + r) * vector_length, stored);
        if constexpr (sizeof(Storage) < sizeof(Scalar)) {
#pragma unroll
          for (int l = 0; l < lanes; ++l) excess[l] += storage_excess<Storage, Scalar>(stored[l]);
        }
      }
    }
    if constexpr (sizeof(Storage) < sizeof(Scalar)) check(thread, pack, step, excess);
  }

 private:
  /// C, behind which its inverse is, by loads that need not wait for stores before them.
  __device__ Scalar unit(int c) const {
    if constexpr (has_units) {
      return static_cast<Scalar>(__ldg(m_factors.m_scales.m_units + c));
    } else {
      return 1;
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
