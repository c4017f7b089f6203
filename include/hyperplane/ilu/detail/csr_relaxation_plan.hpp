// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/csr/structure_fingerprints.hpp>
#include <hyperplane/ilu/detail/csr_given_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_tickets.hpp>
#include <hyperplane/ilu/detail/csr_pivots.hpp>
#include <hyperplane/ilu/detail/csr_relaxation_kernels.hpp>
#include <hyperplane/ilu/detail/csr_relaxation_transposed.hpp>
#include <hyperplane/ilu/detail/csr_sweep_blocks.hpp>
#include <hyperplane/ilu/detail/csr_sweep_plan.hpp>
#include <hyperplane/ilu/detail/csr_tall_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <hyperplane/ilu/detail/csr_ilu_tickets_cuda.hpp>
#endif

/// What DiluCsr and SsorCsr are: sweeps with the triangles of a BlockCsr itself.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Exec, class Offset>
class CsrRelaxationPlan : public CsrSweepPlan<CsrRelaxationPlan<Scalar, n, Exec, Offset>, Scalar, n, Exec> {
  using Base = CsrSweepPlan<CsrRelaxationPlan, Scalar, n, Exec>;
  friend Base;

 public:
  using Matrix = BlockCsr<Scalar, n, Exec, Scalar, Offset>;
  using Base::blocks;
  using Base::rows;
  using typename Base::Vector;
  template <int count>
  using Vectors = typename Base::template Vectors<count>;

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule)
      : CsrRelaxationPlan(
            names, exec, a, settings, rule, checked_csr_path<Exec>(names.plan, settings.path),
            checked_ilu_structure(names.plan, to_vector(exec, a.offsets()), to_vector(exec, a.columns()))) {}

  void factor(const Exec& exec, const Matrix& a) {
    m_given.check(exec, this->names().plan, a, difference_of(a), Fingerprints::bytes,
                  m_pivots.record().structure_word());
    m_matrix = a;
    this->set_factored();
    double const bytes = static_cast<double>(n * n * sizeof(Scalar)) * (2 + 3 * per_row(m_pairs));
    count_bytes(this->names().factor, bytes * static_cast<double>(rows()));
    if (m_rule.eliminates) {
      CsrPivotPairs const pairs{this->row_blocks(), m_sources.data(), m_opposites.data()};
      if (factor_by_tickets(exec, pairs)) return;
      // Products are what takes time, not the blocks that come and go.
      invert(exec, pairs, [&](const auto& kernel_of) {
        this->forward_kernels().run(exec, this->names().factor, bytes * n, kernel_of);
      });
    } else {
      invert(exec, NoCsrPivotPairs(), [&](const auto& kernel_of) {
        launch(this->names().factor, LongIndexRange<Exec>(exec, 0, rows()), bytes * n, kernel_of({nullptr, 0, 1}));
      });
    }
  }

  CsrStatus status(const Exec& exec) const {
    return m_pivots.status(exec, [&](std::int64_t position) { return this->row_at(exec, position); });
  }

 private:
  template <class T>
  using Table = typename Base::template Table<T>;
  using Base::list, Base::per_row, Base::table, Base::upper_blocks;
  using Ref = typename Matrix::Ref;
  using Fingerprints = StructureFingerprints<Exec, Offset>;
  using Blocks = CsrRelaxationBlocks<Scalar, n, Ref>;
  using TallBlocks = CsrTallBlocks<Scalar, std::int64_t>;

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule, CsrPath path, const CsrColumns& structure)
      : CsrRelaxationPlan(names, exec, a, settings, rule, path,
                          checked_ilu_order(names.plan, exec, a, settings, structure), structure) {}

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule, CsrPath path, const CsrIluOrder& order, const CsrColumns& structure)
      : CsrRelaxationPlan(
            names, exec, a, settings, rule, path,
            CsrIluPattern(order, CsrIluBlocks(host_of(exec), structure, order, 0), Base::sequence_kind(exec, path))) {}

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule, CsrPath path, const CsrIluPattern& of)
      : CsrRelaxationPlan(names, exec, a, settings, rule, csr_path_of_plan(settings.path, path, n, of), of,
                          rule.eliminates ? csr_opposite_blocks(of) : std::vector<std::int64_t>()) {}

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule, CsrPath path, const CsrIluPattern& of,
                    const std::vector<std::int64_t>& opposites)
      : Base(names, exec, settings.order == RowOrder::natural, path, of, settings.transposed, n * n * sizeof(Scalar),
             path == CsrPath::tickets ? CsrIluTickets<Scalar, n, Exec>::rows_of_a_ticket : 0),
        m_rule(rule),
        m_given(a.offsets(), a.columns()),
        m_fingerprints(exec, a.offsets(), a.columns()),
        m_positions(table(exec, settings.order == RowOrder::natural ? std::vector<int>() : of.order.positions)),
        m_sources(table(exec, of.blocks.sources)),
        m_opposites(table(exec, opposites)),
        m_pairs(std::ranges::count_if(opposites, [](std::int64_t number) { return number >= 0; })),
        m_pivots(names.plan, exec, csr_diagonal_blocks(of.blocks), settings.pivot_shift) {
    if (path == CsrPath::tickets) m_tickets.emplace(exec, rows());
    if (settings.transposed) m_transposed = {exec, *this->transposed_backward(), rows()};
  }

  auto difference_of(const Matrix& a) const {
    return csr_ilu_difference(a, this->row_blocks(), m_sources.data(), m_fingerprints);
  }
  template <class Pairs, class Run>
  void invert(const Exec& exec, const Pairs& pairs, const Run& run) const {
    m_pivots.invert(exec, m_matrix->ref(), difference_of(*m_matrix), pairs, m_rule.relaxation, list(this->order()),
                    list(m_positions), run);
  }

  /// DILU; whether it runs so.
  bool factor_by_tickets([[maybe_unused]] const Exec& exec, [[maybe_unused]] const CsrPivotPairs& pairs) const {
    if constexpr (CudaExecutionSpace<Exec>) {
      // Pivots are replaced by the kernel for levels alone.
      if (!m_tickets || m_pivots.may_replace()) return false;
      auto const of = this->row_blocks();
      m_pivots.invert_by(exec, m_matrix->ref(), difference_of(*m_matrix), pairs, list(this->order()),
                         [&](Scalar* inverses, unsigned long long* word) {
                           CsrDiluBlocks<Scalar> const given{of.m_lower_begin,   of.m_diagonal,
                                                             of.m_columns,       m_sources.data(),
                                                             m_opposites.data(), m_pivots.diagonal(),
                                                             list(m_positions),  m_matrix->values().data(),
                                                             inverses,           word};
                           m_tickets->factor_dilu(exec, this->names().factor, this->forward_kernels(), given);
                         });
      return true;
    }
    return false;
  }

  Blocks relaxation_blocks() const {
    return {m_matrix->ref(), BlockCsrEnds::of<Scalar>(*m_matrix), this->row_blocks(), m_sources.data(),
            m_pivots.inverses()};
  }
  /// Of the right-hand side.
  Scalar scale() const { return static_cast<Scalar>(2.0 - m_rule.relaxation); }

  void run_forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    run<false, false>(
        exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(), before(), rhs, y,
        [&](double bytes) {
          this->forward_kernels().run(exec, this->names().forward, bytes, [&](const CsrIluSequence& order) {
            return CsrRelaxationForward<Scalar, n, Blocks>{relaxation_blocks(), scale(), order, rhs.data(), y.data()};
          });
        });
  }
  void run_backward(const Exec& exec, const Vector& y, const Vector& x) const {
    run<false, true>(
        exec, this->names().backward, upper_blocks() + rows(), this->backward_kernels(), behind(), y, x,
        [&](double bytes) {
          this->backward_kernels().run(exec, this->names().backward, bytes, [&](const CsrIluSequence& order) {
            return CsrRelaxationBackward<Scalar, n, Blocks>{relaxation_blocks(), order, y.data(), x.data()};
          });
        });
  }
  void run_forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    auto const& sweep = *this->transposed_forward();
    auto const label = this->names().forward_transposed;
    run<true, false>(
        exec, label, sweep.blocks() + rows(), sweep.levels(), by_columns(sweep.lists()), rhs, y,
        [&](double bytes) { m_transposed.forward(exec, label, bytes, sweep, relaxation_blocks(), scale(), rhs, y); });
  }
  void run_backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    auto const& sweep = *this->transposed_backward();
    auto const label = this->names().backward_transposed;
    run<true, true>(exec, label, sweep.blocks() + rows(), sweep.levels(), by_columns(sweep.lists()), y, x,
                    [&](double bytes) { m_transposed.backward(exec, label, bytes, sweep, relaxation_blocks(), y, x); });
  }

  // Several vectors.
  template <int count>
  void run_forward(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& y) const {
    run_several<false, false>(exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(), before(),
                              rhs, y);
  }
  template <int count>
  void run_backward(const Exec& exec, const Vectors<count>& y, const Vectors<count>& x) const {
    run_several<false, true>(exec, this->names().backward, upper_blocks() + rows(), this->backward_kernels(), behind(),
                             y, x);
  }
  template <int count>
  void run_forward_transposed(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& y) const {
    auto const& sweep = *this->transposed_forward();
    run_several<true, false>(exec, this->names().forward_transposed, sweep.blocks() + rows(), sweep.levels(),
                             by_columns(sweep.lists()), rhs, y);
  }
  template <int count>
  void run_backward_transposed(const Exec& exec, const Vectors<count>& y, const Vectors<count>& x) const {
    auto const& sweep = *this->transposed_backward();
    run_several<true, true>(exec, this->names().backward_transposed, sweep.blocks() + rows(), sweep.levels(),
                            by_columns(sweep.lists()), y, x);
  }

  TallBlocks tall_blocks(const std::int64_t* begin, const std::int64_t* end, const int* columns,
                         const std::int64_t* numbers) const {
    return {begin, end, columns, numbers, m_sources.data(), m_matrix->values().data()};
  }
  TallBlocks before() const {
    auto const of = this->row_blocks();
    return tall_blocks(of.m_lower_begin, of.m_diagonal, of.m_columns, nullptr);
  }
  TallBlocks behind() const {
    auto const of = this->row_blocks();
    return tall_blocks(of.m_upper_begin, of.m_upper_end, of.m_columns, nullptr);
  }
  TallBlocks by_columns(const CsrIluColumnLists& lists) const {
    return tall_blocks(lists.m_begin, lists.m_begin + 1, lists.m_rows, lists.m_numbers);
  }

  template <bool transposed, bool backward, int count>
  void run_several(const Exec& exec, const char* label, std::int64_t entries, const CsrIluLevelKernels<Exec>& levels,
                   const TallBlocks& of, const Vectors<count>& rhs, const Vectors<count>& y) const {
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_tickets && m_tickets->are_faster(levels, count)) {
        counted_bytes(label, entries * m_tickets->passes(count), count);
        return m_tickets->template sweep<CsrRelaxationSweep<transposed, backward>, count>(
            exec, label, levels, sweep_blocks(of), rhs.flat().data(), y.flat().data());
      }
    }
    levels.run(
        exec, label, counted_bytes(label, entries, count),
        [&](const CsrIluSequence& order) {
          return CsrTallRelaxation<transposed, backward, Exec, Scalar, n, count>{
              {order, rhs.flat().data(), y.flat().data()}, of, m_pivots.inverses(), scale()};
        },
        tall_threads<Exec, count>);
  }

  /// By tickets, or otherwise(bytes) of a row.
  template <bool transposed, bool backward, class Otherwise>
  void run([[maybe_unused]] const Exec& exec, const char* label, std::int64_t count,
           [[maybe_unused]] const CsrIluLevelKernels<Exec>& levels, [[maybe_unused]] const TallBlocks& of,
           [[maybe_unused]] const Vector& rhs, [[maybe_unused]] const Vector& x, const Otherwise& otherwise) const {
    double const bytes = counted_bytes(label, count, 1);
    if constexpr (CudaExecutionSpace<Exec>) {
      if (m_tickets) {
        return m_tickets->template sweep<CsrRelaxationSweep<transposed, backward>>(
            exec, label, levels, sweep_blocks(of), rhs.data(), x.data());
      }
    }
    otherwise(bytes);
  }
  CsrRelaxationSweepBlocks<Scalar, n> sweep_blocks(const TallBlocks& of) const {
    return {of.m_begin, of.m_end, of.m_columns, of.m_numbers, of.m_sources, of.m_values, m_pivots.inverses(), scale()};
  }
  /// Of a row, in a sweep over as many blocks with as many vectors; noted for timers.
  double counted_bytes(const char* label, std::int64_t count, int vectors) const {
    constexpr double bytes_of_block = n * n * sizeof(Scalar) + sizeof(int) + sizeof(std::int64_t);
    double const bytes = per_row(count) * bytes_of_block + 2.0 * n * vectors * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(rows()));
    return bytes;
  }

  CsrRelaxationRule m_rule;
  CsrGivenStructure<Matrix> m_given;
  Fingerprints m_fingerprints;
  Table<int> m_positions;           ///< empty where rows are taken by their numbers
  Table<std::int64_t> m_sources;    ///< of each block, its number in A
  Table<std::int64_t> m_opposites;  ///< see CsrPivotPairs
  std::int64_t m_pairs;
  CsrPivots<Scalar, n, Exec, Scalar> m_pivots;
  std::optional<CsrIluTickets<Scalar, n, Exec>> m_tickets;  ///< on CsrPath::tickets
  CsrRelaxationTransposed<Scalar, n, Exec> m_transposed;
  std::optional<Matrix> m_matrix;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
