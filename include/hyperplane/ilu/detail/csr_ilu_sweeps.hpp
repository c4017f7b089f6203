// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_ilu_transposed.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <hyperplane/ilu/detail/csr_ilu_tickets_cuda.hpp>
#endif

/// Factors of a BlockCsr, and solves with them, whatever decides which blocks they have.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Exec, class StorageScalar>
class CsrIluSweeps {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;
  using Vector = Table<Scalar>;

  /// For factors that are to be written: see factors(). Waits for the instance. `natural`: rows are taken by their
  /// numbers. The pattern was made for is_by_levels().
  CsrIluSweeps(const CsrIluNames& names, const Exec& exec, bool natural, CsrPath path, const CsrIluPattern& of,
               bool transposed)
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
        m_forward(exec, of.forward, m_order, 1, runs(exec, path),
                  per_row(m_blocks - m_upper_blocks) * n * n * sizeof(StorageScalar)),
        m_backward(exec, of.backward, m_order, -1, runs(exec, path),
                   per_row(m_upper_blocks) * n * n * sizeof(StorageScalar)),
        m_values(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::factors"),
                 as_size(m_blocks * n * n + block::Columns<Scalar, n>::overrun)) {
    if (transposed) {
      m_forward_transposed.emplace(exec, of, m_order, true, runs(exec, path), n * n * sizeof(StorageScalar));
      m_backward_transposed.emplace(exec, of, m_order, false, runs(exec, path), n * n * sizeof(StorageScalar));
    }
    if (path == CsrPath::tickets) m_tickets.emplace(exec, m_rows);
  }

  std::int64_t rows() const { return m_rows; }
  std::int64_t blocks() const { return m_blocks; }
  CsrPath path() const { return m_path; }
  int forward_levels() const { return m_forward.count(); }
  int backward_levels() const { return m_backward.count(); }

  /// Factors are there, or will be when the instance has finished.
  void set_factored() { m_factored = true; }
  const Table<StorageScalar>& values() const { return m_values; }

