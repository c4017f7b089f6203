// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/host/row_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Products with A^T of a BlockCsr on hosts, where blocks are read in the order in which memory has them.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y += or -= A^T x by the rows of A, each of which gives its products to the points of its columns. A point has them
/// in the order of the rows.
template <bool subtract, class Scalar, int n, class Ref>
struct GivingBlockCsrRow {
  Ref m_a;
  const Scalar* m_x;
  Scalar* m_y;
  BlockCsrEnds m_ends;

  void operator()(std::int64_t row) const {
    auto const begin = m_a.begin(row), end = m_a.end(row);
    if (begin != end) host::prefetch_behind_row<n>(&m_a(begin, 0, 0), end - begin);
    for (auto block = begin; block < end; ++block) {
      host::prefetch_behind_block<n>(&m_a(block, 0, 0));
      // Blocks by rows are those of A^T by columns.
      block::ColumnSum<Scalar, n> sum;
      if (m_ends.has_more(block)) [[likely]] {
        sum.template add<false>(&m_a(block, 0, 0), m_x + row * n);
      } else {
        sum.template add_last<false>(&m_a(block, 0, 0), m_x + row * n);
      }
      sum.template add_to<subtract>(m_y + std::int64_t{m_a.column(block)} * n);
    }
  }
};

/// The threads that run it; elsewhere there are none.
template <ExecutionSpace Exec>
class GivingRows {
 public:
  GivingRows(const Exec&, const std::vector<std::int64_t>&, const std::vector<int>&, double) {}
};

template <HostExecutionSpace Exec>
class GivingRows<Exec> {
 public:
  /// Column p has blocks in the rows begin[p], ..., begin[p + 1] - 1 of a list, rising. A row moves about as many
  /// bytes. Waits for the instance.
  GivingRows(const Exec& exec, const std::vector<std::int64_t>& begin, const std::vector<int>& rows, double bytes) {
    host::RowNeeds needs;
    if (concurrency_of(exec) > 1) needs = host::needs_of_givers({begin, rows}, false);
    auto sweep = std::make_shared<const host::RowSweep<Exec>>(exec, "Hyperplane::TransposedBlockCsr", needs, bytes);
    if (sweep->worth_its_order(concurrency_of(exec))) m_sweep = std::move(sweep);
    m_for_several = concurrency_of(exec) > 1;
  }

  /// Otherwise each point of the result is computed alone. What was made for one thread is not for several.
  bool are_used(const Exec& exec) const { return m_sweep != nullptr && (m_for_several || concurrency_of(exec) == 1); }

  /// kernel(row) for all rows, each of which moves as many bytes.
  template <class Kernel>
  void run(const Exec& exec, const std::string& label, std::int64_t rows, double bytes, const Kernel& kernel) const {
    if (rows == 0) return;
    m_sweep->run_rows(exec, label, bytes * static_cast<double>(rows), rows, [&] { return kernel; });
  }

 private:
  std::shared_ptr<const host::RowSweep<Exec>> m_sweep;  // none: points are computed alone
  bool m_for_several = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
