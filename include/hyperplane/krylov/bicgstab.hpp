// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/bicgstab_kernels.hpp>
#include <hyperplane/krylov/detail/krylov_method.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// BiCGStab with right preconditioning (H. A. van der Vorst, "Bi-CGSTAB: A Fast and Smoothly Converging Variant of
/// Bi-CG for the Solution of Nonsymmetric Linear Systems", doi:10.1137/0913035).
///
/// A plan: the constructor allocates seven vectors; solve() allocates nothing. An iteration is two applies, two
/// preconditioner solves, three reductions and two vector updates; its scalars stay on the device, and the host waits
/// when it looks (KrylovOptions::check_interval) and at the end. When the recursion breaks down (a zero or infinite
/// coefficient) it or has drifted from the residual of x, it is restarted from that, at most three times; after that
/// the outcome is breakdown (max_iterations where it has drifted), and x is the last iterate.
///
/// Where products are those of A but for rounding (NarrowedMatrix), the recursion's residual is replaced by that of x
/// whenever it has fallen to 10 times the root of the rounding, and the recursion goes on with its directions (G. L. G.
/// Sleijpen, H. A. van der Vorst, "Reliable Updated Residuals in Hybrid Bi-CG Methods", doi:10.1007/BF02309342; H. A.
/// van der Vorst, Q. Ye, "Residual Replacement Strategies for Krylov Subspace Iterative Methods for the Convergence of
/// True Residuals", doi:10.1137/S1064827599353865). That is one more apply, of A itself, and 4 values of vector traffic
/// per unknown. The host sees it when it looks; what has been launched behind it is in vain. Where residuals of x do
/// not become smaller that way, and are not what the recursion believed, products are too rough for A, and those of A
/// itself are taken for the rest of the solve, whose recursion keeps its residual until it ends.
///
/// Bitwise the same result whatever the number of threads and the check interval.
template <KrylovVector Vector>
class BiCgStab : private detail::KrylovMethod<BiCgStab<Vector>, Vector> {
  using Base = detail::KrylovMethod<BiCgStab<Vector>, Vector>;
  using Base::data;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  BiCgStab(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "BiCgStab", krylov_options),
        m_shadow(detail::make_vector<Vector>(exec, domain, "Hyperplane::BiCgStab::shadow")),
        m_p(detail::make_vector<Vector>(exec, domain, "Hyperplane::BiCgStab::p")),
        m_v(detail::make_vector<Vector>(exec, domain, "Hyperplane::BiCgStab::v")),
        m_t(detail::make_vector<Vector>(exec, domain, "Hyperplane::BiCgStab::t")),
        m_z(detail::make_vector<Vector>(exec, domain, "Hyperplane::BiCgStab::z")),
        m_zs(detail::make_vector<Vector>(exec, domain, "Hyperplane::BiCgStab::zs")),
        m_scalars(Processes::made(
            domain, [&] { return Scalars(Kokkos::view_alloc(exec, "Hyperplane::BiCgStab::scalars")); })) {}

  using Base::options;
  /// solve(exec, a, m, b, x) solves A x = b from the x that is given; with limits behind x, within other limits than
  /// those of the options.
  using Base::solve;

 private:
  friend Base;

  using typename Base::Processes;
  using Scalars = Kokkos::View<detail::BiCgStabScalars, typename Exec::memory_space>;

  static constexpr int max_restarts = 3;

