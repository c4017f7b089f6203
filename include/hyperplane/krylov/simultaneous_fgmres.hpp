// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/direction_ring.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/detail/simultaneous_fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/simultaneous_kernels.hpp>
#include <hyperplane/krylov/detail/simultaneous_method.hpp>
#include <hyperplane/krylov/detail/tall_reducer.hpp>
#include <hyperplane/krylov/options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// FGMRES(m) for several right-hand sides at a time, as of adjoint systems with several objectives: the iterations of
/// Fgmres for each, with directions and a least squares problem of its own, where products and solves of all are one.
/// So A and the factors are read once for all right-hand sides. Each begins its cycles and ends by its own residual,
/// with one more product of all where others do not at the same time; its x stays what it is while others go on. What
/// is not finite in one does not come to the others.
///
/// A plan: the constructor allocates 2 m + 2 vectors of each, m as in Fgmres, of PointVectors a single one, on devices
/// 66560 m doubles for each, whatever the number of points, for dot products; solve() allocates results alone.
/// Iteration j of a cycle is one apply, one preconditioner solve and about 4 j values of vector traffic per unknown and
/// right-hand side. Iterations and outcomes are those of Fgmres; on hosts also the bits, where products, solves and the
/// compiler have them (see apply()). Options are those of Fgmres, without a monitor.
///
/// Vectors: PointVectors, made for a number of points, or BlockVectors, made for a Grid.
template <class Vectors>
class SimultaneousFgmres : private detail::SimultaneousMethod<SimultaneousFgmres<Vectors>, Vectors> {
  using Base = detail::SimultaneousMethod<SimultaneousFgmres<Vectors>, Vectors>;

 public:
  using Base::options;
  using Base::vectors;
  using typename Base::Exec;
  using typename Base::Limits;
  using typename Base::Results;
  using typename Base::Scalar;

  /// Throws Error where an option is out of range, or there is a monitor.
  SimultaneousFgmres(const Exec& exec, const VectorDomain<Vectors>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "SimultaneousFgmres", krylov_options),
        m_restart(std::max(1, std::min(this->m_options.restart, this->m_options.max_iterations))),
        m_v(exec, domain, m_restart + 1, "Hyperplane::SimultaneousFgmres::v"),
        m_z(exec, domain, m_restart, "Hyperplane::SimultaneousFgmres::z"),
        m_numbers(Kokkos::view_alloc(exec, "Hyperplane::SimultaneousFgmres::systems"),
                  detail::as_size(std::int64_t{vectors} * (detail::FgmresSystem::numbers(m_restart) + 2 * m_restart))),
        m_lengths(Kokkos::view_alloc(exec, "Hyperplane::SimultaneousFgmres::lengths"), std::size_t{vectors}),
        m_scalars(Kokkos::view_alloc(exec, "Hyperplane::SimultaneousFgmres::scalars")),
        m_dots(exec, this->layout(), m_restart),
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
  using Ref = detail::SimultaneousFgmresRef<Scalar, vectors>;
  using Scalars = detail::SimultaneousFgmresScalars<Scalar, vectors>;
  using Spans = detail::DirectionSpans<vectors>;
  using typename Base::Layout;
  using Sum = detail::SimultaneousSum<Exec, Scalar, Layout>;
  /// The first direction of each cycle.
  using Begins = std::array<std::int64_t, std::size_t{vectors}>;

