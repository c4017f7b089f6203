// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/check_grid.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// TriangularSweeps::fill() of several plans by `compute()`, from a matrix for each. Where one of these is of another
/// grid, no plan forgets its factors. A plan has none until compute() has come to its last slabs: `is_last(g)`.
template <class Exec, class SweepsOf, class MatrixOf, class Compute, class IsLast>
void fill_all(const Exec& exec, const char* function, int count, const SweepsOf& sweeps_of, const MatrixOf& matrix_of,
              const Compute& compute, const IsLast& is_last) {
  for (int g = 0; g < count; ++g) check_grid(function, "A", matrix_of(g).grid(), sweeps_of(g).grid());
  for (int g = 0; g < count; ++g) sweeps_of(g).reset();
  compute();
  for (int g = 0; g < count; ++g) {
    if (is_last(g)) sweeps_of(g).fill(exec, [](const auto&, const auto&) {});
  }
}
template <class Exec, class SweepsOf, class MatrixOf, class Compute>
void fill_all(const Exec& exec, const char* function, int count, const SweepsOf& sweeps_of, const MatrixOf& matrix_of,
              const Compute& compute) {
  fill_all(exec, function, count, sweeps_of, matrix_of, compute, [](int) { return true; });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
