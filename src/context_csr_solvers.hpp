// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "context_csr_objects.hpp"
#include "solve_times.hpp"

/// Preconditioners and Krylov methods of a context that are of compressed rows.
namespace hyperplane::run_time {

/// Without plan those of the identity.
template <class Exec>
struct CsrFactors : Factors<TypedCsrPlan<Exec>> {
  bool is_for_transpose = false;  ///< whether it solves with M^T, too
  StorageKind storage = StorageKind::double_precision;
  bool is_storage_chosen = false;  ///< by the first matrix, instead
};

template <class Exec>
class CsrPreconditionerOn final : public Preconditioner {
 public:
  CsrPreconditionerOn(const Instance<Exec>& instance, const PointShape& shape,
                      std::shared_ptr<CsrFactors<Exec>> factors, bool is_transpose = false)
      : m_instance(instance), m_shape(shape), m_factors(std::move(factors)), m_is_transpose(is_transpose) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const PointShape& shape() const { return m_shape; }
  std::int64_t points() const override { return m_shape.points; }
  std::int64_t rows() const override { return m_shape.rows(); }

  std::unique_ptr<Preconditioner> transpose() const override {
    if (m_factors->plan && !m_factors->is_for_transpose) {
      throw Error("the preconditioner was made without the option transposed");
    }
    return std::make_unique<CsrPreconditionerOn>(m_instance, m_shape, m_factors, !m_is_transpose);
  }

  void factor(const Matrix& a) override {
    auto const& found = typed<CsrMatrixOn<Exec>>("factor", "A", a, m_instance);
    check_shape("factor", "A", found, m_shape);
    require_own_factors("the preconditioner", m_is_transpose);
    auto const& arrays = found.arrays();
    if (m_factors->plan) {
      try {
        m_factors->plan->factor(m_instance.exec, arrays);
      } catch (const Error&) {
        throw;  // before it began: factors that were there still are
      } catch (...) {
        m_factors->is_factored = false;  // no memory for new ones, of ILUT
        throw;
      }
    }
    m_factors->is_factored = true;
  }
  void factor(const Matrix&, const std::int8_t*, MemorySpace) override { refuse_without_grid("masks are"); }
  void solve(const Vector& rhs, Vector& x) const override {
    auto const& from = typed_vector("the right-hand side", rhs);
    auto const& to = typed_vector("x", x);
    require_factored();
    run(from, to);
  }
  void solve(std::span<const Vector* const> rhs, std::span<Vector* const> x) const override {
    for (std::size_t v = 0; v < rhs.size(); ++v) {
      typed_vector("a right-hand side", *rhs[v]);
      typed_vector("an x", *x[v]);
    }
    for (std::size_t v = 0; v < rhs.size(); ++v) solve(*rhs[v], *x[v]);
  }
  void solve(int columns, const double* rhs, double* x, MemorySpace space) const override {
    require_factored();
    if (!m_column) m_column.emplace(m_instance, m_shape);
    for (int v = 0; v < columns; ++v) {
      m_column->set(rhs + v * rows(), space);
      run(m_column->typed_vector(), m_column->typed_vector());
      m_column->get(x + v * rows(), space);
    }
  }
  FactorProblem problem() const override {
    require_factored();
    return m_factors->plan ? m_factors->plan->problem(m_instance.exec) : FactorProblem{};
  }
  StorageKind storage() const override {
    if (!m_factors->plan) return StorageKind::double_precision;
    if (m_factors->is_storage_chosen) require_factored();
    return m_factors->plan->chosen_storage().value_or(m_factors->storage);
  }
  void measure() override { m_times.measure(); }
  const std::vector<double>& seconds() const override { return m_times.seconds(); }

  /// As the Krylov methods call it.
  void solve(const Exec&, const FlatVector<Exec>& rhs, const FlatVector<Exec>& x) const {
    m_times.run(m_instance.exec, [&] { run(rhs, x); });
  }
  void solve(const Exec&, const FlatVectors<Exec>& rhs, const FlatVectors<Exec>& x) const {
    m_times.run(m_instance.exec, [&] { run(rhs, x); });
  }
  void require_factored() const { require(m_factors->is_factored || !m_factors->plan, "called before factor"); }

