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
#include <hyperplane/ilu/detail/csr_fill.hpp>
#include <hyperplane/ilu/detail/csr_ilu_structure.hpp>
#include <hyperplane/ilu/detail/csr_pivot_shift.hpp>

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

/// One block row of ILUT(tau, p) of a BlockCsr, on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A block row of the factors. Columns are named by the positions of their rows among all, and rise.
template <class Scalar, int n, class Storage>
struct CsrIlutRow {
  std::vector<int> positions;
  std::vector<Storage> values;  ///< of the blocks, by columns; and behind them some that may be read
  std::size_t lower_end = 0;    ///< blocks up to the diagonal
  std::int64_t products = 0;    ///< that were subtracted from blocks of the row
  bool replaced = false;        ///< whether its pivot block was

  std::span<const int> lower() const { return std::span(positions).first(lower_end); }
  std::span<const int> upper() const { return std::span(positions).subspan(lower_end); }
  const Storage* block(std::size_t number) const { return values.data() + number * n * n; }
  Storage* block(std::size_t number) { return values.data() + number * n * n; }
  void resize(std::size_t blocks) {
    positions.resize(blocks);
    values.resize(blocks * n * n + block::Columns<Scalar, n>::overrun);
  }
};

/// What is factored, and how.
template <class Scalar, class MatrixStorage>
struct CsrIlutInput {
  const CsrColumns& structure;
  const CsrIluOrder& order;
  const MatrixStorage* values;  ///< blocks by rows
  Scalar tolerance;
  int most;                        ///< blocks of a row on either side of the diagonal
  Scalar pivot_shift = Scalar(0);  ///< see CsrPivotShift
};

/// Why a row failed.
struct CsrIlutFailure {
  int position = std::numeric_limits<int>::max();
  PivotFinding finding{FactorFailure::none, 0};
  int column = 0;  ///< of the block that is not finite
};

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

/// The root of the sum of the squares of `count` values, which are finite; times a factor, with which it may be finite
/// where it is not without.
template <int count, class Scalar>
Scalar frobenius_norm(const Scalar* values, Scalar factor = Scalar(1)) {
  // Squares of larger values overflow, those of smaller ones lose digits.
  constexpr Scalar least = std::numeric_limits<Scalar>::min() / std::numeric_limits<Scalar>::epsilon();
  Scalar squares(0);
  for (int e = 0; e < count; ++e) squares += values[e] * values[e];
  if (squares >= least && squares <= std::numeric_limits<Scalar>::max()) return factor * std::sqrt(squares);
  Scalar largest(0);
  for (int e = 0; e < count; ++e) largest = std::max(largest, std::abs(values[e]));
  if (largest == Scalar(0)) return largest;
  squares = Scalar(0);
  for (int e = 0; e < count; ++e) squares += (values[e] / largest) * (values[e] / largest);
  return factor * largest * std::sqrt(squares);
}

/// What a thread needs to compute rows, one after the other: an int for each row of the matrix, and the blocks of a
/// row.
template <class Scalar, int n, class Storage, class MatrixStorage>
class CsrIlutElimination {
 public:
  using Row = CsrIlutRow<Scalar, n, Storage>;
  using Input = CsrIlutInput<Scalar, MatrixStorage>;

  explicit CsrIlutElimination(const Input& input) : m_input(input), m_slots(input.order.rows.size(), no_slot) {}

  /// Computes the row that is taken as the one of this number; or says why it cannot. finished(k) is that row, which is
  /// taken before; it may wait.
  template <class Finished>
  std::optional<CsrIlutFailure> eliminate(int position, const Finished& finished, Row& result) {
    m_excess = Scalar(0);
    auto const not_finite = load(position);
    std::optional<PivotFinding> finding;
    if (!not_finite) {
      result.products = subtract_products(position, finished);
      finding = keep(position, result);
    }
    for (int const p : m_positions) m_slots[as_size(p)] = no_slot;
    if (not_finite) return CsrIlutFailure{position, {FactorFailure::not_finite, unknown_block}, *not_finite};
    if (finding) return CsrIlutFailure{position, *finding};
    return std::nullopt;
  }

 private:
  using Columns = block::Columns<Scalar, n>;
  static constexpr std::size_t size = std::size_t{n} * n;
  static constexpr int no_slot = -1;

  /// A block that may be kept.
  struct Candidate {
    Scalar norm;
    int position;
    std::size_t block;
    bool operator<(const Candidate& other) const {
      return norm != other.norm ? norm > other.norm : position < other.position;
    }
  };

  Scalar* block(std::size_t slot) { return m_values.data() + slot * size; }
  Columns columns(std::size_t slot) { return Columns::of(CsrIlutEntries<Scalar, n>{block(slot)}); }

  /// A block of zeros.
  std::size_t add(int position, int of_row) {
    auto const slot = m_positions.size();
    m_slots[as_size(position)] = static_cast<int>(slot);
    m_positions.push_back(position);
    m_values.resize((slot + 1) * size, Scalar(0));
    if (position < of_row) {
      m_before.push_back(position);
      std::ranges::push_heap(m_before, std::greater());
    }
    return slot;
  }

