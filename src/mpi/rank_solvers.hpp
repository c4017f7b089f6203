// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "context_checks.hpp"
#include "memory.hpp"
#include "rank_objects.hpp"
#include "rank_setting.hpp"
#include "solve_times.hpp"
#include "transported.hpp"
#include "typed_rank_objects.hpp"

/// Preconditioners and Krylov methods of a context over ranks, with the faces of those of one grid.
namespace hyperplane::run_time {

/// A preconditioner of each grid block, or without plan the identity.
template <class Exec>
class RankPreconditionerOn final : public Preconditioner, public Transported {
 public:
  RankPreconditionerOn(const RankSetting<Exec>& setting, std::unique_ptr<TypedRankBlocks<Exec>> blocks)
      : m_setting(setting), m_factors(std::make_shared<Shared>()) {
    m_factors->is_factored = blocks == nullptr;
    m_factors->plan = std::move(blocks);
  }
  /// M^T, which has the factors of M.
  explicit RankPreconditionerOn(const RankPreconditionerOn* m)
      : m_setting(m->m_setting), m_factors(m->m_factors), m_is_transpose(!m->m_is_transpose) {}

  const RankSetting<Exec>& setting() const { return m_setting; }
  std::int64_t points() const override { return m_setting.shape.points(); }
  std::int64_t rows() const override { return m_setting.shape.rows(); }

  void agree(detail::FunctionRef<> look) const override { agree_of(m_setting, look); }
  bool is_identity() const { return blocks() == nullptr; }
  bool is_transpose() const { return m_is_transpose; }
  Transport transport() const override { return blocks() ? blocks()->transport() : Transport::host; }
  bool goes_through_devices() const override { return blocks() && blocks()->goes_through_devices(); }

  void factor(const Matrix& a) override {
    const TypedRankMatrix<Exec>* matrix = nullptr;
    agree([&] {
      matrix = &on_ranks<RankMatrixOn<Exec>>("factor", "A", a, m_setting).typed_matrix();
      require_own_factors("the preconditioner", m_is_transpose);
    });
    if (blocks()) blocks()->factor(m_setting.exec, *matrix);
    m_factors->is_factored = true;
  }
  void factor(const Matrix&, const std::int8_t*, MemorySpace) override {
    throw Error("over ranks a mask is the matrix's: leave points out by hyperplane_matrix_mask()");
  }
  void solve(const Vector& rhs, Vector& x) const override {
    auto const &from = operand("the right-hand side", rhs), &to = operand("x", x);
    require_factored();
    apply(m_setting.exec, from, to);
  }
  void solve(std::span<const Vector* const> rhs, std::span<Vector* const> x) const override {
    for (std::size_t v = 0; v < rhs.size(); ++v) solve(*rhs[v], *x[v]);
  }
  void solve(int columns, const double* rhs, double* x, MemorySpace space) const override {
    require_factored();
    agree([&] {
      check_memory(m_setting.exec, rhs, rows(), space);
      check_memory(m_setting.exec, x, rows(), space);
    });
    if (!m_column) m_column = std::make_unique<RankVectorOn<Exec>>(m_setting);
    for (int v = 0; v < columns; ++v) {
      m_column->set(rhs + v * rows(), space);
      apply(m_setting.exec, m_column->typed_vector(), m_column->typed_vector());
      m_column->get(x + v * rows(), space);
    }
  }
  std::unique_ptr<Preconditioner> transpose() const override { return std::make_unique<RankPreconditionerOn>(this); }
  FactorProblem problem() const override {
    require_factored();
    if (!blocks()) return {};
    return blocks()->problem(m_setting.exec, *m_setting.grid);
  }
  StorageKind storage() const override {
    if (!blocks()) return StorageKind::double_precision;
    auto const storage = blocks()->storage();
    require(storage.has_value(), "called before factor");
    return *storage;
  }
  void measure() override { m_times.measure(); }
  const std::vector<double>& seconds() const override { return m_times.seconds(); }

  /// As the Krylov methods call it.
  void solve(const Exec& exec, const RankVector<Exec>& rhs, const RankVector<Exec>& x) const {
    m_times.run(exec, [&] { apply(exec, rhs, x); });
  }

 private:
  using Shared = Factors<TypedRankBlocks<Exec>>;

  /// Null of the identity.
  TypedRankBlocks<Exec>* blocks() const { return m_factors->plan.get(); }
  void require_factored() const { require(m_factors->is_factored, "called before factor"); }
  void apply(const Exec& exec, const RankVector<Exec>& rhs, const RankVector<Exec>& x) const {
    if (blocks() && m_is_transpose) return blocks()->solve_transposed(exec, rhs, x);
    if (blocks()) return blocks()->solve(exec, rhs, x);
    if (rhs.flat().data() != x.flat().data()) Kokkos::deep_copy(exec, x.flat(), rhs.flat());
  }
  const RankVector<Exec>& operand(const char* argument, const Vector& vector) const {
    return on_ranks<RankVectorOn<Exec>>("solve", argument, vector, m_setting).typed_vector();
  }

  RankSetting<Exec> m_setting;
  std::shared_ptr<Shared> m_factors;
  bool m_is_transpose = false;
  mutable std::unique_ptr<RankVectorOn<Exec>> m_column;
  mutable SolveTimes m_times;
};

template <class Exec, template <class> class Method>
class RankKrylovOn final : public Krylov {
 public:
  RankKrylovOn(const RankSetting<Exec>& setting, const KrylovOptions& options)
      : m_setting(setting), m_method(setting.exec, setting.shape, options) {}

  std::unique_ptr<Vector> make_vector() const override { return std::make_unique<RankVectorOn<Exec>>(m_setting); }

  KrylovResult solve(const Matrix& a, const Preconditioner& m, const Vector& b, Vector& x,
                     const KrylovLimits& limits) const override {
    const RankMatrixOn<Exec>* matrix = nullptr;
    const RankPreconditionerOn<Exec>* preconditioner = nullptr;
    const RankVector<Exec>*rhs = nullptr, *solution = nullptr;
    agree([&] {
      matrix = &on_ranks<RankMatrixOn<Exec>>("solve", "A", a, m_setting);
      preconditioner = &on_ranks<RankPreconditionerOn<Exec>>("solve", "the preconditioner", m, m_setting);
      rhs = &on_ranks<RankVectorOn<Exec>>("solve", "b", b, m_setting).typed_vector();
      solution = &on_ranks<RankVectorOn<Exec>>("solve", "x", x, m_setting).typed_vector();
    });
    std::uint64_t const is_identity = preconditioner->is_identity();
    auto const& communicator = m_setting.shape.communicator();
    communicator.require_same("the preconditioners", {&is_identity, 1});
    communicator.require_same("the transposes", std::array{std::uint64_t{matrix->is_transpose()},
                                                           std::uint64_t{preconditioner->is_transpose()}});
    return m_method.solve(m_setting.exec, *matrix, *preconditioner, *rhs, *solution, limits);
  }
  void forget() override { forget_subspace(m_method); }
  void agree(detail::FunctionRef<> look) const override { agree_of(m_setting, look); }

 private:
  RankSetting<Exec> m_setting;
  Method<RankVector<Exec>> m_method;
};

}  // namespace hyperplane::run_time
