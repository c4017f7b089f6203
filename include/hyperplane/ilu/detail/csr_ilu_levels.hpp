// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/host/row_needs.hpp>
#include <hyperplane/host/row_sweep.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Kernels of a BlockCsr by levels, or in the order of its rows.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How a sweep runs where it is not a launch for each level: on hosts.
template <ExecutionSpace Exec>
class CsrIluTeam {};

template <HostExecutionSpace Exec>
class CsrIluTeam<Exec> {
 public:
  /// A row has about as many bytes of factors.
  CsrIluTeam(const Exec& exec, const host::RowNeeds& needs, double bytes)
      : m_sweep(std::make_shared<const host::RowSweep<Exec>>(exec, "Hyperplane::CsrIlu", needs, bytes)) {}

  bool worth_its_order(int threads) const { return m_sweep->worth_its_order(threads); }

  /// All rows move about as many bytes.
  template <class KernelOf>
  void run(const Exec& exec, const std::string& label, double bytes, const KernelOf& kernel_of, std::int64_t rows,
           const CsrIluSequence& order) const {
    m_sweep->run_rows(exec, label, bytes, rows, [&] { return kernel_of(order); });
  }

 private:
  std::shared_ptr<const host::RowSweep<Exec>> m_sweep;
};

/// How the kernels of a plan run.
struct CsrIluRuns {
  CsrIluSequenceKind kind;
  int rows_of_tickets;  ///< on CUDA: rows that a warp has; 0 where there are no tickets
};

/// Where the rows of each ticket begin among those of the levels, and the end: of so many rows of one level, or fewer.
inline std::vector<int> csr_ticket_begins(const CsrLevels& levels, int rows) {
  std::vector<int> result;
  if (rows == 0) return result;
  for (std::size_t level = 1; level < levels.begin.size(); ++level) {
    for (auto at = levels.begin[level - 1]; at < levels.begin[level]; at += rows)
      result.push_back(static_cast<int>(at));
  }
  result.push_back(static_cast<int>(levels.rows.size()));
  return result;
}

/// The levels of one triangle, and how kernels run over them.
template <ExecutionSpace Exec>
class CsrIluLevelKernels {
 public:
  /// `order` is that of the rows of the factorization, empty where it is that of their numbers, `step` 1 or, for a
  /// sweep from the last to the first, -1; a row has about as many bytes of factors. Waits for the instance.
  CsrIluLevelKernels(const Exec& exec, const CsrIluRecursion& of,
                     const Kokkos::View<int*, typename Exec::memory_space>& order, int step, const CsrIluRuns& runs,
                     [[maybe_unused]] double bytes)
      : m_begin(of.levels.begin),
        m_widest(of.levels.widest()),
        m_rows(to_space(exec, "Hyperplane::CsrIlu::structure", of.levels.rows)),
        m_order(order),
        m_step(step),
        m_ticket_begins(
            to_space(exec, "Hyperplane::CsrIlu::tickets", csr_ticket_begins(of.levels, runs.rows_of_tickets))) {
    if constexpr (HostExecutionSpace<Exec>) {
      if (runs.kind != CsrIluSequenceKind::by_levels) m_team.emplace(exec, of.needs, std::max(bytes, 1.0));
    }
  }

  int count() const { return static_cast<int>(m_begin.size()) - 1; }
  /// Rows of the largest level.
  std::int64_t widest() const { return m_widest; }
  /// run(the first of its rows in rows(), their number) for each level.
  template <class Run>
  void for_each(const Run& run) const {
    for (int level = 0; level < count(); ++level) {
      auto const begin = m_begin[as_size(level)];
      run(begin, m_begin[as_size(level) + 1] - begin);
    }
  }
  /// Of rows that run in their order: see host::RowSweep.
  bool worth_its_order([[maybe_unused]] int threads) const {
    if constexpr (HostExecutionSpace<Exec>) return m_team && m_team->worth_its_order(threads);
    return false;
  }
  /// Of all levels, one after the other.
  const Kokkos::View<int*, typename Exec::memory_space>& rows() const { return m_rows; }
  /// See csr_ticket_begins().
  const Kokkos::View<int*, typename Exec::memory_space>& ticket_begins() const { return m_ticket_begins; }

  /// kernel_of(order)(index) for all rows; each moves about as many bytes. On devices a row may have several `threads`,
  /// which are as many indices.
  template <class KernelOf>
  void run(const Exec& exec, const std::string& label, double bytes, const KernelOf& kernel_of, int threads = 1) const {
    auto const rows = m_begin.back();
    if constexpr (HostExecutionSpace<Exec>) {
      if (m_team) {
        if (rows == 0) return;
        CsrIluSequence const in_order{m_order.size() > 0 ? m_order.data() : nullptr, m_step > 0 ? 0 : rows - 1, m_step};
        return m_team->run(exec, label, bytes * static_cast<double>(rows), kernel_of, rows, in_order);
      }
    }
    CsrIluSequence const by_levels{m_rows.data(), 0, 1};
    for (int level = 0; level < count(); ++level) {
      LongIndexRange<Exec> const indices(exec, threads * m_begin[as_size(level)],
                                         threads * m_begin[as_size(level) + 1]);
      launch(label, indices, bytes / threads, kernel_of(by_levels));
    }
  }

 private:
  std::vector<std::int64_t> m_begin;
  std::int64_t m_widest;
  Kokkos::View<int*, typename Exec::memory_space> m_rows;
  Kokkos::View<int*, typename Exec::memory_space> m_order;
  int m_step;
  Kokkos::View<int*, typename Exec::memory_space> m_ticket_begins;
  std::optional<CsrIluTeam<Exec>> m_team;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
