// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/factor_status.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/sip/detail/sip_coefficients.hpp>
#include <hyperplane/sip/detail/sip_coefficients_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace hyperplane::detail {

/// On Path::pencil one kernel, where the matrix is stored in Scalar.
template <class Scalar, CudaExecutionSpace Exec, class Storage, int vector_length>
class SipCoefficients<Scalar, Exec, Storage, vector_length> {
  using Work = CudaSipCoefficients<Scalar, Storage, Scalar, vector_length>;
  using Plan = PointRecursionPlan<PointRecursionLaunch<PointRecursion<Scalar, vector_length, sip_upper>, Work, Work>>;

 public:
  SipCoefficients(const Exec& exec, const PencilMap<vector_length>& map, Path path, int multiprocessors)
      : m_bytes(static_cast<std::size_t>(map.pack_count()) * vector_length * stencil7_size * sizeof(Scalar)) {
    if (path == Path::pencil) m_plan = std::make_shared<Plan>(exec.cuda_stream(), map, multiprocessors);
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const BlockIlu0Factors<Storage, 1, vector_length>& factors, const SingularPivotRecord<Exec>& singular,
                  Scalar alpha) const {
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) {
      if (m_plan) {
        Work const work{a, factors, reinterpret_cast<unsigned long long*>(singular.word()), alpha};
        return cuda::labelled(exec, "Hyperplane::Sip::factor",
                              [&] { (*m_plan)(exec.cuda_stream(), work, work, m_bytes); });
      }
    }
    sip_coefficients_portable(exec, a, factors, singular, alpha);
  }

 private:
  // Copies of a Sip share it.
  std::shared_ptr<Plan> m_plan;
  std::size_t m_bytes;
};

}  // namespace hyperplane::detail
