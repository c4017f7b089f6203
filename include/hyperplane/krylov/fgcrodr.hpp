// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/fgcrodr_kernels.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/flexible_krylov.hpp>
#include <hyperplane/krylov/detail/harmonic_ritz.hpp>
#include <hyperplane/krylov/options.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// FGCRO-DR(m, k), flexible GCRO with deflated restarting: FGMRES(m) that keeps a subspace U of k = options.recycled
/// dimensions, from one cycle to the next and from one solve to the next, for sequences of systems that change little.
/// Sources: Parks et al., "Recycling Krylov Subspaces for Sequences of Linear Systems", doi:10.1137/040607277: what is
/// kept; Carvalho et al., "A Flexible Generalized Conjugate Residual Method with Inner Orthogonalization and Deflated
/// Restarting", doi:10.1137/100786253: its harmonic Ritz problem; Hicken, Zingg, "A Simplified and Flexible Variant of
/// GCROT for Solving Nonsymmetric Linear Systems", doi:10.1137/090754674: the flexible cycles.
///
/// A solve computes C = A U anew (k products) and makes it orthonormal, then takes the part of the residual that is in
/// C off: that is its first iteration, without the preconditioner. A cycle has m - k directions, orthogonal to C. Then
/// the k harmonic Ritz vectors for the values of smallest modulus are kept, of pairs that are conjugate both or none.
/// The dense problem of a cycle is solved on the host, in about 30 m^3 operations. Where it has no use (singular, or
/// not finite), the subspace stays as it was. Without a subspace, the first cycle is one of FGMRES(m).
///
/// The harmonic Ritz problem wants to know what the preconditioner made U of. In a solve that is the same sum of
/// directions, as in FGMRES; none of them is stored, since its coefficients in C and the residual are known. At the
/// next solve it is taken to be what it was in C, and what was along the residual is left out. So matrix and
/// preconditioner may change in any way: a subspace that does not suit makes a solve slower, never wrong. One whose
/// products are not finite is forgotten, and directions that A makes dependent are left out.
///
/// A plan: the constructor allocates 2 m + 2 + k vectors, m = options.restart, or options.max_iterations where that is
/// less, and k less than m; solve() allocates nothing on the device. Iteration j of a cycle is one apply, one
/// preconditioner solve, 2 (j + k) dot products in two reductions and about 4 (j + k) values of vector traffic per
/// unknown (on hosts 3 (j + k), see Fgmres); the end of a cycle reads about 2 m and writes 4 k. The host waits as for
/// FGMRES, and once more at the beginning of a cycle and of a solve with a subspace, and at its end. A copy is the same
/// object, with the same subspace. Errors and breakdowns are those of FGMRES; after a breakdown the subspace is that of
/// the last whole cycle. Bitwise the same result whatever the number of threads and the check interval, for the same
/// sequence of solves.
template <KrylovVector Vector>
class Fgcrodr : private detail::FlexibleKrylov<Fgcrodr<Vector>, Vector> {
  using Base = detail::FlexibleKrylov<Fgcrodr<Vector>, Vector>;
  using typename Base::Processes;
  using typename Base::Scalar;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  Fgcrodr(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "Fgcrodr", krylov_options, krylov_options.recycled),
        m_cycle(Processes::made(domain,
                                [&] {
                                  return Values(Kokkos::view_alloc(exec, "Hyperplane::Fgcrodr::cycle"),
                                                detail::as_size(detail::FgcrodrCycle::values(this->m_restart)));
                                })),
        m_coefficients(Processes::made(domain,
                                       [&] {
                                         return Values(Kokkos::view_alloc(exec, "Hyperplane::Fgcrodr::coefficients"),
                                                       detail::as_size(this->m_spare * (2 * this->m_restart + 1)));
                                       })),
        m_host_cycle(Kokkos::create_mirror_view(m_cycle)),
        m_host_coefficients(Kokkos::create_mirror_view(m_coefficients)),
        m_subspace(std::make_shared<Subspace>()) {
    exec.fence("Hyperplane::Fgcrodr");
  }

