// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/sip/sip_ordered_factors.hpp>
#include <hyperplane/sip_iteration/sip_iteration_path.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar>
struct SipUpdate {
  const Scalar* m_correction;
  Scalar* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_x[e] += m_correction[e]; }
};

/// Iterations with a launch for each hyperplane and sweep.
template <class Scalar, class Exec, class Storage>
class SipPlaneIterations {
 public:
  using Vector = BlockVector<Scalar, 1, Exec>;
  static constexpr int W = Vector::vector_length;
  using Factors = SipOrderedFactors<Storage, W>;
  using Matrix = BlockStencil7<Scalar, 1, Exec>;

  SipPlaneIterations(const Exec& exec, const SlabMap<W>& map)
      : m_correction(exec, map.grid(), "Hyperplane::SipIteration::correction") {}

  /// `count` iterations; leaves the residual in r. factors[0] is of even iterations, factors[1] of odd ones.
  void operator()(const Exec& exec, const Factors (&factors)[2], const Matrix& a, const Vector& b, const Vector& x,
                  const Vector& r, int count) const {
    residual(exec, a, b, x, r);
    for (int m = 0; m < count; ++m) {
      sweep<Sweep::forward>(exec, "Hyperplane::SipIteration::forward", factors[m % 2], r);
      sweep<Sweep::backward>(exec, "Hyperplane::SipIteration::backward", factors[m % 2], m_correction);
      residual(exec, a, r, m_correction, r);
      launch("Hyperplane::SipIteration::update", IndexRange<Exec>(exec, 0, x.flat().size()), 3.0 * sizeof(Scalar),
             SipUpdate<Scalar>{m_correction.flat().data(), x.flat().data()});
    }
  }

  /// Working memory.
  const Vector& correction() const { return m_correction; }

 private:
  template <Sweep sweep_>
  void sweep(const Exec& exec, const char* label, const Factors& factors, const Vector& rhs) const {
    VectorRefs<BlockVectorRef<Scalar, 1, W>, 1> const from{{rhs.ref()}};
    VectorRefs<BlockVectorRef<Scalar, 1, W>, 1> const to{{m_correction.ref()}};
    portable_sweep<sweep_>(exec, label, factors, from, to);
  }

  Vector m_correction;
};

/// What iterates, for an execution space: a specialization may have faster paths.
template <class Scalar, class Exec, class Storage>
class SipIterations : public SipPlaneIterations<Scalar, Exec, Storage> {
  using Base = SipPlaneIterations<Scalar, Exec, Storage>;

 public:
  static SipIterationPath choose(const Exec&) { return SipIterationPath::portable; }
  static constexpr std::array<SipIterationPath, 1> paths{SipIterationPath::portable};

  SipIterations(const Exec& exec, const SlabMap<Base::W>& map, SipIterationPath, bool /*alternate*/,
                int /*multiprocessors*/)
      : Base(exec, map) {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
