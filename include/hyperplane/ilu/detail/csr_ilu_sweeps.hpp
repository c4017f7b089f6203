// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_levels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_positions.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_ilu_transposed.hpp>
#include <hyperplane/ilu/detail/csr_quarter_kernels.hpp>
#include <hyperplane/ilu/detail/csr_quarter_memory.hpp>
#include <hyperplane/ilu/detail/csr_quarter_tall_sweep.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_plan.hpp>
#include <hyperplane/ilu/detail/csr_tall_sweep.hpp>
#include <hyperplane/sweep/factor_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

#if defined(KOKKOS_ENABLE_CUDA)
#include <hyperplane/ilu/detail/csr_ilu_tickets_cuda.hpp>
#endif

/// Factors of a BlockCsr, and solves with them, whatever decides which blocks they have.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Exec, class StorageScalar>
class CsrIluSweeps : public CsrSweepPlan<CsrIluSweeps<Scalar, n, Exec, StorageScalar>, Scalar, n, Exec> {
  using Base = CsrSweepPlan<CsrIluSweeps, Scalar, n, Exec>;
  friend Base;

 public:
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");
  /// What a factorization writes.
  using Written = FactoredAs<StorageScalar>;
  using Units = FactorUnits<Written, n, 1, Exec>;
  template <class T>
  using Table = typename Base::template Table<T>;
  using Base::blocks;
  using Base::rows;
  using typename Base::Vector;
  template <int count>
  using Vectors = typename Base::template Vectors<count>;

  /// For factors that are to be written: see factors(). Waits for the instance. `natural`: rows are taken by their
  /// numbers. The pattern was made for sequence_kind().
  CsrIluSweeps(const CsrIluNames& names, const Exec& exec, bool natural, CsrPath path, const CsrIluPattern& of,
               bool transposed)
      : Base(names, exec, natural, path, of, transposed, n * n * sizeof(StorageScalar),
             path == CsrPath::tickets ? CsrIluTickets<Scalar, n, Exec>::rows_of_a_ticket : 0),
        m_values(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::factors"),
                 as_size(blocks() * n * n + ReadFactors::written_overrun)),
        m_units(exec, names.plan, rows()),
        m_read(exec, of, Base::sequence_kind(exec, path) == CsrIluSequenceKind::by_levels) {
    if (path == CsrPath::tickets) m_tickets.emplace(exec, rows());
    if constexpr (HostExecutionSpace<Exec>) {
      if (path == CsrPath::team && !natural) m_positions.emplace(exec, of, this->order());
    }
  }

  const Table<Written>& values() const { return m_values; }
  /// That they are in.
  const Units& units() const { return m_units; }
  /// Makes of them what sweeps read.
  void compress(const Exec& exec) const {
    m_read.compress(exec, written(), per_row(blocks()) * n * n * (sizeof(Written) + sizeof(StorageScalar)));
  }

 protected:
  using Base::per_row;
  using Base::upper_blocks;

  CsrIluFactors<Written, n> written() const { return {this->row_blocks(), m_values.data(), m_units.ref()}; }
  /// What sweeps read.
  CsrIluFactors<StorageScalar, n> factors() const { return m_read.of(written()); }
  /// On CsrPath::tickets.
  const std::optional<CsrIluTickets<Scalar, n, Exec>>& tickets() const { return m_tickets; }

 private:
  using SweepBlocks = CsrSweepBlocks<Written, n>;
  static constexpr bool has_tickets = CudaExecutionSpace<Exec> && !std::is_same_v<StorageScalar, Quarter>;
  using ReadFactors = CsrReadFactors<Scalar, n, StorageScalar, Exec>;
  SweepBlocks blocks_before() const {
    auto const of = written();
    return {of.m_lower_begin, of.m_diagonal, of.m_columns, nullptr, of.m_diagonal, of.m_values, of.m_scales};
  }
  SweepBlocks blocks_behind() const {
    auto const of = written();
    return {of.m_upper_begin, of.m_upper_end, of.m_columns, nullptr, of.m_diagonal, of.m_values, of.m_scales};
  }
  SweepBlocks by_columns(const CsrIluTransposed<Exec>& sweep) const {
    auto const of = written();
    auto const lists = sweep.lists();
    return {lists.m_begin, lists.m_begin + 1, lists.m_rows, lists.m_numbers, of.m_diagonal, of.m_values, of.m_scales};
  }

  static CsrIluByRows rows_of(const CsrIluSequence& order, const SweepBlocks& of) {
    return {order, of.m_begin, of.m_end, of.m_columns};
  }

