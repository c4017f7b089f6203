// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/captured_graph.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/device_array.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/swept/detail/swept_cuda_copy.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

/// A launch for each sub-step, captured once.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

#if defined(__CUDACC__)

template <int sub_step, class Problem>
__global__ void __launch_bounds__(256) swept_level(SweptUpdate<sub_step, Problem> update, std::int64_t points) {
  auto const i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= Problem::half_width && i < points - Problem::half_width) {
    update(i);
  } else if (i < points) {
    swept_update_at_end(update, points, i);
  }
}

/// The variant `cuda_graph`: a graph of some steps on lines of its own, to which the line is copied.
template <class Problem>
class SweptGraph {
 public:
  using Scalar = typename Problem::scalar_type;
  using Levels = SweptLevels<Problem>;
  static constexpr std::int64_t graph_steps = 64;

  SweptGraph(cudaStream_t stream, const Problem& problem, std::int64_t points)
      : m_problem(problem),
        m_points(points),
        m_values(stream, static_cast<std::size_t>(points) * Problem::components * Levels::rows) {
    for (int r = 0; r < Levels::rows; ++r)
      m_rows.m_rows[r] = {m_values.data() + r * Problem::components * points, points};
    m_graph = cuda::CapturedGraph([&](cudaStream_t capturing) { launch(capturing, graph_steps); });
    m_graph.upload(stream);
    // Whatever stream comes first, they are there.
    cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  void advance(cudaStream_t stream, const SweptRow<Problem>& u, std::int64_t steps) {
    swept_copy(stream, u, m_rows.m_rows[0], m_points);
    // All launches of the graph, its first one too, have the parameters that they were captured with.
    for (; steps >= graph_steps; steps -= graph_steps) {
      m_graph.launch(stream, swept_update<0>(m_problem, m_rows, 1), m_points);
    }
    launch(stream, steps);
    swept_copy(stream, m_rows.of_level(steps * Problem::sub_steps), u, m_points);
  }

 private:
  void launch(cudaStream_t stream, std::int64_t steps) const {
    constexpr int threads = 256;
    auto const blocks = static_cast<int>((m_points + threads - 1) / threads);
    for (std::int64_t level = 1; level <= steps * Problem::sub_steps; ++level) {
      with_sub_step<Problem::sub_steps>(static_cast<int>((level - 1) % Problem::sub_steps), [&](auto sub_step) {
        cuda::launch(stream, swept_level<sub_step.value, Problem>, blocks, threads, 0, cuda::Dependency::complete,
                     swept_update<sub_step.value>(m_problem, m_rows, level), m_points);
      });
    }
  }

  Problem m_problem;
  std::int64_t m_points;
  cuda::DeviceArray<Scalar> m_values;
  SweptRows<Problem> m_rows;
  cuda::CapturedGraph m_graph;
};

#endif

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
