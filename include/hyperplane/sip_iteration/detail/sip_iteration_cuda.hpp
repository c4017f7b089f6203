// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_cuda_plan.hpp>
#include <hyperplane/sip_iteration/detail/sip_iteration_portable.hpp>
#include <hyperplane/sip_iteration/sip_iteration_path.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On SipIterationPath::slab one kernel for all iterations, of coefficients without units.
template <class Scalar, CudaExecutionSpace Exec, class Storage>
  requires(!has_scales<Storage>)
class SipIterations<Scalar, Exec, Storage> {
  using Plan = SipIterationPlan<Scalar, Storage, BlockVector<Scalar, 1, Exec>::vector_length>;

 public:
  using Vector = BlockVector<Scalar, 1, Exec>;
  static constexpr int W = Vector::vector_length;
  using Factors = SipOrderedFactors<Storage, W>;
  using Matrix = BlockStencil7<Scalar, 1, Exec>;

  static SipIterationPath choose(const Exec&) {
    return Plan::lacking().empty() ? SipIterationPath::slab : SipIterationPath::portable;
  }
  static constexpr std::array<SipIterationPath, 2> paths{SipIterationPath::portable, SipIterationPath::slab};

  SipIterations(const Exec& exec, const SlabMap<W>& map, SipIterationPath path, bool alternate, int multiprocessors)
      : m_portable(exec, map), m_other(exec, map.grid(), "Hyperplane::SipIteration::correction") {
    if (path == SipIterationPath::portable) return;
    if (path != SipIterationPath::slab) fail(std::string("SipIteration: there is no plan for path ") + name(path));
    require(cuda::current_device() == exec.cuda_device(),
            "SipIteration: the current CUDA device is not that of the execution space instance");
    m_plan = std::make_shared<Plan>(exec.cuda_stream(), map, alternate, multiprocessors);
  }

  void operator()(const Exec& exec, const Factors (&factors)[2], const Matrix& a, const Vector& b, const Vector& x,
                  const Vector& r, int count) const {
    if (!m_plan) return m_portable(exec, factors, a, b, x, r, count);
    auto const streams = [](const Factors& f) {
      return typename Plan::Factors{f.m_lower.pack_data(0), f.m_upper.pack_data(0)};
    };
    cuda::labelled(exec, "Hyperplane::SipIteration::iterate", [&] {
      (*m_plan)(exec.cuda_stream(), streams(factors[0]), streams(factors[1]), a.flat().data(), b.flat().data(),
                x.flat().data(), r.flat().data(), {m_portable.correction().flat().data(), m_other.flat().data()},
                count);
    });
  }

 private:
  SipPlaneIterations<Scalar, Exec, Storage> m_portable;
  Vector m_other;
  // Copies of a SipIteration share it.
  std::shared_ptr<Plan> m_plan;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