  void run_forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    run<false, true>(exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(), blocks_before(),
                     rhs, y, [&](const CsrIluSequence& order) {
                       return CsrIluForward<Scalar, n, StorageScalar, CsrIluByRows>{
                           factors(), rows_of(order, blocks_before()), rhs.data(), y.data()};
                     });
  }
  void run_backward(const Exec& exec, const Vector& y, const Vector& x) const {
    run<false, false>(exec, this->names().backward, upper_blocks(), this->backward_kernels(), blocks_behind(), y, x,
                      [&](const CsrIluSequence& order) {
                        return CsrIluBackward<Scalar, n, StorageScalar, CsrIluByRows>{
                            factors(), rows_of(order, blocks_behind()), y.data(), x.data(), x.data()};
                      });
  }
  void run_solve(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if constexpr (HostExecutionSpace<Exec>) {
      if (m_positions) return solve_by_positions(exec, rhs, x);
    }
    Base::run_solve(exec, rhs, x);
  }
  void solve_by_positions(const Exec& exec, const Vector& rhs, const Vector& x) const {
    Scalar* const y = m_positions->values();
    run<false, true>(exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(), blocks_before(),
                     rhs, x, [&](const CsrIluSequence& order) {
                       return CsrIluForward<Scalar, n, StorageScalar, CsrIluByPositions<false>>{
                           factors(), m_positions->template rows<false>(order), rhs.data(), y};
                     });
    run<false, false>(exec, this->names().backward, upper_blocks(), this->backward_kernels(), blocks_behind(), x, x,
                      [&](const CsrIluSequence& order) {
                        return CsrIluBackward<Scalar, n, StorageScalar, CsrIluByPositions<true>>{
                            factors(), m_positions->template rows<true>(order), y, y, x.data()};
                      });
  }

  void run_forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    run_transposed<false>(exec, this->names().forward_transposed, *this->transposed_forward(), rhs, y);
  }
  void run_backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    run_transposed<true>(exec, this->names().backward_transposed, *this->transposed_backward(), y, x);
  }
  void run_solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    if constexpr (HostExecutionSpace<Exec>) {
      bool const give = this->transposed_forward()->gives() && this->transposed_backward()->gives();
      if (m_positions && give) return solve_transposed_by_positions(exec, rhs, x);
    }
    Base::run_solve_transposed(exec, rhs, x);
  }
  void solve_transposed_by_positions(const Exec& exec, const Vector& rhs, const Vector& x) const {
    auto const& forward = *this->transposed_forward();
    auto const& backward = *this->transposed_backward();
    Scalar* const y = m_positions->values();
    m_positions->take(this->names().forward_transposed, exec, rhs.data());
    run_giving<false>(exec, this->names().forward_transposed, forward, x, [&](const CsrIluSequence& order) {
      return CsrIluGivingSweep<false, Scalar, n, StorageScalar, CsrIluByPositions<true>>{
          factors(), m_positions->template rows<true>(order), y, nullptr};
    });
    run_giving<true>(exec, this->names().backward_transposed, backward, x, [&](const CsrIluSequence& order) {
      return CsrIluGivingSweep<true, Scalar, n, StorageScalar, CsrIluByPositions<false>>{
          factors(), m_positions->template rows<false>(order), y, x.data()};
    });
  }

  template <bool with_diagonal>
  void run_transposed(const Exec& exec, const char* label, const CsrIluTransposed<Exec>& sweep, const Vector& rhs,
                      const Vector& y) const {
    if constexpr (HostExecutionSpace<Exec>) {
      if (sweep.gives()) {
        if (rhs.data() != y.data()) {
          count_bytes(label, 2.0 * sizeof(Scalar) * static_cast<double>(y.size()));
          copy_spread(label, exec, static_cast<std::int64_t>(y.size()), rhs.data(), 1, y.data(), 1);
        }
        return run_giving<with_diagonal>(exec, label, sweep, y, [&](const CsrIluSequence& order) {
          return CsrIluGivingSweep<with_diagonal, Scalar, n, StorageScalar, CsrIluByRows>{
              factors(), rows_of(order, with_diagonal ? blocks_before() : blocks_behind()), y.data(), y.data()};
        });
      }
    }
    run<true, with_diagonal>(
        exec, label, blocks_of<with_diagonal>(sweep), sweep.levels(), by_columns(sweep), rhs, y,
        [&](const CsrIluSequence& order) {
          return CsrIluTransposedSweep<with_diagonal, HostExecutionSpace<Exec>, Scalar, n, StorageScalar>{
              factors(), sweep.lists(), order, rhs.data(), y.data()};
        });
  }
  template <bool with_diagonal, class KernelOf>
  void run_giving(const Exec& exec, const char* label, const CsrIluTransposed<Exec>& sweep, const Vector& y,
                  const KernelOf& kernel_of) const {
    run<true, with_diagonal>(exec, label, blocks_of<with_diagonal>(sweep), sweep.levels(),
                             with_diagonal ? blocks_before() : blocks_behind(), y, y, kernel_of);
  }
  template <bool with_diagonal>
  std::int64_t blocks_of(const CsrIluTransposed<Exec>& sweep) const {
    return sweep.blocks() + (with_diagonal ? rows() : 0);
  }

  // Several vectors: by tickets up to four at a time, or by levels.
  template <int count>
  void run_forward(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& y) const {
    run_several<false, true>(exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(),
                             blocks_before(), rhs, y);
  }
  template <int count>
  void run_backward(const Exec& exec, const Vectors<count>& y, const Vectors<count>& x) const {
    run_several<false, false>(exec, this->names().backward, upper_blocks(), this->backward_kernels(), blocks_behind(),
                              y, x);
  }
  template <int count>
  void run_forward_transposed(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& y) const {
    auto const& sweep = *this->transposed_forward();
    run_several<true, false>(exec, this->names().forward_transposed, sweep.blocks(), sweep.levels(), by_columns(sweep),
                             rhs, y);
  }
  template <int count>
  void run_backward_transposed(const Exec& exec, const Vectors<count>& y, const Vectors<count>& x) const {
    auto const& sweep = *this->transposed_backward();
    run_several<true, true>(exec, this->names().backward_transposed, sweep.blocks() + rows(), sweep.levels(),
                            by_columns(sweep), y, x);
  }

  template <bool transposed, bool with_diagonal, int count>
  void run_several(const Exec& exec, const char* label, std::int64_t entries, const CsrIluLevelKernels<Exec>& levels,
                   const SweepBlocks& of, const Vectors<count>& rhs, const Vectors<count>& x) const {
    if constexpr (has_tickets) {
      if (m_tickets && m_tickets->are_faster(levels, count)) {
        counted_bytes(label, entries * m_tickets->passes(count), 2 * count);
        return m_tickets->template sweep<CsrFactorSweep<transposed, with_diagonal>, count>(
            exec, label, levels, of, rhs.flat().data(), x.flat().data());
      }
    }
    double const bytes = counted_bytes(label, entries, 2 * count);
    levels.run(
        exec, label, bytes,
        [&](const CsrIluSequence& order) {
          using Kernel = CsrTallSweep<transposed, with_diagonal, Exec, Scalar, n, count, StorageScalar>;
          if constexpr (std::is_same_v<StorageScalar, Quarter>) {
            return Kernel{{order, rhs.flat().data(), x.flat().data()},
                          {of.m_begin, of.m_end, of.m_columns, of.m_numbers, nullptr, nullptr},
                          factors()};
          } else {
            return Kernel{{order, rhs.flat().data(), x.flat().data()},
                          {of.m_begin, of.m_end, of.m_columns, of.m_numbers, nullptr, of.m_values},
                          of.m_diagonal,
                          of.m_scales};
          }
        },
        tall_threads<Exec, count>);
  }

  /// Of a row, in a sweep over as many blocks that reads and writes as many vectors; noted for timers.
  double counted_bytes(const char* label, std::int64_t count, int vectors_moved) const {
    double const bytes =
        per_row(count) * (n * n * sizeof(StorageScalar) + sizeof(int)) + 1.0 * n * vectors_moved * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(rows()));
    return bytes;
  }

  template <bool transposed, bool with_diagonal, class KernelOf>
  void run(const Exec& exec, const char* label, std::int64_t count, const CsrIluLevelKernels<Exec>& levels,
           [[maybe_unused]] const SweepBlocks& of, [[maybe_unused]] const Vector& rhs, [[maybe_unused]] const Vector& x,
           const KernelOf& kernel_of) const {
    using Kernel = std::invoke_result_t<const KernelOf&, const CsrIluSequence&>;
    double const bytes = counted_bytes(label, count, Kernel::vectors_moved);
    if constexpr (has_tickets) {
      if (m_tickets) {
        return m_tickets->template sweep<CsrFactorSweep<transposed, with_diagonal>>(exec, label, levels, of, rhs.data(),
                                                                                    x.data());
      }
    }
    levels.run(exec, label, bytes, kernel_of);
  }

  std::optional<CsrIluTickets<Scalar, n, Exec>> m_tickets;
  std::optional<CsrIluPositions<Scalar, n, Exec>> m_positions;  ///< on CsrPath::team, where rows have an order
  Table<Written> m_values;
  Units m_units;
  ReadFactors m_read;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
