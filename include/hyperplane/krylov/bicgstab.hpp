// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/detail/timer_callbacks.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/bicgstab_kernels.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/options.hpp>

namespace hyperplane {

/// BiCGStab with right preconditioning (H. A. van der Vorst, "Bi-CGSTAB: A Fast and Smoothly Converging Variant of
/// Bi-CG for the Solution of Nonsymmetric Linear Systems", doi:10.1137/0913035).
///
/// A plan: the constructor allocates seven vectors; solve() allocates nothing. An iteration is two applies, two
/// preconditioner solves, three reductions and two vector updates; its scalars stay on the device, and the host waits
/// every check_interval iterations and at the end. When the recursion breaks down (a zero or infinite coefficient) it
/// or has drifted from the residual of x, it is restarted from that, at most three times; after that the outcome is
/// breakdown (max_iterations where it has drifted), and x is the last iterate.
///
/// Bitwise the same result whatever the number of threads and the check interval.
template <KrylovVector Vector>
class BiCgStab : private detail::KrylovBase<Vector> {
  using Base = detail::KrylovBase<Vector>;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  BiCgStab(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& options = {})
      : Base(exec, domain, "BiCgStab", options),
        m_shadow(exec, domain, "Hyperplane::BiCgStab::shadow"),
        m_p(exec, domain, "Hyperplane::BiCgStab::p"),
        m_v(exec, domain, "Hyperplane::BiCgStab::v"),
        m_t(exec, domain, "Hyperplane::BiCgStab::t"),
        m_z(exec, domain, "Hyperplane::BiCgStab::z"),
        m_zs(exec, domain, "Hyperplane::BiCgStab::zs"),
        m_scalars(Kokkos::view_alloc(exec, "Hyperplane::BiCgStab::scalars")) {}

  using Base::options;

  /// Solves A x = b from the x that is given.
  template <LinearOperator<Vector> Matrix, Preconditioner<Vector> Precond>
  KrylovResult solve(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x) const {
    this->check_vectors(b, x);
    KrylovResult result;
    this->begin(exec, b);
    start(exec, a, b, x);
    detail::Phase phase = this->m_progress.look(exec, this->m_options, result);
    int last_start = 0;
    int restarts = 0;
    while (phase == detail::Phase::running && result.iterations < this->m_options.max_iterations) {
      int const remaining = this->m_options.max_iterations - result.iterations;
      int const steps = std::min(this->m_options.check_interval, remaining);
      for (int i = 0; i < steps; ++i) step(exec, a, m, x);
      phase = this->m_progress.look(exec, this->m_options, result);
      if (phase == detail::Phase::running) continue;
      // What the recursion says is checked with the residual of x: it has drifted if that is larger, and after a
      // breakdown it begins anew from there. That helps only if something was gained since the last time.
      bool const again = restarts < max_restarts && result.iterations > last_start;
      detail::Phase const claimed = phase;
      start(exec, a, b, x);
      phase = this->m_progress.look(exec, this->m_options, result);
      if (phase == detail::Phase::running && !again) {
        this->conclude(claimed == detail::Phase::breakdown ? claimed : phase, result);
        return result;
      }
      ++restarts;
      last_start = result.iterations;
    }
    if (phase == detail::Phase::running) {
      start(exec, a, b, x);
      phase = this->m_progress.look(exec, this->m_options, result);
    }
    this->conclude(phase, result);
    return result;
  }

 private:
  static constexpr int max_restarts = 3;

  template <class Matrix>
  void start(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x) const {
    apply(exec, a, x, this->m_r);
    this->m_reducer.template run<1>(
        exec, "Hyperplane::BiCgStab::start",
        detail::BiCgStabStartBody<Scalar>{b.flat().data(), data(this->m_r), data(m_shadow), data(m_p)},
        detail::BiCgStabStartFinish{this->m_progress.ref(), m_scalars.data()});
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, const Vector& x) const {
    auto const progress = this->m_progress.ref();
    auto* const scalars = m_scalars.data();
    Kokkos::RangePolicy<Exec> const all(exec, 0, x.flat().size());
    auto const& r = this->m_r;
    // Values of an iteration's vectors that each kernel moves.
    auto const count = [&](const char* label, int values) {
      detail::count_bytes(label, static_cast<double>(sizeof(Scalar)) * values * static_cast<double>(x.flat().size()));
    };
    count("Hyperplane::BiCgStab::alpha", 2);
    count("Hyperplane::BiCgStab::half_step", 3);
    count("Hyperplane::BiCgStab::omega", 2);
    count("Hyperplane::BiCgStab::update", 8);
    count("Hyperplane::BiCgStab::direction", 4);

    m.solve(exec, m_p, m_z);
    apply(exec, a, m_z, m_v);
    this->m_reducer.template run<1>(exec, "Hyperplane::BiCgStab::alpha",
                                    detail::DotBody<Scalar>{data(m_shadow), data(m_v)},
                                    detail::BiCgStabAlphaFinish{progress, scalars});
    Kokkos::parallel_for("Hyperplane::BiCgStab::half_step", all,
                         detail::BiCgStabHalfStep<Scalar>{progress, scalars, data(m_v), data(r)});
    m.solve(exec, r, m_zs);
    apply(exec, a, m_zs, m_t);
    this->m_reducer.template run<2>(exec, "Hyperplane::BiCgStab::omega",
                                    detail::BiCgStabOmegaBody<Scalar>{data(m_t), data(r)},
                                    detail::BiCgStabOmegaFinish{progress, scalars});
    this->m_reducer.template run<2>(exec, "Hyperplane::BiCgStab::update",
                                    detail::BiCgStabUpdateBody<Scalar>{progress, scalars, data(m_z), data(m_zs),
                                                                       data(m_t), data(m_shadow), data(x), data(r)},
                                    detail::BiCgStabUpdateFinish{progress, scalars});
    Kokkos::parallel_for("Hyperplane::BiCgStab::direction", all,
                         detail::BiCgStabDirection<Scalar>{progress, scalars, data(r), data(m_v), data(m_p)});
  }

  static Scalar* data(const Vector& v) { return v.flat().data(); }

  Vector m_shadow, m_p, m_v, m_t, m_z, m_zs;
  Kokkos::View<detail::BiCgStabScalars, typename Exec::memory_space> m_scalars;
};

}  // namespace hyperplane
