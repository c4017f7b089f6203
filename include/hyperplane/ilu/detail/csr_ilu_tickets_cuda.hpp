// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/cuda/awaited_value.hpp>
#include <hyperplane/cuda/labelled.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/occupancy.hpp>
#include <hyperplane/cuda/range.hpp>
#include <hyperplane/ilu/detail/csr_dilu_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_factor_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_level_cuda_kernel.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_cuda_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
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
  // Since sweeps load the places of a row a turn before its blocks, on an H200, n = 1 and 3, 128^3 and 100^3: two
  // levels took 0.88 to 0.96 of the time of three; n = 5, 48^3: 1.04.
  static constexpr std::int64_t levels_of_a_sweep = n <= 3 ? 2 : 3;
  static constexpr std::int64_t levels_of_a_factorization = n <= 2 ? 3 : 1;
  // From so many rows for each level on, on average, sweeps have a launch for each.
  // Measured on an H200 with 10^6 rows, n = 5: seven-point systems by colours, two levels, took 0.7 of the time, meshes
  // with 12 levels 0.9 to 1, and with 35 levels 1 to 1.2.
  static constexpr std::int64_t rows_of_a_wide_level = 50000;

 public:
  static constexpr int rows_of_a_ticket = csr_sweep_rows<n>;

  CsrIluTickets(const Exec& exec, std::int64_t rows) : m_size(rows * n) { m_memory[0].emplace(exec, m_size); }

  /// See csr_sweep_kernel. As many vectors are taken in one launch, or in two if they are more than `together`; the
  /// first sweep with so many allocates.
  template <class Sweep, int count = 1, class Blocks>
  void sweep(const Exec& exec, const std::string& label, const CsrIluLevelKernels<Exec>& levels, const Blocks& blocks,
             const Scalar* rhs, Scalar* y) const {
    if constexpr (count <= together) {
      sweep<Sweep, count>(exec, label, levels, blocks, rhs, y, count);
    } else {
      constexpr int first = (count + 1) / 2;
      sweep<Sweep, first>(exec, label, levels, blocks, rhs, y, count);
      sweep<Sweep, count - first>(exec, label, levels, blocks, rhs + first, y + first, count);
    }
  }

  /// How often a sweep with `count` vectors reads the blocks.
  static constexpr std::int64_t passes(int count) { return count <= together ? 1 : 2; }

  /// Whether a sweep with `count` vectors is faster so than by levels with a thread for each vector, which reads blocks
  /// once, however many vectors there are.
  bool are_faster(const CsrIluLevelKernels<Exec>& levels, int count) const {
    // Measured on an H200, n = 5, eight vectors: with 3355 rows for each level 0.87 of the time, with 28571 1.08.
    constexpr std::int64_t rows_of_a_level = 10000;
    return count <= together || levels.count() * rows_of_a_level > m_size / n;
  }

  /// Values first, ..., first + count - 1 are those of blocks behind the diagonal.
  template <class Blocks>
  void factor(const Exec& exec, const std::string& label, const CsrIluLevelKernels<Exec>& levels, const Blocks& blocks,
              std::int64_t first, std::int64_t count) const {
    using Storage = typename Blocks::StorageType;
    auto* const upper = reinterpret_cast<cuda::AwaitedValue<Storage>*>(blocks.m_values) + first;
    cuda::labelled(exec, label, [&] {
      cuda::launch_range(exec.cuda_stream(), count, CsrVacantValues<Storage>{upper});
      launch(exec, levels, csr_factor_kernel<Scalar, n, Blocks>, levels_of_a_factorization, blocks, words());
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
      launch(exec, levels, csr_dilu_kernel<Scalar, n, Blocks>, levels_of_a_factorization, blocks, words());
    });
  }

 private:
  /// Vectors that a sweep takes at a time at most.
  static constexpr int together = 4;
  static_assert(max_vectors <= 2 * together);

  /// Copies of a plan share what there is when they are made.
  class Memory {
   public:
    Memory(const Exec& exec, std::int64_t size)
        : m_size(size),
          m_values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::CsrIlu::awaited_values"),
                   as_size(2 * size)),
          m_words(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::tickets"), 1) {
      Kokkos::parallel_for("Hyperplane::CsrIlu::awaited_values",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size),
                           CsrVacantValues<Scalar>{m_values.data()});
    }
    CsrSweepMemory<Scalar> ref() const { return {m_values.data(), m_size, m_words.data()}; }

   private:
    std::int64_t m_size;
    Kokkos::View<Value*, typename Exec::memory_space> m_values;
    Kokkos::View<CsrSweepWords*, typename Exec::memory_space> m_words;
  };

  template <class Sweep, int vectors, class Blocks>
  void sweep(const Exec& exec, const std::string& label, const CsrIluLevelKernels<Exec>& levels, const Blocks& blocks,
             const Scalar* rhs, Scalar* y, int stride) const {
    if (levels.count() * rows_of_a_wide_level <= m_size / n) {
      return cuda::labelled(exec, label, [&] { by_levels<Sweep, vectors>(exec, levels, blocks, rhs, y, stride); });
    }
    auto& memory = m_memory[vectors - 1];
    if (!memory) memory.emplace(exec, m_size * vectors);
    cuda::labelled(exec, label, [&] {
      launch(exec, levels, csr_sweep_kernel<Sweep, Scalar, n, vectors, Blocks>, levels_of_a_sweep, blocks,
             memory->ref(), rhs, y, stride);
    });
  }

  /// A launch for each level, with the same bits.
  template <class Sweep, int vectors, class Blocks>
  void by_levels(const Exec& exec, const CsrIluLevelKernels<Exec>& levels, const Blocks& blocks, const Scalar* rhs,
                 Scalar* y, int stride) const {
    constexpr int rows_of_a_block = csr_sweep_threads / 32 * rows_of_a_ticket;
    // The first one reads factors that the kernel before it may have written.
    auto dependency = cuda::Dependency::complete;
    levels.for_each([&](std::int64_t begin, std::int64_t count) {
      cuda::launch(exec.cuda_stream(), csr_level_kernel<Sweep, Scalar, n, vectors, Blocks>,
                   static_cast<int>((count + rows_of_a_block - 1) / rows_of_a_block), csr_sweep_threads, 0, dependency,
                   CsrLevelRows{levels.rows().data() + begin, count}, blocks, rhs, y, stride);
      dependency = cuda::Dependency::programmatic;
    });
  }

  CsrSweepWords* words() const { return m_memory[0]->ref().m_words; }

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
  /// Of sweeps with one vector, two at a time, and so on, as they are needed; factorizations have the words of the
  /// first.
  mutable std::array<std::optional<Memory>, together> m_memory;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
