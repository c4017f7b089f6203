// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/krylov_method.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// FGMRES(m): flexible GMRES with right preconditioning and restart (Y. Saad, "A Flexible Inner-Outer Preconditioned
/// GMRES Algorithm", doi:10.1137/0914028). The preconditioner may change from one iteration to the next.
///
/// Directions are made orthogonal by classical Gram-Schmidt, twice, with all dot products of a pass in one launch; the
/// Hessenberg matrix, its Givens rotations and the residual estimate stay on the device, and the host waits every
/// check_interval iterations and at each restart. The history holds the estimates; the residual norm of the result is
/// computed from x.
///
/// A plan: the constructor allocates 2 m + 2 vectors, m = options.restart, or options.max_iterations where that is
/// less; solve() allocates nothing. Iteration j of a cycle is one apply, one preconditioner solve and about 4 j values
/// of vector traffic per unknown.
///
/// Bitwise the same result whatever the number of threads and the check interval.
template <KrylovVector Vector>
class Fgmres : private detail::KrylovMethod<Fgmres<Vector>, Vector> {
  using Base = detail::KrylovMethod<Fgmres<Vector>, Vector>;
  using Base::data;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  Fgmres(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "Fgmres", krylov_options),
        m_restart(std::max(1, std::min(this->m_options.restart, this->m_options.max_iterations))),
        m_numbers(Processes::made(domain,
                                  [&] {
                                    return Numbers(
                                        Kokkos::view_alloc(exec, "Hyperplane::Fgmres::system"),
                                        detail::as_size((m_restart + std::int64_t{6}) * (m_restart + 1) + 1));
                                  })),
        m_length(
            Processes::made(domain, [&] { return Length(Kokkos::view_alloc(exec, "Hyperplane::Fgmres::length")); })),
        m_pointers(Processes::made(domain,
                                   [&] {
                                     return Pointers(Kokkos::view_alloc(exec, "Hyperplane::Fgmres::pointers"),
                                                     detail::as_size(2 * m_restart + 1));
                                   })),
        m_dots(Processes::made(domain, [&] { return Dots(exec, this->size(this->m_r), m_restart + 1); })) {
    auto const host = Kokkos::create_mirror_view(m_pointers);
    for (int j = 0; j <= m_restart; ++j) {
      m_v.push_back(detail::make_vector<Vector>(exec, domain, "Hyperplane::Fgmres::v"));
      host(j).m_data = data(m_v.back());
    }
    for (int j = 0; j < m_restart; ++j) {
      m_z.push_back(detail::make_vector<Vector>(exec, domain, "Hyperplane::Fgmres::z"));
      host(m_restart + 1 + j).m_data = data(m_z.back());
    }
    Kokkos::deep_copy(exec, m_pointers, host);
    exec.fence("Hyperplane::Fgmres: pointers are on the device");
  }

  using Base::options;
  /// solve(exec, a, m, b, x) solves A x = b from the x that is given; with limits behind x, within other limits than
  /// those of the options.
  using Base::solve;

 private:
  friend Base;
  using typename Base::Processes;
  using Numbers = Kokkos::View<double*, typename Exec::memory_space>;
  using Length = Kokkos::View<int, typename Exec::memory_space>;
  using Pointers = Kokkos::View<detail::Address<Scalar>*, typename Exec::memory_space>;
  using Dots = detail::MultiDot<Scalar, Exec>;

