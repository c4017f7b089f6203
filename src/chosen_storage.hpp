// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/sweep/choose_storage.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// The first of the narrower storages whose plan is near enough to that of double, which there is: it takes its place.
/// make(storage) makes one, or null where it is not to be tried, and factor(plan) factors it, and says whether its
/// factors are of use.
template <class Exec, class Plan, class Comparison, class Make, class Factor>
StorageKind choose_plan(const Exec& exec, const Comparison& comparison, double fraction, const Make& make,
                        const Factor& factor, std::unique_ptr<Plan>& held) {
  for (auto const storage :
       {StorageKind::quarter, StorageKind::half, StorageKind::bfloat16, StorageKind::single_precision}) {
    std::unique_ptr<Plan> plan = make(storage);
    if (plan == nullptr) continue;
    if (!factor(*plan) || !(comparison.difference(exec, *plan) < fraction)) continue;
    held = std::move(plan);
    return storage;
  }
  return StorageKind::double_precision;
}

/// A preconditioner whose first matrix chooses what factors are stored in, as choose_storage() does.
template <ExecutionSpace Exec>
class ChosenStorage final : public TypedPreconditioner<Exec> {
 public:
  using Vector = ShapedVector<Exec>;
  using Vectors = ShapedVectors<Exec>;
  using Plan = std::unique_ptr<TypedPreconditioner<Exec>>;
  using TypedPreconditioner<Exec>::factor;

  /// make(storage) makes the plan, or null where it is not to be tried. Until the choice there is that of double, which
  /// also refuses what options cannot have.
  ChosenStorage(const Shape& shape, double fraction, std::function<Plan(StorageKind)> make)
      : m_shape(shape), m_fraction(fraction), m_make(std::move(make)), m_plan(m_make(StorageKind::double_precision)) {}

  void factor(const Exec& exec, const TypedMatrix<Exec>& a) override {
    if (m_chosen) return m_plan->factor(exec, a);
    m_plan->factor(exec, a);
    m_chosen = m_plan->problem(exec).ok() ? choose(exec, a) : StorageKind::double_precision;
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override { m_plan->solve(exec, rhs, x); }
  void solve(const Exec& exec, std::span<const Vector> rhs, std::span<const Vector> x) const override {
    m_plan->solve(exec, rhs, x);
  }
  void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const override { m_plan->solve(exec, rhs, x); }
  void require_transposed() const override { m_plan->require_transposed(); }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_plan->solve_transposed(exec, rhs, x);
  }
  void solve_transposed(const Exec& exec, const Vectors& rhs, const Vectors& x) const override {
    m_plan->solve_transposed(exec, rhs, x);
  }
  FactorProblem problem(const Exec& exec) const override { return m_plan->problem(exec); }
  std::optional<StorageKind> chosen_storage() const override { return m_chosen; }

 private:
  /// Leaves the plan of what it returns, factored; the plan that is there is that of double.
  StorageKind choose(const Exec& exec, const TypedMatrix<Exec>& a) {
    auto const fill = [&](const Vector& vector, std::uint64_t seed) {
      detail::fill_random(exec, SlabMap<Vector::vector_length>(m_shape.grid), m_shape.block_size, vector.flat().data(),
                          seed);
    };
    detail::StorageComparison<Vector, Exec> const comparison(exec, m_shape, *m_plan, fill);
    auto const factor = [&](auto& plan) {
      plan.factor(exec, a);
      return plan.problem(exec).ok();
    };
    return choose_plan(exec, comparison, m_fraction, m_make, factor, m_plan);
  }

  Shape m_shape;
  double m_fraction;
  std::function<Plan(StorageKind)> m_make;
  Plan m_plan;
  std::optional<StorageKind> m_chosen;
};

}  // namespace hyperplane::run_time
