// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/sip/detail/sip_coefficients_cuda.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// By slabs one kernel, where the matrix is stored in Scalar; with masked points two.
template <class Scalar, CudaExecutionSpace Exec, class Storage, int vector_length>
class SipCoefficients<Scalar, Exec, Storage, vector_length> {
  template <bool masked>
  using Work = CudaSipCoefficients<Scalar, Storage, Scalar, vector_length, masked>;
  template <bool masked>
  using Plan = PointRecursionPlan<
      PointRecursionLaunch<PointRecursion<Scalar, vector_length, sip_upper>, Work<masked>, Work<masked>>>;

 public:
  SipCoefficients(const Exec& exec, const SlabMap<vector_length>& map, bool by_slabs, int multiprocessors)
      : m_bytes(static_cast<std::size_t>(map.pack_count()) * vector_length * stencil7_size * sizeof(Scalar)) {
    if (!by_slabs) return;
    if (auto const missing = Plan<false>::lacking(); !missing.empty())
      fail("Sip and SipIteration: path slab " + missing);
    m_plans = std::make_shared<Plans>(exec.cuda_stream(), map, multiprocessors);
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const TriangularFactors<Storage, 1, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) const {
    if constexpr (std::is_same_v<MatrixStorage, Scalar>) {
      if (m_plans) {
        auto const run = [&](const auto& plan, const auto& work) {
          cuda::labelled(exec, "Hyperplane::Sip::factor", [&] { plan(exec.cuda_stream(), m_bytes, work, work); });
        };
        auto* const word = singular.word();
        if (mask.m_values == nullptr) return run(m_plans->m_plain, Work<false>{a, factors, word, alpha});
        Kokkos::parallel_for("Hyperplane::Sip::mask",
                             Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.grid().size()),
                             SipUsedEntries<Storage, vector_length>{factors, mask});
        return run(m_plans->m_masked, Work<true>{a, factors, word, alpha});
      }
    }
    sip_coefficients_portable(exec, a, factors, singular, alpha, mask);
  }

 private:
  struct Plans {
    Plans(cudaStream_t stream, const SlabMap<vector_length>& map, int multiprocessors)
        : m_memory(std::make_shared<PointRecursionMemory<Scalar>>(
              stream, most(Plan<false>::packets(map), Plan<true>::packets(map)))),
          m_plain(stream, map, multiprocessors, m_memory),
          m_masked(stream, map, multiprocessors, m_memory) {}

    std::shared_ptr<PointRecursionMemory<Scalar>> m_memory;
    Plan<false> m_plain;
    Plan<true> m_masked;
  };

  // Copies of a Sip share them.
  std::shared_ptr<Plans> m_plans;
  std::size_t m_bytes;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
