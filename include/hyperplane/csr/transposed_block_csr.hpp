// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/detail/giving_rows.hpp>
#include <hyperplane/csr/detail/transposed_lists.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A^T of a BlockCsr, for products, apply() and residual() below, and, as the matrix of adjoint systems, for Krylov
/// methods: of the blocks of A, which are not copied, it has lists by columns. It follows the values of A, and wants
/// its structure to stay what it was: products do not look, check_structure() does, which each solve of a Krylov method
/// calls once.
///
/// The constructor reads the structure, on the host, and allocates; waits for the instance. Throws Error where offsets
/// or columns are out of range. Memory: 12 bytes per block, 8 per point, and up to one byte per block and point for
/// check_structure(); on hosts with several threads also up to 2 bytes per block, or the order of rows among them.
/// Results are bitwise the same whatever the number of threads. On hosts at most one product of an object, its copies
/// and those that have its lists may run at a time. Make it there with an instance that has as many threads as those of
/// products: with more than it was made for, they may read blocks column by column, instead of as memory has them.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar, std::integral Offset = std::int64_t>
class TransposedBlockCsr {
 public:
  using Matrix = BlockCsr<Scalar, n, Exec, StorageScalar, Offset>;
  using Vector = typename Matrix::Vector;
  using storage_type = StorageScalar;
  using Lists = detail::TransposedLists<Exec, Offset>;

  TransposedBlockCsr(const Exec& exec, const Matrix& a)
      : TransposedBlockCsr(Lists(exec, a.offsets(), a.columns(), detail::block_csr_bytes_of_row<Scalar>(a)), a) {}
  /// With lists that there are, as of a matrix whose values have another type: see transposed(at, copy). Throws Error
  /// where they are of other arrays than those of A.
  TransposedBlockCsr(const Lists& lists, const Matrix& a) : m_a(a), m_lists(lists) {
    require(lists.are_of(a), "TransposedBlockCsr: the lists are of other arrays than those of A");
  }

  /// Throws Error where offsets or columns of A have been written to, and are others than those that the constructor
  /// was given. Waits for the instance. Reads 4 bytes per block and the offsets.
  void check_structure(const Exec& exec) const {
    if (auto const where = m_lists.fingerprints().find_difference(exec, m_a)) {
      fail("TransposedBlockCsr: A has another structure than the constructor was given, in its " + *where);
    }
  }

  const Matrix& matrix() const { return m_a; }
  std::int64_t rows() const { return m_a.rows(); }
  /// The entries of column p are begin()[p], ..., begin()[p + 1] - 1; entry e is the block of A with the number
  /// blocks()[e], in row entry_rows()[e].
  const Kokkos::View<std::int64_t*, typename Exec::memory_space>& begin() const { return m_lists.begin(); }
  const Kokkos::View<std::int64_t*, typename Exec::memory_space>& blocks() const { return m_lists.blocks(); }
  const Kokkos::View<int*, typename Exec::memory_space>& entry_rows() const { return m_lists.rows(); }
  const detail::GivingRows<Exec>& giving_rows() const { return m_lists.giving_rows(); }
  const Lists& lists() const { return m_lists; }

 private:
  Matrix m_a;
  Lists m_lists;
};

namespace detail {

/// The equations of one point of y = A^T x, or y = b - A^T x; products are added one after the other, as by
/// GivingBlockCsrRow.
template <bool subtract, class Scalar, int n, class Ref>
struct TransposedBlockCsrPoint {
  Ref m_a;
  const std::int64_t* m_begin;
  const std::int64_t* m_blocks;
  const int* m_rows;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_y;
  BlockCsrEnds m_ends;