 private:
  /// Of one vector or several.
  template <class Vectors>
  void run(const Vectors& rhs, const Vectors& x) const {
    auto const& plan = m_factors->plan;
    if (!plan) {
      if (rhs.flat().data() != x.flat().data()) Kokkos::deep_copy(m_instance.exec, x.flat(), rhs.flat());
    } else if (m_is_transpose) {
      plan->solve_transposed(m_instance.exec, rhs, x);
    } else {
      plan->solve(m_instance.exec, rhs, x);
    }
  }
  const FlatVector<Exec>& typed_vector(const char* argument, const Vector& vector) const {
    auto const& found = typed<CsrVectorOn<Exec>>("solve", argument, vector, m_instance);
    check_shape("solve", argument, found, m_shape);
    return found.typed_vector();
  }

  Instance<Exec> m_instance;
  PointShape m_shape;
  std::shared_ptr<CsrFactors<Exec>> m_factors;
  bool m_is_transpose;
  mutable std::optional<CsrVectorOn<Exec>> m_column;  ///< what arrays are solved in
  mutable SolveTimes m_times;
};

/// Between some columns of an array, (column, row), and as many of several vectors side by side.
struct CopyColumns {
  const double* m_from;
  double* m_to;
  std::int64_t m_rows;
  int m_vectors, m_columns;
  bool m_to_vectors;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (int j = 0; j < m_columns; ++j) {
      auto const in_array = j * m_rows + row, in_vectors = row * m_vectors + j;
      m_to[m_to_vectors ? in_vectors : in_array] = m_from[m_to_vectors ? in_array : in_vectors];
    }
  }
};

/// The same for SolverOfColumns.
template <class Exec>
class CsrColumns {
 public:
  using Vector = FlatVector<Exec>;
  using Vectors = FlatVectors<Exec>;

  explicit CsrColumns(const PointShape& shape) : m_rows(shape.rows()) {}

  std::int64_t domain() const { return m_rows; }
  std::int64_t rows() const { return m_rows; }
  template <class Any>
  void read(const Exec& exec, const double* from, int count, const Any& to) const {
    copy<Any>(exec, from, to.flat().data(), count, true);
  }
  template <class Any>
  void write(const Exec& exec, const Any& from, int count, double* to) const {
    copy<Any>(exec, from.flat().data(), to, count, false);
  }

 private:
  template <class Any>
  void copy(const Exec& exec, const double* from, double* to, int count, bool to_vectors) const {
    constexpr int vectors = std::is_same_v<Any, Vectors> ? csr_vectors : 1;
    detail::launch("Hyperplane::Krylov::copy_columns", detail::LongIndexRange<Exec>(exec, 0, m_rows),
                   2.0 * sizeof(double) * count, CopyColumns{from, to, m_rows, vectors, count, to_vectors});
  }

  std::int64_t m_rows;
};

template <class Exec, template <class> class Method>
class CsrKrylovOn final : public Krylov {
 public:
  CsrKrylovOn(const Instance<Exec>& instance, const PointShape& shape, const KrylovOptions& options)
      : m_instance(instance),
        m_shape(shape),
        m_method(instance.exec, shape.rows(), options),
        m_columns(instance.exec, CsrColumns<Exec>(shape), options) {}

  std::unique_ptr<Vector> make_vector() const override {
    return std::make_unique<CsrVectorOn<Exec>>(m_instance, m_shape);
  }
  KrylovResult solve(const Matrix& a, const Preconditioner& m, const Vector& b, Vector& x,
                     const KrylovLimits& limits) const override {
    auto const& matrix = operand<CsrMatrixOn<Exec>>("A", a);
    auto const& preconditioner = operand<CsrPreconditionerOn<Exec>>("the preconditioner", m);
    auto const& rhs = operand<CsrVectorOn<Exec>>("b", b);
    auto const& solution = operand<CsrVectorOn<Exec>>("x", x);
    preconditioner.require_factored();
    return m_method.solve(m_instance.exec, matrix.products(), preconditioner, rhs.typed_vector(),
                          solution.typed_vector(), limits);
  }
  std::vector<KrylovResult> solve(const Matrix& a, const Preconditioner& m, int columns, const double* b, double* x,
                                  MemorySpace space, const KrylovLimits& limits) const override {
    auto const& matrix = operand<CsrMatrixOn<Exec>>("A", a);
    auto const& preconditioner = operand<CsrPreconditionerOn<Exec>>("the preconditioner", m);
    preconditioner.require_factored();
    return m_columns.solve(m_method, matrix.products(), preconditioner, columns, b, x, space, limits);
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
  PointShape m_shape;
  Method<FlatVector<Exec>> m_method;
  SolverOfColumns<Method, CsrColumns<Exec>> m_columns;
};

}  // namespace hyperplane::run_time