  template <class Matrix, class Precond>
  Recursions iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vectors& b, const Vectors& x,
                     const Limits& limits) const {
    std::int64_t direction = 0;
    auto const start = [&](const Recursions& all, const Chosen& chosen) {
      launch_start(exec, a, b, x, all, chosen, m_v[direction]);
    };
    Recursions all = this->begin(exec, b, x, limits, start);
    for (auto& of : all) of.run.m_fall = detail::rounding_of(a);
    Begins begins{};
    for (auto going = Base::those(all, &Base::goes_on); Base::any(going); going = Base::those(all, &Base::goes_on)) {
      int const steps = steps_in_cycles(all, going);
      for (int i = 0; i < steps; ++i) step(exec, a, m, all, going, begins, direction++);
      this->look(exec, all, going, steps);
      end_cycles(exec, a, x, all, going, begins, direction, start);
    }
    // What M made of the others' vectors may not be finite either, even of zeros.
    bool const broke_down = std::ranges::any_of(all, [](auto const& of) { return of.phase == Phase::breakdown; });
    for (std::size_t j = 0; broke_down && j < all.size(); ++j) clear_directions(exec, j);
    return all;
  }

  Ref ref(const Recursions& all, const Chosen& chosen) const {
    return {Base::ref(m_scalars.data(), all, chosen), systems()};
  }
  detail::FgmresSystems systems() const { return {m_numbers.data(), m_lengths.data(), m_restart}; }
  double* coefficients(int pass) const {
    return m_numbers.data() + std::int64_t{vectors} * (detail::FgmresSystem::numbers(m_restart) + pass * m_restart);
  }

  /// The chosen recursions begin a cycle at x, with the direction `first`. Residuals are those of all.
  template <class Matrix>
  void launch_start(const Exec& exec, const Matrix& a, const Vectors& b, const Vectors& x, const Recursions& all,
                    const Chosen& chosen, const Vectors& first) const {
    apply(exec, detail::exact_of(a), x, this->m_r);
    detail::SimultaneousResidual<Scalar, vectors> body{data(b), data(this->m_r), {}};
    for (std::size_t j = 0; j < all.size(); ++j) body.m_factor[j] = static_cast<Scalar>(1.0 / all[j].run.m_scale);
    m_reducer.template run<1>(exec, "Hyperplane::SimultaneousFgmres::residual", body,
                              detail::SimultaneousFgmresStartFinish<Scalar, vectors>{ref(all, chosen)});
    launch_scale("Hyperplane::SimultaneousFgmres::first_direction", exec, this->m_r, first, first);
  }

  void launch_scale(const char* label, const Exec& exec, const Vectors& from, const Vectors& otherwise,
                    const Vectors& to) const {
    this->count(label, 3);
    detail::launch_tall(
        label, exec, this->layout(), 3.0 * sizeof(Scalar),
        detail::SimultaneousScale<Scalar, vectors>{m_scalars.data(), data(from), data(otherwise), data(to)});
  }

  /// As FlexibleKrylov::clear_directions(), of vector j.
  void clear_directions(const Exec& exec, std::size_t j) const {
    for (auto const* const ring : {&m_v, &m_z}) {
      for (auto const& direction : ring->all()) this->clear(exec, direction, j);
    }
  }

  int steps_in_cycles(const Recursions& all, const Chosen& going) const {
    int steps = this->steps_until_look(all, going);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (going[j]) steps = std::min(steps, m_restart - iterations_of_cycle(all[j]));
    }
    return steps;
  }
  static int iterations_of_cycle(const Recursion& of) { return of.run.m_result.iterations - of.last_start; }

  /// The first of the chosen ones' directions.
  static std::int64_t oldest(const Begins& begins, const Chosen& chosen, std::int64_t direction) {
    for (std::size_t j = 0; j < begins.size(); ++j) {
      if (chosen[j]) direction = std::min(direction, begins[j]);
    }
    return direction;
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, const Recursions& all, const Chosen& going,
            const Begins& begins, std::int64_t direction) const {
    auto const first = oldest(begins, going, direction);
    Spans spans{};
    spans.m_count = static_cast<int>(direction - first) + 1;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!going[j]) continue;
      spans.m_begin[j] = static_cast<int>(begins[j] - first);
      spans.m_end[j] = spans.m_count;
    }
    auto const& v = m_v[direction];
    auto const& z = m_z[direction];
    auto const& w = m_v[direction + 1];
    m.solve(exec, v, z);
    apply(exec, a, z, w);
    auto const* const directions = m_v.addresses(first);
    for (int pass = 0; pass < 2; ++pass) {
      m_dots.run(exec, data(w), directions, spans.m_count, coefficients(pass));
      Sum::launch("Hyperplane::SimultaneousFgmres::orthogonalize", exec,
                  detail::SimultaneousSubtract<Exec, Scalar, Layout>{
                      {coefficients(pass), directions, spans, this->layout()}, data(w)});
    }
    this->count("Hyperplane::SimultaneousFgmres::norm", 1);
    m_reducer.template run<1>(exec, "Hyperplane::SimultaneousFgmres::norm",
                              detail::SimultaneousDot<Scalar>{data(w), data(w)},
                              detail::SimultaneousFgmresColumnFinish<Scalar, vectors>{
                                  ref(all, going), spans, coefficients(0), coefficients(1)});
    launch_scale("Hyperplane::SimultaneousFgmres::normalize", exec, w, v, w);
  }

  /// Where a cycle has ended, x has its gain, and its residual decides, as in Fgmres. The next cycle begins with
  /// `direction`.
  template <class Matrix, class Start>
  void end_cycles(const Exec& exec, const Matrix& a, const Vectors& x, Recursions& all, const Chosen& going,
                  Begins& begins, std::int64_t direction, const Start& start) const {
    Chosen ended{}, broken{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      bool const full = direction - begins[j] == m_restart;
      ended[j] = going[j] && (full || !Base::goes_on(all[j]));
      broken[j] = ended[j] && all[j].phase == Phase::breakdown;
    }
    if (!Base::any(ended)) return;
    launch_update(exec, x, all, ended, begins, oldest(begins, ended, direction));
    this->restart(exec, all, ended, start);
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto& of = all[j];
      if (!ended[j]) continue;
      if (broken[j] && of.phase == Phase::running) {
        // As FlexibleKrylov::break_down().
        auto const& z = m_z[begins[j] + iterations_of_cycle(of)];
        apply(exec, a, z, this->m_r);
        of.phase = Phase::breakdown;
        of.run.m_result.breakdown = this->blame(exec, z, this->m_r, j);
      }
      begins[j] = direction;
      of.last_start = of.run.m_result.iterations;
    }
  }

  /// x of the ended ones, whose directions are from `first` on.
  void launch_update(const Exec& exec, const Vectors& x, const Recursions& all, const Chosen& ended,
                     const Begins& begins, std::int64_t first) const {
    Spans spans{};
    detail::SimultaneousAdd<Exec, Scalar, Layout> body{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      body.m_scale[j] = static_cast<Scalar>(all[j].run.m_scale);
      if (!ended[j]) continue;
      spans.m_begin[j] = static_cast<int>(begins[j] - first);
      spans.m_end[j] = spans.m_begin[j] + iterations_of_cycle(all[j]);
      spans.m_count = std::max(spans.m_count, spans.m_end[j]);
    }
    detail::launch("Hyperplane::SimultaneousFgmres::back_substitution", detail::IndexRange<Exec>(exec, 0, vectors),
                   sizeof(Scalar), detail::SimultaneousBackSubstitution<vectors>{systems(), spans, coefficients(0)});
    body.m_sum = {coefficients(0), m_z.addresses(first), spans, this->layout()};
    body.m_x = data(x);
    Sum::launch("Hyperplane::SimultaneousFgmres::update", exec, body);
  }

  int m_restart;
  detail::DirectionRing<Vectors> m_v, m_z;
  /// Of the systems, then the coefficients of two passes.
  Kokkos::View<double*, typename Exec::memory_space> m_numbers;
  Kokkos::View<int*, typename Exec::memory_space> m_lengths;
  Kokkos::View<Scalars, typename Exec::memory_space> m_scalars;
  detail::MultiDot<Scalar, Exec, Layout> m_dots;
  detail::TallReducer<Exec, Layout> m_reducer;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
