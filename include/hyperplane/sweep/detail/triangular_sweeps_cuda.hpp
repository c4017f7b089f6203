// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/cuda/current_device.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/detail/graph_sweep_cuda.hpp>
#include <hyperplane/sweep/detail/slab_solve_cuda_plan.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_fast_path.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/slab_shape_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, CudaExecutionSpace Exec, StorageReal Storage, int vector_length>
class TriangularSweepsFastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  using Map = SlabMap<vector_length>;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  static SweepPath choose(const Exec&, const Map& map) {
    return choose_cuda_path(map.grid(), n, cuda_graph_bytes<Storage>, n == 1 && !has_scales<Storage>,
                            Slab::lacking().empty(), cuda::kernels_can_wait, Slab::can_be_tall);
  }
  static constexpr std::array<SweepPath, 2> paths{SweepPath::slab, SweepPath::cuda_graph};

  TriangularSweepsFastPath(const Exec& exec, const std::string& owner, const Map& map, SweepPath path,
                           int multiprocessors, int right_hand_sides) {
    if (path != SweepPath::slab && path != SweepPath::cuda_graph) return;
    require(cuda::current_device() == exec.cuda_device(),
            owner + ": the current CUDA device is not that of the execution space instance");
    if (path == SweepPath::cuda_graph) {
      m_graph = std::make_shared<Graph>(exec.cuda_stream(), map);
      return;
    }
    if (auto const missing = Slab::lacking(); !missing.empty()) fail(owner + ": path slab " + missing);
    m_slab = std::make_shared<Slab>(exec.cuda_stream(), map, multiprocessors, right_hand_sides);
  }

  template <int count>
  void solve(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) const {
    cuda::labelled(exec, solve_label(sweeps), [&] {
      if (m_slab) {
        (*m_slab)(exec.cuda_stream(), sweeps, factors, rhs, x);
      } else {
        (*m_graph)(exec.cuda_stream(), sweeps, factors, rhs, x);
      }
    });
  }

  /// With M^T, one vector after the other; x may be rhs.
  template <int count>
  void solve_transposed(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
                        const VectorRefs<Vector, count>& x) const {
    for (int v = 0; v < count; ++v) solve_transposed(exec, sweeps, factors, rhs[v], x[v]);
  }
  /// What the first call of it does, on the device of the instance.
  void prepare_transposed(const Exec& exec) const {
    cuda::CurrentDevice const current(exec.cuda_device());
    if (m_slab) m_slab->prepare_transposed(exec.cuda_stream());
    if (m_graph) m_graph->prepare_transposed(exec.cuda_stream());
  }

 private:
  void solve_transposed(const Exec& exec, Sweeps sweeps, const Factors& factors, const Vector& rhs,
                        const Vector& x) const {
    cuda::labelled(exec, transposed_label(sweeps), [&] {
      if (m_slab) {
        m_slab->solve_transposed(exec.cuda_stream(), sweeps, factors, rhs, x);
      } else {
        m_graph->solve_transposed(exec.cuda_stream(), sweeps, factors, rhs, x);
      }
    });
  }

  using Slab = CudaSlabSweeps<Scalar, n, Storage, vector_length>;
  using Graph = CudaGraphSweeps<Scalar, n, Storage, vector_length>;

  // Of the path that runs. Copies of a plan share it.
  std::shared_ptr<Slab> m_slab;
  std::shared_ptr<Graph> m_graph;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
