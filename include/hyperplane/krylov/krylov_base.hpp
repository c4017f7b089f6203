// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/processes.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/krylov/detail/processes_on_devices_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Vector updates that several methods share. Templates on the scalar alone, so that they are compiled once for all
/// block sizes.
template <class Scalar>
struct ResidualBody {
  const Scalar* m_b;
  Scalar* m_r;  // holds A x
  Scalar m_factor;
  KOKKOS_FUNCTION Scalar residual(std::int64_t e) const {
    Scalar const r = (m_b[e] - m_r[e]) * m_factor;
    m_r[e] = r;
    return r;
  }
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    Scalar const r = residual(e);
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
  double m_absolute_tolerance;
  KOKKOS_FUNCTION void operator()(double norm) const { m_progress.begin(norm, m_tolerance, m_absolute_tolerance); }
};

template <class Scalar>
struct SetZero {
  Scalar* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_x[e] = Scalar(0); }
};

/// Asks A what is not finite in it, where a breakdown may be due to that and A can tell: a product with A, and what a
/// preconditioner returns whose factors are of A.
template <class Exec, class Matrix>
void name_cause(const Exec& exec, const Matrix& a, KrylovResult& result) {
  if constexpr (requires { describe_not_finite(exec, a); }) {
    bool const may_be_of_matrix =
        result.breakdown == KrylovBreakdown::initial_residual || result.breakdown == KrylovBreakdown::preconditioner ||
        result.breakdown == KrylovBreakdown::product || result.breakdown == KrylovBreakdown::residual;
    if (may_be_of_matrix) result.cause = describe_not_finite(exec, a);
  }
}

/// Asks a matrix whose products are those of a copy whether that still is one, where a solve that read it has not
/// converged and nothing else is known of it. The recursion's residual tells first, which is another one than that of x
/// then. `found`: what has been found of this matrix, for all solves with it.
template <class Exec, class Matrix>
void name_other_copy(const Exec& exec, const Matrix& a, const KrylovRun& run, KrylovResult& result,
                     std::optional<std::string>& found) {
  if constexpr (requires { describe_other_copy(exec, a); }) {
    bool const begins = result.breakdown == KrylovBreakdown::right_hand_side ||
                        result.breakdown == KrylovBreakdown::initial_guess ||
                        result.breakdown == KrylovBreakdown::initial_residual;
    bool const may_be_of_copy = result.outcome == KrylovOutcome::breakdown
                                    ? !begins
                                    : result.outcome == KrylovOutcome::max_iterations && run.m_has_drifted;
    if (run.m_fall == 0.0 || !may_be_of_copy || !result.cause.empty()) return;
    if (!found) found = describe_other_copy(exec, a);
    result.cause = *found;
  }
}

/// Says for as long as it lives that an object and its copies solve.
class Solving {
 public:
  Solving(std::atomic<bool>& flag, const std::string& object) : m_flag(flag) {
    if (m_flag.exchange(true)) {
      fail(object + ": is solving already: neither its monitor nor a second thread may use it meanwhile");
    }
  }
  ~Solving() { m_flag = false; }
  Solving(const Solving&) = delete;
  Solving& operator=(const Solving&) = delete;

 private:
  std::atomic<bool>& m_flag;
};

/// What every method begins and ends with.
///
/// The norm of the right-hand side is a ScaledNorm, right for all finite vectors. Of residuals most methods compute
/// plain sums of squares, and Richardson norms of that kind. Where a square is out of range, kernels do nothing any
/// more, and at the next look the host finds the norm without overflow and underflow, and a power of two to divide the
/// residual by from then on: x changes by the solution for that residual times the power. Ordinary systems have the
/// scale 1.
template <KrylovVector Vector>
class KrylovBase {
 public:
  using Exec = typename Vector::execution_space;
  using Scalar = typename Vector::scalar_type;

  KrylovBase(const Exec& exec, const VectorDomain<Vector>& domain, const char* method, const KrylovOptions& options)
      : m_options(Processes::options(domain, method, options)),
        m_label(std::string("Hyperplane::") + method),
        m_r(make_vector<Vector>(exec, domain, m_label + "::r")),
        m_reducer(Processes::made(domain, [&] { return Processes::reducer(exec, m_r); })),
        m_norm(Processes::made(domain, [&] { return ScaledNorm<Exec>(exec, m_label + "::norm"); })),
        m_progress(Processes::made(domain, [&] { return Progress<Exec>(exec, m_label, m_options); })),
        m_solving(std::make_shared<std::atomic<bool>>(false)) {}

  const KrylovOptions& options() const { return m_options; }

 protected:
  using Processes = KrylovProcesses<VectorDomain<Vector>>;

  static Scalar* data(const Vector& v) { return v.flat().data(); }
  static std::int64_t size(const Vector& v) { return static_cast<std::int64_t>(v.flat().size()); }
  auto all(const Exec& exec) const { return Processes::elements(exec, m_r); }
  /// Bytes of so many values of vectors for each unknown.
  double bytes_of(int values) const {
    return static_cast<double>(sizeof(Scalar)) * values * static_cast<double>(size(m_r));
  }
  /// Values of vectors, for each unknown, that the kernel of this label moves.
  void count(std::string_view label, int values) const { count_bytes(label, bytes_of(values)); }
  /// body(e) for each element of a vector, which moves so many values.
  template <class Body>
  void update(const Exec& exec, const std::string& label, int values, const Body& body) const {
    count(label, values);
    auto const elements = all(exec);
    if constexpr (RangeInParts<std::remove_const_t<decltype(elements)>>) {
      launch(label, elements, static_cast<double>(sizeof(Scalar)) * values, body);
    } else {
      run_range(exec, label, size(m_r), bytes_of(values), body);
    }
  }

