// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/path.hpp>
#include <hyperplane/grid/hyperplane_map.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/sip/detail/sip_ordered_factors.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// A sweep of SIP at the points of a hyperplane, in an order of the grid: y = d^-1 (r - L y) forward, x = y - d^-1 U x
/// backward. One thread for each point.
template <Sweep sweep, class Scalar, class Storage, int W>
struct SipSweepPlane {
  HyperplaneMap m_planes;
  SipOrderedFactors<Storage, W> m_factors;
  BlockVectorRef<Scalar, 1, W> m_rhs;
  BlockVectorRef<Scalar, 1, W> m_x;
  int m_plane;

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    Point const p = m_factors.point(m_planes.point(m_plane, q));
    Scalar sum = m_rhs(p, 0);
    for (int d = 0; d < 3; ++d) {
      Point const other = neighbour(p, m_factors.direction(sweep_direction<sweep>(d)));
      if (m_planes.grid().contains(other)) sum -= static_cast<Scalar>(*coefficient(p, d)) * m_x(other, 0);
    }
    if constexpr (sweep == Sweep::forward) {
      sum = static_cast<Scalar>(*coefficient(p, static_cast<int>(LowerBlock::inverse))) * sum;
    }
    m_x(p, 0) = sum;
  }

 private:
  KOKKOS_FUNCTION const Storage* coefficient(const Point& p, int e) const {
    if constexpr (sweep == Sweep::forward) {
      return m_factors.lower(p, static_cast<LowerBlock>(e));
    } else {
      return m_factors.upper(p, static_cast<UpperBlock>(e));
    }
  }
};

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

  SipPlaneIterations(const Exec& exec, const PencilMap<W>& map)
      : m_correction(exec, map.grid(), "Hyperplane::SipIteration::correction") {}

  /// `count` iterations; leaves the residual in r. factors[0] is of even iterations, factors[1] of odd ones.
  void operator()(const Exec& exec, const Factors (&factors)[2], const Matrix& a, const Vector& b, const Vector& x,
                  const Vector& r, int count) const {
    residual(exec, a, b, x, r);
    for (int m = 0; m < count; ++m) {
      sweep<Sweep::forward>(exec, "Hyperplane::SipIteration::forward", factors[m % 2], r);
      sweep<Sweep::backward>(exec, "Hyperplane::SipIteration::backward", factors[m % 2], m_correction);
      residual(exec, a, r, m_correction, r);
      Kokkos::parallel_for("Hyperplane::SipIteration::update", Kokkos::RangePolicy<Exec>(exec, 0, x.flat().size()),
                           SipUpdate<Scalar>{m_correction.flat().data(), x.flat().data()});
    }
  }

  /// Working memory.
  const Vector& correction() const { return m_correction; }

 private:
  template <Sweep sweep_>
  void sweep(const Exec& exec, const char* label, const Factors& factors, const Vector& rhs) const {
    HyperplaneMap const planes(factors.m_map.grid());
    int const last = planes.plane_count() - 1;
    for (int p = 0; p <= last; ++p) {
      int const plane = sweep_ == Sweep::forward ? p : last - p;
      Kokkos::parallel_for(
          label, Kokkos::RangePolicy<Exec>(exec, 0, planes.plane_size(plane)),
          SipSweepPlane<sweep_, Scalar, Storage, W>{planes, factors, rhs.ref(), m_correction.ref(), plane});
    }
  }

  Vector m_correction;
};

/// What iterates, for an execution space: a specialization may have faster paths.
template <class Scalar, class Exec, class Storage>
class SipIterations : public SipPlaneIterations<Scalar, Exec, Storage> {
  using Base = SipPlaneIterations<Scalar, Exec, Storage>;

 public:
  static Path choose(const Exec&) { return Path::portable; }
  static bool has(Path path) { return path == Path::portable; }

  SipIterations(const Exec& exec, const PencilMap<Base::W>& map, Path, bool /*alternate*/, int /*multiprocessors*/)
      : Base(exec, map) {}
};

}  // namespace hyperplane::detail
