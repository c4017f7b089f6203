// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/stencil/random_vector.hpp>
#include <hyperplane/sweep/choose_storage.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "chosen_storage.hpp"
#include "typed_csr.hpp"

namespace hyperplane::run_time {

/// As ChosenStorage, of compressed rows.
template <ExecutionSpace Exec>
class ChosenCsrStorage final : public TypedCsrPlan<Exec> {
 public:
  using typename TypedCsrPlan<Exec>::Vector;
  using typename TypedCsrPlan<Exec>::Vectors;
  using Plan = std::unique_ptr<TypedCsrPlan<Exec>>;

  /// For so many rows of scalars. make(storage) makes the plan.
  ChosenCsrStorage(std::int64_t rows, double fraction, std::function<Plan(StorageKind)> make)
      : m_rows(rows), m_fraction(fraction), m_make(std::move(make)), m_plan(m_make(StorageKind::double_precision)) {}

  void factor(const Exec& exec, const CsrArrays<Exec>& a) override {
    m_plan->factor(exec, a);
    if (m_chosen) return;
    m_chosen = m_plan->problem(exec).ok() ? choose(exec, a) : StorageKind::double_precision;
    m_make = nullptr;  // which keeps a matrix
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override { m_plan->solve(exec, rhs, x); }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_plan->solve_transposed(exec, rhs, x);
  }
  void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const override { m_plan->solve(exec, rhs, x); }
  void solve_transposed(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    m_plan->solve_transposed(exec, rhs, x);
  }
  FactorProblem problem(const Exec& exec) const override { return m_plan->problem(exec); }
  std::optional<StorageKind> chosen_storage() const override { return m_chosen; }

 private:
  StorageKind choose(const Exec& exec, const CsrArrays<Exec>& a) {
    detail::StorageComparison<Vector, Exec> const comparison(
        exec, m_rows, *m_plan,
        [&](const auto& vector, std::uint64_t seed) { detail::fill_random(exec, vector, seed); });
    auto const factor = [&](auto& plan) {
      plan.factor(exec, a);
      return plan.problem(exec).ok();
    };
    return choose_plan(exec, comparison, m_fraction, m_make, factor, m_plan);
  }

  std::int64_t m_rows;
  double m_fraction;
  std::function<Plan(StorageKind)> m_make;
  Plan m_plan;
  std::optional<StorageKind> m_chosen;
};

}  // namespace hyperplane::run_time
