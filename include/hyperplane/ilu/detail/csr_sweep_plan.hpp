// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_transposed.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What all plans with triangular sweeps over the rows of a BlockCsr have: rows, their order and their levels.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// `Derived` has the sweeps: run_forward(exec, rhs, y), run_backward(exec, y, x), and the same with the transposed
/// triangles, run_forward_transposed and run_backward_transposed; all of them also for several vectors. Vectors were
/// checked before.
template <class Derived, class Scalar, int n, class Exec>
class CsrSweepPlan {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;
  using Vector = Table<Scalar>;
  template <int count>
  using Vectors = PointVectors<Scalar, n, count, Exec>;

  /// Waits for the instance. `natural`: rows are taken by their numbers. The pattern was made for sequence_kind(). A
  /// block has about as many bytes; `rows_of_tickets` is that of CsrIluRuns.
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): plans have it
  CsrSweepPlan(const CsrIluNames& names, const Exec& exec, bool natural, CsrPath path, const CsrIluPattern& of,
               bool transposed, std::size_t bytes, int rows_of_tickets)
      : m_names(names),
        m_rows(of.blocks.rows()),
        m_blocks(static_cast<std::int64_t>(of.blocks.columns.size())),
        m_upper_blocks(of.blocks.upper_count()),
        m_path(path),
        m_order(table(exec, natural ? std::vector<int>() : of.order.rows)),
        m_lower_begin(table(exec, of.blocks.lower_begin)),
        m_diagonal(table(exec, of.blocks.diagonal)),
        m_upper_begin(table(exec, of.blocks.upper_begin)),
        m_upper_end(table(exec, of.blocks.upper_end)),
        m_columns(table(exec, of.blocks.columns)),
        m_forward(exec, of.forward, m_order, 1, runs(exec, path, rows_of_tickets),
                  per_row(m_blocks - m_upper_blocks) * static_cast<double>(bytes)),
        m_backward(exec, of.backward, m_order, -1, runs(exec, path, rows_of_tickets),
                   per_row(m_upper_blocks) * static_cast<double>(bytes)) {
    if (!transposed) return;
    m_forward_transposed.emplace(exec, of, m_order, true, runs(exec, path, rows_of_tickets), bytes);
    m_backward_transposed.emplace(exec, of, m_order, false, runs(exec, path, rows_of_tickets), bytes);
  }

  std::int64_t rows() const { return m_rows; }
  std::int64_t blocks() const { return m_blocks; }
  CsrPath path() const { return m_path; }
  int forward_levels() const { return m_forward.count(); }
  int backward_levels() const { return m_backward.count(); }

  /// Factors are there, or will be when the instance has finished.
  void set_factored() { m_factored = true; }

  static CsrIluSequenceKind sequence_kind(const Exec& exec, CsrPath path) {
    if (path != CsrPath::team) return CsrIluSequenceKind::by_levels;
    return concurrency_of(exec) > 1 ? CsrIluSequenceKind::in_order_by_threads : CsrIluSequenceKind::in_order_alone;
  }

  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("solve", "the right-hand side", rhs, "x", x);
    derived().run_solve(exec, rhs, x);
  }
  template <int count>
  void solve(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& x) const {
    check("solve", "the right-hand side", rhs.flat(), "x", x.flat(), count);
    derived().run_forward(exec, rhs, x);
    derived().run_backward(exec, x, x);
  }
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check("forward", "the right-hand side", rhs, "y", y);
    derived().run_forward(exec, rhs, y);
  }
  void backward(const Exec& exec, const Vector& y, const Vector& x) const {
    check("backward", "y", y, "x", x);
    derived().run_backward(exec, y, x);
  }

  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check_transposed("solve_transposed", "the right-hand side", rhs, "x", x);
    derived().run_solve_transposed(exec, rhs, x);
  }
  template <int count>
  void solve_transposed(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& x) const {
    check_transposed("solve_transposed", "the right-hand side", rhs.flat(), "x", x.flat(), count);
    derived().run_forward_transposed(exec, rhs, x);
    derived().run_backward_transposed(exec, x, x);
  }
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check_transposed("forward_transposed", "the right-hand side", rhs, "y", y);
    derived().run_forward_transposed(exec, rhs, y);
  }
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    check_transposed("backward_transposed", "y", y, "x", x);
    derived().run_backward_transposed(exec, y, x);
  }

 protected:
  /// Both sweeps; plans may have a better way.
  void run_solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    derived().run_forward(exec, rhs, x);
    derived().run_backward(exec, x, x);
  }
  void run_solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    derived().run_forward_transposed(exec, rhs, x);
    derived().run_backward_transposed(exec, x, x);
  }

  template <class T>
  static Table<T> table(const Exec& exec, const std::vector<T>& values) {
    return to_space(exec, "Hyperplane::CsrIlu::structure", values);
  }
  /// What kernels have of a table: null where that is empty.
  static const int* list(const Table<int>& table) { return table.size() > 0 ? table.data() : nullptr; }

  const CsrIluNames& names() const { return m_names; }
  /// Of rows; empty where they are taken by their numbers.
  const Table<int>& order() const { return m_order; }
  /// The row that is taken as the one of this number.
  std::int64_t row_at(const Exec& exec, std::int64_t position) const {
    return m_order.size() > 0 ? to_vector(exec, m_order)[as_size(position)] : position;
  }
  CsrIluRows row_blocks() const {
    return {m_lower_begin.data(), m_diagonal.data(), m_upper_begin.data(), m_upper_end.data(), m_columns.data()};
  }
  /// Over the rows, as the factorization and the forward sweep take them.
  const CsrIluLevelKernels<Exec>& forward_kernels() const { return m_forward; }
  const CsrIluLevelKernels<Exec>& backward_kernels() const { return m_backward; }
  /// Where the plan was made for them.
  const std::optional<CsrIluTransposed<Exec>>& transposed_forward() const { return m_forward_transposed; }
  const std::optional<CsrIluTransposed<Exec>>& transposed_backward() const { return m_backward_transposed; }
  std::int64_t upper_blocks() const { return m_upper_blocks; }
  double per_row(std::int64_t blocks) const {
    return static_cast<double>(blocks) / static_cast<double>(std::max<std::int64_t>(m_rows, 1));
  }

 private:
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  static CsrIluRuns runs(const Exec& exec, CsrPath path, int rows_of_tickets) {
    return {sequence_kind(exec, path), rows_of_tickets};
  }

  void check(const char* function, const char* name_of_right, const Vector& right, const char* name_of_x,
             const Vector& x, int vectors = 1) const {
    auto const name = std::string(m_names.plan) + "::" + function;
    check_rows(name.c_str(), name_of_right, right, m_rows, n * vectors);
    check_rows(name.c_str(), name_of_x, x, m_rows, n * vectors);
    if (!m_factored) fail(name + ": called before factor");
  }

  void check_transposed(const char* function, const char* name_of_right, const Vector& right, const char* name_of_x,
                        const Vector& x, int vectors = 1) const {
    check(function, name_of_right, right, name_of_x, x, vectors);
    if (!m_forward_transposed) {
      fail(std::string(m_names.plan) + "::" + function + ": the plan was made without the option transposed");
    }
  }

  CsrIluNames m_names;
  std::int64_t m_rows;
  std::int64_t m_blocks;
  std::int64_t m_upper_blocks;
  CsrPath m_path;
  Table<int> m_order;
  Table<std::int64_t> m_lower_begin, m_diagonal, m_upper_begin, m_upper_end;
  Table<int> m_columns;
  CsrIluLevelKernels<Exec> m_forward, m_backward;
  std::optional<CsrIluTransposed<Exec>> m_forward_transposed, m_backward_transposed;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
