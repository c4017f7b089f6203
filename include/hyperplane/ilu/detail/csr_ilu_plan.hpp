// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/csr/structure_fingerprints.hpp>
#include <hyperplane/ilu/detail/csr_factor_record.hpp>
#include <hyperplane/ilu/detail/csr_given_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_factor.hpp>
#include <hyperplane/ilu/detail/csr_ilu_kernels.hpp>
#include <hyperplane/ilu/detail/csr_ilu_products.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_ilu_row_elimination.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_sweeps.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>
#include <hyperplane/ilu/detail/csr_units.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// What BlockIlu0Csr and BlockIlukCsr are: block incomplete LU factorization of a BlockCsr, on blocks that its
/// structure decides; and with a relaxation DiluCsr and SsorCsr, where they keep L and d^-1 U.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Exec, class StorageScalar, class Offset, class Relaxation = NoCsrIluRelaxation>
class CsrIluPlan : public CsrIluSweeps<Scalar, n, Exec, StorageScalar> {
  using Sweeps = CsrIluSweeps<Scalar, n, Exec, StorageScalar>;
  using Written = typename Sweeps::Written;

 public:
  using Matrix = BlockCsr<Scalar, n, Exec, WideStorage<Scalar, Written>, Offset>;
  using Sweeps::blocks;
  using Sweeps::rows;
  using typename Sweeps::Vector;

