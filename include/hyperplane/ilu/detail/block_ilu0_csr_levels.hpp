// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/host/level_sweep.hpp>
#include <hyperplane/ilu/detail/block_ilu0_csr_analysis.hpp>
#include <hyperplane/ilu/detail/block_ilu0_csr_kernels.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Kernels of a BlockCsr by levels.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// How a sweep over the levels runs where it is not a launch for each: on hosts.
template <ExecutionSpace Exec>
class Ilu0CsrTeam {};

template <HostExecutionSpace Exec>
class Ilu0CsrTeam<Exec> {
 public:
  /// A row has about as many bytes of factors.
  Ilu0CsrTeam(const Exec& exec, const std::vector<std::int64_t>& begin, double bytes)
      : m_sweep(std::make_shared<const host::LevelSweep<Exec>>(exec, "Hyperplane::BlockIlu0Csr", begin,
                                                               static_cast<std::int64_t>(least_bytes / bytes))) {}

  template <class KernelOf>
  void run(const Exec& exec, const std::string& label, double bytes, const KernelOf& kernel_of, std::int64_t rows,
           const Ilu0CsrOrder& by_levels, const Ilu0CsrOrder& alone) const {
    auto const for_rows = [&](const Ilu0CsrOrder& order, std::int64_t begin, std::int64_t end) {
      // A copy, which what is written cannot change: compilers then keep it in registers.
      auto const kernel = kernel_of(order);
      for (auto index = begin; index < end; ++index) kernel(index);
    };
    m_sweep->run(
        exec, label, bytes, [&](std::int64_t begin, std::int64_t end) { for_rows(by_levels, begin, end); },
        [&] { for_rows(alone, 0, rows); });
  }

 private:
  // Less is not worth a ticket: an estimate.
  static constexpr double least_bytes = 4096;

  std::shared_ptr<const host::LevelSweep<Exec>> m_sweep;
};

/// The levels of one triangle, and how kernels run over them.
template <ExecutionSpace Exec>
class Ilu0CsrLevelKernels {
 public:
  /// `step` is 1 where rows come after those with lower numbers, -1 where with higher; a row has about as many bytes
  /// of factors. Waits for the instance.
  Ilu0CsrLevelKernels(const Exec& exec, const CsrLevels& levels, int step, bool as_team, bool by_levels,
                      [[maybe_unused]] double bytes)
      : m_begin(levels.begin),
        m_rows(to_space(exec, "Hyperplane::BlockIlu0Csr::structure", levels.rows)),
        m_step(step),
        m_by_levels(by_levels) {
    if constexpr (HostExecutionSpace<Exec>) {
      if (as_team) m_team.emplace(exec, levels.begin, std::max(bytes, 1.0));
    }
  }

  int count() const { return static_cast<int>(m_begin.size()) - 1; }

  /// kernel_of(order)(index) for all rows; each moves about as many bytes.
  template <class KernelOf>
  void run(const Exec& exec, const std::string& label, double bytes, const KernelOf& kernel_of) const {
    auto const rows = m_begin.back();
    Ilu0CsrOrder const by_levels{m_rows.data(), 0, 1};
    if constexpr (HostExecutionSpace<Exec>) {
      if (m_team) {
        if (rows == 0) return;
        Ilu0CsrOrder const by_numbers{nullptr, m_step > 0 ? 0 : rows - 1, m_step};
        return m_team->run(exec, label, bytes, kernel_of, rows, by_levels, m_by_levels ? by_levels : by_numbers);
      }
    }
    for (int level = 0; level < count(); ++level) {
      launch(label, LongIndexRange<Exec>(exec, m_begin[as_size(level)], m_begin[as_size(level) + 1]), bytes,
             kernel_of(by_levels));
    }
  }

 private:
  std::vector<std::int64_t> m_begin;
  Kokkos::View<int*, typename Exec::memory_space> m_rows;
  int m_step;
  bool m_by_levels;  ///< blocks are numbered
  std::optional<Ilu0CsrTeam<Exec>> m_team;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
