// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/cuda/vector.hpp>
#include <hyperplane/line/detail/line_factors.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The units of the factors, of a row of the blocks of a pack and some lanes, for the kernels of LinePath::staged: what
/// LineUnits are for the portable path. S of a step is loaded with what it multiplies, ahead of its use.
template <class Scalar, class Storage, int n, int vector_length, int lanes, bool transposed>
class CudaLineUnits {
  using Values = cuda::Vector<Scalar, lanes>;
  static constexpr bool exist = FactorScales<Storage, n, vector_length>::exist;
  struct None {};

 public:
  using Equations = std::conditional_t<exist, cuda::Vector<BFloat16, lanes>, None>;

  __device__ CudaLineUnits(const LineFactors<Storage, n, vector_length>& factors, std::int64_t pack, int row,
                           int first_lane) {
    if constexpr (exist) {
      m_equations = factors.m_scales.equation(factors.m_layout.first_item(pack), row) + first_lane;
      m_unknown = static_cast<Scalar>(factors.m_scales.unknown(row));
    }
  }

  /// Where right-hand sides or results are multiplied by S, that of a step.
  __device__ Equations before(int step) const { return load<!transposed>(step); }
  __device__ Equations after(int step) const { return load<transposed>(step); }

  /// Right-hand sides in the units of the factors, and results out of them.
  __device__ Values in(const Values& rhs, const Equations& equations) const {
    return multiplied<!transposed>(rhs, equations);
  }
  __device__ Values out(const Values& x, const Equations& equations) const {
    return multiplied<transposed>(x, equations);
  }

 private:
  template <bool by_equations>
  __device__ Equations load([[maybe_unused]] int step) const {
    if constexpr (exist && by_equations) {
      return *reinterpret_cast<const Equations*>(m_equations + std::int64_t{step} * n * vector_length);
    } else {
      return {};
    }
  }
  template <bool by_equations>
  __device__ Values multiplied(const Values& values, [[maybe_unused]] const Equations& equations) const {
    if constexpr (exist) {
      Values result;
#pragma unroll
      for (int l = 0; l < lanes; ++l) {
        if constexpr (by_equations) {
          result.m_values[l] = values.m_values[l] * static_cast<Scalar>(equations.m_values[l]);
        } else {
          result.m_values[l] = values.m_values[l] * m_unknown;
        }
      }
      return result;
    } else {
      return values;
    }
  }

  const BFloat16* m_equations = nullptr;
  Scalar m_unknown = 1;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
