// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/array/scaled_norm.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/progress.hpp>
#include <hyperplane/krylov/detail/simultaneous_kernels.hpp>
#include <hyperplane/krylov/detail/tall_layout.hpp>
#include <hyperplane/krylov/krylov_base.hpp>
#include <hyperplane/krylov/options.hpp>
#include <hyperplane/krylov/result.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a method for several right-hand sides begins and ends with: that of KrylovBase for each.
template <class Vectors>
class SimultaneousBase {
 public:
  using Scalar = typename Vectors::scalar_type;
  using Exec = typename Vectors::execution_space;
  static constexpr int vectors = Vectors::vectors;
  using Results = std::array<KrylovResult, std::size_t{vectors}>;
  /// For each right-hand side.
  using Limits = std::array<KrylovLimits, std::size_t{vectors}>;

  SimultaneousBase(const Exec& exec, const VectorDomain<Vectors>& domain, const char* method,
                   const KrylovOptions& options)
      : m_options(checked(method, options)),
        m_label(std::string("Hyperplane::") + method),
        m_r(exec, domain, m_label + "::r"),
        m_one(Kokkos::view_alloc(exec, m_label + "::one"), as_size(Layout::side_by_side ? elements() : 0)),
        m_single_reducer(exec, elements()),
        m_norm(exec, m_label + "::norm"),
        m_solving(std::make_shared<std::atomic<bool>>(false)) {
    for (int j = 0; j < vectors; ++j) m_progress.emplace_back(exec, m_label, options);
  }

  const KrylovOptions& options() const { return m_options; }

 protected:
  using Layout = TallLayoutOf<Vectors>;
  using Chosen = std::array<bool, std::size_t{vectors}>;

  /// The host's part of one recursion.
  struct Recursion {
    KrylovRun run;
    Phase phase = Phase::running;
    int last_start = 0;  ///< iterations before it
    int restarts = 0;
    bool given_up = false;
  };
  using Recursions = std::vector<Recursion>;

  static KrylovOptions checked(const std::string& method, const KrylovOptions& options) {
    check_options(method, options);
    require(!options.monitor, method + ": there is a monitor, expected none");
    return options;
  }

  std::int64_t elements() const { return static_cast<std::int64_t>(m_r.flat().size()) / vectors; }
  Layout layout() const { return {elements()}; }
  static Scalar* data(const Vectors& v) { return v.flat().data(); }
  /// As KrylovBase::count(), of all vectors.
  void count(std::string_view label, int values) const {
    count_bytes(label, static_cast<double>(sizeof(Scalar)) * vectors * values * static_cast<double>(elements()));
  }

  void check(const Vectors& b, const Vectors& x, const Limits& limits) const {
    for (auto const& of_one : limits) check_limits(m_label, of_one);
    auto const expected = vector_domain(m_r);
    for (auto const* const v : {&b, &x}) {
      auto const domain = vector_domain(*v);
      if (!(domain == expected)) {
        fail(m_label + ": vectors are of " + describe_domain(domain) + " points, expected " +
             describe_domain(expected));
      }
    }
    if (data(b) == data(x)) fail(m_label + ": x must not be b");
  }

  static bool goes_on(const Recursion& of) { return !of.given_up && of.run.goes_on(of.phase); }
  template <class Is>
  static Chosen those(const Recursions& all, const Is& is) {
    Chosen result{};
    for (std::size_t j = 0; j < all.size(); ++j) result[j] = is(all[j]);
    return result;
  }
  static bool any(const Chosen& chosen) { return std::ranges::find(chosen, true) != chosen.end(); }