  using Base::options;
  /// solve(exec, a, m, b, x) solves A x = b from the x that is given; with limits behind x, within other limits than
  /// those of the options. Solves of one object are on one instance, or the caller orders the instances.
  using Base::solve;

  /// The next solve begins without a subspace. Throws Error during a solve.
  void forget() {
    detail::Solving const solving(*this->m_solving, this->m_label);
    *m_subspace = {};
  }
  /// Dimensions of the subspace that the next solve begins with.
  int recycled() const { return m_subspace->size(); }
  /// A basis U of that subspace. Whatever writes into it changes the subspace; solve() and forget() do.
  std::span<const Vector> directions() const { return kept(this->m_z); }
  /// C = A U, orthonormal, for the A of the last solve that took an iteration.
  std::span<const Vector> images() const { return kept(this->m_v); }

 private:
  friend detail::KrylovMethod<Fgcrodr<Vector>, Vector>;
  using Values = Kokkos::View<double*, typename Exec::memory_space>;
  /// What is left of a vector less its components along others, as a share of it, that is rounding's.
  static constexpr double rounding = 1e4 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

  /// What is known of the subspace beside its vectors: its images under the preconditioner's inverse, W = C s + r t, of
  /// which r is the direction of the residual.
  struct Subspace {
    detail::RealMatrix m_s{0, 0};
    detail::RealMatrix m_t{1, 0};
    int size() const { return m_s.columns(); }
    void forget_residual() { m_t = detail::RealMatrix(1, size()); }
  };

  std::span<const Vector> kept(const std::vector<Vector>& from) const {
    return std::span(from).first(detail::as_size(m_subspace->size()));
  }