  /// body(g) for the groups of so many elements, each of which moves as many bytes. Where instances have a part of the
  /// elements each, a group is one.
  template <int group, class Body>
  void launch_groups(const Exec& exec, const char* label, double bytes, const Body& body) const {
    auto const elements = all(exec);
    if constexpr (RangeInParts<std::remove_const_t<decltype(elements)>>) {
      static_assert(group == 1);
      launch(label, elements, bytes, body);
    } else {
      launch(label, LongIndexRange<Exec>(exec, 0, (size(m_r) + group - 1) / group), bytes, body);
    }
  }

  void check(const Vector& b, const Vector& x, const KrylovLimits& limits) const {
    auto const expected = vector_domain(m_r);
    auto const check_domain = [&](const Vector& v) {
      auto const domain = vector_domain(v);
      if (!(domain == expected)) {
        fail(m_label + ": a vector is of " + describe_domain(domain) + " points, expected " +
             describe_domain(expected));
      }
    };
    Processes::check(expected, m_label, limits, [&] {
      check_limits(m_label, limits);
      check_domain(b);
      check_domain(x);
      if (data(b) == data(x)) fail(m_label + ": x must not be b");
    });
  }

  /// The right-hand side's norm and the initial residual. start() launches what computes the residual and its norm in
  /// the scale of the run.
  template <class Start>
  Phase begin(const Exec& exec, const Vector& b, const Vector& x, KrylovRun& run, const Start& start) const {
    auto const& limits = run.m_limits;
    m_norm.run(exec, m_label + "::rhs_norm", m_reducer, Magnitude<Scalar>{data(b)}, data(b),
               RhsNormFinish{m_progress.ref(run), limits.tolerance, limits.absolute_tolerance});
    start();
    Phase phase = m_progress.look(exec, run, 0);
    if (!unsure(phase)) return phase;
    if (run.m_rhs_unsure) {
      if (!std::isfinite(run.m_result.rhs_norm)) {
        return run.end(Phase::breakdown, run.m_result.residual_norm, KrylovBreakdown::right_hand_side);
      }
      launch(m_label + "::zero", all(exec), sizeof(Scalar), SetZero<Scalar>{data(x)});
      exec.fence("Hyperplane: x is zero");
      return run.end(Phase::converged, 0.0);
    }
    phase = settle(exec, run, start);
    if (phase == Phase::breakdown) {
      run.m_result.breakdown =
          std::isfinite(scaled_norm(exec, x)) ? KrylovBreakdown::initial_residual : KrylovBreakdown::initial_guess;
    }
    return phase;
  }

  /// start() again, and the phase after it.
  template <class Start>
  Phase restart(const Exec& exec, KrylovRun& run, const Start& start) const {
    double const of_recursion = run.m_result.residual_norm;
    start();
    Phase const phase = m_progress.look(exec, run, 0);
    if (unsure(phase)) return settle(exec, run, start);
    run.compare(of_recursion);
    return phase;
  }

  /// Where the sum of squares of the residual is out of range: finds its norm, and begins anew in a scale that suits.
  template <class Start>
  Phase settle(const Exec& exec, KrylovRun& run, const Start& start) const {
    // What is far below the last scale may have vanished in it.
    if (run.m_scale != 1.0) {
      run.m_scale = 1.0;
      start();
    }
    double const norm = scaled_norm(exec, m_r);
    if (!std::isfinite(norm)) return run.end(Phase::breakdown, norm, KrylovBreakdown::residual);
    if (norm == 0.0) return run.end(Phase::converged, norm);
    run.m_scale = scale_of(norm);
    start();
    Phase const phase = m_progress.look(exec, run, 0);
    return unsure(phase) ? run.end(Phase::breakdown, norm, KrylovBreakdown::residual) : phase;
  }

  /// r = (b - A x) / scale, and its sum of squares into finish.
  template <class Matrix, class Finish>
  void compute_residual(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, const KrylovRun& run,
                        const Finish& finish) const {
    apply(exec, exact_of(a), x, m_r);
    m_reducer.template run<1>(exec, m_label + "::residual",
                              ResidualBody<Scalar>{data(b), data(m_r), static_cast<Scalar>(1.0 / run.m_scale)}, finish);
  }

  template <class Matrix>
  KrylovResult conclude(const Exec& exec, const Matrix& a, KrylovRun& run, Phase phase) const {
    auto result = run.conclude(phase);
    if (result.outcome == KrylovOutcome::breakdown) {
      name_cause(exec, a, result);
      clear(exec, m_r);
    }
    std::optional<std::string> other_copy;
    name_other_copy(exec, a, run, result, other_copy);
    return result;
  }

  /// After a breakdown: what is not finite may have come to the padding of a vector too, which not every product writes
  /// anew.
  void clear(const Exec& exec, const Vector& v) const {
    launch(m_label + "::zero", all(exec), sizeof(Scalar), SetZero<Scalar>{data(v)});
  }

  double scaled_norm(const Exec& exec, const Vector& v) const { return m_norm(exec, m_reducer, data(v)); }

  /// What a breakdown that is not one of the residual is due to, where the preconditioner returned z and A z is az.
  KrylovBreakdown blame(const Exec& exec, const Vector& z, const Vector& az) const {
    if (!std::isfinite(scaled_norm(exec, z))) return KrylovBreakdown::preconditioner;
    if (!std::isfinite(scaled_norm(exec, az))) return KrylovBreakdown::product;
    return KrylovBreakdown::recursion;
  }

  KrylovOptions m_options;
  std::string m_label;
  Vector m_r;
  typename Processes::template ReducerOf<Exec> m_reducer;
  ScaledNorm<Exec> m_norm;
  Progress<Exec> m_progress;
  std::shared_ptr<std::atomic<bool>> m_solving;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
