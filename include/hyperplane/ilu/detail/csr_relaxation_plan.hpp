// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/detail/csr_given_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_pivots.hpp>
#include <hyperplane/ilu/detail/csr_relaxation_kernels.hpp>
#include <hyperplane/ilu/detail/csr_sweep_plan.hpp>
#include <hyperplane/ilu/detail/csr_tall_sweep.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// What DiluCsr and SsorCsr are: sweeps with the triangles of a BlockCsr itself.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// M = (d + L) d^-1 (d + U) / (2 - w), where d is the diagonal of A, divided by w, or what DILU makes of it, with w
/// = 1.
struct CsrRelaxationRule {
  bool eliminates;  ///< as DILU does
  double relaxation;
};

/// Of each block (i, j) up to the diagonal, the number in A of (j, i) behind the diagonal, or -1.
inline std::vector<std::int64_t> csr_opposite_blocks(const CsrIluPattern& of) {
  auto const& blocks = of.blocks;
  auto const& positions = of.order.positions;
  std::vector<std::int64_t> result(blocks.columns.size() - as_size(blocks.upper_count()), -1);
  for (int const row : of.order.rows) {
    for (auto number = blocks.lower_begin[as_size(row)]; number < blocks.diagonal[as_size(row)]; ++number) {
      auto const other = as_size(blocks.columns[as_size(number)]);
      auto const end = blocks.columns.begin() + blocks.upper_end[other];
      auto const at = std::lower_bound(blocks.columns.begin() + blocks.upper_begin[other], end, positions[as_size(row)],
                                       [&](int column, int position) { return positions[as_size(column)] < position; });
      if (at != end && *at == row) result[as_size(number)] = blocks.sources[as_size(at - blocks.columns.begin())];
    }
  }
  return result;
}