  template <class Matrix, class Precond>
  detail::Phase iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                        detail::KrylovRun& run) const {
    run.m_fall = detail::rounding_of(a);
    auto const start = [&] { this->launch_residual(exec, a, b, x, run); };
    detail::Phase phase = this->begin(exec, b, x, run, start);
    if (!run.goes_on(phase)) return phase;
    renew(exec, a);
    for (bool first = true; run.goes_on(phase); first = false) {
      double const norm = run.m_result.residual_norm;
      phase = project(exec, first, run);
      int const before = run.m_result.iterations;
      auto const small = device_cycle();
      // Where next to nothing is left of the residual, its direction is rounding's: x is to have the subspace's part.
      if (run.goes_on(phase) && run.m_result.residual_norm > rounding * norm) {
        phase = this->cycle(exec, a, m, small.m_kept, run, [&](int, const detail::FgmresColumnFinish& finish) {
          return detail::FgcrodrColumnFinish{finish, small};
        });
      }
      int const broken = phase == detail::Phase::breakdown ? small.m_kept + run.m_result.iterations - before : -1;
      // A direction is not made one of norm 1 where its iteration has ended the cycle.
      bool const scaled = phase != detail::Phase::converged && phase != detail::Phase::fallen;
      update(exec, x, small.m_kept + run.m_result.iterations - before, run);
      // The estimate has the last word on a breakdown alone; everything else is decided by the residual of x.
      phase = this->restart(exec, run, start);
      if (broken >= 0 && phase == detail::Phase::running) {
        phase = this->break_down(exec, a, broken, run);
      } else if (run.m_result.residual_norm > 10.0 * norm) {
        *m_subspace = {};  // so far from what the method is to do that directions cannot be what they should
      } else {
        harvest(exec, scaled);
      }
    }
    if (phase == detail::Phase::breakdown) this->clear_directions(exec, m_subspace->size());
    exec.fence("Hyperplane::Fgcrodr: the subspace is there");
    return phase;
  }

  /// C of a subspace that is from another solve.
  template <class Matrix>
  void renew(const Exec& exec, const Matrix& a) const {
    auto const small = device_cycle();
    if (small.m_kept == 0) return;
    double const least = std::cbrt(static_cast<double>(std::numeric_limits<Scalar>::epsilon()));
    for (int j = 0; j < small.m_kept; ++j) {
      auto const& v = this->m_v[detail::as_size(j)];
      apply(exec, a, this->m_z[detail::as_size(j)], v);
      this->orthogonalize(exec, v, j,
                          detail::FgcrodrKeptFinish{small, this->coefficients(0), this->coefficients(1), least, j});
      this->count("Hyperplane::Fgcrodr::normalize", 2);
      detail::launch("Hyperplane::Fgcrodr::normalize", this->all(exec), 2.0 * sizeof(Scalar),
                     detail::FgcrodrNormalize<Scalar>{small.m_scale, this->data(v)});
    }
    Kokkos::deep_copy(exec, m_host_cycle, m_cycle);
    exec.fence("Hyperplane::Fgcrodr: products of the subspace");
    auto const seen = host_cycle();
    std::vector<int> places;
    for (int j = 0; j < small.m_kept; ++j) {
      double const diagonal = seen.column(j)[j];
      if (!std::isfinite(diagonal)) {
        *m_subspace = {};
        this->clear_directions(exec, 0);
        return;
      }
      if (diagonal > 0.0) places.push_back(j);
    }
    take(exec, seen, places);
  }

  /// The subspace of the directions that are left, so that A U = C again.
  void take(const Exec& exec, const detail::FgcrodrCycle& seen, const std::vector<int>& places) const {
    int const count = seen.m_kept;
    auto const left = static_cast<int>(places.size());
    detail::RealMatrix r(left, left), s(left, left), chosen(count, left);
    for (int j = 0; j < left; ++j) {
      int const from = places[detail::as_size(j)];
      chosen(from, j) = 1.0;
      for (int i = 0; i < left; ++i) {
        if (i <= j) r(i, j) = seen.column(from)[places[detail::as_size(i)]];
        s(i, j) = m_subspace->m_s(places[detail::as_size(i)], from);
      }
    }
    m_subspace->m_s = solve_upper_from_right(product(r, s), r);
    m_subspace->forget_residual();
    combine(exec, solve_upper_from_right(chosen, r), chosen);
  }

  /// The residual without its components in C, the first direction of a cycle.
  detail::Phase project(const Exec& exec, bool counts, detail::KrylovRun& run) const {
    auto const small = device_cycle();
    if (small.m_kept > 0) {
      this->orthogonalize(exec, this->m_r, small.m_kept,
                          detail::FgcrodrProjectFinish{this->m_progress.ref(run), this->system(), small,
                                                       this->coefficients(0), this->coefficients(1), counts});
    }
    detail::launch("Hyperplane::Fgcrodr::begin", detail::IndexRange<Exec>(exec, 0, 1), sizeof(double),
                   detail::FgcrodrBegin{this->system(), small});
    this->launch_first_direction(exec, small.m_kept, run);
    return small.m_kept > 0 ? this->m_progress.look(exec, run, 1) : detail::Phase::running;
  }

  void update(const Exec& exec, const Vector& x, int columns, const detail::KrylovRun& run) const {
    detail::launch("Hyperplane::Fgcrodr::solution", detail::IndexRange<Exec>(exec, 0, 1), sizeof(Scalar),
                   detail::FgcrodrSolution{this->system(), device_cycle()});
    this->launch_update(exec, x, columns, run);
    Kokkos::deep_copy(exec, m_host_cycle, m_cycle);
  }

  /// The next subspace, of the cycle that the host has seen. `scaled`: all of its directions have norm 1.
  void harvest(const Exec& exec, bool scaled) const {
    auto const seen = host_cycle();
    int const kept = seen.m_kept;
    int const found = static_cast<int>(*seen.m_columns);
    int const columns = seen.columns_of_use(found, rounding);
    auto const& [s, t] = *m_subspace;
    detail::RecycledCycle cycle{detail::RealMatrix(columns + 1, columns), detail::RealMatrix(columns + 1, columns),
                                detail::RealMatrix(columns + 1, 1)};
    for (int j = 0; j < kept; ++j) {
      cycle.m_g(j, j) = 1.0;
      for (int i = 0; i < kept; ++i) cycle.m_e(i, j) = s(i, j);
      cycle.m_e(kept, j) = t(0, j);
      cycle.m_rhs(j, 0) = seen.m_c[j];
    }
    for (int j = kept; j < columns; ++j) {
      for (int i = 0; i <= j + 1; ++i) cycle.m_g(i, j) = seen.column(j)[i];
      cycle.m_e(j, j) = 1.0;
    }
    cycle.m_rhs(kept, 0) = *seen.m_norm;
    double const last = columns == kept ? 1.0 : cycle.m_g(columns, columns - 1);
    auto next = columns == kept ? std::nullopt : detail::harmonic_ritz(std::move(cycle), this->m_spare);
    if (!next) {
      m_subspace->forget_residual();
      return;
    }
    bool const to_scale = !scaled && columns == found;
    for (int j = 0; j < next->size() && to_scale; ++j) next->m_c(columns, j) *= last > 0.0 ? 1.0 / last : 0.0;
    combine(exec, next->m_u, next->m_c);
    m_subspace->m_s = std::move(next->m_s);
    m_subspace->m_t = std::move(next->m_t);
  }

  /// U = Z u and C = V c.
  void combine(const Exec& exec, const detail::RealMatrix& u, const detail::RealMatrix& c) const {
    auto* to = m_host_coefficients.data();
    for (auto const* const matrix : {&u, &c}) {
      for (int j = 0; j < matrix->columns(); ++j) {
        for (int i = 0; i < matrix->rows(); ++i) *to++ = (*matrix)(i, j);
      }
    }
    Kokkos::deep_copy(exec, m_coefficients, m_host_coefficients);
    replace(exec, this->addresses_of_z(), u, m_coefficients.data());
    replace(exec, this->addresses_of_v(), c, m_coefficients.data() + u.rows() * u.columns());
  }

  void replace(const Exec& exec, const detail::Address<Scalar>* vectors, const detail::RealMatrix& matrix,
               const double* coefficients) const {
    constexpr int lanes = HostExecutionSpace<Exec> ? 128 : 1;
    auto const size = this->size(this->m_r);
    auto const* const spare = this->addresses_of_spare();
    int const columns = matrix.columns();
    this->count("Hyperplane::Fgcrodr::combine", matrix.rows() + columns);
    this->template launch_groups<lanes>(
        exec, "Hyperplane::Fgcrodr::combine", (matrix.rows() + columns) * double{lanes} * sizeof(Scalar),
        detail::FgcrodrCombine<Scalar, lanes>{vectors, spare, coefficients, size, matrix.rows(), columns});
    this->count("Hyperplane::Fgcrodr::copy", 2 * columns);
    detail::launch("Hyperplane::Fgcrodr::copy", this->all(exec), 2.0 * columns * sizeof(Scalar),
                   detail::FgcrodrCopy<Scalar>{spare, vectors, columns});
  }

  detail::FgcrodrCycle device_cycle() const {
    return detail::FgcrodrCycle::at(m_cycle.data(), this->m_restart, m_subspace->size());
  }
  /// The same where the host sees it.
  detail::FgcrodrCycle host_cycle() const {
    return detail::FgcrodrCycle::at(m_host_cycle.data(), this->m_restart, m_subspace->size());
  }

  Values m_cycle;
  // Of combine(): first those of U, then those of C.
  Values m_coefficients;
  decltype(Kokkos::create_mirror_view(m_cycle)) m_host_cycle;
  decltype(Kokkos::create_mirror_view(m_coefficients)) m_host_coefficients;
  std::shared_ptr<Subspace> m_subspace;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
