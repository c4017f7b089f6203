// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Counts what sweeps over `points` move with `count` vectors, under the labels that they have.
template <class Scalar, int n, class Factors>
void count_sweep_bytes(Sweeps sweeps, bool in_one_launch, double points, int count = 1, bool transposed = false) {
  auto const label = [&](Sweeps which) { return transposed ? transposed_label(which) : solve_label(which); };
  double const vectors = 2.0 * n * sizeof(Scalar) * points * count;
  double const lower = 1.0 * Factors::lower_entries * sizeof(typename Factors::Storage) * points;
  double const upper = 1.0 * Factors::upper_entries * sizeof(typename Factors::Storage) * points;
  if (sweeps == Sweeps::both && in_one_launch) {
    count_bytes(label(Sweeps::both), lower + upper + 2 * vectors);
    return;
  }
  if (sweeps != Sweeps::backward) {
    count_bytes(label(Sweeps::forward), (transposed ? upper : lower) + vectors);
  }
  if (sweeps != Sweeps::forward) {
    count_bytes(label(Sweeps::backward), (transposed ? lower : upper) + vectors);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
