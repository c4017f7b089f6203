// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/row_sums.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_transposed.hpp>
#include <hyperplane/ilu/detail/csr_relaxation_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

/// Sweeps with the transposed triangles of a BlockCsr itself: each column by one thread, or on hosts each row.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y = d^-T (s b - U^T y); y may be b. `subtracts_each`: see CsrRelaxationBlocks::add_column.
template <bool subtracts_each, class Scalar, int n, class Blocks>
struct CsrRelaxationForwardTransposed {
  Blocks m_blocks;
  CsrIluColumnLists m_lists;
  Scalar m_scale;
  CsrIluSequence m_order;
  const Scalar* m_rhs;
  Scalar* m_y;

  static constexpr int prefetched = csr_rows_ahead<n>;
  void prefetch(std::int64_t index) const {
    prefetch_point<n>(m_order, index, m_rhs, m_y);
    m_blocks.prefetch_column(m_lists, m_order.row(index));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    Scalar right[std::size_t{n}];
    for (int r = 0; r < n; ++r) right[r] = m_scale * m_rhs[row * n + r];
    m_blocks.template add_column<true, subtracts_each>(m_lists, row, m_y, right);
    block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(m_blocks.inverse(row), right); },
                               [&](int r, Scalar total) { m_y[row * n + r] = total; });
  }
};

/// x = y - d^-T L^T x; x may be y.
template <bool adds_each, class Scalar, int n, class Blocks>
struct CsrRelaxationBackwardTransposed {
  Blocks m_blocks;
  CsrIluColumnLists m_lists;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_x;

  static constexpr int prefetched = csr_rows_ahead<n>;
  void prefetch(std::int64_t index) const {
    prefetch_point<n>(m_order, index, m_y, m_x);
    m_blocks.prefetch_column(m_lists, m_order.row(index));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    Scalar right[std::size_t{n}];
    for (int r = 0; r < n; ++r) right[r] = Scalar(0);
    m_blocks.template add_column<false, adds_each>(m_lists, row, m_x, right);
    block::sum_rows<Scalar, n>([&](auto& sums) { sums.template add<true, false>(m_blocks.inverse(row), right); },
                               [&](int r, Scalar total) { m_x[row * n + r] = m_y[row * n + r] - total; });
  }
};

/// The right-hand side of CsrRelaxationForwardGiving.
template <class Scalar>
struct CsrScaledValues {
  Scalar m_scale;
  const Scalar* m_from;
  Scalar* m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t value) const { m_to[value] = m_scale * m_from[value]; }
};

/// CsrRelaxationForwardTransposed from the other side, in the order of the rows: a row whose y_i is there subtracts its
/// products A_ij^T y_i from those that come behind it, so that blocks are read by rows. A column has its products in
/// the order of the rows. y is s b before.
template <class Scalar, int n, class Blocks>
struct CsrRelaxationForwardGiving {
  Blocks m_blocks;
  CsrIluSequence m_order;
  Scalar* m_y;

  static constexpr int prefetched = csr_rows_ahead<n>;
  void prefetch(std::int64_t index) const {
    prefetch_point<n>(m_order, index, m_y, m_y);
    m_blocks.prefetch_upper(m_order.row(index));
  }
  void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const& rows = m_blocks.m_rows;
    Scalar own[std::size_t{n}];
    block::sum_rows<Scalar, n>(
        [&](auto& sums) { sums.template add<true, false>(m_blocks.inverse(row), m_y + row * n); },
        [&](int r, Scalar total) { own[r] = total; });
    for (int r = 0; r < n; ++r) m_y[row * n + r] = own[r];
    auto const end = rows.m_upper_end[row];
    for (auto number = rows.m_upper_begin[row]; number < end; ++number) {
      m_blocks.transposed_product(number, own).template add_to<true>(m_y + std::int64_t{rows.m_columns[number]} * n);
    }
  }
};

/// The same of CsrRelaxationBackwardTransposed. The sums L^T x are 0 before, and again behind it.
template <class Scalar, int n, class Blocks>
struct CsrRelaxationBackwardGiving {
  Blocks m_blocks;
  CsrIluSequence m_order;
  const Scalar* m_y;
  Scalar* m_sums;
  Scalar* m_x;

