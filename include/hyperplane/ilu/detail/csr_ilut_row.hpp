// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/columns.hpp>
#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/factor_failure.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/ilu/detail/csr_ilu_relaxation.hpp>
#include <hyperplane/ilu/detail/csr_ilut_input.hpp>
#include <hyperplane/ilu/detail/csr_ilut_store.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>
#include <hyperplane/ilu/detail/csr_units.hpp>
#include <hyperplane/ilu/detail/frobenius_norm.hpp>
#include <hyperplane/ilu/detail/rising_numbers.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

/// One block row of ILUT(tau, p) of a BlockCsr, on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

// What functions for blocks call, on devices too: no lambdas.

/// The entries of a block that is stored by columns.
template <class Scalar, int n>
struct CsrIlutEntries {
  const Scalar* m_values;
  KOKKOS_FUNCTION Scalar operator()(int r, int c) const { return m_values[c * n + r]; }
};

struct CsrIlutZeros {
  KOKKOS_FUNCTION int operator()(int /*r*/, int /*c*/) const { return 0; }
};

/// What a thread needs to compute rows, one after the other: an int for each row of the matrix, and the blocks of a
/// row.
template <class Scalar, int n, class Storage, class MatrixStorage>
class CsrIlutElimination {
 public:
  using Store = CsrIlutStore<Scalar, n, Storage>;
  using Row = typename Store::Row;
  using Input = CsrIlutInput<Scalar, n, Storage, MatrixStorage>;

  /// The store has the rows.
  CsrIlutElimination(const Input& input, Store& store)
      : m_input(input),
        m_store(store),
        m_slots(input.order.rows.size(), no_slot),
        m_incomplete(input.order.rows.size()) {}

  /// Computes the row that is taken as the one of this number; or says why it cannot. finished(k) is that row, which is
  /// taken before; it may wait.
  template <class Finished>
  std::optional<CsrIlutFailure> eliminate(int position, const Finished& finished, Row& result) {
    m_excess = Scalar(0);
    auto const not_finite = load(position);
    std::optional<PivotFinding> finding;
    if (!not_finite) {
      Units const units(m_input.scales, m_input.order.rows[as_size(position)]);
      take_into(units);
      auto const products = subtract_products(position, units, finished);
      finding = keep(position, units, result);
      result.products = products;
    }
    for (std::size_t slot = 0; slot < as_size(m_count); ++slot) m_slots[as_size(m_positions[slot])] = no_slot;
    std::fill_n(m_values.begin(), as_size(m_count) * size, Scalar(0));
    m_incomplete.clear();
    if (not_finite) return CsrIlutFailure{position, {FactorFailure::not_finite, unknown_block}, *not_finite};
    if (finding) return CsrIlutFailure{position, *finding};
    return std::nullopt;
  }

 private:
  using Columns = block::Columns<Scalar, n>;
  using Units = CsrRowUnits<Scalar, n, FactorScales<Storage, n, 1>>;
  static constexpr std::size_t size = std::size_t{n} * n;
  static constexpr int no_slot = -1;
  static constexpr auto dropped = Scalar(-1);

  /// A block that may be kept.
  struct Candidate {
    Scalar norm;
    int position;
    int block;
    bool operator<(const Candidate& other) const {
      return norm != other.norm ? norm > other.norm : position < other.position;
    }
  };

  Scalar* block(std::size_t slot) { return m_values.data() + slot * size; }
  Columns columns(std::size_t slot) { return Columns::of(CsrIlutEntries<Scalar, n>{block(slot)}); }

  /// For so many blocks more.
  void make_room(std::size_t blocks) {
    auto const wanted = as_size(m_count) + blocks;
    if (wanted <= m_positions.size()) return;
    m_positions.resize(2 * wanted);
    m_values.resize(2 * wanted * size);
  }
  /// Where the block of this position is: one of zeros where there was none, for which there is room.
  std::size_t slot_of(int position, int of_row) {
    auto& slot = m_slots[as_size(position)];
    if (slot == no_slot) {
      slot = m_count++;
      m_positions[as_size(slot)] = position;
      if (position < of_row) m_incomplete.insert(position);
    }
    return as_size(slot);
  }

