// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/swept/detail/swept_cuda_graph.hpp>
#include <hyperplane/swept/detail/swept_cuda_hybrid.hpp>
#include <hyperplane/swept/detail/swept_cuda_plan.hpp>
#include <hyperplane/swept/detail/swept_cuda_registers.hpp>
#include <hyperplane/swept/detail/swept_fast_path.hpp>
#include <hyperplane/swept/detail/swept_phase.hpp>
#include <hyperplane/swept/detail/swept_portable.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The variant `hybrid`: `shared`, but that the host computes the split tile of every second phase meanwhile.
template <class Problem, CudaExecutionSpace Exec>
class SweptHybrid {
 public:
  SweptHybrid(const Exec& exec, const Problem& problem, std::int64_t points, std::int64_t tile_points)
      : m_problem(problem),
        m_points(points),
        m_shared(exec, points, tile_points),
        m_host(problem, m_shared.tiling(), points) {}

  void advance(const Exec& exec, const SweptRows<Problem>& rows, std::int64_t levels) {
    auto const& tiling = m_shared.tiling();
    auto const stream = exec.cuda_stream();
    for (std::int64_t number = 0; number < tiling.phases(levels); ++number) {
      SweptPhase<Problem> const phase{m_problem, rows, tiling, m_points, number, levels};
      // Cuts of the second family, the ends of the line among them, are in the middle of these phases' tiles.
      bool const split = number % 2 == 1;
      if (split) m_host.begin(stream, phase);
      auto const first = split ? 1 : 0;
      m_shared.launch(label, exec, phase, first, tiling.tiles(number) - (split ? m_host.tiles : 0));
      if (split) m_host.end(stream);
    }
    if (SweptLevels<Problem>::row(levels) != 0) swept_copy(stream, rows.m_rows[1], rows.m_rows[0], m_points);
  }

 private:
  static constexpr const char* label = "Hyperplane::SweptRule::hybrid";

  Problem m_problem;
  std::int64_t m_points;
  SweptShared<Problem, Exec> m_shared;
  SweptHostPart<Problem> m_host;
};

template <class Problem, CudaExecutionSpace Exec>
class SweptFastPath<Problem, Exec> {
 public:
  static SweptVariant choose(std::int64_t points, const SweptOptions& options) {
    // `resident` is nowhere faster.
    auto const shape = choose_swept_shape<Problem>(points, SweptVariant::tiles, options);
    return shape.possible() ? SweptVariant::tiles : SweptVariant::shared;
  }
  static constexpr std::array<SweptVariant, 5> variants{SweptVariant::cuda_graph, SweptVariant::hybrid,
                                                        SweptVariant::registers, SweptVariant::tiles,
                                                        SweptVariant::resident};

  SweptFastPath(const Exec& exec, const Problem& problem, std::int64_t points, SweptVariant variant,
                const SweptOptions& options)
      : m_problem(problem),
        m_points(points),
        m_variant(variant),
        m_tiling(points, register_tile - 1, Problem::half_width, periodic) {
    require(cuda::current_device() == exec.cuda_device(),
            "SweptRule: the current CUDA device is not that of the execution space instance");
    auto const stream = exec.cuda_stream();
    if (variant == SweptVariant::cuda_graph) {
      m_graph = std::make_shared<SweptGraph<Problem>>(stream, problem, points);
    } else if (variant == SweptVariant::hybrid) {
      m_hybrid = std::make_shared<SweptHybrid<Problem, Exec>>(exec, problem, points, options.tile_points);
    } else if (variant == SweptVariant::registers) {
      if (m_tiling.is_whole() || m_tiling.largest() > register_tile) {
        fail("SweptRule: " + std::to_string(points) + " points are too few for two tiles of the variant registers");
      }
    } else if (variant == SweptVariant::tiles || variant == SweptVariant::resident) {
      if (variant == SweptVariant::resident) {
        auto const missing = swept_resident_lacking<Problem>();
        if (!missing.empty()) fail("SweptRule: the variant resident " + missing);
      }
      m_tiles = std::make_shared<SweptTilePlan<Problem>>(stream, problem, points, variant, options);
    } else if (variant != SweptVariant::classic && variant != SweptVariant::shared) {
      fail(std::string("SweptRule: there is no plan for the variant ") + name(variant));
    }
  }

  void advance(const Exec& exec, const SweptRows<Problem>& rows, std::int64_t levels) {
    auto const steps = levels / Problem::sub_steps;
    if (steps == 0) return;
    if (m_hybrid) return m_hybrid->advance(exec, rows, levels);
    auto const stream = exec.cuda_stream();
    cuda::labelled(exec, std::string("Hyperplane::SweptRule::") + name(m_variant), [&] {
      if (m_graph) {
        m_graph->advance(stream, rows.m_rows[0], steps);
      } else if (m_tiles) {
        m_tiles->advance(stream, rows, steps);
      } else if (m_variant != SweptVariant::registers) {
        fail(std::string("SweptRule::advance: there is no plan for the variant ") + name(m_variant));
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
  std::shared_ptr<SweptHybrid<Problem, Exec>> m_hybrid;
  std::shared_ptr<SweptTilePlan<Problem>> m_tiles;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
