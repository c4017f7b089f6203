// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/line/line_set.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "context_objects.hpp"
#include "grid_columns.hpp"
#include "memory.hpp"
#include "solve_times.hpp"
#include "typed_objects.hpp"

/// Preconditioners, Krylov methods and line solvers of a context.
namespace hyperplane::run_time {

template <class Exec>
class PreconditionerOn final : public Preconditioner {
 public:
  PreconditionerOn(const Instance<Exec>& instance, const Shape& shape, const PreconditionerSettings& settings,
                   const SizedFactory<Exec>& factory, std::unique_ptr<TypedPreconditioner<Exec>> preconditioner)
      : m_instance(instance),
        m_shape(shape),
        m_settings(settings),
        m_factory(factory),
        m_factors(std::make_shared<Shared>(Shared{std::move(preconditioner), settings.kind == identity})) {}
  /// M^T, which has the factors of M.
  explicit PreconditionerOn(const PreconditionerOn* m)
      : m_instance(m->m_instance),
        m_shape(m->m_shape),
        m_settings(m->m_settings),
        m_factory(m->m_factory),
        m_factors(m->m_factors),
        m_is_transpose(!m->m_is_transpose) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const Shape& shape() const { return m_shape; }
  std::int64_t points() const override { return m_shape.grid.size(); }
  std::int64_t rows() const override { return m_shape.rows(); }

  void factor(const Matrix& a) override {
    auto const& matrix = typed_matrix(a);
    m_factors->plan->factor(m_instance.exec, matrix);
    m_factors->is_factored = true;
  }
  void factor(const Matrix& a, const std::int8_t* mask, MemorySpace space) override {
    auto const& matrix = typed_matrix(a);
    in_memory_of<false>(m_instance.exec, mask, m_shape.grid.size(), space,
                        [&](const std::int8_t* points) { m_factors->plan->factor(m_instance.exec, matrix, points); });
    m_factors->is_factored = true;
  }
  void solve(const Vector& rhs, Vector& x) const override {
    auto const& from = typed_vector("the right-hand side", rhs);
    auto const& to = typed_vector("x", x);
    require_factored();
    solve(m_instance.exec, from, to);
  }
  void solve(std::span<const Vector* const> rhs, std::span<Vector* const> x) const override {
    std::vector<ShapedVector<Exec>> from, to;
    for (auto const* const vector : rhs) from.push_back(typed_vector("a right-hand side", *vector));
    for (auto const* const vector : x) to.push_back(typed_vector("an x", *vector));
    require_factored();
    run(m_instance.exec, std::span<const ShapedVector<Exec>>(from), std::span<const ShapedVector<Exec>>(to));
  }
  void solve(int columns, const double* rhs, double* x, MemorySpace space) const override {
    require_factored();
    auto const rows = m_shape.rows();
    while (m_columns.size() < static_cast<std::size_t>(columns)) {
      m_columns.push_back(std::make_unique<VectorOn<Exec>>(m_instance, m_shape, m_factory));
    }
    std::vector<ShapedVector<Exec>> vectors;
    for (int v = 0; v < columns; ++v) {
      m_columns[v]->set(rhs + v * rows, space);
      vectors.push_back(m_columns[v]->typed_vector());
    }
    std::span<const ShapedVector<Exec>> const all(vectors);
    run(m_instance.exec, all, all);
    for (int v = 0; v < columns; ++v) m_columns[v]->get(x + v * rows, space);
  }
  FactorProblem problem() const override {
    require_factored();
    return m_factors->plan->problem(m_instance.exec);
  }
  StorageKind storage() const override {
    if (m_settings.storage_fraction) require_factored();
    return m_factors->plan->chosen_storage().value_or(m_settings.storage);
  }
  std::unique_ptr<Preconditioner> transpose() const override {
    m_factors->plan->require_transposed();
    return std::make_unique<PreconditionerOn>(this);
  }
  void measure() override { m_times.measure(); }
  const std::vector<double>& seconds() const override { return m_times.seconds(); }

  /// As the Krylov methods call it, with ShapedVector or ShapedVectors.
  template <class Vectors>
  void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const {
    m_times.run(exec, [&] {
      if (m_is_transpose) return m_factors->plan->solve_transposed(exec, rhs, x);
      m_factors->plan->solve(exec, rhs, x);
    });
  }
  void require_factored() const { require(m_factors->is_factored, "called before factor"); }

