// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>
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
  KOKKOS_FUNCTION void set_rhs_norm(double norm, double tolerance, double absolute_tolerance) const {
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

/// The host's part of one solve.
struct KrylovRun {
  KrylovLimits m_limits;
  const KrylovMonitor& m_monitor;
  KrylovResult m_result{};
  double m_scale = 1.0;
  /// How far the residual of a recursion may fall, as a share of the largest one since it was computed from x, until it
  /// is computed from x again. 0: however far.
  double m_fall = 0.0;
  bool m_rhs_unsure = false;
  bool m_stopped = false;

  bool goes_on(Phase phase) const {
    return phase == Phase::running && !m_stopped && m_result.iterations < m_limits.max_iterations;
  }
  int remaining() const { return m_limits.max_iterations - m_result.iterations; }

  /// The norm of the next iteration that has none yet.
  void record(double norm) {
    auto const iteration = static_cast<int>(m_result.history.size());
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

/// Owner of the state on the device and of the history since the host's last look, and the host's view of them.
template <ExecutionSpace Exec>
class Progress {
 public:
  Progress(const Exec& exec, const std::string& method, const KrylovOptions& options)
      : m_interval(std::min(options.check_interval, longest_interval)),
        m_state(Kokkos::view_alloc(exec, method + "::state")),
        m_history(Kokkos::view_alloc(exec, method + "::history"), as_size(m_interval + 1)),
        m_host_state(Kokkos::create_mirror_view(m_state)),
        m_host_history(Kokkos::create_mirror_view(m_history)) {}

  ProgressRef ref(const KrylovRun& run) const {
    return ProgressRef(m_state.data(), m_history.data(), run.m_result.iterations, run.m_scale, run.m_fall);
  }
  /// Iterations between two looks.
  int interval() const { return m_interval; }

  void reset(const Exec& exec, const std::string& label) const {
    auto const state = m_state;
    launch(
        label, IndexRange<Exec>(exec, 0, 1), sizeof(ProgressState), KOKKOS_LAMBDA(int) { state() = ProgressState{}; });
  }

  /// Waits for the instance, brings the result's history up to date and calls the monitor. At most `steps` iterations
  /// have been launched since the last look.
  Phase look(const Exec& exec, KrylovRun& run, int steps) const {
    auto const news = std::pair(0, steps + 1);
    Kokkos::deep_copy(exec, m_host_state, m_state);
    Kokkos::deep_copy(exec, Kokkos::subview(m_host_history, news), Kokkos::subview(m_history, news));
    exec.fence("Hyperplane: convergence check");
    auto const& state = m_host_state();
    auto& result = run.m_result;
    int const first = result.iterations;
    result.residual_norm = state.m_norm;
    result.rhs_norm = state.m_rhs_norm;
    result.iterations = state.m_iteration;
    run.m_rhs_unsure = state.m_rhs_unsure;
    // A norm that is not sure is recorded when the host has found it.
    int const end = state.m_iteration + (unsure(state.m_phase) ? 0 : 1);
    while (static_cast<int>(result.history.size()) < end) {
      run.record(m_host_history(static_cast<int>(result.history.size()) - first));
    }
    return state.m_phase;
  }

 private:
  /// The history's memory does not grow with the number of iterations.
  static constexpr int longest_interval = 4096;

  int m_interval;
  Kokkos::View<ProgressState, typename Exec::memory_space> m_state;
  Kokkos::View<double*, typename Exec::memory_space> m_history;
  decltype(Kokkos::create_mirror_view(m_state)) m_host_state;
  decltype(Kokkos::create_mirror_view(m_history)) m_host_history;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
