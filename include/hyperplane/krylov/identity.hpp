// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace hyperplane {

/// M = I: no preconditioning. One launch, a copy.
struct IdentityPreconditioner {
  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    auto const from = r.flat();
    auto const to = z.flat();
    Kokkos::parallel_for(
        "Hyperplane::IdentityPreconditioner::solve", Kokkos::RangePolicy<Exec>(exec, 0, from.size()),
        KOKKOS_LAMBDA(std::size_t e) { to(e) = from(e); });
  }
};

}  // namespace hyperplane
