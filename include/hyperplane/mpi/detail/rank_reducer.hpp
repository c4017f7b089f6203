// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/mpi_memory.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a method does with sums, now over all ranks.
template <int count, class Finish>
struct FinishSums {
  Sums<count> m_sums;
  Finish m_finish;
  KOKKOS_FUNCTION void operator()(int) const { m_finish(m_sums); }
};

/// A Reducer over the elements of all ranks: what each rank finds is joined in the order of the ranks, so
/// that all ranks have the same bits. Collective; it waits for the instance once for each sum, and for all ranks.
template <ExecutionSpace Exec>
class RankReducer {
 public:
  RankReducer(const Exec& exec, const Communicator& communicator, std::int64_t size)
      : m_communicator(communicator),
        m_local(exec, size),
        m_sums(Kokkos::view_alloc(exec, "Hyperplane::RankReducer::sums"), most_sums),
        m_parts(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Hyperplane::RankReducer::parts"),
                as_size(communicator.size()) * most_sums) {
    exec.fence("Hyperplane::RankReducer");
  }

  /// See Reducer. One launch more.
  template <int count, class Join = SumJoin, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    m_local.template run<count, Join>(exec, label, body, StoreSums<count>{m_sums.data()});
    exec.fence("Hyperplane: the sums of this rank are there");
    join<Join>(count);
    FinishSums<count, Finish> kernel{{}, finish};
    for (std::size_t v = 0; v < count; ++v) kernel.m_sums.m_values[v] = m_sums(v);
    launch(label + "::ranks", IndexRange<Exec>(exec, 0, 1), count * sizeof(double), kernel);
  }

  /// Sums over the elements of this rank, where kernels have them, become those of all ranks.
  void complete(const Exec& exec, double* sums, int count) const {
    using Given = Kokkos::View<double*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    for (int begin = 0; begin < count; begin += most_sums) {
      auto const some = as_size(std::min(most_sums, count - begin));
      Given const given(sums + begin, some);
      auto const part = Kokkos::subview(m_sums, std::pair<std::size_t, std::size_t>(0, some));
      Kokkos::deep_copy(exec, part, given);
      exec.fence("Hyperplane: the sums of this rank are there");
      join<SumJoin>(static_cast<int>(some));
      // Whatever writes there next waits for the instance.
      Kokkos::deep_copy(exec, given, part);
    }
  }

 private:
  /// That are added in one message.
  static constexpr int most_sums = 64;

  template <class Join>
  void join(int count) const {
    m_communicator.join(std::span(m_sums.data(), as_size(count)), std::span(m_parts.data(), m_parts.size()),
                        [](double a, double b) { return Join::join(a, b); });
  }

  Communicator m_communicator;
  Reducer<Exec> m_local;
  Kokkos::View<double*, MpiMemory<Exec>> m_sums;
  Kokkos::View<double*, Kokkos::HostSpace> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
