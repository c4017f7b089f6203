// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/stencil/convert.hpp>

#include "support/several_vectors.hpp"
#include "support/transfer.hpp"
#include "support/views.hpp"

/// BlockVectors of tests, and what is in them.
namespace hyperplane::test::simultaneous_grids {

template <int n, int count, class Exec>
BlockVectors<double, n, count, Exec> on_grid(const Exec& exec, const Grid& grid, const HostVectors& values) {
  BlockVectors<double, n, count, Exec> const result(exec, grid);
  for (int j = 0; j < count; ++j) pack(exec, to_view<double>(exec, values[static_cast<std::size_t>(j)]), result[j]);
  exec.fence();
  return result;
}

/// Points alone: what is in the padding is not the same for all kernels.
template <class Exec, class Vector>
::testing::AssertionResult same_values(const Exec& exec, const Vector& found, const Vector& single, double tolerance) {
  return same_as_single<Exec>(to_host(exec, found), to_host(exec, single), tolerance);
}

}  // namespace hyperplane::test::simultaneous_grids
