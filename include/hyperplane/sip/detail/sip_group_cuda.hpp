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
template <class Scalar, class Storage, int W>
struct CudaSipMember {
  TriangularFactors<Storage, 1, W> m_factors;
  unsigned long long* m_singular;
  std::int64_t m_first_pack;

  HYPERPLANE_FUNCTION BlockStencil7Ref<Scalar, 1, W> matrix(Scalar* all) const {
    return matrix_part<1>(m_factors.m_map, m_first_pack, all);
  }
};

template <class Scalar, class Storage, int W>
struct CudaSipGroup {
  using First = CudaSipCoefficients<Scalar, Storage, Scalar, W, false>;
  using Second = First;
  using Given = CudaSipMember<Scalar, Storage, W>;

  Scalar* m_a;
  Scalar m_alpha;

  __device__ First first(const Given& given) const {
    return {given.matrix(m_a), given.m_factors, given.m_singular, m_alpha};
  }
};

template <class Scalar, class Storage, int W>
using CudaSipGroupPlan = PointRecursionGroupPlan<PointRecursion<Scalar, W, sip_upper>,
                                                 CudaSipMember<Scalar, Storage, W>, CudaSipGroup<Scalar, Storage, W>>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
