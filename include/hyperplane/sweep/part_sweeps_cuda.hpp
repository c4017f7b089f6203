// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_plan.hpp>
#include <hyperplane/sweep/part_window_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The sweeps over a part of a box, which go on on the devices of the parts below and above.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
class PartSweeps {
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Solve = CudaSlabBlockSolve<Scalar, n, Storage, vector_length, true>;

 public:
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  static std::string lacking() { return Solve::lacking(); }

  PartSweeps(const Exec& exec, const SlabMap<vector_length>& map, const typename Solve::Outside& outside,
             int multiprocessors)
      : m_points(static_cast<double>(map.grid().size())),
        m_solve(exec.cuda_stream(), map, multiprocessors, 1, outside) {}

  /// Without telling tools of it.
  void launch(const Exec& exec, const TriangularFactors<Storage, n, vector_length>& factors, const Vector& rhs,
              const Vector& x) const {
    count_sweep_bytes<Scalar, n, Storage>(Sweeps::both, true, m_points);
    m_solve(exec.cuda_stream(), Sweeps::both, factors, VectorRefs<Vector, 1>{{rhs}}, VectorRefs<Vector, 1>{{x}});
  }

 private:
  double m_points;
  Solve m_solve;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
