// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// too_small, too_large: the iteration has ended because a sum of squares is out of range, so that only the host can
/// tell what the norm is. fallen: it waits for a residual that is computed from x, since its own has fallen as far as
/// it is to be believed.
enum class Phase : int { running, converged, breakdown, too_small, too_large, fallen };
inline bool unsure(Phase phase) { return phase == Phase::too_small || phase == Phase::too_large; }

/// Where an iteration stands, on the device: kernels of the method read it, and do nothing once it has ended. The host
/// may therefore look as rarely as it wants; the result is the same.
struct ProgressState {
  double m_target;
  double m_rhs_norm;
  double m_norm;     // the newest of the history
  double m_largest;  // since the residual was computed from x
  int m_iteration;
  Phase m_phase;
  bool m_rhs_unsure;  // zero or not finite: the host ends the solve
};

/// Trivially copyable access for kernels. The residual that they have is the true one divided by `scale`, a power of
/// two; norms in the state and in the history are true ones. `first` is the iteration of the history's entry 0. `fall`:
/// see KrylovRun.
class ProgressRef {
 public:
  ProgressRef(ProgressState* state, double* history, int first, double scale, double fall)
      : m_state(state), m_history(history), m_scale(scale), m_fall(fall), m_first(first) {}

  KOKKOS_FUNCTION bool running() const { return m_state->m_phase == Phase::running; }
  KOKKOS_FUNCTION double scale() const { return m_scale; }
  KOKKOS_FUNCTION void break_down() const {
    if (running()) m_state->m_phase = Phase::breakdown;
  }
  /// A solve begins, with nothing of the one before.
  KOKKOS_FUNCTION void begin(double norm, double tolerance, double absolute_tolerance) const {
    *m_state = ProgressState{};
    m_state->m_rhs_norm = norm;
    m_state->m_target = Kokkos::max(tolerance * norm, absolute_tolerance);
    m_state->m_rhs_unsure = norm == 0.0 || !Kokkos::isfinite(norm);
  }
  /// The sum of squares of a residual that was computed from x: of the initial guess, or later.
  KOKKOS_FUNCTION void start(double sum) const { start(Kokkos::sqrt(sum), sum); }
  /// The same where its norm is known.
  KOKKOS_FUNCTION void start_with_norm(double norm) const { start(norm, norm * norm); }
  /// The residual's sum of squares after one more iteration.
  KOKKOS_FUNCTION void advance(double sum) const {
    if (!running()) return;
    ++m_state->m_iteration;
    note(Kokkos::sqrt(sum), sum);
  }
  /// The same where its norm is known, which need not be in range.
  KOKKOS_FUNCTION void advance_with_norm(double norm) const {
    if (!running()) return;
    ++m_state->m_iteration;
    note(norm, norm * norm);
  }
  /// The residual's norm after one more iteration; finite.
  KOKKOS_FUNCTION void advance_to_norm(double norm) const {
    if (!running()) return;
    ++m_state->m_iteration;
    note_norm(norm * m_scale);
  }

 private:
  KOKKOS_FUNCTION void start(double norm, double square) const {
    m_state->m_largest = 0.0;
    note(norm, square);
  }
  KOKKOS_FUNCTION void note(double norm, double square) const {
    note_norm(norm * m_scale);
    if (m_state->m_rhs_unsure || square < smallest_square) {
      m_state->m_phase = Phase::too_small;
    } else if (!in_range(square)) {
      m_state->m_phase = Phase::too_large;
    }
  }
  KOKKOS_FUNCTION void note_norm(double norm) const {
    m_history[m_state->m_iteration - m_first] = norm;
    m_state->m_norm = norm;
    m_state->m_largest = Kokkos::max(m_state->m_largest, norm);
    m_state->m_phase = norm <= m_state->m_target             ? Phase::converged
                       : norm <= m_fall * m_state->m_largest ? Phase::fallen
                                                             : Phase::running;
  }

