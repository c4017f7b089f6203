// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/options.hpp>

namespace hyperplane {

namespace detail {

struct RichardsonNormFinish {
  ProgressRef m_progress;
  bool m_first;
  KOKKOS_FUNCTION void operator()(const Sums<1>& sums) const {
    double const norm = Kokkos::sqrt(sums.m_values[0]);
    if (m_first) {
      m_progress.start(norm);
    } else {
      m_progress.advance(norm);
    }
  }
};

template <class Scalar>
struct RichardsonUpdate {
  ProgressRef m_progress;
  const Scalar* m_z;
  Scalar* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    if (m_progress.running()) m_x[e] += m_z[e];
  }
};

}  // namespace detail

/// The correction iteration x <- x + M^-1 (b - A x), also called preconditioned Richardson iteration or iterative
/// refinement of the incomplete factorization (L. Luo et al., "Optimization of a Fine-grained BILU by CUDA Inter-block
/// Synchronization", equation 4).
///
/// A plan: the constructor allocates two vectors; solve() allocates nothing. An iteration is one apply, one
/// preconditioner solve and 5 values of vector traffic an unknown. The host waits every check_interval iterations and
/// at the end.
template <KrylovVector Vector>
class Richardson : private detail::KrylovBase<Vector> {
  using Base = detail::KrylovBase<Vector>;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  Richardson(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& options = {})
      : Base(exec, domain, "Richardson", options), m_z(exec, domain, "Hyperplane::Richardson::z") {}

  using Base::options;

  /// Solves A x = b from the x that is given. With max_iterations = 1, tolerance = 0 and x = 0 the result is M^-1 b.
  template <LinearOperator<Vector> Matrix, Preconditioner<Vector> Precond>
  KrylovResult solve(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x) const {
    this->check_vectors(b, x);
    KrylovResult result;
    auto const progress = this->m_progress.ref();
    this->begin(exec, b);
    this->compute_residual(exec, a, b, x, detail::RichardsonNormFinish{progress, true});
    detail::Phase phase = this->m_progress.look(exec, this->m_options, result);
    for (int i = 1; i <= this->m_options.max_iterations && phase == detail::Phase::running; ++i) {
      m.solve(exec, this->m_r, m_z);
      Kokkos::parallel_for("Hyperplane::Richardson::update", Kokkos::RangePolicy<Exec>(exec, 0, x.flat().size()),
                           detail::RichardsonUpdate<Scalar>{progress, m_z.flat().data(), x.flat().data()});
      this->compute_residual(exec, a, b, x, detail::RichardsonNormFinish{progress, false});
      if (i % this->m_options.check_interval == 0 || i == this->m_options.max_iterations) {
        phase = this->m_progress.look(exec, this->m_options, result);
      }
    }
    this->conclude(phase, result);
    return result;
  }

 private:
  Vector m_z;
};

}  // namespace hyperplane
