// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::perf {

using test::RandomSystem;

template <class System, class Scalar, int n, class Exec, class Storage>
struct FillRow {
  System m_system;
  Grid m_grid;
  typename BlockStencil7<Scalar, n, Exec, Storage>::Ref m_ref;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const p = m_grid.point(number);
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          m_ref(p, direction, r, c) = static_cast<Storage>(m_system.coefficient(p, direction, r, c));
        }
      }
    }
  }
};

/// Fills a stencil with the coefficients of a system (a RandomSystem, or what has its functions), rounded to its
/// storage type (which is exact for float too).
template <class System, class Scalar, int n, class Exec, class Storage>
void assemble(const Exec& exec, const System& system, const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  Kokkos::parallel_for("Hyperplane::perf::assemble", Kokkos::RangePolicy<Exec>(exec, 0, a.grid().size()),
                       FillRow<System, Scalar, n, Exec, Storage>{system, a.grid(), a.ref()});
}

template <class System, class Scalar, int n, class Exec>
struct FillRhs {
  System m_system;
  Grid m_grid;
  typename BlockVector<Scalar, n, Exec>::Ref m_ref;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const p = m_grid.point(number);
    for (int c = 0; c < n; ++c) m_ref(p, c) = static_cast<Scalar>(m_system.rhs(p, c));
  }
};

template <class System, class Scalar, int n, class Exec>
void assemble(const Exec& exec, const System& system, const BlockVector<Scalar, n, Exec>& b) {
  Kokkos::parallel_for("Hyperplane::perf::assemble", Kokkos::RangePolicy<Exec>(exec, 0, b.grid().size()),
                       FillRhs<System, Scalar, n, Exec>{system, b.grid(), b.ref()});
}

}  // namespace hyperplane::perf