template <class Scalar, int n, class Exec, class StorageScalar, class Offset>
class CsrRelaxationPlan
    : public CsrSweepPlan<CsrRelaxationPlan<Scalar, n, Exec, StorageScalar, Offset>, Scalar, n, Exec> {
  using Base = CsrSweepPlan<CsrRelaxationPlan, Scalar, n, Exec>;
  friend Base;

 public:
  using Matrix = BlockCsr<Scalar, n, Exec, StorageScalar, Offset>;
  using Base::blocks;
  using Base::rows;
  using typename Base::Vector;
  template <int count>
  using Vectors = typename Base::template Vectors<count>;

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule)
      : CsrRelaxationPlan(
            names, exec, a, settings, rule, checked_csr_path<Exec>(names.plan, settings.path, false),
            checked_ilu_structure(names.plan, to_vector(exec, a.offsets()), to_vector(exec, a.columns()))) {}

  void factor(const Exec& exec, const Matrix& a) {
    m_given.check(exec, this->names().plan, a, this->row_blocks(), m_sources.data());
    m_matrix = a;
    this->set_factored();
    double const bytes = static_cast<double>(n * n * sizeof(StorageScalar)) * (2 + 3 * per_row(m_pairs));
    count_bytes(this->names().factor, bytes * static_cast<double>(rows()));
    if (m_rule.eliminates) {
      CsrPivotPairs const pairs{this->row_blocks(), m_sources.data(), m_opposites.data()};
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
  using Base::list;
  using Base::per_row;
  using Base::table;
  using Base::upper_blocks;
  using Ref = typename Matrix::Ref;
  using Blocks = CsrRelaxationBlocks<Scalar, n, StorageScalar, Ref>;

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
      : CsrRelaxationPlan(names, exec, a, settings, rule, path, of,
                          rule.eliminates ? csr_opposite_blocks(of) : std::vector<std::int64_t>()) {}

  CsrRelaxationPlan(const CsrIluNames& names, const Exec& exec, const Matrix& a, const CsrIluSettings& settings,
                    const CsrRelaxationRule& rule, CsrPath path, const CsrIluPattern& of,
                    const std::vector<std::int64_t>& opposites)
      : Base(names, exec, settings.order == RowOrder::natural, path, of, settings.transposed,
             n * n * sizeof(StorageScalar), 0, false),
        m_rule(rule),
        m_given(a.offsets(), a.columns()),
        m_positions(table(exec, settings.order == RowOrder::natural ? std::vector<int>() : of.order.positions)),
        m_sources(table(exec, of.blocks.sources)),
        m_opposites(table(exec, opposites)),
        m_pairs(std::ranges::count_if(opposites, [](std::int64_t number) { return number >= 0; })),
        m_pivots(exec, csr_diagonal_blocks(of.blocks)) {}

  template <class Pairs, class Run>
  void invert(const Exec& exec, const Pairs& pairs, const Run& run) const {
    m_pivots.invert(exec, m_matrix->ref(), pairs, m_rule.relaxation, list(this->order()), list(m_positions), run);
  }

  Blocks relaxation_blocks() const {
    return {m_matrix->ref(), BlockCsrEnds::of<Scalar>(*m_matrix), this->row_blocks(), m_sources.data(),
            m_pivots.inverses()};
  }
  /// Of the right-hand side.
  Scalar scale() const { return static_cast<Scalar>(2.0 - m_rule.relaxation); }

  void run_forward(const Exec& exec, const Vector& rhs, const Vector& y) const {
    run(exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(),
        [&](const CsrIluSequence& order) {
          return CsrRelaxationForward<Scalar, n, StorageScalar, Ref>{relaxation_blocks(), scale(), order, rhs.data(),
                                                                     y.data()};
        });
  }
  void run_backward(const Exec& exec, const Vector& y, const Vector& x) const {
    run(exec, this->names().backward, upper_blocks() + rows(), this->backward_kernels(),
        [&](const CsrIluSequence& order) {
          return CsrRelaxationBackward<Scalar, n, StorageScalar, Ref>{relaxation_blocks(), order, y.data(), x.data()};
        });
  }
  void run_forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    auto const& sweep = *this->transposed_forward();
    run(exec, this->names().forward_transposed, sweep.blocks() + rows(), sweep.levels(),
        [&](const CsrIluSequence& order) {
          return CsrRelaxationForwardTransposed<Scalar, n, StorageScalar, Ref>{
              relaxation_blocks(), sweep.lists(), scale(), order, rhs.data(), y.data()};
        });
  }
  void run_backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    auto const& sweep = *this->transposed_backward();
    run(exec, this->names().backward_transposed, sweep.blocks() + rows(), sweep.levels(),
        [&](const CsrIluSequence& order) {
          return CsrRelaxationBackwardTransposed<Scalar, n, StorageScalar, Ref>{relaxation_blocks(), sweep.lists(),
                                                                                order, y.data(), x.data()};
        });
  }

  // Several vectors.
  template <int count>
  void run_forward(const Exec& exec, const Vectors<count>& rhs, const Vectors<count>& y) const {
    auto const of = this->row_blocks();
    run_several<false, false>(exec, this->names().forward, blocks() - upper_blocks(), this->forward_kernels(),
                              tall_blocks(of.m_lower_begin, of.m_diagonal, of.m_columns, nullptr), rhs, y);
  }
  template <int count>
  void run_backward(const Exec& exec, const Vectors<count>& y, const Vectors<count>& x) const {
    auto const of = this->row_blocks();
    run_several<false, true>(exec, this->names().backward, upper_blocks() + rows(), this->backward_kernels(),
                             tall_blocks(of.m_upper_begin, of.m_upper_end, of.m_columns, nullptr), y, x);
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

  using TallBlocks = CsrTallBlocks<StorageScalar, std::int64_t>;
  TallBlocks tall_blocks(const std::int64_t* begin, const std::int64_t* end, const int* columns,
                         const std::int64_t* numbers) const {
    return {begin, end, columns, numbers, m_sources.data(), m_matrix->values().data()};
  }
  TallBlocks by_columns(const CsrIluColumnLists& lists) const {
    return tall_blocks(lists.m_begin, lists.m_begin + 1, lists.m_rows, lists.m_numbers);
  }

  template <bool transposed, bool backward, int count>
  void run_several(const Exec& exec, const char* label, std::int64_t entries, const CsrIluLevelKernels<Exec>& levels,
                   const TallBlocks& of, const Vectors<count>& rhs, const Vectors<count>& y) const {
    levels.run(
        exec, label, counted_bytes(label, entries, count),
        [&](const CsrIluSequence& order) {
          return CsrTallRelaxation<transposed, backward, Exec, Scalar, n, count, StorageScalar>{
              {order, rhs.flat().data(), y.flat().data()}, of, m_pivots.inverses(), scale()};
        },
        tall_threads<Exec, count>);
  }

  template <class KernelOf>
  void run(const Exec& exec, const char* label, std::int64_t count, const CsrIluLevelKernels<Exec>& levels,
           const KernelOf& kernel_of) const {
    levels.run(exec, label, counted_bytes(label, count, 1), kernel_of);
  }
  /// Of a row, in a sweep over as many blocks with as many vectors; noted for timers.
  double counted_bytes(const char* label, std::int64_t count, int vectors) const {
    constexpr double bytes_of_block = n * n * sizeof(StorageScalar) + sizeof(int) + sizeof(std::int64_t);
    double const bytes = per_row(count) * bytes_of_block + 2.0 * n * vectors * sizeof(Scalar);
    count_bytes(label, bytes * static_cast<double>(rows()));
    return bytes;
  }

  CsrRelaxationRule m_rule;
  CsrGivenStructure<Matrix> m_given;
  Table<int> m_positions;           ///< empty where rows are taken by their numbers
  Table<std::int64_t> m_sources;    ///< of each block, its number in A
  Table<std::int64_t> m_opposites;  ///< see CsrPivotPairs
  std::int64_t m_pairs;
  CsrPivots<Scalar, n, Exec, StorageScalar> m_pivots;
  std::optional<Matrix> m_matrix;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