  /// Takes the row of A; returns a column whose block is not finite, the one that is taken first.
  std::optional<int> load(int position) {
    m_positions.clear();
    m_values.clear();
    m_before.clear();
    auto const row = as_size(m_input.order.rows[as_size(position)]);
    std::optional<int> not_finite;
    m_threshold = Scalar(0);
    for (auto e = m_input.structure.begin[row]; e < m_input.structure.begin[row + 1]; ++e) {
      int const at = m_input.order.positions[as_size(m_input.structure.columns[as_size(e)])];
      auto* const to = block(add(at, position));
      const MatrixStorage* const from = m_input.values + as_size(e) * size;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) to[c * n + r] = static_cast<Scalar>(from[r * n + c]);
      }
      if (!is_finite(to) && (!not_finite || at < *not_finite)) not_finite = at;
      m_threshold = std::hypot(m_threshold, frobenius_norm<n * n>(to, m_input.tolerance));
    }
    if (not_finite) return m_input.order.rows[as_size(*not_finite)];
    return std::nullopt;
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

  /// Of a block that is complete; one that has overflown is not dropped, and is recorded.
  std::optional<Scalar> norm_unless_dropped(const Scalar* values) {
    if (!is_finite(values)) {
      m_excess = std::numeric_limits<Scalar>::quiet_NaN();
      return std::numeric_limits<Scalar>::infinity();
    }
    auto const norm = frobenius_norm<n * n>(values);
    if (norm < m_threshold) return std::nullopt;
    return norm;
  }

  /// Completes the blocks before the diagonal, by rising position, and subtracts their products with rows that are
  /// finished from the others; returns how many. Blocks that are dropped have none.
  template <class Finished>
  std::int64_t subtract_products(int position, const Finished& finished) {
    m_lower.clear();
    m_lower_values.clear();
    std::int64_t products = 0;
    while (!m_before.empty()) {
      std::ranges::pop_heap(m_before, std::greater());
      int const k = m_before.back();
      m_before.pop_back();
      auto const slot = as_size(m_slots[as_size(k)]);
      auto const norm = norm_unless_dropped(block(slot));
      if (!norm) continue;
      auto const number = m_lower.size();
      m_lower.push_back({*norm, k, number});
      m_lower_values.resize((number + 1) * size + Columns::overrun);
      Storage* const l = m_lower_values.data() + number * size;
      auto const complete = columns(slot);
      m_excess += complete.template excess<Storage>();
      complete.store(l);
      const Row& before = finished(k);
      for (auto u = before.lower_end; u < before.positions.size(); ++u) {
        int const at = before.positions[u];
        auto const target = m_slots[as_size(at)] != no_slot ? as_size(m_slots[as_size(at)]) : add(at, position);
        auto sum = columns(target);
        sum.template add_product<true>(l, before.block(u));
        sum.store(block(target));
      }
      products += static_cast<std::int64_t>(before.positions.size() - before.lower_end);
    }
    return products;
  }

  /// Leaves the largest ones, by rising position.
  void keep_largest(std::vector<Candidate>& candidates) const {
    if (auto const most = as_size(m_input.most); candidates.size() > most) {
      std::ranges::nth_element(candidates, candidates.begin() + m_input.most, std::less());
      candidates.erase(candidates.begin() + m_input.most, candidates.end());
    }
    std::ranges::sort(candidates, {}, &Candidate::position);
  }

  /// Inverts the diagonal block and writes the blocks of the row that are kept; or says why that is of no use.
  std::optional<PivotFinding> keep(int position, Row& result) {
    m_upper.clear();
    for (std::size_t slot = 0; slot < m_positions.size(); ++slot) {
      if (m_positions[slot] <= position) continue;
      if (auto const norm = norm_unless_dropped(block(slot))) m_upper.push_back({*norm, m_positions[slot], slot});
    }
    keep_largest(m_lower);
    keep_largest(m_upper);
    result.lower_end = m_lower.size() + 1;
    result.resize(m_lower.size() + 1 + m_upper.size());
    std::size_t number = 0;
    for (auto const& l : m_lower) {
      result.positions[number] = l.position;
      std::copy_n(m_lower_values.data() + l.block * size, size, result.block(number++));
    }
    result.positions[number] = position;
    auto const pivot =
        row_of_a(position).template invert<Storage>(columns(as_size(m_slots[as_size(position)])).matrix());
    int code = pivot.m_failed < n ? pivot.m_failed : no_code;
    result.replaced = pivot.m_replaced;
    // As they are computed, not as they are stored.
    Scalar inverse[size + Columns::overrun] = {};
    std::ranges::copy(pivot.m_inverse.m_entries, inverse);
    store(Columns::of(CsrIlutEntries<Scalar, n>{inverse}), result.block(number++));
    for (auto const& u : m_upper) {
      result.positions[number] = u.position;
      auto scaled = Columns::of(CsrIlutZeros());
      scaled.template add_product<false>(inverse, block(u.block));
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
  // Of the row: which of its blocks each row of the matrix is the column of; the blocks, by columns; those before the
  // diagonal that are not complete, a heap.
  std::vector<int> m_slots;
  std::vector<int> m_positions;
  std::vector<Scalar> m_values;
  std::vector<int> m_before;
  Scalar m_threshold{};
  Scalar m_excess{};  ///< see storage_excess
  std::vector<Candidate> m_lower, m_upper;
  std::vector<Storage> m_lower_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
