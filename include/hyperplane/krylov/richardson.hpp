// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/krylov_method.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

struct RichardsonNormFinish {
  ProgressRef m_progress;
  bool m_first;
  KOKKOS_FUNCTION void operator()(double norm) const {
    if (m_first) {
      m_progress.start_with_norm(norm);
    } else {
      m_progress.advance_with_norm(norm);
    }
  }
};

template <class Scalar>
struct RichardsonMagnitude {
  ResidualBody<Scalar> m_body;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e) const {
    return {{Kokkos::abs(static_cast<double>(m_body.residual(e)))}};
  }
};

template <class Scalar>
struct RichardsonUpdate {
  ProgressRef m_progress;
  const Scalar* m_z;
  Scalar* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    if (m_progress.running()) m_x[e] += static_cast<Scalar>(m_progress.scale()) * m_z[e];
  }
};

}  // namespace detail

/// The correction iteration x <- x + M^-1 (b - A x), also called preconditioned Richardson iteration or iterative
/// refinement of the incomplete factorization (L. Luo et al., "Optimization of a Fine-grained BILU by CUDA Inter-block
/// Synchronization", equation 4).
///
/// A plan: the constructor allocates two vectors; solve() allocates nothing. With max_iterations = 1, tolerance = 0 and
/// x = 0 the result is M^-1 b. An iteration is one apply, one preconditioner solve and 7 values of vector traffic per
/// unknown. Norms are ScaledNorm's: their bits, and so the decision to stop, are a function of the values of vectors
/// alone, whatever the threads, ranks and grid blocks that they are spread over. The host waits when it looks
/// (KrylovOptions::check_interval) and at the end.
template <KrylovVector Vector>
class Richardson : private detail::KrylovMethod<Richardson<Vector>, Vector> {
  using Base = detail::KrylovMethod<Richardson<Vector>, Vector>;
  using Base::data;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  Richardson(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "Richardson", krylov_options),
        m_z(detail::make_vector<Vector>(exec, domain, "Hyperplane::Richardson::z")) {}

  using Base::options;
  /// solve(exec, a, m, b, x) solves A x = b from the x that is given; with limits behind x, within other limits than
  /// those of the options.
  using Base::solve;

 private:
  friend Base;

  template <class Matrix, class Precond>
  detail::Phase iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                        detail::KrylovRun& run) const {
    auto const residual = [&](bool first) {
      apply(exec, detail::exact_of(a), x, this->m_r);
      detail::ResidualBody<Scalar> const body{data(b), data(this->m_r), static_cast<Scalar>(1.0 / run.m_scale)};
      this->m_norm.run(exec, "Hyperplane::Richardson::residual", this->m_reducer,
                       detail::RichardsonMagnitude<Scalar>{body}, data(this->m_r),
                       detail::RichardsonNormFinish{this->m_progress.ref(run), first});
    };
    auto const start = [&] { residual(true); };
    detail::Phase phase = this->begin(exec, b, x, run, start);
    while (run.goes_on(phase)) {
      int const steps = this->m_progress.steps(run);
      for (int i = 0; i < steps; ++i) {
        m.solve(exec, this->m_r, m_z);
        detail::launch("Hyperplane::Richardson::update", this->all(exec), 3.0 * sizeof(Scalar),
                       detail::RichardsonUpdate<Scalar>{this->m_progress.ref(run), data(m_z), data(x)});
        residual(false);
      }
      phase = this->m_progress.look(exec, run, steps);
      if (detail::unsure(phase)) phase = this->settle(exec, run, start);
    }
    return phase;
  }

  Vector m_z;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
