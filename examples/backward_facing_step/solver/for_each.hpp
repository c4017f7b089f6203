// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace backward_facing_step {

/// A value for each cell or for each face of one direction.
template <hyperplane::ExecutionSpace Exec>
using Field = hyperplane::BlockVector<double, 1, Exec>;

template <class F>
struct CallAtPoint {
  hyperplane::Grid grid;
  F f;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const p = grid.point(number);
    f(p.i, p.j);
  }
};

/// Calls f(i, j) for every point of a grid of one layer in one kernel, on the given instance.
template <hyperplane::ExecutionSpace Exec, class F>
void for_each_point(const Exec& exec, const std::string& label, const hyperplane::Grid& grid, const F& f) {
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, grid.size()), CallAtPoint<F>{grid, f});
}

struct SumMagnitudes {
  const double* values;

  KOKKOS_FUNCTION void operator()(std::size_t index, double& partial) const { partial += Kokkos::abs(values[index]); }
};

/// Sum of the magnitudes of all values. Waits for the instance.
template <hyperplane::ExecutionSpace Exec>
double one_norm(const Exec& exec, const Field<Exec>& field) {
  auto const values = field.flat();
  double sum = 0;
  Kokkos::parallel_reduce("backward_facing_step::one_norm", Kokkos::RangePolicy<Exec>(exec, 0, values.size()),
                          SumMagnitudes{values.data()}, sum);
  return sum;
}

}  // namespace backward_facing_step
