// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/detail/simultaneous_bicgstab_kernels.hpp>
#include <hyperplane/krylov/detail/simultaneous_method.hpp>
#include <hyperplane/krylov/detail/tall_reducer.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/result.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// BiCGStab for several right-hand sides at a time, as of adjoint systems with several objectives: the iterations of
/// BiCgStab for each, with scalars of its own, where products and solves of all are one. So A and the factors are read
/// once for all right-hand sides. Each ends by its own residual; its x stays what it is while others go on, so that the
/// iterations are as many as the slowest one needs. What is not finite in one does not come to the others.
///
/// A plan: the constructor allocates seven vectors of each, and, of PointVectors, a single one; solve() allocates
/// results alone.
/// Iterations, restarts and outcomes are those of BiCgStab; on hosts also the bits, where products, solves and the
/// compiler have them (see apply()). But with a NarrowedMatrix, whose copy is too rough for one right-hand side, all
/// that have not ended turn to A itself, since their products are one. Options are those of BiCgStab, without a
/// monitor.
///
/// Vectors: PointVectors, made for a number of points, or BlockVectors, made for a Grid.
template <class Vectors>
class SimultaneousBiCgStab : private detail::SimultaneousMethod<SimultaneousBiCgStab<Vectors>, Vectors> {
  using Base = detail::SimultaneousMethod<SimultaneousBiCgStab<Vectors>, Vectors>;

 public:
  using Base::options;
  using Base::vectors;
  using typename Base::Exec;
  using typename Base::Limits;
  using typename Base::Results;
  using typename Base::Scalar;

  /// Throws Error where an option is out of range, or there is a monitor.
  SimultaneousBiCgStab(const Exec& exec, const VectorDomain<Vectors>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "SimultaneousBiCgStab", krylov_options),
        m_shadow(exec, domain, "Hyperplane::SimultaneousBiCgStab::shadow"),
        m_p(exec, domain, "Hyperplane::SimultaneousBiCgStab::p"),
        m_v(exec, domain, "Hyperplane::SimultaneousBiCgStab::v"),
        m_t(exec, domain, "Hyperplane::SimultaneousBiCgStab::t"),
        m_z(exec, domain, "Hyperplane::SimultaneousBiCgStab::z"),
        m_zs(exec, domain, "Hyperplane::SimultaneousBiCgStab::zs"),
        m_scalars(Kokkos::view_alloc(exec, "Hyperplane::SimultaneousBiCgStab::scalars")),
        m_reducer(exec, this->layout()) {}

  /// solve(exec, a, m, b, x) solves A X = B from the X that is given, with a result for each vector; with limits behind
  /// x, of all or of each, within other limits than those of the options. Throws Error where vectors have other points,
  /// or X is B.
  using Base::solve;

 private:
  friend Base;

  using Phase = detail::Phase;
  using Base::data;
  using typename Base::Chosen;
  using typename Base::Recursion;
  using typename Base::Recursions;
  using Scalars = detail::SimultaneousScalars<Scalar, vectors>;
  using Breakdowns = std::array<KrylovBreakdown, std::size_t{vectors}>;
  using Norms = std::array<double, std::size_t{vectors}>;
  template <class OfOne, int count>
  using Finish = detail::SimultaneousFinish<OfOne, count, Scalar, vectors>;

  static constexpr int max_restarts = 3;

