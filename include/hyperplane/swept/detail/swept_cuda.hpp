// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/swept/detail/swept_cuda_graph.hpp>
#include <hyperplane/swept/detail/swept_cuda_plan.hpp>
#include <hyperplane/swept/detail/swept_cuda_registers.hpp>
#include <hyperplane/swept/detail/swept_fast_path.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace hyperplane::detail {

template <class Problem, CudaExecutionSpace Exec>
class SweptFastPath<Problem, Exec> {
 public:
  static SweptVariant choose(std::int64_t points, std::int64_t tile_points) {
    if (!swept_has_packets()) return SweptVariant::shared;
    // `resident` is nowhere faster.
    auto const shape = choose_swept_shape<Problem>(points, SweptVariant::tiles, tile_points);
    return shape.possible() ? SweptVariant::tiles : SweptVariant::shared;
  }
  static bool has(SweptVariant) { return true; }

  SweptFastPath(const Exec& exec, const Problem& problem, std::int64_t points, SweptVariant variant,
                std::int64_t tile_points)
      : m_problem(problem),
        m_points(points),
        m_variant(variant),
        m_tiling(points, register_tile - 1, Problem::half_width, periodic) {
    require(cuda::current_device() == exec.cuda_device(),
            "SweptRule: the current CUDA device is not that of the execution space instance");
    auto const stream = exec.cuda_stream();
    if (variant == SweptVariant::cuda_graph) {
      m_graph = std::make_shared<SweptGraph<Problem>>(stream, problem, points);
    } else if (variant == SweptVariant::registers) {
      if (m_tiling.is_whole() || m_tiling.largest() > register_tile) {
        fail("SweptRule: " + std::to_string(points) + " points are too few for two tiles of the variant registers");
      }
    } else if (variant == SweptVariant::tiles || variant == SweptVariant::resident) {
      require(swept_has_packets(), std::string("SweptRule: variant ") + name(variant) +
                                       " needs a device, and kernels compiled for it, of compute capability 9.0");
      m_tiles = std::make_shared<SweptTilePlan<Problem>>(stream, problem, points, variant, tile_points);
    }
  }

  void advance(const Exec& exec, const SweptRows<Problem>& rows, std::int64_t levels) {
    auto const steps = levels / Problem::sub_steps;
    if (steps == 0) return;
    auto const stream = exec.cuda_stream();
    cuda::labelled(exec, std::string("Hyperplane::SweptRule::") + name(m_variant), [&] {
      if (m_graph) {
        m_graph->advance(stream, rows.m_rows[0], steps);
      } else if (m_tiles) {
        m_tiles->advance(stream, rows, steps);
      } else {
        swept_registers_advance<Problem, register_points>(stream, m_problem, rows, m_tiling, m_points, levels);
        if (SweptLevels<Problem>::row(levels) != 0) {
          swept_copy(stream, rows.m_rows[1], rows.m_rows[0], m_points);
        }
      }
    });
  }

 private:
  static constexpr bool periodic = Problem::boundary == SweptBoundary::periodic;
  /// Of a lane: both rows have about half of its registers.
  static constexpr int register_points =
      std::max(Problem::half_width + 1, 16 / (Problem::components * SweptLevels<Problem>::rows));
  static constexpr std::int64_t register_tile = SweptRegisterDiamond<Problem, register_points>::tile_points;

  Problem m_problem;
  std::int64_t m_points;
  SweptVariant m_variant;
  SweptTiling m_tiling;
  // Copies of a SweptRule share what the variant has.
  std::shared_ptr<SweptGraph<Problem>> m_graph;
  std::shared_ptr<SweptTilePlan<Problem>> m_tiles;
};

}  // namespace hyperplane::detail
