// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_terms.hpp>
#include <hyperplane/ilu/detail/csr_sweep_units.hpp>

#include <cstdint>

/// A sweep over the rows of a BlockCsr on CUDA in a launch for each level: for wide levels, which fill the device.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Rows of a level.
struct CsrLevelRows {
  const int* m_rows;
  std::int64_t m_count;
};

/// The rows of a level as csr_sweep_kernel computes them, bit by bit, from values that are there. What does not depend
/// on other levels is loaded while the level before still runs.
template <class Sweep, class Scalar, int n, int vectors, class Blocks>
__global__ void __launch_bounds__(csr_sweep_threads)
    csr_level_kernel(CsrLevelRows rows, Blocks blocks, const Scalar* rhs, Scalar* y, int stride) {
  using Terms = CsrSweepTerms<Sweep, Scalar, n, vectors, Blocks, CsrKnownValue<Scalar>>;
  using Places = typename Terms::Places;
  constexpr bool with_diagonal = Sweep::diagonal == CsrSweepDiagonal::of_rest;
  CsrSweepUnits<Sweep::transposed, with_diagonal, Scalar, n, typename Blocks::Scales> const units{blocks.m_scales};
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const group = lane / n, r = lane % n, first = group * n;
  auto const warp = (std::int64_t{blockIdx.x} * csr_sweep_threads + threadIdx.x) / 32;
  auto const number = warp * csr_sweep_rows<n> + group;
  bool const active = group < csr_sweep_rows<n> && number < rows.m_count;
  std::int64_t const row = active ? rows.m_rows[number] : -1;
  auto at = active ? blocks.m_begin[row] : 0;
  auto const end = active ? blocks.m_end[row] : 0;
  Places places(blocks, at, end, r);
  const Scalar* const unknown = y + r * stride;
  Terms terms(blocks, places, unknown, n * stride, r, first);
  CsrSweepResult<Sweep, Scalar, n> const result_of(blocks, row, r);
  cuda::wait_for_kernel_before();

  Scalar right[vectors], sums[vectors];
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    right[v] = active ? units.given(row, r, rhs[(row * n + r) * stride + v]) : Scalar(0);
    sums[v] = Sweep::sums_products ? Scalar(0) : blocks.scaled(right[v]);
  }
  while (__any_sync(whole_warp, at < end)) {
    terms.load(places, first, [&](std::int64_t column, Scalar value) { return units.solved(column, r, value); });
    terms.add_to(sums, first);
    at += Terms::count;
    if (!__any_sync(whole_warp, at < end)) break;
    places = Places(blocks, at, end, r);
    terms = Terms(blocks, places, unknown, n * stride, r, first);
  }
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    Scalar const result = result_of.of(blocks, right[v], sums[v], first);
    if (active) y[(row * n + r) * stride + v] = units.result(row, r, result);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
