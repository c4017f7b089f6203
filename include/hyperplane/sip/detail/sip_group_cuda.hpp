// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/sip/detail/sip_coefficients_cuda.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/sweep/point_recursion_cuda_group.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

/// The coefficients of SIP of several grids in one launch.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of a grid: its factors, the word that is lowered to the singular_pivot_word of its first singular pivot, and where
/// its values begin in matrices: a number of SIMD groups.
template <class Storage, int W>
struct CudaSipMember {
  TriangularFactors<Storage, 1, W> m_factors;
  unsigned long long* m_singular;
  std::int64_t m_first_pack;

  template <class MatrixStorage>
  HYPERPLANE_FUNCTION BlockStencil7Ref<MatrixStorage, 1, W> matrix(MatrixStorage* all) const {
    return matrix_part<1>(m_factors.m_map, m_first_pack, all);
  }
};

template <class Scalar, class Storage, class MatrixStorage, int W>
struct CudaSipGroup {
  using First = CudaSipCoefficients<Scalar, Storage, MatrixStorage, W, false>;
  using Second = First;
  using Given = CudaSipMember<Storage, W>;

  MatrixStorage* m_a;
  Scalar m_alpha;

  __device__ First first(const Given& given) const {
    return {given.matrix(m_a), given.m_factors, given.m_singular, m_alpha};
  }
};

template <class Scalar, class Storage, class MatrixStorage, int W>
using CudaSipGroupPlan = PointRecursionGroupPlan<PointRecursion<Scalar, W, sip_upper>, CudaSipMember<Storage, W>,
                                                 CudaSipGroup<Scalar, Storage, MatrixStorage, W>>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