  template <class Matrix, class Precond>
  detail::Phase iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                        detail::KrylovRun& run) const {
    run.m_fall = detail::bicgstab_fall(detail::rounding_of(a));
    auto const start = [&] { launch_start(exec, a, b, x, run); };
    detail::Phase phase = this->begin(exec, b, x, run, start);
    run.m_products.m_least = run.m_result.residual_norm;
    int last_start = 0;
    int restarts = 0;
    while (run.goes_on(phase)) {
      int const steps = this->m_progress.steps(run);
      for (int i = 0; i < steps; ++i) step(exec, a, m, x, run);
      phase = this->m_progress.look(exec, run, steps);
      if (phase == detail::Phase::fallen) {
        double const believed = run.m_result.residual_norm;
        phase = renew_residual(exec, a, b, x, run, start);
        run.m_products.check(run.m_result.residual_norm, believed);
        if (phase == detail::Phase::converged) return phase;
      }
      if (phase == detail::Phase::running) continue;
      // What the recursion says is checked with the residual of x: it has drifted if that is larger, and after a
      // breakdown it begins anew from there. That helps only if something was gained since the last time.
      bool const again = restarts < max_restarts && run.m_result.iterations > last_start;
      bool const broken = phase == detail::Phase::breakdown || phase == detail::Phase::too_large;
      auto const breakdown = broken && !again ? find_breakdown(exec) : KrylovBreakdown::none;
      // Not what the recursion had before a renewal, which has been checked.
      double const believed = run.m_result.residual_norm;
      phase = this->restart(exec, run, start);
      run.m_products.check(run.m_result.residual_norm, believed);
      if (phase == detail::Phase::running && !again) {
        run.m_result.breakdown = breakdown;
        return broken ? detail::Phase::breakdown : phase;
      }
      ++restarts;
      last_start = run.m_result.iterations;
    }
    if (phase == detail::Phase::running) phase = this->restart(exec, run, start);
    return phase;
  }

  template <class Matrix>
  void launch_start(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                    const detail::KrylovRun& run) const {
    apply(exec, detail::exact_of(a), x, this->m_r);
    this->m_reducer.template run<1>(
        exec, "Hyperplane::BiCgStab::start",
        detail::BiCgStabStartBody<Scalar>{data(b), data(this->m_r), data(m_shadow), data(m_p),
                                          static_cast<Scalar>(1.0 / run.m_scale)},
        detail::BiCgStabStartFinish{this->m_progress.ref(run), m_scalars.data()});
  }

  /// The recursion goes on with the residual of x in place of its own, and with its directions.
  template <class Matrix, class Start>
  detail::Phase renew_residual(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                               detail::KrylovRun& run, const Start& start) const {
    apply(exec, detail::exact_of(a), x, m_t);
    this->count("Hyperplane::BiCgStab::renew", 4);
    this->m_reducer.template run<2>(
        exec, "Hyperplane::BiCgStab::renew",
        detail::BiCgStabRenewBody<Scalar>{data(b), data(m_t), data(m_shadow), data(this->m_r),
                                          static_cast<Scalar>(1.0 / run.m_scale)},
        detail::BiCgStabRenewFinish{this->m_progress.ref(run), m_scalars.data()});
    launch_direction(exec, run);
    double const of_recursion = run.m_result.residual_norm;
    auto const phase = this->m_progress.look(exec, run, 0);
    if (detail::unsure(phase)) return this->settle(exec, run, start);
    run.compare(of_recursion);
    return phase;
  }

  void launch_direction(const Exec& exec, const detail::KrylovRun& run) const {
    this->update(exec, "Hyperplane::BiCgStab::direction", 4,
                 detail::BiCgStabDirection<Scalar>{this->m_progress.ref(run), m_scalars.data(), data(this->m_r),
                                                   data(m_v), data(m_p)});
  }

  template <class Matrix>
  void multiply(const Exec& exec, const Matrix& a, const Vector& from, const Vector& to,
                const detail::KrylovRun& run) const {
    if constexpr (RoundedOperator<Matrix>) {
      if (run.m_products.m_exact) return apply(exec, detail::exact_of(a), from, to);
    }
    apply(exec, a, from, to);
  }

  KrylovBreakdown find_breakdown(const Exec& exec) const {
    auto const first = this->blame(exec, m_z, m_v);
    return first == KrylovBreakdown::recursion ? this->blame(exec, m_zs, m_t) : first;
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, const Vector& x, const detail::KrylovRun& run) const {
    auto const progress = this->m_progress.ref(run);
    auto* const scalars = m_scalars.data();
    auto const& r = this->m_r;
    this->count("Hyperplane::BiCgStab::alpha", 2);
    this->count("Hyperplane::BiCgStab::omega", 2);
    this->count("Hyperplane::BiCgStab::update", 8);

    m.solve(exec, m_p, m_z);
    multiply(exec, a, m_z, m_v, run);
    this->m_reducer.template run<1>(exec, "Hyperplane::BiCgStab::alpha",
                                    detail::DotBody<Scalar>{data(m_shadow), data(m_v)},
                                    detail::BiCgStabAlphaFinish{progress, scalars});
    this->update(exec, "Hyperplane::BiCgStab::half_step", 3,
                 detail::BiCgStabHalfStep<Scalar>{progress, scalars, data(m_v), data(r)});
    m.solve(exec, r, m_zs);
    multiply(exec, a, m_zs, m_t, run);
    this->m_reducer.template run<2>(exec, "Hyperplane::BiCgStab::omega",
                                    detail::BiCgStabOmegaBody<Scalar>{data(m_t), data(r)},
                                    detail::BiCgStabOmegaFinish{progress, scalars});
    this->m_reducer.template run<2>(exec, "Hyperplane::BiCgStab::update",
                                    detail::BiCgStabUpdateBody<Scalar>{progress, scalars, data(m_z), data(m_zs),
                                                                       data(m_t), data(m_shadow), data(x), data(r)},
                                    detail::BiCgStabUpdateFinish{progress, scalars});
    launch_direction(exec, run);
  }

  Vector m_shadow, m_p, m_v, m_t, m_z, m_zs;
  Scalars m_scalars;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
