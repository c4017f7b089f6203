// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/is_listed.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/swept/detail/swept_fast_path.hpp>
#include <hyperplane/swept/detail/swept_host_tiles.hpp>
#include <hyperplane/swept/detail/swept_portable.hpp>
#include <hyperplane/swept/problem.hpp>
#include <hyperplane/swept/variant.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/swept/detail/swept_cuda.hpp>
#endif

#include <cstdint>
#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// The state of a line of points: u(i, c) is value c of point i. Values of one kind lie side by side.
template <SweptProblem Problem, ExecutionSpace Exec>
using SweptLine = Kokkos::View<typename Problem::scalar_type**, Kokkos::LayoutLeft, typename Exec::memory_space>;

/// The swept rule: explicit time steps of an equation on a line of points, many of them between two communications.
/// Space-time is cut into triangles and diamonds whose slopes are the stencil's; a tile is computed in fast memory as
/// far as its own points allow, and only its edges are handed on. Source: D. J. Magee, K. E. Niemeyer, "Accelerating
/// solutions of one-dimensional unsteady PDEs with GPU-based swept time-space decomposition",
/// doi:10.1016/j.jcp.2017.12.028.
///
/// What a problem is: see SweptProblem. Any number of points and of steps is possible.
///
/// A plan: the constructor allocates (a line, two for problems of three and more sub-steps; `cuda_graph` one more,
/// `resident` packets instead, of the size of four lines; on hosts for each thread, and for `hybrid` on CUDA twice in
/// pinned memory, the level arrays of a tile); advance() does not, does not fence, and is asynchronous on the instance
/// that is given. At most one advance() of a plan and its copies may run at a time.
///
/// Cost per step and point: the problem's flops. `classic` moves sub_steps * 2 lines and more through memory and
/// launches sub_steps kernels per time step; `shared` moves each of its level arrays once in and out, with one launch,
/// for each H sub-steps, where H is a tile's points over twice the stencil's half width.
///
/// Results are those of `classic`, bitwise, whatever the variant and the number of threads, as long as the problem's
/// step leaves the compiler no choice which products it fuses with which sums (see multiply_add); else to rounding. On
/// CUDA `hybrid` has a host and a device compute the same line: to rounding too where the step uses reciprocal() or
/// square_root() of doubles, which are not the same on both.
template <SweptProblem Problem, ExecutionSpace Exec>
class SweptRule {
 public:
  using problem_type = Problem;
  using scalar_type = typename Problem::scalar_type;
  using execution_space = Exec;
  using Line = SweptLine<Problem, Exec>;

  /// Throws Error where the execution space cannot run the variant, or not with such tiles.
  SweptRule(const Exec& exec, const Problem& problem, std::int64_t points, const SweptOptions& options = {})
      : m_problem(problem),
        m_points(points),
        m_variant(checked_variant(points, options)),
        m_spare(Kokkos::view_alloc(exec, "Hyperplane::SweptRule::spare"),
                static_cast<std::size_t>(has_own_lines(m_variant) ? 0 : points),
                static_cast<std::size_t>(Problem::components * (Levels::rows - 1))),
        m_fast_path(exec, problem, points, m_variant, options) {
    if (portable(m_variant) && m_variant != SweptVariant::classic) m_shared.emplace(exec, points, options.tile_points);
    // advance() may be called with another instance.
    exec.fence("Hyperplane::SweptRule");
  }

  const Problem& problem() const { return m_problem; }
  std::int64_t points() const { return m_points; }
  /// The variant that runs; never automatic.
  SweptVariant variant() const { return m_variant; }

  /// Takes u `steps` time steps further. Throws Error where u has other extents, or steps is negative.
  void advance(const Exec& exec, const Line& u, std::int64_t steps) {
    check(u, steps);
    auto const levels = steps * Problem::sub_steps;
    auto const rows = rows_of(u);
    if (m_variant == SweptVariant::classic) {
      detail::swept_classic(exec, m_problem, rows, m_points, levels);
    } else if (m_shared) {
      m_shared->advance(exec, m_problem, rows, m_points, levels);
    } else {
      return m_fast_path.advance(exec, rows, levels);
    }
    if (Levels::row(levels) == 0) return;
    // Problems of one sub-step have every second step in the spare line.
    detail::launch("Hyperplane::SweptRule::finish", detail::IndexRange<Exec>(exec, 0, m_points),
                   2.0 * Problem::components * sizeof(scalar_type),
                   detail::SweptCopy<Problem>{rows.m_rows[1], rows.m_rows[0]});
  }

 private:
  using Levels = detail::SweptLevels<Problem>;
  using FastPath = detail::SweptFastPath<Problem, Exec>;

  static SweptVariant checked_variant(std::int64_t points, const SweptOptions& options) {
    if (points < 1) fail("SweptRule: a line of " + std::to_string(points) + " points is not possible");
    if (options.tile_points < 0) {
      fail("SweptRule: tiles of " + std::to_string(options.tile_points) + " points are not possible");
    }
    if (options.tile_steps < 0) {
      fail("SweptRule: tiles of " + std::to_string(options.tile_steps) + " steps are not possible");
    }
    auto const variant = options.variant;
    if (variant == SweptVariant::automatic) return FastPath::choose(points, options);
    if (!portable(variant) && !detail::is_listed(FastPath::variants, variant)) {
      fail(std::string("SweptRule: ") + Exec::name() + " has no variant " + name(variant));
    }
    return variant;
  }

  /// On a host all tiles are the host's, so that `hybrid` is `shared`.
  static constexpr bool portable(SweptVariant variant) {
    return variant == SweptVariant::classic || variant == SweptVariant::shared ||
           (variant == SweptVariant::hybrid && HostExecutionSpace<Exec>);
  }
  static constexpr bool has_own_lines(SweptVariant variant) {
    return variant == SweptVariant::cuda_graph || variant == SweptVariant::resident;
  }

  void check(const Line& u, std::int64_t steps) const {
    if (steps < 0) fail("SweptRule::advance: " + std::to_string(steps) + " steps are not possible");
    if (static_cast<std::int64_t>(u.extent(0)) == m_points && u.extent(1) == Problem::components) return;
    fail("SweptRule::advance: u is " + std::to_string(u.extent(0)) + " x " + std::to_string(u.extent(1)) +
         ", the plan is for " + std::to_string(m_points) + " x " + std::to_string(Problem::components));
  }

  detail::SweptRows<Problem> rows_of(const Line& u) const {
    detail::SweptRows<Problem> rows;
    rows.m_rows[0] = {u.data(), static_cast<std::int64_t>(u.stride(1))};
    for (int r = 1; r < Levels::rows; ++r) {
      rows.m_rows[r] = {m_spare.data() + (r - 1) * Problem::components * static_cast<std::int64_t>(m_spare.stride(1)),
                        static_cast<std::int64_t>(m_spare.stride(1))};
    }
    return rows;
  }

  Problem m_problem;
  std::int64_t m_points;
  SweptVariant m_variant;
  Line m_spare;
  std::optional<detail::SweptShared<Problem, Exec>> m_shared;
  FastPath m_fast_path;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
