// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Calls `step(sweep, before, after)` for each sweep; `before` is null where the iterate before is zero. Iterates are
/// kept in `work` until the last, which goes to x: x may be the right-hand side, unless x has the first iterate.
template <class Vector, class Step>
void for_line_sweeps(int sweeps, bool from_zero, const Vector& work, const Vector& x, const Step& step) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    const Vector* const before = sweep > 0 ? &work : from_zero ? nullptr : &x;
    step(sweep, before, sweep + 1 == sweeps ? x : work);
  }
}

/// x = (1 - w) before + w z; without `before`, w z.
template <class Scalar>
struct LineImplicitRelax {
  Scalar m_w;
  const Scalar* m_z;
  const Scalar* m_before;
  Scalar* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    m_x[e] = m_before != nullptr ? m_before[e] + m_w * (m_z[e] - m_before[e]) : m_w * m_z[e];
  }
};

template <ExecutionSpace Exec, class Scalar>
void relax(const Exec& exec, Scalar w, std::int64_t count, const Scalar* z, const Scalar* before, Scalar* x) {
  launch("Hyperplane::LineImplicit::relax", LongIndexRange<Exec>(exec, 0, count), 3.0 * sizeof(Scalar),
         LineImplicitRelax<Scalar>{w, z, before, x});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
