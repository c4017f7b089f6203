// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/ilu/comparison/comparison_ilu0.hpp>
#include <hyperplane/ilu/comparison/persistent_factor_cuda.hpp>
#include <hyperplane/sweep/comparison/comparison_path.hpp>
#include <hyperplane/sweep/comparison/make_comparison_cuda.hpp>
#include <hyperplane/sweep/comparison/plane_turns_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <PlaneTurns turns, class Scalar, int n, class Exec, class Storage, int vector_length>
class CudaComparisonIlu0 final : public CudaComparisonSweeps<ComparisonIlu0<Scalar, n, Exec, Storage, vector_length>,
                                                             turns, Scalar, n, Exec, Storage, vector_length> {
  using Interface = ComparisonIlu0<Scalar, n, Exec, Storage, vector_length>;
  using Base = CudaComparisonSweeps<Interface, turns, Scalar, n, Exec, Storage, vector_length>;

 public:
  CudaComparisonIlu0(const Exec& exec, const Grid& grid, int multiprocessors)
      : Base(exec, grid, multiprocessors), m_factor(this->m_planes) {}

  void factor(const Exec& exec, const typename Interface::Matrix& a, const typename Interface::Factors& factors,
              const SingularPivotRecord<Exec>& singular) override {
    cuda::labelled(exec, "Hyperplane::BlockIlu0::factor", [&] {
      std::visit([&](const auto& ref) { m_factor(exec.cuda_stream(), this->m_planes, ref, factors, singular.word()); },
                 a);
    });
  }

 private:
  PersistentFactor<turns, Scalar, n, Storage, vector_length> m_factor;
};

template <class Scalar, int n, CudaExecutionSpace Exec, class Storage, int vector_length>
struct MakeComparison<ComparisonIlu0<Scalar, n, Exec, Storage, vector_length>, Exec> {
  using Interface = ComparisonIlu0<Scalar, n, Exec, Storage, vector_length>;
  template <PlaneTurns turns>
  using Plan = CudaComparisonIlu0<turns, Scalar, n, Exec, Storage, vector_length>;

  static std::shared_ptr<Interface> run(const Exec& exec, const Grid& grid, ComparisonPath path, int multiprocessors) {
    return make_cuda_comparison<Interface, Plan>(exec, grid, path, multiprocessors);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
