// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/problem.hpp>

#include <cuda_runtime.h>

#include <cstdint>

/// A tile in registers: every lane of its warps has `points` neighbouring points, and gets those beyond them from its
/// neighbours with shuffles.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

inline constexpr int warp_lanes = 32;
inline constexpr unsigned int all_lanes = 0xffffffffu;

/// Whether a lane's first point is the first of the line, and its last one the last.
struct SweptLaneEnds {
  bool m_left;
  bool m_right;
};

/// States beside a lane's points.
template <class Problem>
struct SweptHalo {
  SweptPointState<Problem> m_left[Problem::half_width];
  SweptPointState<Problem> m_right[Problem::half_width];
};

template <class Problem>
__device__ inline SweptPointState<Problem> shuffle_up(const SweptPointState<Problem>& state) {
  SweptPointState<Problem> result;
#pragma unroll
  for (int c = 0; c < Problem::components; ++c) result[c] = __shfl_up_sync(all_lanes, state[c], 1);
  return result;
}
template <class Problem>
__device__ inline SweptPointState<Problem> shuffle_down(const SweptPointState<Problem>& state) {
  SweptPointState<Problem> result;
#pragma unroll
  for (int c = 0; c < Problem::components; ++c) result[c] = __shfl_down_sync(all_lanes, state[c], 1);
  return result;
}

/// What is beside the points of this lane in a warp; garbage at the warp's ends.
template <class Problem, int points>
__device__ SweptHalo<Problem> halo_of_warp(const SweptPointState<Problem> (&u)[points]) {
  constexpr int width = Problem::half_width;
  static_assert(points >= width, "a lane's halo is its neighbours' points");
  SweptHalo<Problem> halo;
#pragma unroll
  for (int j = 0; j < width; ++j) {
    halo.m_left[j] = shuffle_up<Problem>(u[points - width + j]);
    halo.m_right[j] = shuffle_down<Problem>(u[j]);
  }
  return halo;
}

/// Puts what the boundary says beside the lanes at the ends of the line.
template <class Problem, int points>
__device__ void apply_ends(const Problem& problem, const SweptPointState<Problem> (&u)[points],
                           const SweptLaneEnds& ends, SweptHalo<Problem>& halo) {
  constexpr int width = Problem::half_width;
  if constexpr (Problem::boundary == SweptBoundary::fixed) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      if (ends.m_left) halo.m_left[j] = problem.outside(SweptEnd::left);
      if (ends.m_right) halo.m_right[j] = problem.outside(SweptEnd::right);
    }
  } else if constexpr (Problem::boundary == SweptBoundary::insulated) {
    static_assert(points > width, "the mirror image of a lane's halo is in the lane");
#pragma unroll
    for (int j = 0; j < width; ++j) {
      if (ends.m_left) halo.m_left[j] = u[width - j];
      if (ends.m_right) halo.m_right[j] = u[points - 2 - j];
    }
  }
}

/// The points and what is beside them, side by side.
template <class Problem, int points>
struct SweptWindow {
  static constexpr int width = Problem::half_width;
  SweptPointState<Problem> m_u[points + 2 * width];

  __device__ SweptWindow(const SweptPointState<Problem> (&u)[points], const SweptHalo<Problem>& halo) {
#pragma unroll
    for (int j = 0; j < width; ++j) {
      m_u[j] = halo.m_left[j];
      m_u[width + points + j] = halo.m_right[j];
    }
#pragma unroll
    for (int k = 0; k < points; ++k) m_u[width + k] = u[k];
  }
  /// Point k; its neighbours are beside it.
  __device__ const SweptPointState<Problem>* at(int k) const { return m_u + width + k; }
};

/// Values of a warp's tile between memory, where lanes read side by side, and lanes that have neighbouring points each.
/// `staging` is warp_lanes * (points + 1) values of shared memory: the odd stride avoids bank conflicts.
template <int points>
struct SweptStaging {
  static constexpr int size = warp_lanes * (points + 1);

  template <class Scalar, class Load>
  __device__ static void read(Scalar* staging, const Load& load, Scalar (&values)[points]) {
    int const lane = threadIdx.x % warp_lanes;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < points; ++k) {
      int const i = k * warp_lanes + lane;
      staging[i + i / points] = load(i);
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < points; ++k) values[k] = staging[lane * (points + 1) + k];
  }

  template <class Scalar, class Store>
  __device__ static void write(Scalar* staging, const Scalar (&values)[points], const Store& store) {
    int const lane = threadIdx.x % warp_lanes;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < points; ++k) staging[lane * (points + 1) + k] = values[k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < points; ++k) {
      int const i = k * warp_lanes + lane;
      store(i, staging[i + i / points]);
    }
  }
};

/// Reads component by component; load(row, i) is value i of the warp's tile in a row of one component.
template <class Problem, int points, class Position>
__device__ void read_states(typename Problem::scalar_type* staging, const SweptRow<Problem>& row,
                            const Position& position, SweptPointState<Problem> (&u)[points]) {
  using Scalar = typename Problem::scalar_type;
#pragma unroll
  for (int c = 0; c < Problem::components; ++c) {
    Scalar values[points];
    const Scalar* const from = row.m_data + c * row.m_stride;
    SweptStaging<points>::read(
        staging,
        [&](int i) {
          auto const at = position(i);
          return at >= 0 ? from[at] : Scalar(1);
        },
        values);
#pragma unroll
    for (int k = 0; k < points; ++k) u[k][c] = values[k];
  }
}

/// Writes those values whose position is not negative.
template <class Problem, int points, class Position>
__device__ void write_states(typename Problem::scalar_type* staging, const SweptPointState<Problem> (&u)[points],
                             const Position& position, const SweptRow<Problem>& row) {
  using Scalar = typename Problem::scalar_type;
#pragma unroll
  for (int c = 0; c < Problem::components; ++c) {
    Scalar values[points];
#pragma unroll
    for (int k = 0; k < points; ++k) values[k] = u[k][c];
    Scalar* const to = row.m_data + c * row.m_stride;
    SweptStaging<points>::write(staging, values, [&](int i, Scalar value) {
      auto const at = position(i);
      if (at >= 0) to[at] = value;
    });
  }
}

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