  static constexpr int prefetched = csr_rows_ahead<n>;
  void prefetch(std::int64_t index) const {
    prefetch_point<n>(m_order, index, m_y, m_x);
    prefetch_point<n>(m_order, index, m_sums, m_sums);
    m_blocks.prefetch_lower(m_order.row(index));
  }
  void operator()(std::int64_t index) const {
    auto const row = m_order.row(index);
    auto const& rows = m_blocks.m_rows;
    Scalar own[std::size_t{n}];
    block::sum_rows<Scalar, n>(
        [&](auto& sums) { sums.template add<true, false>(m_blocks.inverse(row), m_sums + row * n); },
        [&](int r, Scalar total) { own[r] = m_y[row * n + r] - total; });
    for (int r = 0; r < n; ++r) m_sums[row * n + r] = Scalar(0);
    for (int r = 0; r < n; ++r) m_x[row * n + r] = own[r];
    auto const end = rows.m_diagonal[row];
    for (auto number = rows.m_lower_begin[row]; number < end; ++number) {
      m_blocks.transposed_product(number, own)
          .template add_to<false>(m_sums + std::int64_t{rows.m_columns[number]} * n);
    }
  }
};

/// Both sweeps of a plan.
template <class Scalar, int n, ExecutionSpace Exec>
class CsrRelaxationTransposed {
 public:
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;
  using Sweep = CsrIluTransposed<Exec>;

  CsrRelaxationTransposed() = default;
  /// `backward` is the second one. Waits for the instance.
  CsrRelaxationTransposed(const Exec& exec, const Sweep& backward, std::int64_t rows) {
    if (!backward.gives()) return;
    m_sums = Vector(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::sums"), as_size(rows * n));
    exec.fence("Hyperplane::CsrRelaxationTransposed");
  }

  /// y = d^-T (s b - U^T y); y may be b. A row moves about as many bytes.
  template <class Blocks>
  void forward(const Exec& exec, const char* label, double bytes, const Sweep& sweep, const Blocks& blocks,
               Scalar scale, const Vector& rhs, const Vector& y) const {
    if constexpr (HostExecutionSpace<Exec>) {
      if (sweep.gives()) {
        launch(label, LongIndexRange<Exec>(exec, 0, static_cast<std::int64_t>(y.size())), 2.0 * sizeof(Scalar),
               CsrScaledValues<Scalar>{scale, rhs.data(), y.data()});
        return sweep.levels().run(exec, label, bytes, [&](const CsrIluSequence& order) {
          return CsrRelaxationForwardGiving<Scalar, n, Blocks>{blocks, order, y.data()};
        });
      }
    }
    sweep.levels().run(exec, label, bytes, [&](const CsrIluSequence& order) {
      return CsrRelaxationForwardTransposed<HostExecutionSpace<Exec>, Scalar, n, Blocks>{
          blocks, sweep.lists(), scale, order, rhs.data(), y.data()};
    });
  }
  /// x = y - d^-T L^T x; x may be y.
  template <class Blocks>
  void backward(const Exec& exec, const char* label, double bytes, const Sweep& sweep, const Blocks& blocks,
                const Vector& y, const Vector& x) const {
    if constexpr (HostExecutionSpace<Exec>) {
      if (sweep.gives()) {
        return sweep.levels().run(exec, label, bytes, [&](const CsrIluSequence& order) {
          return CsrRelaxationBackwardGiving<Scalar, n, Blocks>{blocks, order, y.data(), m_sums.data(), x.data()};
        });
      }
    }
    sweep.levels().run(exec, label, bytes, [&](const CsrIluSequence& order) {
      return CsrRelaxationBackwardTransposed<HostExecutionSpace<Exec>, Scalar, n, Blocks>{blocks, sweep.lists(), order,
                                                                                          y.data(), x.data()};
    });
  }

 private:
  Vector m_sums;  ///< where rows give: zeros between sweeps
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
