// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/swept/problem.hpp>

#include <cstdint>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of a point and step; a guess where the problem does not say.
template <class Problem>
constexpr int swept_operations() {
  if constexpr (requires { Problem::operations; }) return Problem::operations;
  return 10 * Problem::components * Problem::sub_steps;
}

/// The rows that the levels (sub-steps) of a problem live in. Levels after whole time steps are in row 0, except that
/// problems of one sub-step alternate between rows 0 and 1; levels between are in the other rows in turn. So a new
/// level overwrites neither the level before nor the beginning of the time step, which are all that it is computed
/// from.
template <class Problem>
struct SweptLevels {
  static constexpr int sub_steps = Problem::sub_steps;
  static constexpr int rows = sub_steps <= 2 ? 2 : 3;

  HYPERPLANE_FUNCTION static constexpr int row(std::int64_t level) {
    if constexpr (sub_steps == 1) return static_cast<int>(level % 2);
    int const sub_level = static_cast<int>(level % sub_steps);
    return sub_level == 0 ? 0 : 1 + (sub_level - 1) % 2;
  }
};

/// Calls f(std::integral_constant<int, sub_step>) for the sub-step that computes the level from the one before. f may
/// be a function of the host alone where the caller is.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <int sub_steps, int first = 0, class F>
HYPERPLANE_FUNCTION void with_sub_step(int sub_step, const F& f) {
  if constexpr (first + 1 < sub_steps) {
    if (sub_step != first) return with_sub_step<sub_steps, first + 1>(sub_step, f);
  }
  f(std::integral_constant<int, first>{});
}

/// A row: component c of point i is m_data[c * m_stride + i].
template <class Problem>
struct SweptRow {
  using Scalar = typename Problem::scalar_type;
  using State = SweptPointState<Problem>;
  Scalar* m_data;
  std::int64_t m_stride;

  HYPERPLANE_FORCEINLINE_FUNCTION State load(std::int64_t i) const {
    return load(i, std::make_index_sequence<components>{});
  }
  HYPERPLANE_FORCEINLINE_FUNCTION void store(std::int64_t i, const State& state) const {
    for (int c = 0; c < Problem::components; ++c) m_data[c * m_stride + i] = state[c];
  }

 private:
  static constexpr std::size_t components = Problem::components;
  // Without loops, so that compilers keep states in registers and vectorize the loop over points.
  template <std::size_t... c>
  HYPERPLANE_FORCEINLINE_FUNCTION State load(std::int64_t i, std::index_sequence<c...>) const {
    return {m_data[static_cast<std::int64_t>(c) * m_stride + i]...};
  }
};

template <class Problem>
struct SweptRows {
  SweptRow<Problem> m_rows[SweptLevels<Problem>::rows];

  HYPERPLANE_FUNCTION const SweptRow<Problem>& of_level(std::int64_t level) const {
    return m_rows[SweptLevels<Problem>::row(level)];
  }
};

/// Computes point i of a row from the row of the level before and the row of the beginning of the time step; all of the
/// stencil is there.
template <int sub_step, class Problem>
struct SweptUpdate {
  static constexpr int window = 2 * Problem::half_width + 1;
  using State = SweptPointState<Problem>;
  Problem m_problem;
  SweptRow<Problem> m_before, m_start, m_after;

  HYPERPLANE_FORCEINLINE_FUNCTION void operator()(std::int64_t i) const {
    apply(i, std::make_index_sequence<std::size_t{window}>{});
  }

 private:
  template <std::size_t... k>
  HYPERPLANE_FORCEINLINE_FUNCTION void apply(std::int64_t i, std::index_sequence<k...>) const {
    State const u[std::size_t{window}] = {m_before.load(i + static_cast<std::int64_t>(k) - Problem::half_width)...};
    const State* const centre = u + Problem::half_width;
    m_after.store(i, m_problem.template step<sub_step>(centre, sub_step == 0 ? *centre : m_start.load(i)));
  }
};

template <int sub_step, class Problem>
HYPERPLANE_FUNCTION SweptUpdate<sub_step, Problem> swept_update(const Problem& problem, const SweptRows<Problem>& rows,
                                                                std::int64_t level) {
  return {problem, rows.of_level(level - 1), rows.m_rows[0], rows.of_level(level)};
}

/// The state at any place, from a row of the points 0 to points - 1 and the boundary.
template <class Problem>
HYPERPLANE_FUNCTION SweptPointState<Problem> swept_state_at(const Problem& problem, const SweptRow<Problem>& row,
                                                            std::int64_t points, std::int64_t i) {
  if (i >= 0 && i < points) return row.load(i);
  if constexpr (Problem::boundary == SweptBoundary::fixed) {
    return problem.outside(i < 0 ? SweptEnd::left : SweptEnd::right);
  } else if constexpr (Problem::boundary == SweptBoundary::periodic) {
    auto const rest = i % points;
    return row.load(rest < 0 ? rest + points : rest);
  } else {
    // Short lines are reflected at both ends in turn: a ring of 2 (N - 1) points.
    if (points == 1) return row.load(0);
    auto const ring = 2 * (points - 1);
    auto const rest = (i % ring + ring) % ring;
    return row.load(rest < points ? rest : ring - rest);
  }
}

/// The same as SweptUpdate where some of the stencil may be beyond the ends of the row.
template <int sub_step, class Problem>
HYPERPLANE_FUNCTION void swept_update_at_end(const SweptUpdate<sub_step, Problem>& update, std::int64_t points,
                                             std::int64_t i) {
  SweptPointState<Problem> u[2 * Problem::half_width + 1];
  for (int k = -Problem::half_width; k <= Problem::half_width; ++k) {
    u[k + Problem::half_width] = swept_state_at(update.m_problem, update.m_before, points, i + k);
  }
  const auto* const centre = u + Problem::half_width;
  update.m_after.store(
      i, update.m_problem.template step<sub_step>(centre, sub_step == 0 ? *centre : update.m_start.load(i)));
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
