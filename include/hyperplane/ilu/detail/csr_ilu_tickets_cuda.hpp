// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/cuda/range.hpp>
#include <hyperplane/ilu/detail/csr_dilu_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_factor_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, CudaExecutionSpace Exec>
class CsrIluTickets<Scalar, n, Exec> {
  using Value = cuda::AwaitedValue<Scalar>;
  // Rows that wait ask again and again, which takes the place of what others load. So no more levels are under way than
  // it takes to load ahead of what is awaited. Measured on an H100 with seven-point systems, n = 1 and 5, 55^3 and
  // 128^3: with all that fit the device, sweeps of scalars took three times as long, and a factorization with n = 5
  // three to eight times. Later, when factorizations asked for all products of a block at once: with three levels one
  // of scalars took 0.7 to 0.8 of the time that it takes with one, and with two levels one with n = 3 and 128^3 took
  // half as long again.
  static constexpr std::int64_t levels_of_a_sweep = 3;
  static constexpr std::int64_t levels_of_a_factorization = n <= 2 ? 3 : 1;

 public:
  static constexpr int rows_of_a_ticket = csr_sweep_rows<n>;

  CsrIluTickets(const Exec& exec, std::int64_t rows)
      : m_size(rows * n),
        m_values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::CsrIlu::awaited_values"),
                 as_size(2 * m_size)),
        m_words(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::tickets"), 1) {
    Kokkos::parallel_for("Hyperplane::CsrIlu::awaited_values",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m_size),
                         CsrVacantValues<Scalar>{m_values.data()});
  }

  /// See csr_sweep_kernel.
  template <class Sweep, class Blocks>
  void sweep(const Exec& exec, const std::string& label, const CsrIluLevelKernels<Exec>& levels, const Blocks& blocks,
             const Scalar* rhs, Scalar* y, int stride = 1) const {
    cuda::labelled(exec, label, [&] {
      launch(exec, levels, csr_sweep_kernel<Sweep, Scalar, n, Blocks>, levels_of_a_sweep, blocks,
             CsrSweepMemory<Scalar>{m_values.data(), m_size, m_words.data()}, rhs, y, stride);
    });
  }

  /// Whether a sweep with `count` vectors takes longer than one with each of them, one after the other.
  bool are_faster_one_by_one(const CsrIluLevelKernels<Exec>& levels, int count) const {
    // Measured on an H200, n = 5: a launch for a level takes 15 us, and reading blocks again 2 ns a row.
    constexpr std::int64_t rows_of_a_launch = 8192;
    return levels.count() * rows_of_a_launch > m_size / n * (count - 1);
  }

  /// Values first, ..., first + count - 1 are those of blocks behind the diagonal.
  template <class Blocks>
  void factor(const Exec& exec, const std::string& label, const CsrIluLevelKernels<Exec>& levels, const Blocks& blocks,
              std::int64_t first, std::int64_t count) const {
    using Storage = typename Blocks::StorageType;
    auto* const upper = reinterpret_cast<cuda::AwaitedValue<Storage>*>(blocks.m_values) + first;
    cuda::labelled(exec, label, [&] {
      cuda::launch_range(exec.cuda_stream(), count, CsrVacantValues<Storage>{upper});
      launch(exec, levels, csr_factor_kernel<Scalar, n, Blocks>, levels_of_a_factorization, blocks, m_words.data());
    });
  }

  /// The factorization of DILU.
  template <class Blocks>
  void factor_dilu(const Exec& exec, const std::string& label, const CsrIluLevelKernels<Exec>& levels,
                   const Blocks& blocks) const {
    using Storage = typename Blocks::StorageType;
    auto* const inverses = reinterpret_cast<cuda::AwaitedValue<Storage>*>(blocks.m_inverses);
    cuda::labelled(exec, label, [&] {
      cuda::launch_range(exec.cuda_stream(), m_size * n, CsrVacantValues<Storage>{inverses});
      launch(exec, levels, csr_dilu_kernel<Scalar, n, Blocks>, levels_of_a_factorization, blocks, m_words.data());
    });
  }

 private:
  template <class Kernel, class... Arguments>
  void launch(const Exec& exec, const CsrIluLevelKernels<Exec>& levels, Kernel kernel, std::int64_t levels_under_way,
              const Arguments&... arguments) const {
    constexpr int rows_of_a_block = csr_sweep_threads / 32 * rows_of_a_ticket;
    auto const& begins = levels.ticket_begins();
    CsrSweepTickets const tickets{begins.data(), levels.rows().data(), static_cast<std::int64_t>(begins.size()) - 1};
    if (tickets.m_count == 0) return;
    auto const useful = (levels_under_way * levels.widest() + rows_of_a_block - 1) / rows_of_a_block;
    auto const resident = cuda::resident_blocks(kernel, csr_sweep_threads, 0);
    cuda::launch(exec.cuda_stream(), kernel, static_cast<int>(std::min<std::int64_t>(resident, useful)),
                 csr_sweep_threads, 0, cuda::Dependency::complete, tickets, arguments...);
  }

  std::int64_t m_size;
  // Copies of a plan share them.
  Kokkos::View<Value*, typename Exec::memory_space> m_values;
  Kokkos::View<CsrSweepWords*, typename Exec::memory_space> m_words;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