 private:
  using Shared = Factors<TypedPreconditioner<Exec>>;

  void run(const Exec& exec, std::span<const ShapedVector<Exec>> rhs, std::span<const ShapedVector<Exec>> x) const {
    if (!m_is_transpose) return m_factors->plan->solve(exec, rhs, x);
    for (std::size_t v = 0; v < rhs.size(); ++v) m_factors->plan->solve_transposed(exec, rhs[v], x[v]);
  }
  const TypedMatrix<Exec>& typed_matrix(const Matrix& a) const {
    auto const& found = typed<MatrixOn<Exec>>("factor", "A", a, m_instance);
    check_shape("factor", "A", found, m_shape);
    auto const expected = m_settings.matrix_storage();
    auto const* const stored = found.stored_as(expected);
    if (stored == nullptr) {
      refuse("factor", "A",
             "is stored in another type than the preconditioner's factors, which are of a matrix of " +
                 std::string(name(expected)));
    }
    require_own_factors("the preconditioner", m_is_transpose);
    return *stored;
  }
  const ShapedVector<Exec>& typed_vector(const char* argument, const Vector& vector) const {
    auto const& found = typed<VectorOn<Exec>>("solve", argument, vector, m_instance);
    check_shape("solve", argument, found, m_shape);
    return found.typed_vector();
  }

  Instance<Exec> m_instance;
  Shape m_shape;
  PreconditionerSettings m_settings;
  const SizedFactory<Exec>& m_factory;
  std::shared_ptr<Shared> m_factors;
  bool m_is_transpose = false;
  mutable std::vector<std::unique_ptr<VectorOn<Exec>>> m_columns;  ///< what arrays are solved in
  mutable SolveTimes m_times;
};

template <class Exec, template <class> class Method>
class KrylovOn final : public Krylov {
 public:
  KrylovOn(const Instance<Exec>& instance, const Shape& shape, const SizedFactory<Exec>& factory,
           const KrylovOptions& options)
      : m_instance(instance),
        m_shape(shape),
        m_factory(factory),
        m_method(instance.exec, shape, options),
        m_columns(instance.exec, GridColumns<Exec>(shape, factory), options) {}

  std::unique_ptr<Vector> make_vector() const override {
    return std::make_unique<VectorOn<Exec>>(m_instance, m_shape, m_factory);
  }

  KrylovResult solve(const Matrix& a, const Preconditioner& m, const Vector& b, Vector& x,
                     const KrylovLimits& limits) const override {
    auto const& matrix = operand<MatrixOn<Exec>>("A", a);
    auto const& preconditioner = operand<PreconditionerOn<Exec>>("the preconditioner", m);
    auto const& rhs = operand<VectorOn<Exec>>("b", b);
    auto const& solution = operand<VectorOn<Exec>>("x", x);
    matrix.require_narrowed();
    return m_method.solve(m_instance.exec, matrix, preconditioner, rhs.typed_vector(), solution.typed_vector(), limits);
  }
  std::vector<KrylovResult> solve(const Matrix& a, const Preconditioner& m, int columns, const double* b, double* x,
                                  MemorySpace space, const KrylovLimits& limits) const override {
    auto const& matrix = operand<MatrixOn<Exec>>("A", a);
    auto const& preconditioner = operand<PreconditionerOn<Exec>>("the preconditioner", m);
    matrix.require_narrowed();
    preconditioner.require_factored();
    return m_columns.solve(m_method, matrix, preconditioner, columns, b, x, space, limits);
  }
  void forget() override { forget_subspace(m_method); }

 private:
  template <class Typed, class Object>
  const Typed& operand(const char* argument, const Object& object) const {
    auto const& found = typed<Typed>("solve", argument, object, m_instance);
    check_shape("solve", argument, found, m_shape);
    return found;
  }

