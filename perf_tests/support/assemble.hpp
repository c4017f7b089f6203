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

/// Fills a stencil with the coefficients of a system (a RandomSystem, or what has its functions), rounded to its
/// storage type (which is exact for float too).
template <class System, class Scalar, int n, class Exec, class Storage>
void assemble(const Exec& exec, const System& system, const BlockStencil7<Scalar, n, Exec, Storage>& a) {
  auto const ref = a.ref();
  auto const grid = a.grid();
  Kokkos::parallel_for(
      "Hyperplane::perf::assemble", Kokkos::RangePolicy<Exec>(exec, 0, grid.size()),
      KOKKOS_LAMBDA(std::int64_t number) {
        auto const p = grid.point(number);
        for (int d = 0; d < stencil7_size; ++d) {
          auto const direction = static_cast<Direction>(d);
          for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) {
              ref(p, direction, r, c) = static_cast<Storage>(system.coefficient(p, direction, r, c));
            }
          }
        }
      });
}

template <class System, class Scalar, int n, class Exec>
void assemble(const Exec& exec, const System& system, const BlockVector<Scalar, n, Exec>& b) {
  auto const ref = b.ref();
  auto const grid = b.grid();
  Kokkos::parallel_for(
      "Hyperplane::perf::assemble", Kokkos::RangePolicy<Exec>(exec, 0, grid.size()),
      KOKKOS_LAMBDA(std::int64_t number) {
        auto const p = grid.point(number);
        for (int c = 0; c < n; ++c) ref(p, c) = static_cast<Scalar>(system.rhs(p, c));
      });
}

}  // namespace hyperplane::perf