  template <class Matrix, class Precond>
  detail::Phase iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                        detail::KrylovRun& run) const {
    auto const start = [&] { launch_start(exec, a, b, x, run); };
    detail::Phase phase = this->begin(exec, b, x, run, start);
    while (run.goes_on(phase)) {
      int const first = run.m_result.iterations;
      phase = cycle(exec, a, m, run);
      // Direction that the cycle broke down on.
      int const broken = phase == detail::Phase::breakdown ? run.m_result.iterations - first : -1;
      update(exec, x, run);
      // The estimate has the last word on a breakdown alone; everything else is decided by the residual of x.
      phase = this->restart(exec, run, start);
      if (broken >= 0 && phase == detail::Phase::running) {
        auto const& z = m_z[detail::as_size(broken)];
        apply(exec, a, z, this->m_r);
        run.m_result.breakdown = this->blame(exec, z, this->m_r);
        phase = detail::Phase::breakdown;
      }
    }
    return phase;
  }

  template <class Matrix>
  void launch_start(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                    const detail::KrylovRun& run) const {
    auto const progress = this->m_progress.ref(run);
    this->compute_residual(exec, a, b, x, run, detail::FgmresStartFinish{progress, system()});
    detail::launch("Hyperplane::Fgmres::first_direction", this->all(exec), 2.0 * sizeof(Scalar),
                   detail::FgmresScale<Scalar>{progress, system().m_scale, data(this->m_r), data(m_v[0])});
  }

  /// Directions until the next restart, or until the host sees that they are enough.
  template <class Matrix, class Precond>
  detail::Phase cycle(const Exec& exec, const Matrix& a, const Precond& m, detail::KrylovRun& run) const {
    detail::Phase phase = detail::Phase::running;
    int const columns = std::min(m_restart, run.remaining());
    int unseen = 0;
    for (int j = 0; j < columns && phase == detail::Phase::running && !run.m_stopped; ++j) {
      step(exec, a, m, j, run);
      if (++unseen < this->m_progress.interval() && j + 1 < columns) continue;
      phase = this->m_progress.look(exec, run, unseen);
      unseen = 0;
    }
    return phase;
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, int j, const detail::KrylovRun& run) const {
    auto const progress = this->m_progress.ref(run);
    auto const column = detail::as_size(j);
    auto const& w = m_v[column + 1];
    m.solve(exec, m_v[column], m_z[column]);
    apply(exec, a, m_z[column], w);
    double* const first = coefficients(0);
    double* const second = coefficients(1);
    const detail::Address<Scalar>* const v = m_pointers.data();
    m_dots.run(exec, data(w), v, j + 1, first);
    this->m_reducer.complete(exec, first, j + 1);
    detail::launch("Hyperplane::Fgmres::orthogonalize", this->all(exec), (j + 3.0) * sizeof(Scalar),
                   detail::FgmresSubtractOnly<Scalar>{{first, v, data(w), j + 1}});
    m_dots.run(exec, data(w), v, j + 1, second);
    this->m_reducer.complete(exec, second, j + 1);
    this->m_reducer.template run<1>(exec, "Hyperplane::Fgmres::orthogonalize",
                                    detail::FgmresSubtract<Scalar>{second, v, data(w), j + 1},
                                    detail::FgmresColumnFinish{progress, system(), first, second, j});
    detail::launch("Hyperplane::Fgmres::normalize", this->all(exec), 2.0 * sizeof(Scalar),
                   detail::FgmresScale<Scalar>{progress, system().m_scale, data(w), data(w)});
  }

  void update(const Exec& exec, const Vector& x, const detail::KrylovRun& run) const {
    auto const small = system();
    detail::launch("Hyperplane::Fgmres::back_substitution", detail::IndexRange<Exec>(exec, 0, 1), sizeof(Scalar),
                   detail::FgmresBackSubstitution{small});
    detail::launch("Hyperplane::Fgmres::update", this->all(exec), (m_restart + 2.0) * sizeof(Scalar),
                   detail::FgmresUpdate<Scalar>{small, m_pointers.data() + m_restart + 1, data(x),
                                                static_cast<Scalar>(run.m_scale)});
  }

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
  Numbers m_numbers;
  Length m_length;
  // The vectors' data: v, then z.
  Pointers m_pointers;
  std::vector<Vector> m_v;
  std::vector<Vector> m_z;
  Dots m_dots;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
