// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/block_csr_ref.hpp>
#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/csr_status.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/csr/structure_fingerprints.hpp>
#include <hyperplane/ilu/detail/csr_given_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_analysis.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_ilu_sweeps.hpp>
#include <hyperplane/ilu/detail/csr_ilut_rows.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>
#include <hyperplane/ilu/detail/csr_units.hpp>
#include <hyperplane/sweep/factor_units.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

/// What BlockIlutCsr is: block incomplete LU factorization of a BlockCsr, on blocks that its values decide.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

struct CsrIlutRule {
  double drop_tolerance;
  int row_entries;
  double pivot_shift;
};

template <class Scalar, int n, class Exec, class StorageScalar, class Offset>
class CsrIlutPlan {
  using Sweeps = CsrIluSweeps<Scalar, n, Exec, StorageScalar>;
  using Written = typename Sweeps::Written;

 public:
  using Matrix = BlockCsr<Scalar, n, Exec, WideStorage<Scalar, Written>, Offset>;
  using Vector = typename Matrix::Vector;

  template <class MatrixStorage>
  CsrIlutPlan(const CsrIluNames& names, const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a,
              const CsrIluSettings& settings, const CsrIlutRule& rule)
      : m_names(names),
        m_rule(checked_rule(names, rule)),
        m_path(checked_csr_path<Exec, StorageScalar>(names.plan, settings.path)),
        m_is_natural(settings.order == RowOrder::natural),
        m_is_transposed(settings.transposed),
        m_given(a.offsets(), a.columns()),
        m_fingerprints(exec, a.offsets(), a.columns()),
        m_structure(checked_ilu_structure(names.plan, to_vector(exec, a.offsets()), to_vector(exec, a.columns()))),
        m_order(checked_ilu_order(names.plan, exec, a, settings, m_structure)) {}

  double drop_tolerance() const { return m_rule.drop_tolerance; }
  int row_entries() const { return m_rule.row_entries; }
  std::int64_t rows() const { return m_structure.rows(); }
  CsrPath path() const { return m_path; }
  std::int64_t blocks() const { return m_sweeps ? m_sweeps->blocks() : 0; }
  std::int64_t products() const { return m_products; }
  int forward_levels() const { return m_sweeps ? m_sweeps->forward_levels() : 0; }
  int backward_levels() const { return m_sweeps ? m_sweeps->backward_levels() : 0; }

  template <class MatrixStorage>
  void factor(const Exec& exec, const BlockCsr<Scalar, n, Exec, MatrixStorage, Offset>& a) {
    m_given.check_now(
        m_names.plan, a, [&] { return m_fingerprints.find_difference(exec, a).has_value(); },
        [&] {
          CsrColumns const other(to_vector(exec, a.offsets()), to_vector(exec, a.columns()));
          return m_structure.first_difference(other).value_or(m_given.no_row);
        });
    // The matrix may be still assembled, and factors that are there still read.
    exec.fence(m_names.factor);
    m_sweeps.reset();
    m_products = 0;
    m_status = {};
    if constexpr (HostExecutionSpace<Exec>) {
      factor_on_host(exec, a.values().data());
    } else {
      factor_on_host(exec, to_vector(exec, a.values()).data());
    }
    auto const size = static_cast<double>(n * n);
    count_bytes(m_names.factor, size * (static_cast<double>(a.blocks()) * sizeof(MatrixStorage) +
                                        static_cast<double>(blocks()) * sizeof(Written)));
  }

  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const { sweeps("solve").solve(exec, rhs, x); }
  template <int count>
  void solve(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
             const PointVectors<Scalar, n, count, Exec>& x) const {
    sweeps("solve").solve(exec, rhs, x);
  }
  void forward(const Exec& exec, const Vector& rhs, const Vector& y) const { sweeps("forward").forward(exec, rhs, y); }
  void backward(const Exec& exec, const Vector& y, const Vector& x) const { sweeps("backward").backward(exec, y, x); }
  void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const {
    sweeps("solve_transposed").solve_transposed(exec, rhs, x);
  }
  template <int count>
  void solve_transposed(const Exec& exec, const PointVectors<Scalar, n, count, Exec>& rhs,
                        const PointVectors<Scalar, n, count, Exec>& x) const {
    sweeps("solve_transposed").solve_transposed(exec, rhs, x);
  }
  void forward_transposed(const Exec& exec, const Vector& rhs, const Vector& y) const {
    sweeps("forward_transposed").forward_transposed(exec, rhs, y);
  }
  void backward_transposed(const Exec& exec, const Vector& y, const Vector& x) const {
    sweeps("backward_transposed").backward_transposed(exec, y, x);
  }