  template <class MatrixStorage>
  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
             const CsrIluSettings& settings, const Relaxation& relaxation = {})
      : CsrIluPlan(names, exec, a, settings, checked_csr_path<Exec, StorageScalar>(names.plan, settings.path)) {
    m_relaxation = relaxation;
  }

  std::int64_t products() const {
    if constexpr (by_rows) {
      std::int64_t count = 0;
      for_csr_ilu_products(this->row_blocks(), rows(), [&](std::size_t, std::int64_t, std::int64_t) { ++count; });
      return count;
    }
    return static_cast<std::int64_t>(m_lower.extent(0));
  }

  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a) {
    auto const difference = csr_ilu_difference(a, this->row_blocks(), m_sources.data(), m_fingerprints);
    m_given.check(exec, this->names().plan, a, difference, Fingerprints::bytes, m_record.structure_word());
    this->set_factored();
    double const bytes = (per_row(a.blocks()) * sizeof(MatrixStorage) + per_row(blocks()) * sizeof(Written)) * n * n;
    count_bytes(this->names().factor, bytes * static_cast<double>(rows()));
    if (m_pivot_shift > 0.0) m_replaced.reset(exec);
    using Ref = typename BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>::Ref;
    this->units().template choose<Scalar>(exec, CsrSample<Ref, n>{a.ref(), rows()});
    auto const elimination = elimination_of(Input<Ref>{a.ref(), this->written(), m_sources.data(), m_relaxation});
    if (!factor_by_tickets(exec, elimination)) {
      // Products are what takes time, not the blocks that come and go.
      run_factorization(exec, elimination, bytes * n);
    }
    this->compress(exec);
    m_record.conclude(exec, difference,
                      CsrIluDiagnosis<n, Written, std::remove_const_t<decltype(elimination)>>{
                          elimination, {list(order()), 0, 1}, m_column_not_finite.data()});
  }

  CsrStatus status(const Exec& exec) const {
    auto const [other_row, place] = m_record.find(exec);
    if (other_row) return {{.failure = FactorFailure::other_structure}, *other_row};
    if (!place) {
      CsrStatus regular;
      if (m_pivot_shift > 0.0) {
        m_replaced.add_to(exec, regular, [&](std::int64_t position) { return row_at(exec, position); });
      }
      return regular;
    }
    CsrStatus result{{.failure = place->finding.failure}, row_at(exec, place->number)};
    if (result.singular()) result.equation = place->finding.index;
    if (result.failure == FactorFailure::not_finite) result.column = to_vector(exec, m_column_not_finite).front();
    return result;
  }

 private:
  template <class T>
  using Table = typename Sweeps::template Table<T>;
  using Sweeps::list;
  using Sweeps::order;
  using Sweeps::per_row;
  using Sweeps::row_at;
  using Sweeps::table;
  using Offsets = typename Matrix::Offsets;
  using Columns = typename Matrix::Columns;
  using RowSpaces = CsrIluRowSpaces<Scalar, n>;
  using Fingerprints = StructureFingerprints<Exec, Offset>;
  /// Whether rows are eliminated without lists of products: on hosts, where blocks are so small that lists take longer
  /// to make than they save.
  static constexpr bool by_rows = HostExecutionSpace<Exec> && n == 1 && !Relaxation::exists;

  template <class Given>
  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Given& a, const CsrIluSettings& settings, CsrPath path)
      : CsrIluPlan(names, exec, a, settings, path,
                   checked_ilu_structure(names.plan, to_vector(exec, a.offsets()), to_vector(exec, a.columns()))) {}

  template <class Given>
  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Given& a, const CsrIluSettings& settings, CsrPath path,
             const CsrColumns& structure)
      : CsrIluPlan(
            names, exec, a.offsets(), a.columns(), settings, path,
            csr_ilu_pattern(host_of(exec), structure, checked_ilu_order(names.plan, exec, a, settings, structure),
                            checked_fill(names, settings.fill), Sweeps::sequence_kind(exec, path))) {}

  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Offsets& offsets, const Columns& columns,
             const CsrIluSettings& settings, CsrPath path, const CsrIluPattern& of)
      : CsrIluPlan(names, exec, offsets, columns, settings, path, of,
                   by_rows ? CsrIluProducts() : CsrIluProducts(of.blocks, settings.targets)) {}

  CsrIluPlan(const CsrIluNames& names, const Exec& exec, const Offsets& offsets, const Columns& columns,
             const CsrIluSettings& settings, CsrPath path, const CsrIluPattern& of, const CsrIluProducts& products)
      : Sweeps(names, exec, settings.order == RowOrder::natural, csr_path_of_plan(settings.path, path, n, of), of,
               settings.transposed),
        m_given(offsets, columns),
        m_fingerprints(exec, offsets, columns),
        m_positions(table(exec, settings.order == RowOrder::natural ? std::vector<int>() : of.order.positions)),
        m_sources(table(exec, of.blocks.sources)),
        m_product_begin(table(exec, products.begin)),
        m_lower(table(exec, products.lower)),
        m_upper(table(exec, products.upper)),
        m_pivot_shift(checked_pivot_shift<Scalar>(names.plan, settings.pivot_shift)),
        m_replaced(exec, rows()),
        m_column_not_finite(Kokkos::view_alloc(exec, "Hyperplane::CsrIlu::column"), 1),
        m_record(exec, "Hyperplane::CsrIlu::status") {
    if constexpr (by_rows) {
      m_row_spaces = std::make_shared<RowSpaces>(concurrency_of(exec), as_size(rows()), of.blocks.widest());
    }
  }

  template <class Ref>
  using Input = CsrIluInput<Scalar, n, Written, Ref, Relaxation>;

  template <class Ref>
  auto elimination_of(const Input<Ref>& input) const {
    if constexpr (by_rows) {
      return CsrIluRowElimination<Scalar, n, Written, Ref>{input, m_row_spaces.get()};
    } else {
      return CsrIluElimination<Scalar, n, Written, Ref, Relaxation>{input, m_product_begin.data(), m_lower.data(),
                                                                    m_upper.data()};
    }
  }
  /// Whether it runs so.
  template <class Elimination>
  bool factor_by_tickets([[maybe_unused]] const Exec& exec, [[maybe_unused]] const Elimination& elimination) const {
    if constexpr (CudaExecutionSpace<Exec>) {
      // Pivots are replaced by the kernel for levels alone.
      if (this->tickets() && m_pivot_shift == 0.0) {
        auto const& of = elimination.m_factors;
        auto const* const values = &elimination.m_a(0, 0, 0);
        using Value = std::remove_cvref_t<decltype(*values)>;
        using Scales = std::remove_cvref_t<decltype(of.m_scales)>;
        if constexpr (Scales::exist) {
          using Ref = std::remove_cvref_t<decltype(elimination.m_a)>;
          launch("Hyperplane::FactorUnits::equations", LongIndexRange<Exec>(exec, 0, rows()),
                 8.0 * n * n * sizeof(Value), ChooseCsrEquationUnits<Ref, n, Scales>{elimination.m_a, of.m_scales});
        }
        this->tickets()->factor(exec, this->names().factor, this->forward_kernels(),
                                CsrFactorBlocks<Written, Value, Scales, Relaxation>{
                                    of.m_lower_begin, of.m_diagonal, of.m_upper_begin, of.m_upper_end, m_sources.data(),
                                    m_product_begin.data(), m_lower.data(), m_upper.data(), list(m_positions), values,
                                    of.m_values, m_record.word(), of.m_scales, m_relaxation},
                                (blocks() - this->upper_blocks()) * n * n, this->upper_blocks() * n * n);
        return true;
      }
    }
    return false;
  }
  template <class Elimination>
  void run_factorization(const Exec& exec, const Elimination& elimination, double bytes) const {
    if (m_pivot_shift > 0.0) return run_kernel<true>(exec, elimination, bytes);
    run_kernel<false>(exec, elimination, bytes);
  }
  template <bool replaces, class Elimination>
  void run_kernel(const Exec& exec, const Elimination& elimination, double bytes) const {
    this->forward_kernels().run(exec, this->names().factor, bytes, [&](const CsrIluSequence& sequence) {
      return CsrIluFactor<replaces, Scalar, n, Exec, Written, Elimination>{
          elimination,     m_record.ref(), list(m_positions), sequence, static_cast<Scalar>(m_pivot_shift),
          m_replaced.ref()};
    });
  }

  static int checked_fill(const CsrIluNames& names, int fill) {
    if (fill < 0) fail(std::string(names.plan) + ": fill is " + std::to_string(fill) + ", expected 0 or more");
    return fill;
  }

  CsrGivenStructure<Matrix> m_given;
  Fingerprints m_fingerprints;
  Table<int> m_positions;  ///< empty where rows are taken by their numbers
  Table<std::int64_t> m_sources;
  Table<std::int64_t> m_product_begin, m_lower, m_upper;  ///< see CsrIluProducts; not by_rows
  std::shared_ptr<RowSpaces> m_row_spaces;                ///< by_rows
  Relaxation m_relaxation{};
  double m_pivot_shift;
  CsrReplaced<Exec> m_replaced;
  Table<std::int64_t> m_column_not_finite;
  CsrFactorRecord<Exec> m_record;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
