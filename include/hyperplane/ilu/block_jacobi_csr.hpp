// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/ilu/detail/csr_given_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_jacobi_kernels.hpp>
#include <hyperplane/ilu/detail/csr_pivots.hpp>
#include <hyperplane/ilu/detail/csr_tall_sweep.hpp>

#include <concepts>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

struct BlockJacobiCsrOptions {
  /// w of the formula, 0 < w < 2. 1 is block Jacobi.
  double relaxation = 1.0;
  double pivot_shift = 0.0;  ///< s: what blocks that cannot be inverted are replaced with; 0: nothing
};

/// Block Jacobi for unstructured meshes, as BlockJacobi on grids: M = D / w, with D the block diagonal of a BlockCsr,
/// so that a solve is x = w D^-1 b. Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed., 2003,
/// section 4.1, doi:10.1137/1.9780898718003.
///
/// A plan: the constructor reads the structure of the matrix, on the host, and allocates n^2 values of StorageScalar
/// and 8 bytes per point; the other functions do not, do not fence, and are asynchronous on the instance that is given.
/// factor() is three launches (the first compares where diagonal blocks are, the last finishes the status; three more
/// choose units of Half) and a solve one. Inverses
/// by Gauss-Jordan with partial pivoting inside the block, 2 n^3 flops per point; a solve takes 2 n^2 flops, and reads
/// and writes n^2 + 2 n values per point. StorageScalar = float, Half or BFloat16 with Scalar = double stores fewer
/// bytes and computes in double; Half in units as those of BlockIlu0Csr, with S from the diagonal block.
///
/// With the option `pivot_shift`, s > 0, a diagonal block of A that is singular, or whose inverse cannot be stored, is
/// replaced by itself plus s times the Frobenius norm of its block row on the diagonal, as in BlockIlu0Csr. That is one
/// launch more.
///
/// Copies share factors: at most one call of a plan and all its copies may run at a time. Results are bitwise the same
/// whatever the number of threads.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar,
          std::integral Offset = std::int64_t>
class BlockJacobiCsr {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using Options = BlockJacobiCsrOptions;
  /// The same with factors of another type.
  template <StorageReal Other>
  using WithStorage = BlockJacobiCsr<Scalar, n, Exec, Other, Offset>;
  /// Matrices may have values of another type: see factor().
  using Matrix = BlockCsr<Scalar, n, Exec, detail::WideStorage<Scalar, StorageScalar>, Offset>;
  using Vector = typename Matrix::Vector;
  static constexpr int block_size = n;

  /// Of the structure of `a`, whose rows may have their columns in any order; its values may be anything. Waits for the
  /// instance. Throws Error where a row has no diagonal block, or a column twice or out of range, where the
  /// relaxation is out of range, and for the pivot shift where BlockIlu0Csr does.
  template <class MatrixStorage>
  BlockJacobiCsr(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
                 const BlockJacobiCsrOptions& options = {})
      : m_relaxation(detail::checked_csr_relaxation("BlockJacobiCsr", options.relaxation)),
        m_given(a.offsets(), a.columns()),
        m_pivots("BlockJacobiCsr", exec,
                 detail::csr_diagonal_blocks(detail::checked_ilu_structure(
                     "BlockJacobiCsr", detail::to_vector(exec, a.offsets()), detail::to_vector(exec, a.columns()))),
                 options.pivot_shift) {}

  std::int64_t rows() const { return m_pivots.rows(); }
  double relaxation() const { return m_relaxation; }