  CsrStatus status(const Exec& /*exec*/) const { return m_status; }

 private:
  static CsrIlutRule checked_rule(const CsrIluNames& names, const CsrIlutRule& rule) {
    if (!(rule.drop_tolerance >= 0.0 && std::isfinite(rule.drop_tolerance))) {
      fail(std::string(names.plan) + ": drop_tolerance is " + shortest(rule.drop_tolerance) +
           ", expected a finite number, 0 or more");
    }
    if (rule.row_entries < 0) {
      fail(std::string(names.plan) + ": row_entries is " + std::to_string(rule.row_entries) + ", expected 0 or more");
    }
    checked_pivot_shift<Scalar>(names.plan, rule.pivot_shift);
    return rule;
  }

  const Sweeps& sweeps(const char* function) const {
    if (!m_sweeps) fail(std::string(m_names.plan) + "::" + function + ": called before factor");
    return *m_sweeps;
  }

  template <class MatrixStorage>
  void factor_on_host(const Exec& exec, const MatrixStorage* values) {
    auto const host = host_of(exec);
    FactorUnits<Written, n, 1, std::remove_cvref_t<decltype(host)>> const units(host, m_names.plan, rows());
    using Ref = BlockCsrRef<const MatrixStorage, n, std::int64_t>;
    Ref const a(rows(), static_cast<std::int64_t>(m_structure.columns.size()), m_structure.begin.data(),
                m_structure.columns.data(), values);
    units.template choose<Scalar>(host, CsrSample<Ref, n>{a, rows()});
    CsrIlutRows<Scalar, n, Written, MatrixStorage> const factored(
        host, m_names.factor,
        {m_structure, m_order, values, static_cast<Scalar>(m_rule.drop_tolerance), m_rule.row_entries,
         static_cast<Scalar>(m_rule.pivot_shift), units.ref()});
    auto const& failure = factored.failure();
    m_status = {{.failure = failure.finding.failure}};
    if (!m_status.ok()) {
      m_status.row = m_order.rows[as_size(failure.position)];
    } else if (m_status.replaced = factored.replaced(); m_status.replaced > 0) {
      m_status.first_replaced = m_order.rows[as_size(factored.first_replaced())];
    }
    if (m_status.singular()) m_status.equation = failure.finding.index;
    if (m_status.failure == FactorFailure::not_finite) m_status.column = failure.column;
    m_products = factored.products();
    CsrIluPattern const pattern(m_order, CsrIluBlocks(m_order, factored.rows()), Sweeps::sequence_kind(exec, m_path));
    m_sweeps.emplace(m_names, exec, m_is_natural, m_path, pattern, m_is_transposed);
    auto const on_host = Kokkos::create_mirror_view(m_sweeps->values());
    auto const& blocks = pattern.blocks;
    double const bytes = 2.0 * n * n * sizeof(Written) * static_cast<double>(m_sweeps->blocks()) /
                         static_cast<double>(std::max<std::int64_t>(rows(), 1));
    launch(m_names.factor, LongIndexRange<decltype(host_of(exec))>(host, 0, rows()), bytes, [&](std::int64_t position) {
      auto const& row = factored.rows()[as_size(position)];
      auto const number = as_size(m_order.rows[as_size(position)]);
      auto* const to = on_host.data();
      std::copy(row.block(0), row.block(row.lower_end), to + blocks.lower_begin[number] * n * n);
      std::copy(row.block(row.lower_end), row.block(row.positions.size()), to + blocks.upper_begin[number] * n * n);
    });
    host.fence(m_names.factor);
    Kokkos::deep_copy(exec, m_sweeps->values(), on_host);
    m_sweeps->units().copy_from(exec, units);
    m_sweeps->compress(exec);
    exec.fence(m_names.factor);
    m_sweeps->set_factored();
  }

  CsrIluNames m_names;
  CsrIlutRule m_rule;
  CsrPath m_path;
  bool m_is_natural;
  bool m_is_transposed;
  CsrGivenStructure<Matrix> m_given;
  StructureFingerprints<Exec, Offset> m_fingerprints;
  CsrColumns m_structure;
  CsrIluOrder m_order;
  std::optional<Sweeps> m_sweeps;  ///< of the last factor()
  std::int64_t m_products = 0;
  CsrStatus m_status;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
