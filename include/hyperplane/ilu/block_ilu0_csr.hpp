// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/block_ilu0_csr_analysis.hpp>
#include <hyperplane/ilu/detail/block_ilu0_csr_kernels.hpp>
#include <hyperplane/ilu/detail/block_ilu0_csr_levels.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How the levels of BlockIlu0Csr are run.
enum class CsrPath : int {
  automatic,
  portable,  ///< a launch for each level
  team,      ///< on hosts: one launch, in which threads wait for one another between levels
};

struct BlockIlu0CsrOptions {
  CsrPath path = CsrPath::automatic;
};

/// BILU(0) for unstructured meshes: block incomplete LU factorization of a BlockCsr without fill, in the order of its
/// rows.
///
/// M = (d + L)(I + d^-1 U), with d block diagonal, L strictly lower and U strictly upper on the block pattern of A, so
/// that M equals A on that pattern: as BlockIlu0 on grids. With u = d^-1 U, for each block (i, j) of the pattern,
///
///     A_ij - sum of L_ik u_kj, k < min(i, j), (i, k) and (k, j) in the pattern
///
/// is L_ij for j < i, d_i for j = i and d_i u_ij for j > i. Source: Y. Saad, "Iterative Methods for Sparse Linear
/// Systems", 2nd ed., 2003, section 10.3, doi:10.1137/1.9780898718003. Kept: L, d^-1 (Gauss-Jordan with partial
/// pivoting inside the block) and u. StorageScalar = float with Scalar = double stores half the bytes and computes in
/// double.
///
/// A plan: the constructor reads the structure of the matrix, on the host, and allocates; the other functions do not,
/// do not fence, and are asynchronous on the instance that is given. Rows are run by levels, of which the order of the
/// points decides how many there are: see forward_levels(). Copies, made after factor(), share factors and working
/// memory: at most one factor(), solve(), forward() or backward() of a plan and all its copies may run at a time.
///
/// Cost: a solve takes 2 n^2 flops per block, reads n^2 values and an index per block, and 4 n values per point.
/// factor() takes 2 n^3 flops per point, per block behind the diagonal, and per triple of rows k < i, k < j for which
/// the pattern has (i, k), (k, j) and (i, j); reads n^2 values per block and writes as many. Launches: for each level
/// one on CsrPath::portable, one for each sweep on CsrPath::team; and one that finishes the status. Memory: n^2 values
/// of StorageScalar and 20 bytes per block, 16 bytes per triple, 40 per point.
///
/// Results are bitwise the same whatever the path and the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar, std::integral Offset = std::int64_t>
class BlockIlu0Csr {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockIlu0CsrOptions;
  /// Matrices may have values of another type: see factor().
  using Matrix = BlockCsr<Scalar, n, Exec, StorageScalar, Offset>;
  using Vector = typename Matrix::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything. Waits for the
  /// instance. Throws Error where a row has no diagonal block, or a column twice or out of range, and where the
  /// execution space cannot run the path.
  template <class MatrixStorage>
  BlockIlu0Csr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
               const BlockIlu0CsrOptions& options = {})
      : BlockIlu0Csr(exec, a, checked_path(options.path), is_by_levels(exec, options.path)) {}

  std::int64_t rows() const { return m_rows; }
  std::int64_t blocks() const { return m_blocks; }
  /// The path that runs; never automatic.
  CsrPath path() const { return m_path; }
  /// Rows that have no others to wait for are one level, rows that wait for these alone the next one. The fewer levels
  /// there are, the more rows can be taken at a time.
  int forward_levels() const { return m_forward.count(); }
  int backward_levels() const { return m_backward.count(); }

  /// Computes the factors of A, which may be overwritten when the instance has finished. A has the structure that was
  /// given to the constructor, or Error is thrown. Where it has the same arrays of offsets and columns, that is known,
  /// and they must not have been written to since; others are compared once, which waits for the instance. A singular
  /// pivot, or what else makes the factors useless, is recorded: see status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a) {
    if (a.rows() != m_rows || a.blocks() != m_blocks) {
      fail("BlockIlu0Csr::factor: A has " + std::to_string(a.rows()) + " rows and " + std::to_string(a.blocks()) +
           " blocks, expected " + std::to_string(m_rows) + " and " + std::to_string(m_blocks));
    }
    if (a.offsets().data() != m_given_offsets.data() || a.columns().data() != m_given_columns.data()) {
      compare(exec, a.ref());
      m_given_offsets = a.offsets();
      m_given_columns = a.columns();
    }
    m_factored = true;
    using Ref = typename BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>::Ref;
    using Elimination = detail::Ilu0CsrElimination<Scalar, n, StorageScalar, Ref>;
    Elimination const elimination{a.ref(),        factors(),     m_sources.data(), m_product_begin.data(),
                                  m_lower.data(), m_upper.data()};
    double const bytes = per_row(m_blocks) * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar));
    detail::count_bytes("Hyperplane::BlockIlu0Csr::factor", bytes * static_cast<double>(m_rows));
    // Products are what takes time, not the blocks that come and go.
    m_forward.run(exec, "Hyperplane::BlockIlu0Csr::factor", bytes * n, [&](const detail::Ilu0CsrOrder& order) {
      return detail::Ilu0CsrFactor<Scalar, n, Exec, StorageScalar, Ref>{elimination, m_singular.ref(), order};
    });
    m_singular.conclude(
        exec, detail::Ilu0CsrDiagnosis<Scalar, n, StorageScalar, Ref>{elimination, m_column_not_finite.data()});
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where extents are others.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    check("BlockIlu0Csr::solve", rhs, x);
    run_forward(exec, rhs, x);
    run_backward(exec, x, x);
  }

  /// y = (d + L)^-1 rhs, the first half of a solve; y may be rhs. Throws Error as solve() does.
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    check("BlockIlu0Csr::forward", rhs, y);
    run_forward(exec, rhs, y);
  }

  /// x = (I + d^-1 U)^-1 y, the second half, so that both have the bits of solve(); x may be y. Throws Error as solve()
  /// does.
  void backward(const Exec& exec, const Vector& y, const Vector& x) const {
    check("BlockIlu0Csr::backward", y, x);
    run_backward(exec, y, x);
  }

  /// Whether the last factor() failed, in which row, and why. Waits for the instance.
  CsrStatus status(const Exec& exec) const {
    auto const place = m_singular.find(exec);
    if (!place) return {};
    CsrStatus result{{.failure = place->finding.failure}, place->number};
    if (result.singular()) result.equation = place->finding.index;
    if (result.failure == FactorFailure::not_finite) {
      result.column = detail::to_vector(exec, m_column_not_finite).front();
    }
    return result;
  }

 private:
  template <class T>
  using Table = Kokkos::View<T*, typename Exec::memory_space>;

  template <class MatrixStorage>
  BlockIlu0Csr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a, CsrPath path,
               bool by_levels)
      : BlockIlu0Csr(exec, a.offsets(), a.columns(), path, by_levels,
                     detail::Ilu0CsrAnalysis(detail::to_vector(exec, a.offsets()), detail::to_vector(exec, a.columns()),
                                             by_levels)) {}

  BlockIlu0Csr(const Exec& exec, const typename Matrix::Offsets& offsets, const typename Matrix::Columns& columns,
               CsrPath path, bool by_levels, const detail::Ilu0CsrAnalysis& of)
      : m_rows(of.blocks.rows()),
        m_blocks(static_cast<std::int64_t>(of.blocks.columns.size())),
        m_upper_blocks(of.blocks.upper_count()),
        m_path(path),
        m_given_offsets(offsets),
        m_given_columns(columns),
        m_lower_begin(table(exec, of.blocks.lower_begin)),
        m_diagonal(table(exec, of.blocks.diagonal)),
        m_upper_begin(table(exec, of.blocks.upper_begin)),
        m_upper_end(table(exec, of.blocks.upper_end)),
        m_columns(table(exec, of.blocks.columns)),
        m_sources(table(exec, of.blocks.sources)),
        m_product_begin(table(exec, of.products.begin)),
        m_lower(table(exec, of.products.lower)),
        m_upper(table(exec, of.products.upper)),
        m_forward(exec, of.forward, 1, path == CsrPath::team, by_levels,
                  per_row(m_blocks - m_upper_blocks) * n * n * sizeof(StorageScalar)),
        m_backward(exec, of.backward, -1, path == CsrPath::team, by_levels,
                   per_row(m_upper_blocks) * n * n * sizeof(StorageScalar)),
        m_values(Kokkos::view_alloc(exec, "Hyperplane::BlockIlu0Csr::factors"), detail::as_size(m_blocks * n * n)),
        m_column_not_finite(Kokkos::view_alloc(exec, "Hyperplane::BlockIlu0Csr::column"), 1),
        m_singular(exec, "Hyperplane::BlockIlu0Csr::status") {}

  template <class T>
  static Table<T> table(const Exec& exec, const std::vector<T>& values) {
    return detail::to_space(exec, "Hyperplane::BlockIlu0Csr::structure", values);
  }

  static CsrPath checked_path(CsrPath path) {
    if (path == CsrPath::automatic) return HostExecutionSpace<Exec> ? CsrPath::team : CsrPath::portable;
    require(HostExecutionSpace<Exec> || path != CsrPath::team, "BlockIlu0Csr: CsrPath::team is for hosts");
    return path;
  }

  /// One thread alone is faster in the order of the rows, in which A is.
  static bool is_by_levels(const Exec& exec, CsrPath path) {
    return checked_path(path) != CsrPath::team || exec.concurrency() > 1;
  }

  template <class Ref>
  void compare(const Exec& exec, const Ref& a) const {
    constexpr auto none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = none;
    Kokkos::parallel_reduce(
        "Hyperplane::BlockIlu0Csr::compare",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m_rows),
        detail::Ilu0CsrDifference<Ref>{a, m_lower_begin.data(), m_diagonal.data(), m_upper_begin.data(),
                                       m_upper_end.data(), m_columns.data(), m_sources.data()},
        Kokkos::Min<std::int64_t>(first));
    if (first == none) return;
    fail("BlockIlu0Csr::factor: row " + std::to_string(first) +
         " of A has other columns, or in another order, than the constructor was given");
  }

  void check(const char* function, const Vector& right, const Vector& x) const {
    detail::check_rows(function, "the right-hand side", right, m_rows, n);
    detail::check_rows(function, "x", x, m_rows, n);
    if (!m_factored) fail(std::string(function) + ": called before factor");
  }

  void run_forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    run(exec, "Hyperplane::BlockIlu0Csr::forward", m_blocks - m_upper_blocks, m_forward,
        [&](const detail::Ilu0CsrOrder& order) {
          return detail::Ilu0CsrForward<Scalar, n, StorageScalar>{factors(), order, rhs.data(), y.data()};
        });
  }
  void run_backward(const Exec& exec, const Vector& y, const Vector& x) const {
    run(exec, "Hyperplane::BlockIlu0Csr::backward", m_upper_blocks, m_backward, [&](const detail::Ilu0CsrOrder& order) {
      return detail::Ilu0CsrBackward<Scalar, n, StorageScalar>{factors(), order, y.data(), x.data()};
    });
  }
  template <class KernelOf>
  void run(const Exec& exec, const char* label, std::int64_t blocks, const detail::Ilu0CsrLevelKernels<Exec>& levels,
           const KernelOf& kernel_of) const {
    double const bytes = per_row(blocks) * (n * n * sizeof(StorageScalar) + sizeof(int)) + 2.0 * n * sizeof(Scalar);
    detail::count_bytes(label, bytes * static_cast<double>(m_rows));
    levels.run(exec, label, bytes, kernel_of);
  }

  double per_row(std::int64_t blocks) const {
    return static_cast<double>(blocks) / static_cast<double>(std::max<std::int64_t>(m_rows, 1));
  }
  detail::Ilu0CsrFactors<Scalar, n, StorageScalar> factors() const {
    return {m_lower_begin.data(), m_diagonal.data(), m_upper_begin.data(),
            m_upper_end.data(),   m_columns.data(),  m_values.data()};
  }

  std::int64_t m_rows;
  std::int64_t m_blocks;
  std::int64_t m_upper_blocks;
  CsrPath m_path;
  // Kept, so that no other arrays are where they are.
  typename Matrix::Offsets m_given_offsets;
  typename Matrix::Columns m_given_columns;
  Table<std::int64_t> m_lower_begin, m_diagonal, m_upper_begin, m_upper_end;
  Table<int> m_columns;
  Table<std::int64_t> m_sources, m_product_begin, m_lower, m_upper;
  detail::Ilu0CsrLevelKernels<Exec> m_forward, m_backward;
  Table<StorageScalar> m_values;
  Table<std::int64_t> m_column_not_finite;
  detail::SingularPivotRecord<Exec> m_singular;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