  /// Inverts the diagonal blocks of A, which may be overwritten when the instance has finished. A has as many rows and
  /// blocks as the matrix of the constructor, and its diagonal blocks where that has them. Arrays of offsets and
  /// columns that are others than before are looked at once, which waits for the instance, and a difference is an
  /// Error. Of those that are known, which may have been written to, it is recorded, as is a singular block: see
  /// status().
  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a) {
    using Ref = typename BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>::Ref;
    detail::CsrDiagonalDifference<Ref> const difference{a.ref(), m_pivots.diagonal()};
    m_given.check(exec, "BlockJacobiCsr", a, difference, sizeof(std::int64_t) + sizeof(Offset) + sizeof(int),
                  m_pivots.record().structure_word());
    m_factored = true;
    constexpr auto label = "Hyperplane::BlockJacobiCsr::factor";
    constexpr double bytes = 1.0 * n * n * (sizeof(MatrixStorage) + sizeof(StorageScalar));
    detail::count_bytes(label, bytes * static_cast<double>(rows()));
    m_pivots.invert(exec, a.ref(), difference, detail::NoCsrPivotPairs(), m_relaxation, nullptr, nullptr,
                    [&](const auto& kernel_of) {
                      detail::launch(label, detail::LongIndexRange<Exec>(exec, 0, rows()), bytes * n,
                                     kernel_of({nullptr, 0, 1}));
                    });
  }

  /// x = M^-1 rhs; x may be rhs. Throws Error before the first factor() and where extents are others.
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<false>(exec, "solve", "Hyperplane::BlockJacobiCsr::solve", rhs, x);
  }

  /// x = M^-T rhs; x may be rhs. Throws Error as solve() does.
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    run<true>(exec, "solve_transposed", "Hyperplane::BlockJacobiCsr::solve_transposed", rhs, x);
  }

  /// X = M^-1 RHS, or M^-T RHS, for several vectors, with each block read once; X may be RHS. Throws Error as solve()
  /// does.
  template <int count>
  void solve(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
             const PointVectors<Scalar, n, count, Exec>& x) const {
    run<false>(exec, "solve", "Hyperplane::BlockJacobiCsr::solve", rhs, x);
  }
  template <int count>
  void solve_transposed(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
                        const PointVectors<Scalar, n, count, Exec>& x) const {
    run<true>(exec, "solve_transposed", "Hyperplane::BlockJacobiCsr::solve_transposed", rhs, x);
  }

  /// Whether the last factor() failed, in which row (the lowest), and why; or which blocks it replaced. Waits for the
  /// instance.
  CsrStatus status(const Exec& exec) const {
    return m_pivots.status(exec, [](std::int64_t row) { return row; });
  }

 private:
  template <bool transposed>
  void run(const Exec& exec, const char* function, const char* label, const Vector& rhs, const Vector& x) const {
    double const bytes = begin(function, label, rhs, x, 1);
    detail::launch(label, detail::LongIndexRange<Exec>(exec, 0, rows()), bytes,
                   detail::CsrJacobiSolve<transposed, Scalar, n, StorageScalar>{
                       m_pivots.inverses(), {m_pivots.scales()}, rhs.data(), x.data()});
  }
  template <bool transposed, int count>
  void run(const Exec& exec, const char* function, const char* label, const PointVectors<Scalar, n, count, Exec>& rhs,
           const PointVectors<Scalar, n, count, Exec>& x) const {
    double const bytes = begin(function, label, rhs.flat(), x.flat(), count);
    constexpr int threads = detail::tall_threads<Exec, count>;
    detail::launch(
        label, detail::LongIndexRange<Exec>(exec, 0, rows() * threads), bytes / threads,
        detail::CsrTallJacobi<transposed, Exec, Scalar, n, count, StorageScalar>{
            {{nullptr, 0, 1}, rhs.flat().data(), x.flat().data()}, m_pivots.inverses(), {m_pivots.scales()}});
  }

  /// Checks what a solve is called with, and returns the bytes of a row.
  double begin(const char* function, const char* label, const Vector& rhs, const Vector& x, int vectors) const {
    auto const name = std::string("BlockJacobiCsr::") + function;
    detail::check_rows(name.c_str(), "the right-hand side", rhs, rows(), n * vectors);
    detail::check_rows(name.c_str(), "x", x, rows(), n * vectors);
    if (!m_factored) fail(name + ": called before factor");
    double const bytes = 1.0 * n * n * sizeof(StorageScalar) + 2.0 * n * vectors * sizeof(Scalar);
    detail::count_bytes(label, bytes * static_cast<double>(rows()));
    return bytes;
  }

  double m_relaxation;
  detail::CsrGivenStructure<Matrix> m_given;
  detail::CsrPivots<Scalar, n, Exec, StorageScalar> m_pivots;
  bool m_factored = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