  Instance<Exec> m_instance;
  Shape m_shape;
  const SizedFactory<Exec>& m_factory;
  Method<ShapedVector<Exec>> m_method;
  SolverOfColumns<Method, GridColumns<Exec>> m_columns;
};

template <class Exec>
class LineSolverOn final : public LineSolver {
 public:
  LineSolverOn(const Instance<Exec>& instance, const LineSet& lines, int n, const LineSolverSettings& settings,
               const SizedLineFactory<Exec>& factory)
      : m_instance(instance),
        m_grid(lines.grid()),
        m_points(lines.point_count()),
        m_covers_all(lines.size() == lines.point_count()),
        m_block_size(n),
        m_settings(settings),
        m_factors(std::make_shared<Shared>(Shared{factory.make_line_solver(instance.exec, lines, settings)})) {}

  int block_size() const override { return m_block_size; }
  int columns() const override { return m_settings.columns; }
  std::int64_t points() const override { return m_points; }

  void factor(const double* values, BlockOrder order, MemorySpace space) override {
    require_own_factors("the solver", m_is_transpose);
    auto const n = static_cast<std::size_t>(m_block_size);
    auto const points = static_cast<std::size_t>(m_points);
    bool const by_rows = order == BlockOrder::row_major;
    Kokkos::LayoutStride const layout(points, line_blocks * n * n, line_blocks, n * n, n, by_rows ? n : 1, n,
                                      by_rows ? 1 : n);
    auto const count = m_points * line_blocks * m_block_size * m_block_size;
    in_memory_of<false>(m_instance.exec, values, count, space,
                        [&](const double* data) { m_factors->plan->factor(m_instance.exec, Values(data, layout)); });
    m_factors->is_factored = true;
  }
  void factor(const Matrix& a) override {
    auto const& found = typed<MatrixOn<Exec>>("factor", "A", a, m_instance);
    check_shape("factor", "A", found, shape());
    auto const* const stored = found.stored_as(m_settings.storage);
    if (stored == nullptr) refuse("factor", "A", "is stored in another type than the factors");
    require_own_factors("the solver", m_is_transpose);
    m_factors->plan->factor(m_instance.exec, *stored);
    m_factors->is_factored = true;
  }
  FactorProblem problem() const override {
    require(m_factors->is_factored, "called before factor");
    return m_factors->plan->problem(m_instance.exec);
  }
  void solve(const double* rhs, double* x, MemorySpace space) const override {
    auto const count = m_points * m_block_size * m_settings.columns;
    in_memory_of<false>(m_instance.exec, rhs, count, space, [&](const double* from) {
      auto const solve_to = [&](double* to) { run(from, to); };
      if (m_covers_all) {
        in_memory_of<true>(m_instance.exec, x, count, space, solve_to);
      } else {
        // What is on no line stays as it is: x is read too.
        in_memory_of<true, true>(m_instance.exec, x, count, space, solve_to);
      }
    });
  }
  void solve(const Vector& rhs, Vector& x) const override {
    auto const& from = typed<VectorOn<Exec>>("solve", "the right-hand side", rhs, m_instance);
    auto const& to = typed<VectorOn<Exec>>("solve", "x", x, m_instance);
    check_shape("solve", "the right-hand side", from, shape());
    check_shape("solve", "x", to, shape());
    run(from.typed_vector(), to.typed_vector());
  }
  std::unique_ptr<LineSolver> transpose() const override {
    auto made = std::make_unique<LineSolverOn>(*this);
    made->m_is_transpose = !m_is_transpose;
    return made;
  }

 private:
  using Shared = Factors<TypedLineSolver<Exec>>;
  using Values = typename TypedLineSolver<Exec>::template Values<const double>;

  template <class Rhs, class X>
  void run(const Rhs& rhs, const X& x) const {
    if (m_is_transpose) return m_factors->plan->solve_transposed(m_instance.exec, rhs, x);
    m_factors->plan->solve(m_instance.exec, rhs, x);
  }
  Shape shape() const {
    if (!m_grid) throw Error("matrices and vectors are of grids, the lines of this solver are not");
    return {*m_grid, m_block_size};
  }

  Instance<Exec> m_instance;
  std::optional<Grid> m_grid;
  std::int64_t m_points;
  bool m_covers_all;  ///< whether every point is on a line
  int m_block_size;
  LineSolverSettings m_settings;
  std::shared_ptr<Shared> m_factors;
  bool m_is_transpose = false;
};

}  // namespace hyperplane::run_time
