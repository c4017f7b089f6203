// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a sweep finds where it is to store.
template <class Scalar>
struct CsrSweepVacant {
  cuda::AwaitedValue<Scalar>* m_values;

  __device__ void operator()(std::int64_t at) const { m_values[at].m_word = cuda::AwaitedValue<Scalar>::vacant; }
};

template <class Scalar, int n, CudaExecutionSpace Exec>
class CsrIluTickets<Scalar, n, Exec> {
  using Value = cuda::AwaitedValue<Scalar>;
  using Memory = CsrSweepMemory<Scalar>;
  using Words = typename Memory::Words;

 public:
  static constexpr int rows_of_a_ticket = csr_sweep_rows<n>;

  CsrIluTickets(const Exec& exec, std::int64_t rows)
      : m_size(rows * n),
        m_values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::CsrIlu::awaited_values"),
                 as_size(2 * m_size)),
        m_words(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::tickets"), 1) {
    Kokkos::parallel_for("Hyperplane::CsrIlu::awaited_values",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, m_size),
                         CsrSweepVacant<Scalar>{m_values.data()});
  }

  template <bool transposed, bool with_diagonal, class Storage>
  void run(const Exec& exec, const std::string& label, const Kokkos::View<int*, typename Exec::memory_space>& rows,
           const CsrSweepBlocks<Storage>& blocks, const Scalar* rhs, Scalar* y) const {
    CsrSweepTickets const tickets{rows.data(), static_cast<std::int64_t>(rows.size()) / rows_of_a_ticket};
    if (tickets.m_count == 0) return;
    cuda::labelled(exec, label, [&] {
      auto const kernel = csr_sweep_kernel<transposed, with_diagonal, Scalar, n, Storage>;
      constexpr int warps = csr_sweep_threads / 32;
      auto const useful = std::min<std::int64_t>((tickets.m_count + warps - 1) / warps, 1 << 20);
      auto const grid = std::min(cuda::resident_blocks(kernel, csr_sweep_threads, 0), static_cast<int>(useful));
      cuda::launch(exec.cuda_stream(), kernel, grid, csr_sweep_threads, 0, cuda::Dependency::complete, tickets, blocks,
                   Memory{m_values.data(), m_size, m_words.data()}, rhs, y);
    });
  }

 private:
  std::int64_t m_size;
  // Copies of a plan share them.
  Kokkos::View<Value*, typename Exec::memory_space> m_values;
  Kokkos::View<Words*, typename Exec::memory_space> m_words;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
