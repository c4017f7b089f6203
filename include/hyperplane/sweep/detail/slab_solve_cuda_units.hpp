// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a thread takes right-hand sides into the units of the stored factors with, and results out of them, so that all
/// in between is in these units: powers of two, see FactorScales. Nothing where factors have no units. Those of
/// unknowns it keeps; those of equations come with the factors of sweeps that take L.
template <class Layout, bool forward>
class CudaSlabUnits {
  using Equations = typename Layout::Equations;
  using Row = typename Layout::template Row<forward>;
  using Scalar = typename Layout::Scalar;
  static constexpr int W = Layout::W;
  static constexpr int n = Layout::n;
  static constexpr int lanes = Layout::lanes;
  static constexpr int rows_per_thread = Layout::rows_per_thread;
  static constexpr bool transposed = Layout::transposed;

 public:
  using Values = Scalar[rows_per_thread][lanes];
  static constexpr bool exist = Layout::Scales::exist;
  /// Whether these have those of equations.
  static constexpr bool rhs_of_equations = exist && forward && !transposed;
  static constexpr bool results_of_equations = exist && !forward && transposed;

  __device__ CudaSlabUnits(const Layout& layout, const Row& row) {
    if constexpr (exist) {
      auto const& scales = layout.m_factors.m_scales;
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r) {
        auto const unknown = static_cast<Scalar>(scales.unknown(row.rows[r]));
        auto const inverse = static_cast<Scalar>(scales.unknown_inverse(row.rows[r]));
        m_of_rhs[r] = transposed ? unknown : inverse;
        m_of_results[r] = transposed ? inverse : unknown;
      }
    }
  }

  /// The right-hand side of a step, which is pack `in_chunk` of `packs` in the stage.
  __device__ void enter(const Row& row, const std::byte* stage, int in_chunk, int packs, Values& rhs) const {
    if constexpr (exist) {
      Values units;
      load<rhs_of_equations>(row, m_of_rhs, stage, in_chunk, packs, units);
      multiply(units, rhs);
    }
  }
  /// What results of the step are multiplied by.
  __device__ void load_for_results(const Row& row, const std::byte* stage, int in_chunk, int packs,
                                   Values& units) const {
    load<results_of_equations>(row, m_of_results, stage, in_chunk, packs, units);
  }

 private:
  template <bool of_equations>
  __device__ static void load(const Row& row, const Scalar (&of_unknowns)[rows_per_thread], const std::byte* stage,
                              int in_chunk, int packs, Values& units) {
    [[maybe_unused]] auto const* const equations = reinterpret_cast<const BFloat16*>(stage + Layout::Stage::equations) +
                                                   Layout::pack_in_stage(in_chunk, packs) * (n * W) + row.stored_lane;
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
      if constexpr (of_equations) {
        auto const stored = *reinterpret_cast<const Equations*>(equations + row.rows[r] * W);
#pragma unroll
        for (int m = 0; m < lanes; ++m) units[r][m] = static_cast<Scalar>(stored.m_values[row.stored(m)]);
      } else {
#pragma unroll
        for (int m = 0; m < lanes; ++m) units[r][m] = of_unknowns[r];
      }
    }
  }
  __device__ static void multiply(const Values& units, Values& values) {
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r) {
#pragma unroll
      for (int m = 0; m < lanes; ++m) values[r][m] *= units[r][m];
    }
  }

  Scalar m_of_rhs[rows_per_thread];
  Scalar m_of_results[rows_per_thread];
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