  /// One thread alone is faster in the order of the factorization than by levels.
  static bool is_by_levels(const Exec& exec, CsrPath path) { return path != CsrPath::team || exec.concurrency() > 1; }

  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("solve", "the right-hand side", rhs, "x", x);
    run_forward(exec, rhs, x);
    run_backward(exec, x, x);
  }
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check("forward", "the right-hand side", rhs, "y", y);
    run_forward(exec, rhs, y);
  }
  void backward(const Exec& exec, const Vector& y, const Vector& x) const {
    check("backward", "y", y, "x", x);
    run_backward(exec, y, x);
  }

  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check_transposed("solve_transposed", "the right-hand side", rhs, "x", x);
    run_transposed<false>(exec, m_names.forward_transposed, *m_forward_transposed, rhs, x);
    run_transposed<true>(exec, m_names.backward_transposed, *m_backward_transposed, x, x);
  }
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check_transposed("forward_transposed", "the right-hand side", rhs, "y", y);
    run_transposed<false>(exec, m_names.forward_transposed, *m_forward_transposed, rhs, y);
  }
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    check_transposed("backward_transposed", "y", y, "x", x);
    run_transposed<true>(exec, m_names.backward_transposed, *m_backward_transposed, y, x);
  }

 protected:
  template <class T>
  static Table<T> table(const Exec& exec, const std::vector<T>& values) {
    return to_space(exec, "Hyperplane::CsrIlu::structure", values);
  }

  CsrIluFactors<StorageScalar, n> factors() const {
    return {m_lower_begin.data(), m_diagonal.data(), m_upper_begin.data(),
            m_upper_end.data(),   m_columns.data(),  m_values.data()};
  }
  const CsrIluNames& names() const { return m_names; }
  /// Of rows; empty where they are taken by their numbers.
  const Table<int>& order() const { return m_order; }
  /// Over the rows, as the factorization and the forward sweep take them.
  const CsrIluLevelKernels<Exec>& forward_kernels() const { return m_forward; }
  /// On CsrPath::tickets.
  const std::optional<CsrIluTickets<Scalar, n, Exec>>& tickets() const { return m_tickets; }
  std::int64_t upper_blocks() const { return m_upper_blocks; }
  double per_row(std::int64_t blocks) const {
    return static_cast<double>(blocks) / static_cast<double>(std::max<std::int64_t>(m_rows, 1));
  }

 private:
  static CsrIluRuns runs(const Exec& exec, CsrPath path) {
    return {path == CsrPath::team, is_by_levels(exec, path),
            path == CsrPath::tickets ? CsrIluTickets<Scalar, n, Exec>::rows_of_a_ticket : 0};
  }

  void check(const char* function, const char* name_of_right, const Vector& right, const char* name_of_x,
             const Vector& x) const {
    auto const name = std::string(m_names.plan) + "::" + function;
    check_rows(name.c_str(), name_of_right, right, m_rows, n);
    check_rows(name.c_str(), name_of_x, x, m_rows, n);
    if (!m_factored) fail(name + ": called before factor");
  }

  void check_transposed(const char* function, const char* name_of_right, const Vector& right, const char* name_of_x,
                        const Vector& x) const {
    check(function, name_of_right, right, name_of_x, x);
    if (!m_forward_transposed) {
      fail(std::string(m_names.plan) + "::" + function + ": the plan was made without the option transposed");
    }
  }

  template <bool with_diagonal>
  void run_transposed(const Exec& exec, const char* label, const CsrIluTransposed<Exec>& sweep, const Vector& rhs,
                      const Vector& y) const {
    CsrSweepBlocks<StorageScalar> const blocks{sweep.lists().m_begin,   sweep.lists().m_begin + 1, sweep.lists().m_rows,
                                               sweep.lists().m_numbers, m_diagonal.data(),         m_values.data()};
    run<true, with_diagonal>(exec, label, sweep.blocks() + (with_diagonal ? m_rows : 0), sweep.levels(), blocks, rhs, y,
                             [&](const CsrIluSequence& order) {
                               return CsrIluTransposedSweep<with_diagonal, Scalar, n, StorageScalar>{
                                   factors(), sweep.lists(), order, rhs.data(), y.data()};
                             });
  }

  void run_forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    CsrSweepBlocks<StorageScalar> const blocks{m_lower_begin.data(), m_diagonal.data(), m_columns.data(), nullptr,
                                               m_diagonal.data(),    m_values.data()};
    run<false, true>(exec, m_names.forward, m_blocks - m_upper_blocks, m_forward, blocks, rhs, y,
                     [&](const CsrIluSequence& order) {
                       return CsrIluForward<Scalar, n, StorageScalar>{factors(), order, rhs.data(), y.data()};
                     });
  }
  void run_backward(const Exec& exec, const Vector& y, const Vector& x) const {
    CsrSweepBlocks<StorageScalar> const blocks{m_upper_begin.data(), m_upper_end.data(), m_columns.data(), nullptr,
                                               m_diagonal.data(),    m_values.data()};
    run<false, false>(exec, m_names.backward, m_upper_blocks, m_backward, blocks, y, x,
                      [&](const CsrIluSequence& order) {
                        return CsrIluBackward<Scalar, n, StorageScalar>{factors(), order, y.data(), x.data()};
                      });
  }
  template <bool transposed, bool with_diagonal, class KernelOf>
  void run(const Exec& exec, const char* label, std::int64_t count, const CsrIluLevelKernels<Exec>& levels,
           [[maybe_unused]] const CsrSweepBlocks<StorageScalar>& blocks, [[maybe_unused]] const Vector& rhs,
           [[maybe_unused]] const Vector& x, const KernelOf& kernel_of) const {
    double const bytes = per_row(count) * (n * n * sizeof(StorageScalar) + sizeof(int)) + 2.0 * n * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(m_rows));
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_tickets) {
        return m_tickets->template sweep<transposed, with_diagonal>(exec, label, levels, blocks, rhs.data(), x.data());
      }
    }
    levels.run(exec, label, bytes, kernel_of);
  }

  CsrIluNames m_names;
  std::int64_t m_rows;
  std::int64_t m_blocks;  ///< of the factors
  std::int64_t m_upper_blocks;
  CsrPath m_path;
  Table<int> m_order;  ///< empty where rows are taken by their numbers
  Table<std::int64_t> m_lower_begin, m_diagonal, m_upper_begin, m_upper_end;
  Table<int> m_columns;
  CsrIluLevelKernels<Exec> m_forward, m_backward;
  std::optional<CsrIluTransposed<Exec>> m_forward_transposed, m_backward_transposed;
  std::optional<CsrIluTickets<Scalar, n, Exec>> m_tickets;
  Table<StorageScalar> m_values;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
