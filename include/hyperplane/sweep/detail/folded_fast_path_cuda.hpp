// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/folded_order.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/detail/folded_fast_path.hpp>
#include <hyperplane/sweep/detail/graph_sweep_cuda.hpp>
#include <hyperplane/sweep/folded_sweep.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA: a graph with a kernel for each hyperplane of levels.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage, int vector_length>
class FoldedFastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  static constexpr SweepPath path = SweepPath::cuda_graph;
  static SweepPath choose(const Exec&, const FoldedOrder&) { return path; }
  using Factors = FoldedFactors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  FoldedFastPath(const Exec& exec, const std::string& owner, const FoldedOrder& order)
      : m_graph((require(cuda::current_device() == exec.cuda_device(),
                         owner + ": the current CUDA device is not that of the execution space instance"),
                 exec.cuda_stream()),
                Map(order)) {}

  template <int count>
  void solve(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) {
    cuda::labelled(exec, solve_label(sweeps), [&] { m_graph(exec.cuda_stream(), sweeps, factors, rhs, x); });
  }
  /// With M^T; x may be rhs.
  void solve_transposed(const Exec& exec, Sweeps sweeps, const Factors& factors, const Vector& rhs, const Vector& x) {
    cuda::labelled(exec, transposed_label(sweeps),
                   [&] { m_graph.solve_transposed(exec.cuda_stream(), sweeps, factors, rhs, x); });
  }
  /// What the first call of it does, on the device of the instance.
  void prepare_transposed(const Exec& exec) {
    cuda::CurrentDevice const current(exec.cuda_device());
    m_graph.prepare_transposed(exec.cuda_stream());
  }

 private:
  using Map = FoldedMap<vector_length>;

  CudaGraphSweeps<Scalar, n, Storage, vector_length, Map> m_graph;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
