// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/as_size.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/mpi/detail/rank_reducer.hpp>
#include <hyperplane/stencil/random_vector.hpp>
#include <hyperplane/sweep/choose_storage.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "chosen_storage.hpp"
#include "rank_grid.hpp"
#include "rank_setting.hpp"
#include "rank_vector.hpp"
#include "typed_rank_objects.hpp"

namespace hyperplane::run_time {

/// Preconditioners of grid blocks over ranks whose first matrix chooses what factors are stored in, as ChosenStorage.
/// Norms are those of all ranks, whose bits do not depend on which of them has which grid block: all choose the same.
template <class Exec>
class ChosenRankStorage final : public TypedRankBlocks<Exec> {
 public:
  using Vector = RankVector<Exec>;
  using Plan = std::unique_ptr<TypedRankBlocks<Exec>>;

  /// See ChosenStorage; make() is collective.
  ChosenRankStorage(const RankSetting<Exec>& setting, double fraction, std::function<Plan(StorageKind)> make)
      : m_shape(setting.shape),
        m_grid(setting.grid),
        m_fraction(fraction),
        m_make(std::move(make)),
        m_plan(m_make(StorageKind::double_precision)) {}

  void factor(const Exec& exec, const TypedRankMatrix<Exec>& a) override {
    if (m_chosen) return m_plan->factor(exec, a);
    m_plan->factor(exec, a);
    m_chosen = m_plan->problem(exec, *m_grid).ok() ? choose(exec, a) : StorageKind::double_precision;
  }
  FactorProblem problem(const Exec& exec, const RankGrid& grid) const override { return m_plan->problem(exec, grid); }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override { m_plan->solve(exec, rhs, x); }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_plan->solve_transposed(exec, rhs, x);
  }
  Transport transport() const override { return m_plan->transport(); }
  bool goes_through_devices() const override { return m_plan->goes_through_devices(); }
  std::optional<StorageKind> storage() const override { return m_chosen; }

 private:
  using Reducer = detail::RankReducer<Exec>;

  /// Leaves the plan of what it returns, factored; the plan that is there is that of double.
  StorageKind choose(const Exec& exec, const TypedRankMatrix<Exec>& a) {
    auto const fill = [&](const Vector& vector, std::uint64_t seed) { fill_blocks(exec, vector, seed); };
    auto const make_reducer = [&](const Vector& vector) {
      return Reducer(exec, m_shape.communicator(), static_cast<std::int64_t>(vector.flat().size()));
    };
    detail::StorageComparison<Vector, Exec, Reducer> const comparison(exec, m_shape, *m_plan, fill, make_reducer);
    auto const factor = [&](auto& plan) {
      plan.factor(exec, a);
      return plan.problem(exec, *m_grid).ok();
    };
    return choose_plan(exec, comparison, m_fraction, m_make, factor, m_plan);
  }
  /// What fill_random() makes of the vector of all grid blocks.
  void fill_blocks(const Exec& exec, const Vector& vector, std::uint64_t seed) const {
    auto const& local = m_shape.local();
    for (int l = 0; l < local.block_count(); ++l) {
      auto const number = static_cast<std::uint64_t>(m_shape.blocks()[detail::as_size(l)]);
      detail::fill_random(exec, SlabMap<Vector::vector_length>(local.block(l)), m_shape.block_size,
                          vector.part(l).flat().data(), detail::mixed_bits(seed + 1) + number);
    }
  }

  RankShape m_shape;
  std::shared_ptr<const RankGrid> m_grid;
  double m_fraction;
  std::function<Plan(StorageKind)> m_make;
  Plan m_plan;
  std::optional<StorageKind> m_chosen;
};

}  // namespace hyperplane::run_time
