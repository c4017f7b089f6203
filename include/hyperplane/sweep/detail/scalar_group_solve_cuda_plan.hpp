// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/stencil/parts_of_all.hpp>
#include <hyperplane/sweep/detail/scalar_solve_cuda_plan.hpp>
#include <hyperplane/sweep/point_recursion_cuda_group.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The sweeps of several grids with one unknown per point. Vectors have the values of all grids.
template <class Scalar, class Storage, int W>
struct CudaScalarGroupSweeps {
  using First = CudaScalarSweep<Sweep::forward, Scalar, Storage, W, 1>;
  using Second = CudaScalarSweep<Sweep::backward, Scalar, Storage, W, 1>;
  using Ref = BlockVectorRef<Scalar, 1, W>;
  /// The factors of a grid, and where its values begin in vectors: a number of SIMD groups.
  struct Given {
    TriangularFactors<Storage, 1, W> m_factors;
    std::int64_t m_first_pack;
  };

  Scalar* m_rhs;
  Scalar* m_y;  ///< what the backward sweep reads
  Scalar* m_x;
  bool m_both;

  __device__ bool waits() const { return m_both; }
  __device__ First first(const Given& given) const {
    return {{}, given.m_factors, {{part(given, m_rhs)}}, {{part(given, m_x)}}};
  }
  __device__ Second second(const Given& given) const {
    return {{}, given.m_factors, {{part(given, m_y)}}, {{part(given, m_x)}}};
  }

 private:
  __device__ static Ref part(const Given& given, Scalar* values) {
    return vector_part<1>(given.m_factors.m_map, given.m_first_pack, values);
  }
};

/// Plan of the solves on several grids that do not depend on one another, for n = 1, as CudaSlabGroupSolve for others.
template <class Scalar, class Storage, int W>
class CudaScalarGroupSolve {
  using Works = CudaScalarGroupSweeps<Scalar, Storage, W>;
  using Plan = PointRecursionGroupPlan<PointRecursion<Scalar, W, 1>, typename Works::Given, Works>;

 public:
  using Member = typename Works::Given;

  static std::string lacking() { return Plan::lacking(); }

  CudaScalarGroupSolve(cudaStream_t stream, const std::vector<Member>& members, int multiprocessors)
      : m_plan(stream, members, (lower_blocks + upper_blocks) * sizeof(Storage) + 2 * sizeof(Scalar), multiprocessors) {
  }

  /// x may be rhs.
  void operator()(cudaStream_t stream, Sweeps sweeps, Scalar* rhs, Scalar* x) const {
    bool const both = sweeps == Sweeps::both;
    m_plan(stream, sweeps, {rhs, both ? x : rhs, x, both});
  }

 private:
  Plan m_plan;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