  /// Takes the row of A; returns a column whose block is not finite, the one that is taken first.
  std::optional<int> load(int position) {
    m_count = 0;
    auto const row = as_size(m_input.order.rows[as_size(position)]);
    auto const begin = m_input.structure.begin[row], end = m_input.structure.begin[row + 1];
    make_room(as_size(end - begin));
    constexpr int none = std::numeric_limits<int>::max();
    int not_finite = none;
    for (auto e = begin; e < end; ++e) {
      int const at = m_input.order.positions[as_size(m_input.structure.columns[as_size(e)])];
      auto* const to = block(slot_of(at, position));
      const MatrixStorage* const from = m_input.values + as_size(e) * size;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) to[c * n + r] = static_cast<Scalar>(from[r * n + c]);
      }
      if (!is_finite(to)) not_finite = std::min(not_finite, at);
    }
    m_threshold = frobenius_norm(block(0), as_size(m_count) * size, m_input.tolerance);
    if (not_finite != none) return m_input.order.rows[as_size(not_finite)];
    choose_equation_units<n>(m_input.scales, static_cast<std::int64_t>(row), m_input.values + as_size(begin) * size,
                             end - begin);
    return std::nullopt;
  }
  /// The row of A, into the units of its factors.
  void take_into(const Units& units) {
    if constexpr (Units::exist) {
      for (std::size_t slot = 0; slot < as_size(m_count); ++slot) {
        auto* const values = block(slot);
        for (int e = 0; e < n * n; ++e) values[e] = units(e % n, e / n, values[e]);
      }
    }
  }

  CsrPivotShift<Scalar, MatrixStorage> row_of_a(int position) const {
    auto const row = as_size(m_input.order.rows[as_size(position)]);
    auto const begin = m_input.structure.begin[row], end = m_input.structure.begin[row + 1];
    return {m_input.pivot_shift, m_input.values + begin * n * n, (end - begin) * n * n};
  }

  static bool is_finite(const Scalar* values) {
    Scalar sum(0);
    for (std::size_t e = 0; e < size; ++e) sum += values[e] * Scalar(0);
    return sum == Scalar(0);
  }

  /// Of a block that is complete, in the units of A, or `dropped`; one that has overflown is not dropped, and is
  /// recorded.
  Scalar norm_unless_dropped(const Units& units, const Scalar* values) {
    if (!is_finite(values)) {
      m_excess = std::numeric_limits<Scalar>::quiet_NaN();
      return std::numeric_limits<Scalar>::infinity();
    }
    Scalar of_a[size];
    if constexpr (Units::exist) {
      for (int e = 0; e < n * n; ++e) of_a[e] = units.given(e % n, e / n, values[e]);
    }
    auto const norm = frobenius_norm(Units::exist ? of_a : values, size);
    return norm < m_threshold ? dropped : norm;
  }

  /// Completes the blocks before the diagonal, by rising position, and subtracts their products with rows that are
  /// finished from the others; returns how many. Blocks that are dropped have none.
  template <class Finished>
  std::int64_t subtract_products(int position, const Units& units, const Finished& finished) {
    m_lower.clear();
    m_lower_values.clear();
    std::int64_t products = 0;
    for (int k = 0; (k = m_incomplete.first()) != RisingNumbers::none;) {
      m_incomplete.take_first();
      auto const slot = as_size(m_slots[as_size(k)]);
      auto const norm = norm_unless_dropped(units, block(slot));
      if (norm == dropped) continue;
      auto const number = m_lower.size();
      m_lower.push_back({norm, k, static_cast<int>(number)});
      m_lower_values.resize((number + 1) * size + Columns::overrun);
      Storage* const l = m_lower_values.data() + number * size;
      auto const complete = columns(slot);
      m_excess += complete.template excess<Storage>();
      complete.store(l);
      products += subtract_row(position, l, finished(k));
    }
    return products;
  }
  /// The products of a block with those of a row behind the diagonal; returns how many.
  std::int64_t subtract_row(int of_row, const Storage* l, const Row& before) {
    auto const upper = before.upper();
    auto const* u = before.block(before.lower_end);
    make_room(upper.size());
    for (int const position : upper) {
      auto* const target = block(slot_of(position, of_row));
      auto sum = Columns::of(CsrIlutEntries<Scalar, n>{target});
      sum.template add_product<true>(l, u);
      sum.store(target);
      u += size;
    }
    return static_cast<std::int64_t>(upper.size());
  }

  /// Leaves the largest ones, in their order.
  void keep_largest(std::vector<Candidate>& candidates) {
    auto const most = as_size(m_input.most);
    if (candidates.size() <= most) return;
    m_by_size = candidates;
    std::ranges::nth_element(m_by_size, m_by_size.begin() + m_input.most, std::less());
    std::erase_if(candidates, [&](const Candidate& candidate) { return !(candidate < m_by_size[most]); });
  }

  /// Inverts the diagonal block and writes the blocks of the row that are kept; or says why that is of no use.
  std::optional<PivotFinding> keep(int position, const Units& units, Row& result) {
    m_upper.clear();
    for (int slot = 0; slot < m_count; ++slot) {
      int const at = m_positions[as_size(slot)];
      if (at <= position) continue;
      auto const norm = norm_unless_dropped(units, block(as_size(slot)));
      if (norm != dropped) m_upper.push_back({norm, at, slot});
    }
    std::ranges::sort(m_upper, {}, &Candidate::position);
    keep_largest(m_lower);
    keep_largest(m_upper);
    result = m_store.row(m_lower.size() + 1 + m_upper.size());
    result.lower_end = m_lower.size() + 1;
    std::size_t number = 0;
    for (auto const& l : m_lower) {
      result.positions[number] = l.position;
      std::copy_n(m_lower_values.data() + as_size(l.block) * size, size, result.block(number++));
    }
    result.positions[number] = position;
    auto const pivot = row_of_a(position).template invert<Storage>(
        columns(as_size(m_slots[as_size(position)])).matrix(), units, NoCsrIluRelaxation());
    int code = pivot.m_failed < n ? pivot.m_failed : no_code;
    result.replaced = pivot.m_replaced;
    // As they are computed, not as they are stored.
    Scalar inverse[size + Columns::overrun] = {};
    std::ranges::copy(pivot.m_inverse.m_entries, inverse);
    store(Columns::of(CsrIlutEntries<Scalar, n>{inverse}), result.block(number++));
    for (auto const& u : m_upper) {
      result.positions[number] = u.position;
      auto scaled = Columns::of(CsrIlutZeros());
      scaled.template add_product<false>(inverse, block(as_size(u.block)));
      store(scaled, result.block(number++));
    }
    if (m_excess != Scalar(0)) code = std::min(code, unstorable_code);
    if (code == no_code) return std::nullopt;
    auto failed = columns(as_size(m_slots[as_size(position)])).matrix();
    return block::diagnose<Storage>(failed, code);
  }
  void store(const Columns& values, Storage* to) {
    m_excess += values.template excess<Storage>();
    values.store(to);
  }

  static constexpr int no_code = pivot_codes;

  Input m_input;
  Store& m_store;
  // Of the row: which of its blocks each row of the matrix is the column of; positions before the diagonal that are not
  // complete; how many there are; their positions and the blocks, by columns, and room for more, which are zero.
  std::vector<int> m_slots;
  RisingNumbers m_incomplete;
  int m_count = 0;
  std::vector<int> m_positions;
  std::vector<Scalar> m_values;
  Scalar m_threshold{};
  Scalar m_excess{};  ///< see storage_excess
  std::vector<Candidate> m_lower, m_upper, m_by_size;
  std::vector<Storage> m_lower_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