  int steps_until_look(const Recursions& all, const Chosen& going) const {
    int steps = std::numeric_limits<int>::max();
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (going[j]) steps = std::min(steps, m_progress[j].steps(all[j].run));
    }
    return steps;
  }

  template <class Scalars>
  SimultaneousRef<Scalars, vectors> ref(Scalars* scalars, const Recursions& all, const Chosen& chosen) const {
    return [&]<std::size_t... j>(std::index_sequence<j...>) {
      return SimultaneousRef<Scalars, vectors>{scalars, {m_progress[j].ref(all[j].run)...}, {chosen[j]...}};
    }(std::make_index_sequence<std::size_t{vectors}>());
  }

  void look(const Exec& exec, Recursions& all, const Chosen& chosen, int steps) const {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (chosen[j]) all[j].phase = m_progress[j].look(exec, all[j].run, steps);
    }
  }

  /// The same where residuals of x are known now.
  void look_at_residuals(const Exec& exec, Recursions& all, const Chosen& chosen) const {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!chosen[j]) continue;
      double const of_recursion = all[j].run.m_result.residual_norm;
      all[j].phase = m_progress[j].look(exec, all[j].run, 0);
      if (!unsure(all[j].phase)) all[j].run.compare(of_recursion);
    }
  }

  /// Values of vector j that follow one another.
  const Scalar* alone(const Exec& exec, const Vectors& v, std::size_t j) const {
    if constexpr (Layout::side_by_side) {
      get_vector(exec, v, static_cast<int>(j), m_one);
      return m_one.data();
    } else {
      return v[static_cast<int>(j)].flat().data();
    }
  }
  double norm_of(const Exec& exec, const Vectors& v, std::size_t j) const {
    return m_norm(exec, m_single_reducer, alone(exec, v, j));
  }

  void clear(const Exec& exec, const Vectors& v, std::size_t j) const {
    launch(m_label + "::zero", LongIndexRange<Exec>(exec, 0, elements()), sizeof(Scalar),
           SimultaneousZero<Scalar, Layout>{layout(), static_cast<int>(j), data(v)});
  }

  /// As KrylovBase::blame(), of vector j.
  KrylovBreakdown blame(const Exec& exec, const Vectors& z, const Vectors& az, std::size_t j) const {
    if (!std::isfinite(norm_of(exec, z, j))) return KrylovBreakdown::preconditioner;
    if (!std::isfinite(norm_of(exec, az, j))) return KrylovBreakdown::product;
    return KrylovBreakdown::recursion;
  }

  /// As KrylovBase::begin(), restart() and settle(), for each of several: start(all, chosen) launches what computes the
  /// residuals of the chosen ones and their norms.
  template <class Start>
  Recursions begin(const Exec& exec, const Vectors& b, const Vectors& x, const Limits& limits,
                   const Start& start) const {
    Recursions all;
    for (std::size_t j = 0; j < std::size_t{vectors}; ++j) {
      all.push_back({.run = {limits[j], m_options.monitor}});
      auto const* const rhs = alone(exec, b, j);
      m_norm.run(exec, m_label + "::rhs_norm", m_single_reducer, Magnitude<Scalar>{rhs}, rhs,
                 RhsNormFinish{m_progress[j].ref(all[j].run), limits[j].tolerance, limits[j].absolute_tolerance});
    }
    auto const every = those(all, [](const Recursion&) { return true; });
    start(all, every);
    look(exec, all, every, 0);
    Chosen open{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      auto& of = all[j];
      if (!unsure(of.phase)) continue;
      open[j] = !of.run.m_rhs_unsure;
      if (open[j]) continue;
      if (!std::isfinite(of.run.m_result.rhs_norm)) {
        of.phase = of.run.end(Phase::breakdown, of.run.m_result.residual_norm, KrylovBreakdown::right_hand_side);
        continue;
      }
      clear(exec, x, j);
      exec.fence("Hyperplane: x is zero");
      of.phase = of.run.end(Phase::converged, 0.0);
    }
    settle(exec, all, open, start);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!open[j] || all[j].phase != Phase::breakdown) continue;
      all[j].run.m_result.breakdown =
          std::isfinite(norm_of(exec, x, j)) ? KrylovBreakdown::initial_residual : KrylovBreakdown::initial_guess;
    }
    return all;
  }

  template <class Start>
  void restart(const Exec& exec, Recursions& all, const Chosen& chosen, const Start& start) const {
    if (!any(chosen)) return;
    start(all, chosen);
    look_at_residuals(exec, all, chosen);
    Chosen open = chosen;
    for (std::size_t j = 0; j < all.size(); ++j) open[j] = chosen[j] && unsure(all[j].phase);
    settle(exec, all, open, start);
  }

  template <class Start>
  void settle(const Exec& exec, Recursions& all, const Chosen& open, const Start& start) const {
    if (!any(open)) return;
    Chosen scaled{}, again{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      scaled[j] = open[j] && all[j].run.m_scale != 1.0;
      if (scaled[j]) all[j].run.m_scale = 1.0;
    }
    if (any(scaled)) start(all, scaled);
    std::array<double, std::size_t{vectors}> norms{};
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!open[j]) continue;
      auto& run = all[j].run;
      auto& phase = all[j].phase;
      norms[j] = norm_of(exec, m_r, j);
      if (!std::isfinite(norms[j])) {
        phase = run.end(Phase::breakdown, norms[j], KrylovBreakdown::residual);
      } else if (norms[j] == 0.0) {
        phase = run.end(Phase::converged, norms[j]);
      } else {
        run.m_scale = scale_of(norms[j]);
        again[j] = true;
      }
    }
    if (!any(again)) return;
    start(all, again);
    look(exec, all, again, 0);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (again[j] && unsure(all[j].phase)) {
        all[j].phase = all[j].run.end(Phase::breakdown, norms[j], KrylovBreakdown::residual);
      }
    }
  }

  template <class Matrix>
  Results conclude(const Exec& exec, const Matrix& a, Recursions& all) const {
    Results results;
    std::optional<std::string> other_copy;
    for (std::size_t j = 0; j < all.size(); ++j) {
      results[j] = all[j].run.conclude(all[j].phase);
      if (results[j].outcome == KrylovOutcome::breakdown) {
        name_cause(exec, a, results[j]);
        clear(exec, m_r, j);
      }
      name_other_copy(exec, a, all[j].run, results[j], other_copy);
    }
    return results;
  }

  KrylovOptions m_options;
  std::string m_label;
  Vectors m_r;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_one;
  Reducer<Exec> m_single_reducer;
  ScaledNorm<Exec> m_norm;
  std::vector<Progress<Exec>> m_progress;
  std::shared_ptr<std::atomic<bool>> m_solving;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