  ProgressState* m_state;
  double* m_history;
  double m_scale;
  double m_fall;
  int m_first;
};

/// Where products are rounded (RoundedOperator): whether they are too rough for A, which residuals of x tell that do
/// not become smaller from one time that they are computed to the next.
struct RoughProducts {
  double m_least = 0.0;  ///< of the norms that were computed from x
  int m_in_vain = 0;     ///< times since then that it was not halved, and not as believed
  bool m_exact = false;  ///< products with A itself from now on

  /// The norm is `computed` from x, where the recursion had `believed` another one: too rough where it is twice as
  /// large and was not halved, or was not halved twice. Where both agree, it is the system that made the norm larger.
  void check(double computed, double believed) {
    if (computed <= 0.5 * m_least) {
      m_in_vain = 0;
    } else if (!(computed <= 1.1 * believed) || !Kokkos::isfinite(believed)) {
      ++m_in_vain;
    }
    m_exact = m_exact || m_in_vain > 1 || (m_in_vain > 0 && computed > 2.0 * believed);
    m_least = std::min(m_least, computed);
  }
};

/// The host's part of one solve.
struct KrylovRun {
  KrylovLimits m_limits;
  const KrylovMonitor& m_monitor;
  KrylovResult m_result{};
  double m_scale = 1.0;
  /// How far the residual of a recursion whose products are rounded may fall, as a share of the largest one since it
  /// was computed from x, until it is computed from x again. 0: no products are.
  double m_fall = 0.0;
  /// Of the norms so far, the smallest as a share of the one before; at most 1.
  double m_steepest = 1.0;
  RoughProducts m_products{};
  bool m_rhs_unsure = false;
  bool m_stopped = false;
  /// Whether the residual of x has been more than twice that of the recursion, which rounding seldom makes.
  bool m_has_drifted = false;

  /// The same of the products of now. 0: however far.
  double fall() const { return m_products.m_exact ? 0.0 : m_fall; }
  bool goes_on(Phase phase) const {
    return phase == Phase::running && !m_stopped && m_result.iterations < m_limits.max_iterations;
  }
  /// The residual of x is known now, where the recursion had another one.
  void compare(double of_recursion) {
    if (m_result.residual_norm > 2.0 * of_recursion) m_has_drifted = true;
  }
  int remaining() const { return m_limits.max_iterations - m_result.iterations; }

  /// The norm of the next iteration that has none yet.
  void record(double norm) {
    auto const iteration = static_cast<int>(m_result.history.size());
    if (iteration > 0) m_steepest = std::min(m_steepest, norm / m_result.history.back());
    m_result.history.push_back(norm);
    if (m_monitor && !m_stopped) m_stopped = m_monitor(iteration, norm) == MonitorAction::stop;
  }
  /// What the host has found out itself about the x of now.
  Phase end(Phase phase, double norm, KrylovBreakdown breakdown = KrylovBreakdown::none) {
    m_result.residual_norm = norm;
    m_result.breakdown = breakdown;
    if (static_cast<int>(m_result.history.size()) == m_result.iterations) record(norm);
    return phase;
  }
  KrylovResult conclude(Phase phase) {
    m_result.outcome = phase == Phase::converged   ? KrylovOutcome::converged
                       : phase == Phase::breakdown ? KrylovOutcome::breakdown
                       : m_stopped                 ? KrylovOutcome::stopped
                                                   : KrylovOutcome::max_iterations;
    return std::move(m_result);
  }
};

/// Iterations until the host looks where nobody has said how many: as many as it takes to come from the norm down to
/// `level` if each falls as far as the steepest so far, so that hardly any is in vain. Not many more than have been
/// seen, which may tell little. A function of the norms alone: ranks decide the same.
inline constexpr int most_iterations_to_look = 64;
inline int iterations_to_look(double norm, double level, double steepest, int seen) {
  int const bound = std::min(1 + seen, most_iterations_to_look);
  if (!(norm > level && steepest > 0.0)) return 1;
  if (level <= 0.0 || steepest >= 1.0) return bound;
  return static_cast<int>(std::clamp(std::ceil(std::log(level / norm) / std::log(steepest)), 1.0, 1.0 * bound));
}

