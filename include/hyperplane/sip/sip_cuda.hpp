// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/sip/detail/sip_coefficients_cuda.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// By slabs one kernel, with masked points two.
template <class Scalar, CudaExecutionSpace Exec, class Storage, int vector_length, SipMatrices matrices>
class SipCoefficients<Scalar, Exec, Storage, vector_length, matrices> {
  template <class MatrixStorage, bool masked>
  using Work = CudaSipCoefficients<Scalar, Storage, MatrixStorage, vector_length, masked>;
  template <class MatrixStorage, bool masked>
  using Plan = PointRecursionPlan<PointRecursionLaunch<PointRecursion<Scalar, vector_length, sip_upper>,
                                                       Work<MatrixStorage, masked>, Work<MatrixStorage, masked>>>;

 public:
  SipCoefficients(const Exec& exec, const SlabMap<vector_length>& map, bool by_slabs, int multiprocessors)
      : m_entries(as_size(map.pack_count()) * vector_length * stencil7_size) {
    if (!by_slabs) return;
    if (auto const missing = Plan<Scalar, false>::lacking(); !missing.empty())
      fail("Sip and SipIteration: path slab " + missing);
    m_plans = make_plans(exec.cuda_stream(), map, multiprocessors, std::type_identity<Plans>{});
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const TriangularFactors<Storage, 1, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) const {
    if (!m_plans) return sip_coefficients_portable(exec, a, factors, singular, alpha, mask);
    auto const run = [&]<bool masked>(std::bool_constant<masked>) {
      auto const& plan = std::get<Plan<MatrixStorage, masked>>(*m_plans);
      Work<MatrixStorage, masked> const work{a, factors, singular.word(), alpha};
      cuda::labelled(exec, "Hyperplane::Sip::factor",
                     [&] { plan(exec.cuda_stream(), m_entries * sizeof(MatrixStorage), work, work); });
    };
    if constexpr (matrices == SipMatrices::any) {
      if (mask.m_values != nullptr) {
        Kokkos::parallel_for("Hyperplane::Sip::mask",
                             Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.grid().size()),
                             SipUsedEntries<Storage, vector_length>{factors, mask});
        return run(std::true_type{});
      }
    }
    run(std::false_type{});
  }

 private:
  using InScalar = std::tuple<Plan<Scalar, false>, Plan<Scalar, true>>;
  using InBoth = std::tuple<Plan<Scalar, false>, Plan<Scalar, true>, Plan<float, false>, Plan<float, true>>;
  using Plans = std::conditional_t<matrices == SipMatrices::unmasked_in_scalar, std::tuple<Plan<Scalar, false>>,
                                   std::conditional_t<std::is_same_v<Scalar, float>, InScalar, InBoth>>;

  template <class... Each>
  static std::shared_ptr<const Plans> make_plans(cudaStream_t stream, const SlabMap<vector_length>& map,
                                                 int multiprocessors, std::type_identity<std::tuple<Each...>>) {
    // Packets of the plan that needs most: no two of them run at the same time.
    PointRecursionPackets packets{0, 0};
    ((packets = most(packets, Each::packets(map))), ...);
    auto const memory = std::make_shared<PointRecursionMemory<Scalar>>(stream, packets);
    return std::make_shared<const Plans>(Each(stream, map, multiprocessors, memory)...);
  }

  // Copies of a Sip share them.
  std::shared_ptr<const Plans> m_plans;
  std::size_t m_entries;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
