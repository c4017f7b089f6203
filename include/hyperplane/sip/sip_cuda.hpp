// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/sip/detail/sip_coefficients_cuda.hpp>
#include <hyperplane/sip/sip_coefficients.hpp>
#include <hyperplane/stencil/matrix_storages.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// By slabs one kernel, with masked points two.
template <class Scalar, CudaExecutionSpace Exec, class Storage, int vector_length>
class SipCoefficients<Scalar, Exec, Storage, vector_length> {
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
    auto* const stream = exec.cuda_stream();
    auto const memory = std::make_shared<Memory>(stream, packets(map));
    m_plans = std::make_shared<Plans>([&]<class MatrixStorage>(std::type_identity<MatrixStorage>) {
      return Pair<MatrixStorage>{{stream, map, multiprocessors, memory}, {stream, map, multiprocessors, memory}};
    });
  }

  template <class MatrixStorage>
  void operator()(const Exec& exec, const BlockStencil7Ref<MatrixStorage, 1, vector_length>& a,
                  const TriangularFactors<Storage, 1, vector_length>& factors,
                  const SingularPivotRecord<Exec>& singular, Scalar alpha, const SipMask& mask) const {
    if (!m_plans) return sip_coefficients_portable(exec, a, factors, singular, alpha, mask);
    auto const run = [&](const auto& plan, const auto& work) {
      cuda::labelled(exec, "Hyperplane::Sip::factor",
                     [&] { plan(exec.cuda_stream(), m_entries * sizeof(MatrixStorage), work, work); });
    };
    auto const& [plain, masked] = m_plans->template get<MatrixStorage>();
    auto* const word = singular.word();
    if (mask.m_values == nullptr) return run(plain, Work<MatrixStorage, false>{a, factors, word, alpha});
    Kokkos::parallel_for("Hyperplane::Sip::mask",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.grid().size()),
                         SipUsedEntries<Storage, vector_length>{factors, mask});
    run(masked, Work<MatrixStorage, true>{a, factors, word, alpha});
  }

 private:
  /// Of matrices of one storage.
  template <class MatrixStorage>
  struct Pair {
    Plan<MatrixStorage, false> plain;
    Plan<MatrixStorage, true> masked;
  };
  using Plans = ForMatrixStorages<Scalar, Pair>;
  using Memory = PointRecursionMemory<Scalar>;

  /// Of the plan that needs most: no two of them run at the same time.
  static PointRecursionPackets packets(const SlabMap<vector_length>& map) {
    auto const of = [&]<class MatrixStorage>(std::type_identity<MatrixStorage>) {
      return most(Plan<MatrixStorage, false>::packets(map), Plan<MatrixStorage, true>::packets(map));
    };
    return most(of(std::type_identity<Scalar>{}), of(std::type_identity<float>{}));
  }

  // Copies of a Sip share them.
  std::shared_ptr<const Plans> m_plans;
  std::size_t m_entries;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
