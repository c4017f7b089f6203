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
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_ilu_transposed.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// What BlockIlu0Csr and BlockIlukCsr are: block incomplete LU factorization of a BlockCsr, on blocks that its
/// structure decides.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Exec, class StorageScalar, class Offset>
class CsrIluPlan {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using Matrix = BlockCsr<Scalar, n, Exec, StorageScalar, Offset>;
  using Vector = typename Matrix::Vector;

  template <class MatrixStorage>
  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
             const CsrIluSettings& settings)
      : CsrIluPlan(names, exec, a.offsets(), a.columns(), settings, checked_path(names, settings.path)) {}

  std::int64_t rows() const { return m_rows; }
  std::int64_t blocks() const { return m_blocks; }
  std::int64_t products() const { return static_cast<std::int64_t>(m_lower.extent(0)); }
  CsrPath path() const { return m_path; }
  int forward_levels() const { return m_forward.count(); }
  int backward_levels() const { return m_backward.count(); }

  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a) {
    auto const blocks = static_cast<std::int64_t>(m_given_columns.extent(0));
    if (a.rows() != m_rows || a.blocks() != blocks) {
      fail(std::string(m_names.plan) + "::factor: A has " + std::to_string(a.rows()) + " rows and " +
           std::to_string(a.blocks()) + " blocks, expected " + std::to_string(m_rows) + " and " +
           std::to_string(blocks));
    }
    if (a.offsets().data() != m_given_offsets.data() || a.columns().data() != m_given_columns.data()) {
      compare(exec, a.ref());
      m_given_offsets = a.offsets();
      m_given_columns = a.columns();
    }
    m_factored = true;
    using Ref = typename BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>::Ref;
    using Elimination = CsrIluElimination<Scalar, n, StorageScalar, Ref>;
    Elimination const elimination{a.ref(),        factors(),     m_sources.data(), m_product_begin.data(),
                                  m_lower.data(), m_upper.data()};
    double const bytes = (per_row(blocks) * sizeof(MatrixStorage) + per_row(m_blocks) * sizeof(StorageScalar)) * n * n;
    count_bytes(m_names.factor, bytes * static_cast<double>(m_rows));
    // Products are what takes time, not the blocks that come and go.
    m_forward.run(exec, m_names.factor, bytes * n, [&](const CsrIluSequence& order) {
      return CsrIluFactor<Scalar, n, Exec, StorageScalar, Ref>{elimination, m_singular.ref(), list(m_positions), order};
    });
    m_singular.conclude(exec, CsrIluDiagnosis<Scalar, n, StorageScalar, Ref>{
                                  elimination, {list(m_order), 0, 1}, m_column_not_finite.data()});
  }

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

  CsrStatus status(const Exec& exec) const {
    auto const place = m_singular.find(exec);
    if (!place) return {};
    CsrStatus result{{.failure = place->finding.failure}, row_at(exec, place->number)};
    if (result.singular()) result.equation = place->finding.index;
    if (result.failure == FactorFailure::not_finite) result.column = to_vector(exec, m_column_not_finite).front();
    return result;
  }

 private:
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;
  using Offsets = typename Matrix::Offsets;
  using Columns = typename Matrix::Columns;

  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Offsets& offsets, const Columns& columns,
             const CsrIluSettings& settings, CsrPath path)
      : CsrIluPlan(names, exec, offsets, columns, settings, path,
                   checked_ilu_structure(names.plan, to_vector(exec, offsets), to_vector(exec, columns))) {}

  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Offsets& offsets, const Columns& columns,
             const CsrIluSettings& settings, CsrPath path, const CsrColumns& structure)
      : CsrIluPlan(
            names, exec, offsets, columns, settings.order == RowOrder::natural, path,
            CsrIluAnalysis(structure, checked_ilu_order(names.plan, settings.order, settings.given_order, structure),
                           checked_fill(names, settings.fill), is_by_levels(exec, path)),
            settings.transposed) {}

  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Offsets& offsets, const Columns& columns, bool natural,
             CsrPath path, const CsrIluAnalysis& of, bool transposed)
      : m_names(names),
        m_rows(of.blocks.rows()),
        m_blocks(static_cast<std::int64_t>(of.blocks.columns.size())),
        m_upper_blocks(of.blocks.upper_count()),
        m_path(path),
        m_given_offsets(offsets),
        m_given_columns(columns),
        m_order(table(exec, natural ? std::vector<int>() : of.order.rows)),
        m_positions(table(exec, natural ? std::vector<int>() : of.order.positions)),
        m_lower_begin(table(exec, of.blocks.lower_begin)),
        m_diagonal(table(exec, of.blocks.diagonal)),
        m_upper_begin(table(exec, of.blocks.upper_begin)),
        m_upper_end(table(exec, of.blocks.upper_end)),
        m_columns(table(exec, of.blocks.columns)),
        m_sources(table(exec, of.blocks.sources)),
        m_product_begin(table(exec, of.products.begin)),
        m_lower(table(exec, of.products.lower)),
        m_upper(table(exec, of.products.upper)),
        m_forward(exec, of.forward, m_order, 1, runs(exec, path), per_row(m_blocks - m_upper_blocks) * n * n * sizeof(StorageScalar)),
        m_backward(exec, of.backward, m_order, -1, runs(exec, path), per_row(m_upper_blocks) * n * n * sizeof(StorageScalar)),
        m_values(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::factors"),
                 as_size(m_blocks * n * n + block::Columns<Scalar, n>::overrun)),
        m_column_not_finite(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::column"), 1),
        m_singular(exec, "Hyperplane::CsrIlu::status") {
    if (transposed) {
      m_forward_transposed.emplace(exec, of, m_order, true, runs(exec, path), n * n * sizeof(StorageScalar));
      m_backward_transposed.emplace(exec, of, m_order, false, runs(exec, path), n * n * sizeof(StorageScalar));
    }
    if (path == CsrPath::tickets) m_tickets.emplace(exec, m_rows);
  }

  template <class T>
  static Table<T> table(const Exec& exec, const std::vector<T>& values) {
    return to_space(exec, "Hyperplane::CsrIlu::structure", values);
  }
  /// The row that is taken as the one of this number.
  std::int64_t row_at(const Exec& exec, std::int64_t position) const {
    return m_order.size() > 0 ? to_vector(exec, m_order)[as_size(position)] : position;
  }
  static const int* list(const Table<int>& table) { return table.size() > 0 ? table.data() : nullptr; }

  static CsrPath checked_path(const CsrIluNames& names, CsrPath path) {
    if (path == CsrPath::automatic) {
      return HostExecutionSpace<Exec> ? CsrPath::team : CudaExecutionSpace<Exec> ? CsrPath::tickets : CsrPath::portable;
    }
    if (!HostExecutionSpace<Exec> && path == CsrPath::team) {
      fail(std::string(names.plan) + ": CsrPath::team is for hosts");
    }
    if (!CudaExecutionSpace<Exec> && path == CsrPath::tickets) {
      fail(std::string(names.plan) + ": CsrPath::tickets is for CUDA");
    }
    return path;
  }
  static int checked_fill(const CsrIluNames& names, int fill) {
    if (fill < 0) fail(std::string(names.plan) + ": fill is " + std::to_string(fill) + ", expected 0 or more");
    return fill;
  }

  /// One thread alone is faster in the order of the factorization than by levels.
  static bool is_by_levels(const Exec& exec, CsrPath path) { return path != CsrPath::team || exec.concurrency() > 1; }

  static CsrIluRuns runs(const Exec& exec, CsrPath path) {
    return {path == CsrPath::team, is_by_levels(exec, path),
            path == CsrPath::tickets ? CsrIluTickets<Scalar, n, Exec>::rows_of_a_ticket : 0};
  }

  template <class Ref>
  void compare(const Exec& exec, const Ref& a) const {
    constexpr auto none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = none;
    Kokkos::parallel_reduce("Hyperplane::CsrIlu::compare",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m_rows),
                            CsrIluDifference<Ref>{a, m_lower_begin.data(), m_diagonal.data(), m_upper_begin.data(),
                                                  m_upper_end.data(), m_columns.data(), m_sources.data()},
                            Kokkos::Min<std::int64_t>(first));
    if (first == none) return;
    fail(std::string(m_names.plan) + "::factor: row " + std::to_string(first) +
         " of A has other columns, or in another order, than the constructor was given");
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
    CsrSweepBlocks<StorageScalar> const lists{sweep.lists().m_begin,   sweep.lists().m_begin + 1, sweep.lists().m_rows,
                                                sweep.lists().m_numbers, m_diagonal.data(),         m_values.data()};
    run<true, with_diagonal>(exec, label, sweep.blocks() + (with_diagonal ? m_rows : 0), sweep.levels(), lists, rhs, y, [&](const CsrIluSequence& order) {
      return CsrIluTransposedSweep<with_diagonal, Scalar, n, StorageScalar>{factors(), sweep.lists(), order, rhs.data(),
                                                                            y.data()};
    });
  }

  void run_forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    CsrSweepBlocks<StorageScalar> const lists{m_lower_begin.data(), m_diagonal.data(), m_columns.data(), nullptr,
                                                m_diagonal.data(),    m_values.data()};
    run<false, true>(exec, m_names.forward, m_blocks - m_upper_blocks, m_forward, lists, rhs, y, [&](const CsrIluSequence& order) {
      return CsrIluForward<Scalar, n, StorageScalar>{factors(), order, rhs.data(), y.data()};
    });
  }
  void run_backward(const Exec& exec, const Vector& y, const Vector& x) const {
    CsrSweepBlocks<StorageScalar> const lists{m_upper_begin.data(), m_upper_end.data(), m_columns.data(), nullptr,
                                                m_diagonal.data(),    m_values.data()};
    run<false, false>(exec, m_names.backward, m_upper_blocks, m_backward, lists, y, x, [&](const CsrIluSequence& order) {
      return CsrIluBackward<Scalar, n, StorageScalar>{factors(), order, y.data(), x.data()};
    });
  }
  template <bool transposed, bool with_diagonal, class KernelOf>
  void run(const Exec& exec, const char* label, std::int64_t blocks, const CsrIluLevelKernels<Exec>& levels,
           [[maybe_unused]] const CsrSweepBlocks<StorageScalar>& lists, [[maybe_unused]] const Vector& rhs,
           [[maybe_unused]] const Vector& x, const KernelOf& kernel_of) const {
    double const bytes = per_row(blocks) * (n * n * sizeof(StorageScalar) + sizeof(int)) + 2.0 * n * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(m_rows));
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_tickets) {
        return m_tickets->template run<transposed, with_diagonal>(exec, label, levels.ticket_rows(), lists, rhs.data(),
                                                                  x.data());
      }
    }
    levels.run(exec, label, bytes, kernel_of);
  }

  double per_row(std::int64_t blocks) const {
    return static_cast<double>(blocks) / static_cast<double>(std::max<std::int64_t>(m_rows, 1));
  }
  CsrIluFactors<StorageScalar, n> factors() const {
    return {m_lower_begin.data(), m_diagonal.data(), m_upper_begin.data(),
            m_upper_end.data(),   m_columns.data(),  m_values.data()};
  }

  CsrIluNames m_names;
  std::int64_t m_rows;
  std::int64_t m_blocks;  ///< of the factors
  std::int64_t m_upper_blocks;
  CsrPath m_path;
  // Kept, so that no other arrays are where they are.
  Offsets m_given_offsets;
  Columns m_given_columns;
  // Empty where rows are taken by their numbers.
  Table<int> m_order, m_positions;
  Table<std::int64_t> m_lower_begin, m_diagonal, m_upper_begin, m_upper_end;
  Table<int> m_columns;
  Table<std::int64_t> m_sources, m_product_begin, m_lower, m_upper;
  CsrIluLevelKernels<Exec> m_forward, m_backward;
  std::optional<CsrIluTransposed<Exec>> m_forward_transposed, m_backward_transposed;
  std::optional<CsrIluTickets<Scalar, n, Exec>> m_tickets;
  Table<StorageScalar> m_values;
  Table<std::int64_t> m_column_not_finite;
  SingularPivotRecord<Exec> m_singular;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
