// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/host/patience.hpp>
#include <hyperplane/ilu/detail/csr_ilut_row.hpp>
#include <hyperplane/ilu/detail/csr_ilut_store.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

/// All block rows of ILUT(tau, p) of a BlockCsr, on the host by all its threads.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Threads take rows by ticket, in the order of the factorization. Which rows a row needs is known only as it is
/// computed, but all of them come before it: it waits for each when it needs it. So the holder of the lowest unfinished
/// ticket never waits, and the factorization ends whatever the number of threads that really run. What is computed of a
/// row depends on the rows that it needs alone, not on who computes it or when.
template <class Scalar, int n, class Storage, class MatrixStorage>
class CsrIlutRows {
 public:
  using Store = CsrIlutStore<Scalar, n, Storage>;
  using Row = typename Store::Row;
  using Input = CsrIlutInput<Scalar, n, Storage, MatrixStorage>;

  template <HostExecutionSpace Host>
  CsrIlutRows(const Host& host, const char* label, const Input& input)
      : m_input(input),
        m_rows(input.order.rows.size()),
        m_finished(m_rows.size()),
        m_stores(std::min(as_size(concurrency_of(host)), m_rows.size())) {
    auto const workers = static_cast<std::int64_t>(m_stores.size());
    auto const team = [&] {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Host>(host, 0, workers, Kokkos::ChunkSize(1)),
                           [this](std::int64_t worker) { work(m_stores[as_size(worker)]); });
    };
    if constexpr (starts_teams<Host>) {
      auto const blocks = static_cast<double>(input.structure.columns.size());
      run_alone_or_as_team(host, label, workers > 1 ? blocks * bytes_of_block : -1.0, team, [this] {
        if (!m_stores.empty()) work(m_stores.front());
      });
    } else {
      team();
    }
    host.fence(label);
    if (!m_has_memory) throw std::bad_alloc();
    for (int position = m_failure.position; position < count(); ++position) set_useless(position);
  }

  /// In the order in which they are taken. From one that failed on, they have NaN on the diagonal and nothing else.
  const std::vector<Row>& rows() const { return m_rows; }
  /// The first row that failed; or none.
  const CsrIlutFailure& failure() const { return m_failure; }
  /// Whose pivots were replaced, of those before it; and the position of the first.
  std::int64_t replaced() const { return std::ranges::count(m_rows, true, &Row::replaced); }
  int first_replaced() const {
    return static_cast<int>(std::ranges::find(m_rows, true, &Row::replaced) - m_rows.begin());
  }
  std::int64_t products() const {
    std::int64_t sum = 0;
    for (auto const& row : m_rows) sum += row.products;
    return sum;
  }

 private:
  // What could be moved in the time that a block of A takes: an estimate.
  static constexpr double bytes_of_block = 1024 + n * n * n * sizeof(Scalar);

  int count() const { return static_cast<int>(m_rows.size()); }

  using Elimination = CsrIlutElimination<Scalar, n, Storage, MatrixStorage>;

  // An exception may not leave a thread, and rows that others wait for are finished whatever happens.
  void work(Store& store) {
    try {
      Elimination elimination(m_input, store);
      // Relaxed: a ticket only names a row; data is ordered by the words of rows that are finished.
      for (int position = 0; (position = m_ticket.fetch_add(1, std::memory_order_relaxed)) < count();) {
        compute(elimination, position);
        // Release: who sees it sees the row.
        m_finished[as_size(position)].store(true, std::memory_order_release);
      }
    } catch (const std::bad_alloc&) {
      m_has_memory = false;
    }
  }

  void compute(Elimination& elimination, int position) {
    // Rows behind one that has failed are of no use to anyone.
    if (!m_has_memory || position > m_first_failure.load(std::memory_order_relaxed)) return;
    auto& row = m_rows[as_size(position)];
    auto const finished = [this](int k) -> const Row& {
      auto const& word = m_finished[as_size(k)];
      for (host::Patience patience; !word.load(std::memory_order_acquire);) patience.wait();
      return m_rows[as_size(k)];
    };
    try {
      if (auto const failure = elimination.eliminate(position, finished, row)) record(*failure);
    } catch (const std::bad_alloc&) {
      row = Row();
      m_has_memory = false;
    }
  }

  void record(const CsrIlutFailure& failure) {
    std::lock_guard const lock(m_mutex);
    if (failure.position > m_failure.position) return;
    m_failure = failure;
    m_first_failure.store(failure.position, std::memory_order_relaxed);
  }

  void set_useless(int position) {
    auto& row = m_rows[as_size(position)];
    row = m_stores.front().row(1);
    row.lower_end = 1;
    row.positions[0] = position;
    std::fill_n(row.values, n * n, static_cast<Storage>(std::numeric_limits<float>::quiet_NaN()));
  }

  Input m_input;
  std::vector<Row> m_rows;
  std::vector<std::atomic<bool>> m_finished;
  std::vector<Store> m_stores;  ///< of each worker
  std::atomic<int> m_ticket = 0;
  std::atomic<int> m_first_failure = std::numeric_limits<int>::max();
  std::atomic<bool> m_has_memory = true;
  std::mutex m_mutex;  ///< of the failure
  CsrIlutFailure m_failure;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
