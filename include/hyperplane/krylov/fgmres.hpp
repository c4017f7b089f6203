// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>
#include <vector>

namespace hyperplane {

/// FGMRES(m): flexible GMRES with right preconditioning and restart (Y. Saad, "A Flexible Inner-Outer Preconditioned
/// GMRES Algorithm", doi:10.1137/0914028). The preconditioner may change from one iteration to the next.
///
/// Directions are made orthogonal by classical Gram-Schmidt, twice, with all dot products of a pass in one launch; the
/// Hessenberg matrix, its Givens rotations and the residual estimate stay on the device, and the host waits every
/// check_interval iterations and at each restart. The history holds the estimates; the residual norm of the result is
/// computed from x.
///
/// A plan: the constructor allocates 2 m + 2 vectors, m = options.restart; solve() allocates nothing. Iteration j of a
/// cycle is one apply, one preconditioner solve and about 4 j values of vector traffic an unknown.
///
/// Bitwise the same result whatever the number of threads and the check interval.
template <KrylovVector Vector>
class Fgmres : private detail::KrylovBase<Vector> {
  using Base = detail::KrylovBase<Vector>;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  Fgmres(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& options = {})
      : Base(exec, domain, "Fgmres", options),
        m_restart(std::max(1, std::min(this->m_options.restart, this->m_options.max_iterations))),
        m_numbers(Kokkos::view_alloc(exec, "Hyperplane::Fgmres::system"),
                  m_restart * (m_restart + 1) + 6 * (m_restart + 1) + 1),
        m_length(Kokkos::view_alloc(exec, "Hyperplane::Fgmres::length")),
        m_pointers(Kokkos::view_alloc(exec, "Hyperplane::Fgmres::pointers"), 2 * m_restart + 1),
        m_dots(exec, this->m_r.flat().size(), m_restart + 1) {
    auto const host = Kokkos::create_mirror_view(m_pointers);
    for (int j = 0; j <= m_restart; ++j) {
      m_v.emplace_back(exec, domain, "Hyperplane::Fgmres::v");
      host(j).m_data = data(m_v.back());
    }
    for (int j = 0; j < m_restart; ++j) {
      m_z.emplace_back(exec, domain, "Hyperplane::Fgmres::z");
      host(m_restart + 1 + j).m_data = data(m_z.back());
    }
    Kokkos::deep_copy(exec, m_pointers, host);
    exec.fence("Hyperplane::Fgmres: pointers are on the device");
  }

  using Base::options;

  /// Solves A x = b from the x that is given.
  template <LinearOperator<Vector> Matrix, Preconditioner<Vector> Precond>
  KrylovResult solve(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x) const {
    this->check_vectors(b, x);
    KrylovResult result;
    this->begin(exec, b);
    detail::Phase phase = start(exec, a, b, x, result);
    while (phase == detail::Phase::running && result.iterations < this->m_options.max_iterations) {
      int const columns = std::min(m_restart, this->m_options.max_iterations - result.iterations);
      for (int j = 0; j < columns && phase == detail::Phase::running; ++j) {
        step(exec, a, m, j);
        if ((j + 1) % this->m_options.check_interval == 0 || j + 1 == columns) {
          phase = this->m_progress.look(exec, this->m_options, result);
        }
      }
      update(exec, x);
      // The estimate has the last word on a breakdown alone; everything else is decided by the residual of x.
      detail::Phase const claimed = phase;
      phase = start(exec, a, b, x, result);
      if (claimed == detail::Phase::breakdown && phase == detail::Phase::running) phase = claimed;
    }
    this->conclude(phase, result);
    return result;
  }

 private:
  template <class Matrix>
  detail::Phase start(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, KrylovResult& result) const {
    auto const progress = this->m_progress.ref();
    this->compute_residual(exec, a, b, x, detail::FgmresStartFinish{progress, system()});
    Kokkos::parallel_for("Hyperplane::Fgmres::first_direction", all(exec),
                         detail::FgmresScale<Scalar>{progress, system().m_scale, data(this->m_r), data(m_v[0])});
    return this->m_progress.look(exec, this->m_options, result);
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, int j) const {
    auto const progress = this->m_progress.ref();
    auto const& w = m_v[j + 1];
    m.solve(exec, m_v[j], m_z[j]);
    apply(exec, a, m_z[j], w);
    double* const first = coefficients(0);
    double* const second = coefficients(1);
    const detail::Address<Scalar>* const v = m_pointers.data();
    m_dots.run(exec, data(w), v, j + 1, first);
    Kokkos::parallel_for("Hyperplane::Fgmres::orthogonalize", all(exec),
                         detail::FgmresSubtractOnly<Scalar>{{first, v, data(w), j + 1}});
    m_dots.run(exec, data(w), v, j + 1, second);
    this->m_reducer.template run<1>(exec, "Hyperplane::Fgmres::orthogonalize",
                                    detail::FgmresSubtract<Scalar>{second, v, data(w), j + 1},
                                    detail::FgmresColumnFinish{progress, system(), first, second, j});
    Kokkos::parallel_for("Hyperplane::Fgmres::normalize", all(exec),
                         detail::FgmresScale<Scalar>{progress, system().m_scale, data(w), data(w)});
  }

  void update(const Exec& exec, const Vector& x) const {
    auto const small = system();
    Kokkos::parallel_for("Hyperplane::Fgmres::back_substitution", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         detail::FgmresBackSubstitution{small});
    Kokkos::parallel_for("Hyperplane::Fgmres::update", all(exec),
                         detail::FgmresUpdate<Scalar>{small, m_pointers.data() + m_restart + 1, data(x)});
  }

  Kokkos::RangePolicy<Exec> all(const Exec& exec) const { return {exec, 0, this->m_r.flat().size()}; }
  static Scalar* data(const Vector& v) { return v.flat().data(); }

  detail::FgmresSystem system() const {
    double* next = m_numbers.data();
    auto const take = [&next](int count) {
      double* const taken = next;
      next += count;
      return taken;
    };
    detail::FgmresSystem result{};
    result.m_r = take(m_restart * (m_restart + 1));
    result.m_cosine = take(m_restart + 1);
    result.m_sine = take(m_restart + 1);
    result.m_rhs = take(m_restart + 1);
    result.m_solution = take(m_restart + 1);
    result.m_scale = take(1);
    result.m_length = m_length.data();
    result.m_restart = m_restart;
    return result;
  }
  double* coefficients(int pass) const {
    return m_numbers.data() + m_restart * (m_restart + 1) + (4 + pass) * (m_restart + 1) + 1;
  }

  int m_restart;
  Kokkos::View<double*, typename Exec::memory_space> m_numbers;
  Kokkos::View<int, typename Exec::memory_space> m_length;
  // The vectors' data: v, then z.
  Kokkos::View<detail::Address<Scalar>*, typename Exec::memory_space> m_pointers;
  std::vector<Vector> m_v;
  std::vector<Vector> m_z;
  detail::MultiDot<Scalar, Exec> m_dots;
};

}  // namespace hyperplane
