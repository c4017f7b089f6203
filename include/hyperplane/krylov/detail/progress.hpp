// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/reducer.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>

namespace hyperplane::detail {

enum class Phase : int { running, converged, breakdown };

/// Where an iteration stands, on the device: kernels of the method read it, and do nothing once it has ended. The host
/// may therefore look as rarely as it wants; the result is the same.
struct ProgressState {
  double m_target;
  double m_rhs_norm;
  int m_iteration;
  Phase m_phase;
};

/// Trivially copyable access for kernels.
class ProgressRef {
 public:
  ProgressRef(ProgressState* state, double* history) : m_state(state), m_history(history) {}

  KOKKOS_FUNCTION bool running() const { return m_state->m_phase == Phase::running; }
  KOKKOS_FUNCTION void break_down() const {
    if (running()) m_state->m_phase = Phase::breakdown;
  }
  KOKKOS_FUNCTION void set_rhs_norm(double norm, double tolerance) const {
    m_state->m_rhs_norm = norm;
    m_state->m_target = tolerance * norm;
  }
  /// The residual norm of the initial guess, or after a restart.
  KOKKOS_FUNCTION void start(double norm) const { note(norm); }
  /// The residual norm after one more iteration.
  KOKKOS_FUNCTION void advance(double norm) const {
    if (!running()) return;
    ++m_state->m_iteration;
    note(norm);
  }

 private:
  KOKKOS_FUNCTION void note(double norm) const {
    m_history[m_state->m_iteration] = norm;
    // Written so that NaN is a breakdown, and a norm of zero always converged.
    if (norm <= m_state->m_target) {
      m_state->m_phase = Phase::converged;
    } else {
      m_state->m_phase = Kokkos::isfinite(norm) ? Phase::running : Phase::breakdown;
    }
  }

  ProgressState* m_state;
  double* m_history;
};

/// Owner of the state and of the history on the device, and the host's view of them.
template <ExecutionSpace Exec>
class Progress {
 public:
  Progress(const Exec& exec, const std::string& method, const KrylovOptions& options)
      : m_state(Kokkos::view_alloc(exec, method + "::state")),
        m_history(Kokkos::view_alloc(exec, method + "::history"), options.max_iterations + 1),
        m_host_state(Kokkos::create_mirror_view(m_state)),
        m_host_history(Kokkos::create_mirror_view(m_history)) {}

  ProgressRef ref() const { return ProgressRef(m_state.data(), m_history.data()); }

  void reset(const Exec& exec, const std::string& label) const {
    auto const state = m_state;
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) { state() = ProgressState{}; });
  }

  /// Waits for the instance, brings the result's history up to date and calls the monitor.
  Phase look(const Exec& exec, const KrylovOptions& options, KrylovResult& result) const {
    Kokkos::deep_copy(exec, m_host_state, m_state);
    Kokkos::deep_copy(exec, m_host_history, m_history);
    exec.fence("Hyperplane: convergence check");
    auto const& state = m_host_state();
    result.residual_norm = m_host_history(state.m_iteration);
    result.rhs_norm = state.m_rhs_norm;
    result.iterations = state.m_iteration;
    for (int i = static_cast<int>(result.history.size()); i <= state.m_iteration; ++i) {
      result.history.push_back(m_host_history(i));
      if (options.monitor) options.monitor(i, m_host_history(i));
    }
    return state.m_phase;
  }

 private:
  Kokkos::View<ProgressState, typename Exec::memory_space> m_state;
  Kokkos::View<double*, typename Exec::memory_space> m_history;
  decltype(Kokkos::create_mirror_view(m_state)) m_host_state;
  decltype(Kokkos::create_mirror_view(m_history)) m_host_history;
};

/// Vector updates that several methods share. Templates on the scalar alone, so that they are compiled once for all
/// block sizes.
template <class Scalar>
struct ResidualBody {
  const Scalar* m_b;
  Scalar* m_r;  // holds A x
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    Scalar const r = m_b[e] - m_r[e];
    m_r[e] = r;
    return {{static_cast<double>(r) * r}};
  }
};

template <class Scalar>
struct NormBody {
  const Scalar* m_x;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const { return {{static_cast<double>(m_x[e]) * m_x[e]}}; }
};

struct RhsNormFinish {
  ProgressRef m_progress;
  double m_tolerance;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    m_progress.set_rhs_norm(Kokkos::sqrt(sums.m_values[0]), m_tolerance);
  }
};

/// What every method begins and ends with.
template <class Vector>
class KrylovBase {
 public:
  using Exec = typename Vector::execution_space;
  using Scalar = typename Vector::scalar_type;

  KrylovBase(const Exec& exec, const VectorDomain<Vector>& domain, const char* method, const KrylovOptions& options)
      : m_options((check_options(method, options), options)),
        m_label(std::string("Hyperplane::") + method),
        m_r(exec, domain, m_label + "::r"),
        m_reducer(exec, m_r.flat().size()),
        m_progress(exec, m_label, options) {}

  const KrylovOptions& options() const { return m_options; }

 protected:
  void check_vectors(const Vector& b, const Vector& x) const {
    auto const check = [this](const Vector& v) {
      auto const domain = vector_domain(v), expected = vector_domain(m_r);
      if (!(domain == expected)) {
        fail(m_label + ": a vector is of " + describe_domain(domain) + " points, expected " +
             describe_domain(expected));
      }
    };
    check(b);
    check(x);
    if (b.flat().data() == x.flat().data()) fail(m_label + ": x must not be b");
  }

  void begin(const Exec& exec, const Vector& b) const {
    m_progress.reset(exec, m_label + "::reset");
    m_reducer.template run<1>(exec, m_label + "::rhs_norm", NormBody<Scalar>{b.flat().data()},
                              RhsNormFinish{m_progress.ref(), m_options.tolerance});
  }

  /// r = b - A x, and its norm into finish.
  template <class Matrix, class Finish>
  void compute_residual(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                        const Finish& finish) const {
    apply(exec, a, x, m_r);
    m_reducer.template run<1>(exec, m_label + "::residual", ResidualBody<Scalar>{b.flat().data(), m_r.flat().data()},
                              finish);
  }

  static void conclude(Phase phase, KrylovResult& result) {
    result.outcome = phase == Phase::converged   ? KrylovOutcome::converged
                     : phase == Phase::breakdown ? KrylovOutcome::breakdown
                                                 : KrylovOutcome::max_iterations;
  }

  KrylovOptions m_options;
  std::string m_label;
  Vector m_r;
  Reducer<Exec> m_reducer;
  Progress<Exec> m_progress;
};

}  // namespace hyperplane::detail