  KOKKOS_FUNCTION void operator()(std::int64_t point) const {
    Scalar total[std::size_t{n}];
    for (int r = 0; r < n; ++r) total[r] = subtract ? m_b[point * n + r] : Scalar(0);
    auto const end = m_begin[point + 1];
    for (auto entry = m_begin[point]; entry < end; ++entry) {
      auto const block = m_blocks[entry];
      const Scalar* const x = m_x + std::int64_t{m_rows[entry]} * n;
      // Blocks by rows are those of A^T by columns.
      block::ColumnSum<Scalar, n> sum;
      if (m_ends.has_more(block)) {
        sum.template add<false>(&m_a(block, 0, 0), x);
      } else {
        sum.template add_last<false>(&m_a(block, 0, 0), x);
      }
      sum.template add_to<subtract>(total);
    }
    for (int r = 0; r < n; ++r) m_y[point * n + r] = total[r];
  }
};

template <bool subtract, class Exec, class Transposed, class Scalar>
void multiply_transposed_block_csr(const char* label, const Exec& exec, const Transposed& a, const Scalar* b,
                                   const Scalar* x, Scalar* y) {
  using Matrix = typename Transposed::Matrix;
  using Ref = typename Matrix::Ref;
  constexpr int n = Matrix::block_size;
  auto const& matrix = a.matrix();
  double const bytes = block_csr_bytes_of_row<Scalar>(matrix);
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (CudaExecutionSpace<Exec>) {
    return multiply_transposed_block_csr_on_cuda<subtract>(label, exec, a, b, x, y);
  }
#endif
  auto const ends = BlockCsrEnds::of<Scalar>(matrix);
  if constexpr (HostExecutionSpace<Exec>) {
    if (a.giving_rows().are_used(exec)) {
      a.giving_rows().run(exec, label, bytes, GivingBlockCsrRow<subtract, Scalar, n, Ref>{matrix.ref(), x, y, ends},
                          a.rows(), b);
      return;
    }
  }
  launch(label, LongIndexRange<Exec>(exec, 0, a.rows()), bytes,
         TransposedBlockCsrPoint<subtract, Scalar, n, Ref>{matrix.ref(), a.begin().data(), a.blocks().data(),
                                                           a.entry_rows().data(), b, x, y, ends});
}

}  // namespace detail

/// A^T, as TransposedBlockCsr has it.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
TransposedBlockCsr<Scalar, n, Exec, Storage, Offset> transposed(const Exec& exec,
                                                                const BlockCsr<Scalar, n, Exec, Storage, Offset>& a) {
  return {exec, a};
}

/// The same of a copy of A that shares its structure, as narrowed() makes it, with the lists that A^T has: it allocates
/// nothing, and is for NarrowedMatrix(at, transposed(at, copy)). On hosts at most one product of both may run at a
/// time. Throws Error where the copy has arrays of its own.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow, class Offset>
TransposedBlockCsr<Scalar, n, Exec, Narrow, Offset> transposed(
    const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& at,
    const BlockCsr<Scalar, n, Exec, Narrow, Offset>& copy) {
  return {at.lists(), copy};
}

/// y = A^T x. x and y are different vectors with the rows of A, or Error is thrown. One launch, or two on hosts; no
/// allocation, no fence; asynchronous on the given instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
void apply(const Exec& exec, const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& a,
           const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& x,
           const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& y) {
  detail::check_product("apply", x, y, a.rows(), n);
  detail::multiply_transposed_block_csr<false, Exec, TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>, Scalar>(
      "Hyperplane::TransposedBlockCsr::apply", exec, a, nullptr, x.data(), y.data());
}

/// r = b - A^T x. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
void residual(const Exec& exec, const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& a,
              const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& b,
              const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& x,
              const std::type_identity_t<Kokkos::View<Scalar*, typename Exec::memory_space>>& r) {
  detail::check_rows("residual", "b", b, a.rows(), n);
  detail::check_product("residual", x, r, a.rows(), n);
  detail::multiply_transposed_block_csr<true, Exec, TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>, Scalar>(
      "Hyperplane::TransposedBlockCsr::residual", exec, a, b.data(), x.data(), r.data());
}

/// y = A^T x and r = b - A^T x, as on grids: apply() and residual() of A^T, of PointVectors with csr/tall_product.hpp,
/// too. The lists are those of `transposed(exec, a)`, since A has its blocks by rows alone. Throws Error where they are
/// of other arrays than those of A.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset, class X, class Y>
void apply_transposed(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                      const detail::TransposedLists<Exec, Offset>& lists, const X& x, const Y& y) {
  apply(exec, TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>(lists, a), x, y);
}
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset, class B, class X, class R>
void residual_transposed(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                         const detail::TransposedLists<Exec, Offset>& lists, const B& b, const X& x, const R& r) {
  residual(exec, TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>(lists, a), b, x, r);
}

/// Of the matrices themselves: see NarrowedMatrix.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Narrow, class Offset>
  requires requires(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                    const BlockCsr<Scalar, n, Exec, Narrow, Offset>& copy) { describe_other_copy(exec, a, copy); }
std::string describe_other_copy(const Exec& exec, const TransposedBlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                                const TransposedBlockCsr<Scalar, n, Exec, Narrow, Offset>& copy) {
  return describe_other_copy(exec, a.matrix(), copy.matrix());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
