// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_graph.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_pencil.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_persistent.hpp>
#include <hyperplane/ilu/detail/block_ilu0_fast_path.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <type_traits>
#include <variant>

namespace hyperplane::detail {

/// Plan of the cuda_graph path: a graph for each sweep, and one for each storage that a matrix may have.
template <class Scalar, int n, class Storage, int vector_length>
class BlockIlu0CudaGraph {
 public:
  using Map = PencilMap<vector_length>;
  using Factors = BlockIlu0Factors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  BlockIlu0CudaGraph(cudaStream_t stream, const Map& map)
      : m_planes(stream, map),
        m_forward(stream, map, m_planes),
        m_backward(stream, map, m_planes),
        m_factor(stream, map, m_planes),
        m_narrow_factor(stream, map, m_planes) {
    // Whatever stream comes first, the tables are there.
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  template <class MatrixStorage>
  void factor(cudaStream_t stream, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Factors& factors,
              unsigned long long* singular) {
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) {
      m_factor(stream, a, factors, singular);
    } else {
      m_narrow_factor(stream, a, factors, singular);
    }
  }
  /// One vector after another.
  template <int count>
  void solve(cudaStream_t stream, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) {
    for (int v = 0; v < count; ++v) {
      if (sweeps != Sweeps::backward) m_forward(stream, factors, rhs[v], x[v]);
      if (sweeps != Sweeps::forward) m_backward(stream, factors, sweeps == Sweeps::both ? x[v] : rhs[v], x[v]);
    }
  }

 private:
  /// Where there is no narrower storage.
  struct NoFactor {
    NoFactor(cudaStream_t, const Map&, const PlaneGroups&) {}
  };

  PlaneGroups m_planes;
  BlockIlu0CudaGraphSweep<Sweep::forward, Scalar, n, Storage, vector_length> m_forward;
  BlockIlu0CudaGraphSweep<Sweep::backward, Scalar, n, Storage, vector_length> m_backward;
  BlockIlu0CudaGraphFactor<Scalar, n, Storage, Scalar, vector_length> m_factor;
  std::conditional_t<std::is_same_v<Scalar, float>, NoFactor,
                     BlockIlu0CudaGraphFactor<Scalar, n, Storage, float, vector_length>>
      m_narrow_factor;
};

template <class Scalar, int n, CudaExecutionSpace Exec, class Storage, int vector_length>
class BlockIlu0FastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  using Map = PencilMap<vector_length>;
  using Factors = BlockIlu0Factors<Storage, n, vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;

  using Pencil = BlockIlu0CudaPencil<Scalar, n, Storage, vector_length>;

  static Path choose(const Exec&, const Map& map) {
    return choose_cuda_path(map.grid(), n, sizeof(Storage), Pencil::suits());
  }
  static bool has(Path path) { return path != Path::staged; }

  BlockIlu0FastPath(const Exec& exec, const Map& map, Path path, int multiprocessors, int right_hand_sides) {
    auto const stream = exec.cuda_stream();
    require(path == Path::portable || cuda::current_device() == exec.cuda_device(),
            "BlockIlu0: the current CUDA device is not that of the execution space instance");
    switch (path) {
      case Path::pencil:
        require(Pencil::suits(),
                "BlockIlu0: path pencil needs a device, and kernels compiled for it, of compute capability 9.0");
        m_plan = std::make_shared<Pencil>(stream, map, multiprocessors, right_hand_sides);
        break;
      case Path::cuda_graph: m_plan = std::make_shared<Graph>(stream, map); break;
      case Path::thread_recycling: m_plan = std::make_shared<Recycling>(stream, map, multiprocessors); break;
      case Path::cooperative: m_plan = std::make_shared<Cooperative>(stream, map, multiprocessors); break;
      case Path::self_scheduled: m_plan = std::make_shared<SelfScheduled>(stream, map, multiprocessors); break;
      case Path::automatic:
      case Path::portable:
      case Path::staged: break;
    }
  }

  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a, const Factors& factors,
              const SingularPivotRecord<Exec>& singular) const {
    static_assert(sizeof(unsigned long long) == sizeof(*singular.word()));
    run(exec, "Hyperplane::BlockIlu0::factor", [&](auto& plan) {
      plan.factor(exec.cuda_stream(), a, factors, reinterpret_cast<unsigned long long*>(singular.word()));
    });
  }

  template <int count>
  void solve(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRefs<Vector, count>& rhs,
             const VectorRefs<Vector, count>& x) const {
    const char* const label = sweeps == Sweeps::both      ? "Hyperplane::BlockIlu0::solve"
                              : sweeps == Sweeps::forward ? "Hyperplane::BlockIlu0::solve::forward"
                                                          : "Hyperplane::BlockIlu0::solve::backward";
    run(exec, label, [&](auto& plan) { plan.solve(exec.cuda_stream(), sweeps, factors, rhs, x); });
  }

 private:
  using Graph = BlockIlu0CudaGraph<Scalar, n, Storage, vector_length>;
  using Recycling = BlockIlu0CudaPersistent<PlaneTurns::thread_recycling, Scalar, n, Storage, vector_length>;
  using Cooperative = BlockIlu0CudaPersistent<PlaneTurns::cooperative, Scalar, n, Storage, vector_length>;
  using SelfScheduled = BlockIlu0CudaPersistent<PlaneTurns::self_scheduled, Scalar, n, Storage, vector_length>;

  template <class Call>
  void run(const Exec& exec, const char* label, const Call& call) const {
    std::visit(
        [&](const auto& plan) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>) {
            cuda::labelled(exec, label, [&] { call(*plan); });
          }
        },
        m_plan);
  }

  // Copies of a BlockIlu0 share what the path has.
  std::variant<std::monostate, std::shared_ptr<Pencil>, std::shared_ptr<Graph>, std::shared_ptr<Recycling>,
               std::shared_ptr<Cooperative>, std::shared_ptr<SelfScheduled>>
      m_plan;
};

}  // namespace hyperplane::detail