  template <class Matrix, class Precond>
  Recursions iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vectors& b, const Vectors& x,
                     const Limits& limits) const {
    auto const start = [&](const Recursions& all, const Chosen& chosen) { launch_start(exec, a, b, x, all, chosen); };
    Recursions all = this->begin(exec, b, x, limits, start);
    for (auto& of : all) {
      of.run.m_fall = detail::bicgstab_fall(detail::rounding_of(a));
      of.run.m_products.m_least = of.run.m_result.residual_norm;
    }
    for (auto going = Base::those(all, &Base::goes_on); Base::any(going); going = Base::those(all, &Base::goes_on)) {
      int const steps = this->steps_until_look(all, going);
      for (int i = 0; i < steps; ++i) step(exec, a, m, x, all, going);
      this->look(exec, all, going, steps);
      auto believed = residual_norms(all);
      // Before others are renewed, which takes t.
      auto const breakdowns = find_breakdowns(exec, all, going);
      auto const fallen = Base::those(all, [](const Recursion& of) { return of.phase == Phase::fallen; });
      renew_residuals(exec, a, b, x, all, fallen, start);
      check_products(all, fallen, believed);
      // Not what recursions had before they were renewed, which has been checked.
      believed = residual_norms(all);
      check_products(all, go_on(exec, all, going, fallen, breakdowns, start), believed);
    }
    // Where iterations were too few, what x has.
    auto const unfinished = [](const Recursion& of) { return of.phase == Phase::running && !of.given_up; };
    this->restart(exec, all, Base::those(all, unfinished), start);
    return all;
  }

  /// The chosen recursions begin at x.
  template <class Matrix>
  void launch_start(const Exec& exec, const Matrix& a, const Vectors& b, const Vectors& x, const Recursions& all,
                    const Chosen& chosen) const {
    // What goes on has no use for t between its steps.
    apply(exec, detail::exact_of(a), x, m_t);
    detail::SimultaneousStart<Scalar, vectors> body{data(b), data(m_t), data(this->m_r), data(m_shadow), data(m_p),
                                                    {},      {}};
    for (std::size_t j = 0; j < all.size(); ++j) {
      body.m_factor[j] = static_cast<Scalar>(1.0 / all[j].run.m_scale);
      body.m_begins[j] = chosen[j];
    }
    m_reducer.template run<1>(exec, "Hyperplane::SimultaneousBiCgStab::start", body,
                              Finish<detail::BiCgStabStartFinish, 1>{this->ref(m_scalars.data(), all, chosen)});
  }

  /// As BiCgStab::renew_residual(), of the fallen ones.
  template <class Matrix, class Start>
  void renew_residuals(const Exec& exec, const Matrix& a, const Vectors& b, const Vectors& x, Recursions& all,
                       const Chosen& fallen, const Start& start) const {
    if (!Base::any(fallen)) return;
    apply(exec, detail::exact_of(a), x, m_t);
    this->count("Hyperplane::SimultaneousBiCgStab::renew", 4);
    detail::SimultaneousRenew<Scalar, vectors> body{data(b), data(m_t), data(m_shadow), data(this->m_r), {}, {}};
    for (std::size_t j = 0; j < all.size(); ++j) {
      body.m_factor[j] = static_cast<Scalar>(1.0 / all[j].run.m_scale);
      body.m_renews[j] = fallen[j];
    }
    m_reducer.template run<2>(exec, "Hyperplane::SimultaneousBiCgStab::renew", body,
                              Finish<detail::BiCgStabRenewFinish, 2>{this->ref(m_scalars.data(), all, fallen)});
    launch_direction(exec);
    this->look_at_residuals(exec, all, fallen);
    Chosen open{};
    for (std::size_t j = 0; j < all.size(); ++j) open[j] = fallen[j] && unsure(all[j].phase);
    this->settle(exec, all, open, start);
  }

  void launch_direction(const Exec& exec) const {
    this->count("Hyperplane::SimultaneousBiCgStab::direction", 4);
    detail::launch_tall(
        "Hyperplane::SimultaneousBiCgStab::direction", exec, this->layout(), 4.0 * sizeof(Scalar),
        detail::SimultaneousDirection<Scalar, vectors>{m_scalars.data(), data(this->m_r), data(m_v), data(m_p)});
  }

  /// As in BiCgStab, of the chosen recursions, whose residuals are those of x now. Where products are exact for the
  /// sake of another one, theirs need not be renewed any more. Residuals that are of products with a copy still are to
  /// be.
  static void check_products(Recursions& all, const Chosen& chosen, const Norms& believed) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto& run = all[j].run;
      if (chosen[j]) run.m_products.check(run.m_result.residual_norm, believed[j]);
    }
    bool const exact = are_exact(all);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (chosen[j]) all[j].run.m_products.m_exact = exact;
    }
  }
  static Norms residual_norms(const Recursions& all) {
    Norms norms;
    for (std::size_t j = 0; j < all.size(); ++j) norms[j] = all[j].run.m_result.residual_norm;
    return norms;
  }
  static bool are_exact(const Recursions& all) {
    return std::ranges::any_of(all, [](const Recursion& of) { return of.run.m_products.m_exact; });
  }

  template <class Matrix>
  void multiply(const Exec& exec, const Matrix& a, const Vectors& from, const Vectors& to,
                const Recursions& all) const {
    if constexpr (RoundedOperator<Matrix>) {
      if (are_exact(all)) return apply(exec, detail::exact_of(a), from, to);
    }
    apply(exec, a, from, to);
  }

  /// What a recursion says that has ended is checked with the residual of x, as in BiCgStab, where it is not that.
  /// Those that were.
  template <class Start>
  Chosen go_on(const Exec& exec, Recursions& all, const Chosen& going, const Chosen& renewed, Breakdowns breakdowns,
               const Start& start) const {
    Chosen ended{}, broken{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      ended[j] = going[j] && all[j].phase != Phase::running && !(renewed[j] && all[j].phase == Phase::converged);
      if (!ended[j]) continue;
      broken[j] = is_broken(all[j]);
      if (broken[j] && renewed[j] && !may_restart(all[j])) breakdowns[j] = find_breakdown(exec, j);
    }
    this->restart(exec, all, ended, start);
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto& of = all[j];
      if (!ended[j]) continue;
      if (of.phase == Phase::running && !may_restart(of)) {
        of.given_up = true;
        of.run.m_result.breakdown = breakdowns[j];
        if (broken[j]) of.phase = Phase::breakdown;
      }
      ++of.restarts;
      of.last_start = of.run.m_result.iterations;
    }
    return ended;
  }
  static bool is_broken(const Recursion& of) { return of.phase == Phase::breakdown || of.phase == Phase::too_large; }
  static bool may_restart(const Recursion& of) {
    return of.restarts < max_restarts && of.run.m_result.iterations > of.last_start;
  }

  Breakdowns find_breakdowns(const Exec& exec, const Recursions& all, const Chosen& going) const {
    Breakdowns result{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (going[j] && is_broken(all[j]) && !may_restart(all[j])) result[j] = find_breakdown(exec, j);
    }
    return result;
  }
  KrylovBreakdown find_breakdown(const Exec& exec, std::size_t j) const {
    auto const first = this->blame(exec, m_z, m_v, j);
    return first == KrylovBreakdown::recursion ? this->blame(exec, m_zs, m_t, j) : first;
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, const Vectors& x, const Recursions& all,
            const Chosen& going) const {
    auto const* const scalars = m_scalars.data();
    auto const of_all = this->ref(m_scalars.data(), all, going);
    this->count("Hyperplane::SimultaneousBiCgStab::alpha", 2);
    this->count("Hyperplane::SimultaneousBiCgStab::half_step", 3);
    this->count("Hyperplane::SimultaneousBiCgStab::omega", 2);
    this->count("Hyperplane::SimultaneousBiCgStab::update", 8);

    m.solve(exec, m_p, m_z);
    multiply(exec, a, m_z, m_v, all);
    m_reducer.template run<1>(exec, "Hyperplane::SimultaneousBiCgStab::alpha",
                              detail::SimultaneousDot<Scalar>{data(m_shadow), data(m_v)},
                              Finish<detail::BiCgStabAlphaFinish, 1>{of_all});
    detail::launch_tall("Hyperplane::SimultaneousBiCgStab::half_step", exec, this->layout(), 3.0 * sizeof(Scalar),
                        detail::SimultaneousHalfStep<Scalar, vectors>{scalars, data(m_v), data(this->m_r)});
    m.solve(exec, this->m_r, m_zs);
    multiply(exec, a, m_zs, m_t, all);
    m_reducer.template run<2>(exec, "Hyperplane::SimultaneousBiCgStab::omega",
                              detail::SimultaneousOmega<Scalar>{data(m_t), data(this->m_r)},
                              Finish<detail::BiCgStabOmegaFinish, 2>{of_all});
    m_reducer.template run<2>(exec, "Hyperplane::SimultaneousBiCgStab::update",
                              detail::SimultaneousUpdate<Scalar, vectors>{scalars, data(m_z), data(m_zs), data(m_t),
                                                                          data(m_shadow), data(x), data(this->m_r)},
                              Finish<detail::BiCgStabUpdateFinish, 2>{of_all});
    launch_direction(exec);
  }

  Vectors m_shadow, m_p, m_v, m_t, m_z, m_zs;
  Kokkos::View<Scalars, typename Exec::memory_space> m_scalars;
  detail::TallReducer<Exec, typename Base::Layout> m_reducer;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
