// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/csr/block_csr_ref.hpp>
#include <hyperplane/host/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <hyperplane/csr/detail/block_csr_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI {

/// A square block matrix in compressed rows, for unstructured meshes: block rows of n x n blocks, each block stored by
/// rows.
///
/// The blocks of block row p are offsets[p], ..., offsets[p + 1] - 1; block e multiplies the n unknowns of point
/// columns[e]. Vectors are arrays with n unknowns per point, one after the other, unknown c of point p at p * n + c;
/// PointVector is one for Krylov methods. Values are of type StorageScalar and are computed with as Scalar. This is the
/// layout of a KokkosSparse BsrMatrix, which bsr_matrix.hpp wraps.
///
/// Products are apply() and residual(). Those with A^T, apply_transposed() and residual_transposed(), want lists of the
/// blocks of each column, which a TransposedBlockCsr has, and which are made once, on the host.
///
/// A shared handle with the semantics of a Kokkos::View. Memory: n^2 values of StorageScalar and an int per block.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar, std::integral Offset = std::int64_t>
class BlockCsr {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using offset_type = Offset;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  using Offsets = Kokkos::View<const Offset*, memory_space>;
  using Columns = Kokkos::View<const int*, memory_space>;
  using Values = Kokkos::View<StorageScalar*, memory_space>;
  /// What it multiplies.
  using Vector = Kokkos::View<Scalar*, memory_space>;
  using Ref = BlockCsrRef<StorageScalar, n, Offset>;

  /// Takes the structure from the host, allocates, and sets to zero; waits for the instance. Throws Error where offsets
  /// do not begin with 0, fall, or do not end with the number of columns, and where a column is not a row.
  BlockCsr(const Exec& exec, const std::vector<Offset>& offsets, const std::vector<int>& columns)
      : BlockCsr(to_device(exec, checked(offsets, columns)), to_device(exec, columns),
                 Values(Kokkos::view_alloc(exec, "Hyperplane::BlockCsr::values"), columns.size() * n * n)) {
    exec.fence("Hyperplane::BlockCsr");
  }

  /// Shares arrays that the caller has, with the structure that is described above. Throws Error where their extents do
  /// not fit one another.
  BlockCsr(const Offsets& offsets, const Columns& columns, const Values& values)
      : m_offsets(offsets), m_columns(columns), m_values(values) {
    require(offsets.extent(0) >= 1, "BlockCsr: offsets are empty");
    if (values.extent(0) != columns.extent(0) * n * n) {
      fail("BlockCsr: there are " + std::to_string(values.extent(0)) + " values for " +
           std::to_string(columns.extent(0)) + " blocks of " + std::to_string(n * n));
    }
  }

  /// Block rows: points.
  std::int64_t rows() const { return static_cast<std::int64_t>(m_offsets.extent(0)) - 1; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(m_columns.extent(0)); }
  const Offsets& offsets() const { return m_offsets; }
  const Columns& columns() const { return m_columns; }
  const Values& values() const { return m_values; }
  Ref ref() const { return Ref(rows(), blocks(), m_offsets.data(), m_columns.data(), m_values.data()); }

 private:
  static const std::vector<Offset>& checked(const std::vector<Offset>& offsets, const std::vector<int>& columns) {
    require(!offsets.empty(), "BlockCsr: offsets are empty");
    if (offsets.front() != 0) fail("BlockCsr: offsets[0] is " + std::to_string(offsets.front()) + ", expected 0");
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      if (offsets[row + 1] < offsets[row]) fail("BlockCsr: offsets fall after row " + std::to_string(row));
    }
    if (!std::cmp_equal(offsets.back(), columns.size())) {
      fail("BlockCsr: the last offset is " + std::to_string(offsets.back()) + ", but there are " +
           std::to_string(columns.size()) + " columns");
    }
    for (std::size_t block = 0; block < columns.size(); ++block) {
      if (columns[block] < 0 || std::cmp_greater_equal(columns[block], offsets.size() - 1)) {
        fail("BlockCsr: columns[" + std::to_string(block) + "] is " + std::to_string(columns[block]) +
             ", expected 0 to " + std::to_string(offsets.size() - 2));
      }
    }
    return offsets;  // NOLINT(bugprone-return-const-ref-from-parameter): they outlive the constructor
  }

  template <class T>
  static Kokkos::View<T*, memory_space> to_device(const Exec& exec, const std::vector<T>& values) {
    Kokkos::View<T*, memory_space> const result(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::BlockCsr::structure"), values.size());
    Kokkos::deep_copy(exec, result,
                      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                          values.data(), values.size()));
    return result;
  }

  Offsets m_offsets;
  Columns m_columns;
  Values m_values;
};

namespace detail {

template <class View>
void check_rows(const char* function, const char* argument, const View& view, std::int64_t points, int n) {
  if (static_cast<std::int64_t>(view.extent(0)) != points * n) {
    fail(std::string(function) + ": " + argument + " has " + std::to_string(view.extent(0)) + " rows, expected " +
         std::to_string(points * n));
  }
}

/// What y = A x, or r = b - A x, wants of its vectors besides b.
template <class View>
void check_product(const char* function, const View& x, const View& result, std::int64_t points, int n) {
  check_rows(function, "x", x, points, n);
  check_rows(function, "the result", result, points, n);
  if (x.data() == result.data() && points != 0) fail(std::string(function) + ": the result must not be x");
}

/// Which blocks and points have as many values behind them, in the arrays of a matrix and a vector, as kernels may
/// read.
struct BlockCsrEnds {
  std::int64_t m_blocks;
  std::int64_t m_points;

