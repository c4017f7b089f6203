// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/core/storage_excess.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_pivot.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_scan.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_source.hpp>
#include <hyperplane/line/detail/block_tridiagonal_cuda_units.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Factors lines of scalars.
///
/// V[s] = U[s] / (D[s] - L[s] V[s-1]) is a fraction a / b with a[s] = U[s] b[s-1], b[s] = D[s] b[s-1] - L[s] a[s-1],
/// linear in (a, b). A thread multiplies the 2 x 2 matrices of its steps, applies those of the threads before it to
/// find the V that comes into its steps, and then computes these one after the other. Where a pivot is small, the V
/// that comes in and what the thread before has computed may differ by more than rounding: then steps are computed
/// again with the latter, until they agree. So the factors have the accuracy of those computed one after the other.
template <class Scalar, class Storage, class Source, int vector_length, int lanes, int points>
struct CudaLineScanFactor {
  using MatrixStorage = typename Source::MatrixStorage;
  using Thread = CudaLineScanThread<vector_length, lanes, points>;
  using GivenValues = cuda::Vector<MatrixStorage, lanes>;
  static constexpr bool has_units = FactorScales<Storage, 1, vector_length>::exist;
  using Memory = CudaLineScanMemory<Scalar, 4, vector_length, lanes>;
  static constexpr int W = Source::W;

  Source m_source;
  LineFactors<Storage, 1, vector_length> m_factors;
  unsigned long long* m_singular;

  __device__ void run(std::byte* shared) const {
    auto const& layout = m_factors.m_layout;
    std::int64_t const pack = blockIdx.x;
    int const length = layout.length(pack);
    Thread const thread(layout, pack);
    auto const unit = pack * (vector_length / W) + thread.first_lane / W;
    Memory const memory{reinterpret_cast<Scalar*>(shared)};
    Scalar carried[lanes] = {};
    for (int chunk = 0; chunk * thread.chunk() < length; ++chunk) {
      int const first = thread.first_step(chunk);
      Steps lower, diagonal, upper;
      load_steps(thread, pack, unit, first, lower, diagonal, upper);
      // Columns of the matrix of all steps: (a, b) from (1, 0), and from (0, 1).
      Scalar a[2][lanes], b[2][lanes];
      multiply_steps(lower, diagonal, upper, a, b);
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        store(memory.at(thread.part, 2 * column, thread.first_lane), a[column]);
        store(memory.at(thread.part, 2 * column + 1, thread.first_lane), b[column]);
      }
      __syncthreads();
      Scalar numerator[lanes], denominator[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        numerator[l] = carried[l];
        denominator[l] = 1;
      }
      for (int q = 0; q < thread.part; ++q) {
        auto const a0 = memory.at(q, 0, thread.first_lane), b0 = memory.at(q, 1, thread.first_lane);
        auto const a1 = memory.at(q, 2, thread.first_lane), b1 = memory.at(q, 3, thread.first_lane);
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          Scalar const before = numerator[l];
          numerator[l] = fma(a0.m_values[l], before, a1.m_values[l] * denominator[l]);
          denominator[l] = fma(b0.m_values[l], before, b1.m_values[l] * denominator[l]);
          scale(numerator[l], denominator[l], 0, 0);
        }
      }
      Scalar given[lanes];
#pragma unroll
      for (int l = 0; l < lanes; ++l) given[l] = thread.part == 0 ? carried[l] : numerator[l] / denominator[l];
      int singular[lanes];  // twice the first step of the thread whose pivot is singular, or one more: unstorable
      bool again;
      do {
        Scalar v[lanes];
#pragma unroll
        for (int l = 0; l < lanes; ++l) {
          v[l] = given[l];
          singular[l] = 2 * points;
        }
#pragma unroll
        for (int p = 0; p < points; ++p) {
          Scalar inverse[lanes], stored_lower[lanes];
          [[maybe_unused]] Scalar equation[lanes];
#pragma unroll
          for (int l = 0; l < lanes; ++l) {
            Scalar const d = fma(-lower[p][l], v[l], diagonal[p][l]);
            inverse[l] = cuda_reciprocal(d);
            bool const is_pivot = cuda_is_pivot(d, inverse[l]);
            v[l] = inverse[l] * upper[p][l];
            stored_lower[l] = lower[p][l];
            if constexpr (has_units) {
              // Of one unknown C is 1.
              equation[l] = cuda_equation_unit(abs(inverse[l]));
              stored_lower[l] *= equation[l];
              inverse[l] *= cuda_unit_reciprocal(equation[l]);
            }
            Scalar excess = storage_excess<Storage, Scalar>(inverse[l]);
            if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
              excess += storage_excess<Storage, Scalar>(stored_lower[l]);
            }
            if constexpr (sizeof(Storage) < sizeof(Scalar)) excess += storage_excess<Storage, Scalar>(v[l]);
            if (!is_pivot || !(excess == 0)) singular[l] = min(singular[l], 2 * p + (is_pivot ? 1 : 0));
          }
          if (first + p >= length) continue;
          if constexpr (has_units) {
            keep(m_factors.m_scales.equation(layout.first_item(pack) + first + p, 0) + thread.first_lane, equation);
          }
          keep(m_factors.lower(pack, first + p, LineFactor::lower) + thread.first_lane, stored_lower);
          keep(m_factors.lower(pack, first + p, LineFactor::inverse) + thread.first_lane, inverse);
          keep(m_factors.upper(pack, first + p) + thread.first_lane, v);
        }
        __syncthreads();
        store(memory.at(thread.part, 0, thread.first_lane), v);
        __syncthreads();
        again = false;
        if (thread.part > 0) {
          auto const before = memory.at(thread.part - 1, 0, thread.first_lane);
#pragma unroll
          for (int l = 0; l < lanes; ++l) {
            auto const computed = before.m_values[l];
            // What is given is not a number, or 0 or infinite, where squares of the coefficients leave the range of
            // Scalar.
            bool const agrees = given[l] == computed || (given[l] != given[l] && computed != computed) ||
                                (isfinite(computed) && abs(computed - given[l]) <= tolerance * abs(computed));
            if (agrees) continue;
            again = true;
            given[l] = computed;
          }
        }
      } while (__syncthreads_or(again));
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if (singular[l] == 2 * points) continue;
        auto const ordinal = layout.ordinal(pack, thread.first_lane + l) + (first + singular[l] / 2 - thread.begins[l]);
        int const code = singular[l] % 2 == 0 ? 0 : unstorable_code;
        atomicMin(m_singular, static_cast<unsigned long long>(singular_pivot_word(ordinal, code)));
      }
      auto const last = memory.at(thread.parts - 1, 0, thread.first_lane);
