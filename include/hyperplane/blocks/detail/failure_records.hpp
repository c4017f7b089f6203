// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/factor_status.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The records of several factorizations, to ask all of them at once whether any has failed. It refers to their memory.
template <ExecutionSpace Exec>
class FailureRecords {
 public:
  /// Of one of them: SingularPivotRecord<Exec>::Ref::words(). Public for nvcc.
  struct Entry {
    const std::uint64_t* words;
  };

  /// Public for nvcc.
  struct Count {
    const Entry* m_records;

    KOKKOS_FUNCTION void operator()(std::size_t number, int& sum) const {
      sum += is_failure(m_records[number].words) ? 1 : 0;
    }
  };

  /// Waits for the instance.
  FailureRecords(const Exec& exec, const std::vector<Entry>& records)
      : m_records(to_space(exec, "Hyperplane::MultiBlock::records", records)) {}

  /// Waits for the instance.
  bool any(const Exec& exec) const {
    int failures = 0;
    Kokkos::parallel_reduce("Hyperplane::MultiBlock::failures", Kokkos::RangePolicy<Exec>(exec, 0, m_records.size()),
                            Count{m_records.data()}, failures);
    return failures > 0;
  }

 private:
  Kokkos::View<Entry*, typename Exec::memory_space> m_records;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