  template <class Scalar, class Matrix>
  static BlockCsrEnds of(const Matrix& a) {
    constexpr int n = Matrix::block_size, overrun = block::Columns<Scalar, n>::overrun;
    return {a.blocks() - (overrun + n * n - 1) / (n * n), a.rows() - (overrun + n - 1) / n};
  }
  KOKKOS_FUNCTION bool has_more(std::int64_t block) const { return block < m_blocks; }
  KOKKOS_FUNCTION bool has_more(std::int64_t block, std::int64_t point) const {
    return block < m_blocks && point < m_points;
  }
};

/// One equation of y = A x, or y = b - A x: threads of a device that follow one another read rows of a block that do.
template <bool subtract, class Scalar, int n, class Ref>
struct BlockCsrEquation {
  Ref m_a;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_y;

  KOKKOS_FUNCTION void operator()(std::int64_t equation) const {
    auto const row = equation / n;
    int const r = static_cast<int>(equation % n);
    Scalar sum = subtract ? m_b[equation] : Scalar(0);
    for (auto block = m_a.begin(row); block < m_a.end(row); ++block) {
      const Scalar* const x = m_x + m_a.column(block) * n;
      for (int c = 0; c < n; ++c) {
        auto const product = static_cast<Scalar>(m_a(block, r, c)) * x[c];
        sum = subtract ? sum - product : sum + product;
      }
    }
    m_y[equation] = sum;
  }
};

#if defined(HYPERPLANE_VECTOR_EXTENSION)
/// The equations of one block row, on hosts.
template <bool subtract, class Scalar, int n, class Ref>
struct BlockCsrRow {
  Ref m_a;
  const Scalar* m_b;
  const Scalar* m_x;
  Scalar* m_y;
  BlockCsrEnds m_ends;

  void operator()(std::int64_t row) const {
    auto const begin = m_a.begin(row), end = m_a.end(row);
    if (begin != end) host::prefetch_behind_row<n>(&m_a(begin, 0, 0), end - begin);
    block::sum_rows<Scalar, n>(
        [&](auto& sums) {
          for (auto block = begin; block < end; ++block) {
            host::prefetch_behind_block<n>(&m_a(block, 0, 0));
            auto const column = m_a.column(block);
            if (m_ends.has_more(block, column)) [[likely]] {
              sums.template add<true, true>(&m_a(block, 0, 0), m_x + column * n);
            } else {
              sums.template add<false, false>(&m_a(block, 0, 0), m_x + column * n);
            }
          }
        },
        [&](int r, Scalar total) { m_y[row * n + r] = subtract ? m_b[row * n + r] - total : total; });
  }
};
#endif

/// What a block row moves.
template <class Scalar, class Matrix>
double block_csr_bytes_of_row(const Matrix& a) {
  auto const blocks = static_cast<double>(a.blocks()) / static_cast<double>(std::max<std::int64_t>(a.rows(), 1));
  constexpr int n = Matrix::block_size;
  return blocks * n * n * (sizeof(typename Matrix::storage_type) + sizeof(Scalar));
}

/// y = A x, or y = b - A x.
template <bool subtract, class Exec, class Matrix, class Scalar>
void multiply_block_csr(const char* label, const Exec& exec, const Matrix& a, const Scalar* b, const Scalar* x,
                        Scalar* y) {
  constexpr int n = Matrix::block_size;
  using Ref = typename Matrix::Ref;
  double const bytes = block_csr_bytes_of_row<Scalar>(a);
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (CudaExecutionSpace<Exec>) return multiply_block_csr_on_cuda<subtract>(label, exec, a, b, x, y);
#endif
#if defined(HYPERPLANE_VECTOR_EXTENSION)
  if constexpr (HostExecutionSpace<Exec>) {
    launch(label, LongIndexRange<Exec>(exec, 0, a.rows()), bytes,
           BlockCsrRow<subtract, Scalar, n, Ref>{a.ref(), b, x, y, BlockCsrEnds::of<Scalar>(a)});
    return;
  }
#endif
  launch(label, LongIndexRange<Exec>(exec, 0, a.rows() * n), bytes / n,
         BlockCsrEquation<subtract, Scalar, n, Ref>{a.ref(), b, x, y});
}

}  // namespace detail

/// y = A x. x and y are different vectors with the rows of A, or Error is thrown. One launch, no allocation, no fence;
/// asynchronous on the given instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
void apply(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
           const std::type_identity_t<typename BlockCsr<Scalar, n, Exec, Storage, Offset>::Vector>& x,
           const std::type_identity_t<typename BlockCsr<Scalar, n, Exec, Storage, Offset>::Vector>& y) {
  detail::check_product("apply", x, y, a.rows(), n);
  detail::multiply_block_csr<false, Exec, BlockCsr<Scalar, n, Exec, Storage, Offset>, Scalar>(
      "Hyperplane::BlockCsr::apply", exec, a, nullptr, x.data(), y.data());
}

/// r = b - A x. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
void residual(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
              const std::type_identity_t<typename BlockCsr<Scalar, n, Exec, Storage, Offset>::Vector>& b,
              const std::type_identity_t<typename BlockCsr<Scalar, n, Exec, Storage, Offset>::Vector>& x,
              const std::type_identity_t<typename BlockCsr<Scalar, n, Exec, Storage, Offset>::Vector>& r) {
  detail::check_rows("residual", "b", b, a.rows(), n);
  detail::check_product("residual", x, r, a.rows(), n);
  detail::multiply_block_csr<true, Exec, BlockCsr<Scalar, n, Exec, Storage, Offset>, Scalar>(
      "Hyperplane::BlockCsr::residual", exec, a, b.data(), x.data(), r.data());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