#pragma unroll
      for (int l = 0; l < lanes; ++l) carried[l] = last.m_values[l];
      __syncthreads();
    }
  }

 private:
  using Values = cuda::Vector<Scalar, lanes>;
  static constexpr Scalar tolerance = 8 * (sizeof(Scalar) == 8 ? Scalar(2.2e-16) : Scalar(1.2e-7));

  using Steps = Scalar[points][lanes];

  /// Those of a unit matrix where there is no point.
  __device__ __forceinline__ void load_steps(const Thread& thread, std::int64_t pack, std::int64_t unit, int first,
                                             Steps& lower, Steps& diagonal, Steps& upper) const {
#pragma unroll
    for (int p = 0; p < points; ++p) {
      load(thread, LineBlock::lower, pack, unit, first + p, lower[p]);
      load(thread, LineBlock::diagonal, pack, unit, first + p, diagonal[p]);
      load(thread, LineBlock::upper, pack, unit, first + p, upper[p]);
    }
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if (!thread.has_lower(l, first + p)) lower[p][l] = 0;
        if (!thread.exists(l, first + p)) diagonal[p][l] = 1;
        if (!thread.has_upper(l, first + p)) upper[p][l] = 0;
      }
    }
  }

  /// The columns (a, b) of the product of the steps' matrices.
  __device__ __forceinline__ static void multiply_steps(const Steps& lower, const Steps& diagonal, const Steps& upper,
                                                        Scalar (&a)[2][lanes], Scalar (&b)[2][lanes]) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) {
      a[0][l] = b[1][l] = 1;
      a[1][l] = b[0][l] = 0;
    }
#pragma unroll
    for (int p = 0; p < points; ++p) {
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
#pragma unroll
        for (int column = 0; column < 2; ++column) {
          Scalar const before = b[column][l];
          b[column][l] = fma(diagonal[p][l], before, -lower[p][l] * a[column][l]);
          a[column][l] = upper[p][l] * before;
        }
        // What two steps multiply with cannot overflow unless squares of the coefficients do.
        if (p % 2 == 1) scale(a[0][l], b[0][l], a[1][l], b[1][l]);
      }
    }
  }

  __device__ void load(const Thread& thread, LineBlock which, std::int64_t pack, std::int64_t unit, int step,
                       Scalar (&values)[lanes]) const {
    bool any = false;
#pragma unroll
    for (int l = 0; l < lanes; ++l) any = any || thread.exists(l, step);
    GivenValues loaded{};
    if (any) {
      loaded = *reinterpret_cast<const GivenValues*>(m_source.block(m_factors, which, pack, unit, step) +
                                                     thread.first_lane % W);
    }
#pragma unroll
    for (int l = 0; l < lanes; ++l) values[l] = static_cast<Scalar>(loaded.m_values[l]);
  }
  __device__ static void store(Values& to, const Scalar (&values)[lanes]) {
#pragma unroll
    for (int l = 0; l < lanes; ++l) to.m_values[l] = values[l];
  }
  template <class Stored>
  __device__ static void keep(Stored* to, const Scalar (&values)[lanes]) {
    cuda::Vector<Stored, lanes> stored;
#pragma unroll
    for (int l = 0; l < lanes; ++l) stored.m_values[l] = static_cast<Stored>(values[l]);
    *reinterpret_cast<cuda::Vector<Stored, lanes>*>(to) = stored;
  }

  /// Divides all four by a power of two that brings the largest to between 1 and 2.
  __device__ static void scale(double& a, double& b, double& c, double& d) {
    auto const largest = max(max(cuda_pivot_magnitude(a), cuda_pivot_magnitude(b)),
                             max(cuda_pivot_magnitude(c), cuda_pivot_magnitude(d)));
    // 2^-e has exponent bits 2046 - (e + 1023).
    auto const exponent = min(max(largest >> 20, 1u), 2045u);
    double const factor = __hiloint2double(static_cast<int>((2046 - exponent) << 20), 0);
    a *= factor;
    b *= factor;
    c *= factor;
    d *= factor;
  }
  __device__ static void scale(float& a, float& b, float& c, float& d) {
    auto const largest = max(max(cuda_pivot_magnitude(a), cuda_pivot_magnitude(b)),
                             max(cuda_pivot_magnitude(c), cuda_pivot_magnitude(d)));
    auto const exponent = min(max(largest >> 23, 1u), 253u);
    float const factor = __uint_as_float((254 - exponent) << 23);
    a *= factor;
    b *= factor;
    c *= factor;
    d *= factor;
  }
  __device__ static void scale(Scalar& a, Scalar& b, int, int) {
    Scalar none = 0, nothing = 0;
    scale(a, b, none, nothing);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