/// Owner of the state on the device and of the history since the host's last look, and the host's view of them.
template <ExecutionSpace Exec>
class Progress {
 public:
  Progress(const Exec& exec, const std::string& method, const KrylovOptions& options)
      : m_interval(interval_of(options)),
        m_memory(Kokkos::view_alloc(exec, method + "::progress"), words + as_size(longest() + 1)),
        m_host(host_view(m_memory)) {}

  ProgressRef ref(const KrylovRun& run) const {
    return ProgressRef(state(m_memory.data()), history(m_memory.data()), run.m_result.iterations, run.m_scale,
                       run.fall());
  }
  /// Iterations until the next look.
  int steps(const KrylovRun& run) const {
    int steps = m_interval;
    if (steps == 0) {
      auto const& now = *state(m_host.data());
      steps = iterations_to_look(now.m_norm, std::max(now.m_target, run.fall() * now.m_largest), run.m_steepest,
                                 run.m_result.iterations);
    }
    return std::min(steps, run.remaining());
  }

  /// Waits for the instance, brings the result's history up to date and calls the monitor. At most `steps` iterations
  /// have been launched since the last look.
  Phase look(const Exec& exec, KrylovRun& run, int steps) const {
    auto const news = std::pair(std::size_t{0}, words + as_size(steps + 1));
    Kokkos::deep_copy(exec, Kokkos::subview(m_host, news), Kokkos::subview(m_memory, news));
    exec.fence("Hyperplane: convergence check");
    auto const& now = *state(m_host.data());
    auto& result = run.m_result;
    int const first = result.iterations;
    result.residual_norm = now.m_norm;
    result.rhs_norm = now.m_rhs_norm;
    result.iterations = now.m_iteration;
    run.m_rhs_unsure = now.m_rhs_unsure;
    // A norm that is not sure is recorded when the host has found it.
    int const end = now.m_iteration + (unsure(now.m_phase) ? 0 : 1);
    while (static_cast<int>(result.history.size()) < end) {
      run.record(history(m_host.data())[static_cast<int>(result.history.size()) - first]);
    }
    return now.m_phase;
  }

 private:
  /// The history's memory does not grow with the number of iterations.
  static constexpr int longest_interval = 4096;

  // In one array, so that a look is one copy: the state, in as many words, and the history. The host's is pinned, which
  // spares another copy.
  static_assert(sizeof(ProgressState) % sizeof(double) == 0 && alignof(ProgressState) <= alignof(double));
  static constexpr std::size_t words = sizeof(ProgressState) / sizeof(double);
  using Memory = Kokkos::View<double*, typename Exec::memory_space>;
  using HostMemory =
      std::conditional_t<HostExecutionSpace<Exec>, Memory, Kokkos::View<double*, Kokkos::SharedHostPinnedSpace>>;

  static ProgressState* state(double* memory) { return reinterpret_cast<ProgressState*>(memory); }
  static double* history(double* memory) { return memory + words; }
  static HostMemory host_view(const Memory& memory) {
    if constexpr (HostExecutionSpace<Exec>) {
      return memory;
    } else {
      return HostMemory(memory.label(), memory.size());
    }
  }

  /// 0: decided from look to look. On a host a look costs nothing, and a monitor wants to see each iteration.
  static int interval_of(const KrylovOptions& options) {
    bool const often = HostExecutionSpace<Exec> || options.monitor;
    return options.check_interval == 0 && often ? 1 : std::min(options.check_interval, longest_interval);
  }
  int longest() const { return m_interval == 0 ? most_iterations_to_look : m_interval; }

  int m_interval;
  Memory m_memory;
  HostMemory m_host;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
