// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/half.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "serial_reference.hpp"

// Stored factors of plans, and solves with them.
namespace hyperplane::test {

inline constexpr std::array lower_directions{Direction::bottom, Direction::south, Direction::west};
inline constexpr std::array upper_directions{Direction::top, Direction::north, Direction::east};

/// Values in the memory of a plan.
template <class Exec, class T>
std::vector<T> copied(const T* values, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Device = Kokkos::View<const T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(Host(result.data(), result.size()), Device(values, result.size()));
  return result;
}

/// Scales of the rows and the columns of a block of 8 bits.
struct BlockScales {
  std::vector<double> rows, columns;

  bool operator==(const BlockScales&) const = default;
};

/// Those that blocks are to have in common whose entries have these largest magnitudes.
inline BlockScales block_scales(const DenseMatrix& largest) {
  int const n = largest.n;
  BlockScales result{std::vector<double>(n), std::vector<double>(n)};
  for (int c = 0; c < n; ++c) {
    // Of rows whose largest entries are 1. Their reciprocals are rounded, so that this 1 may be a little less.
    float of_column = 0x1p-13F;
    for (int r = 0; r < n; ++r) {
      auto const of_row = static_cast<float>(*std::max_element(largest.row(r), largest.row(r) + n));
      if (of_row > 0) of_column = std::max(of_column, static_cast<float>(largest(r, c)) * (1 / of_row));
    }
    result.columns[c] = std::exp2(std::ilogb(of_column) + 1);
  }
  for (int r = 0; r < n; ++r) {
    double of_row = 0;
    for (int c = 0; c < n; ++c) of_row = std::max(of_row, largest(r, c) / result.columns[c]);
    result.rows[r] = static_cast<double>(Half(of_row));
  }
  return result;
}

/// Makes them at least those of a block.
inline void add_magnitudes(const DenseMatrix& block, DenseMatrix& largest) {
  for (std::size_t e = 0; e < block.entries.size(); ++e) {
    largest.entries[e] = std::max(largest.entries[e], std::abs(block.entries[e]));
  }
}

/// Those of the blocks of a point in some directions.
inline BlockScales block_scales(const ReferenceStencil& a, std::int64_t p, const std::array<Direction, 3>& directions) {
  DenseMatrix largest(a.n);
  for (auto const d : directions) add_magnitudes(a.block(p, d), largest);
  return block_scales(largest);
}

/// What a plan has stored, point by point: L, d^-1 in the place of the diagonal block, and d^-1 U, in the units of the
/// factors; and of 8 bits, what 1 is as an entry of L or of d^-1 U, and the scales that this comes from.
template <int n, class Plan>
struct StoredFactors {
  ReferenceStencil values, steps;
  std::map<std::pair<std::int64_t, Direction>, BlockScales> scales;  ///< of a point and a direction

  template <class Exec>
  StoredFactors(const Exec& exec, const Plan& plan) : values(plan.grid(), n), steps(plan.grid(), n) {
    exec.fence();
    auto const factors = plan.sweeps().factors();
    using Factors = std::remove_const_t<decltype(factors)>;
    constexpr int W = Factors::vector_length;
    auto const& map = factors.m_map;
    auto const of_lower = copied<Exec>(factors.m_lower.pack_data(0), map.pack_count() * Factors::lower_entries * W);
    auto const of_upper = copied<Exec>(factors.m_upper.pack_data(0), map.pack_count() * Factors::upper_entries * W);
    // The same factors in memory of the host.
    Factors host = factors;
    host.m_lower = typename Factors::Lower(const_cast<typename Factors::Storage*>(of_lower.data()));
    host.m_upper = typename Factors::Upper(const_cast<typename Factors::Storage*>(of_upper.data()));
    for (std::int64_t number = 0; number < plan.grid().size(); ++number) {
      Point const p = plan.grid().point(number);
      auto const pack = map.pack(p.i, p.j, p.k);
      auto const lane = map.lane(p.j);
      for (int e = 0; e < n * n; ++e) {
        auto const value = [&](const auto* block) { return static_cast<double>(block[e * W + lane]); };
        values.block(number, Direction::center)(e % n, e / n) = value(host.inverse(pack));
        for (int d = 0; d < 3; ++d) {
          set<true>(host, number, pack, lane, e, lower_directions[d],
                    value(host.lower(pack, static_cast<detail::LowerBlock>(d))));
          set<false>(host, number, pack, lane, e, upper_directions[d],
                     value(host.upper(pack, static_cast<detail::UpperBlock>(d))));
        }
      }
    }
  }

 private:
  template <bool of_lower, class Factors>
  void set(const Factors& factors, std::int64_t number, std::int64_t pack, int lane, int e, Direction d, double value) {
    int const r = e % n, c = e / n;
    double step = 1;
    if constexpr (Factors::has_block_scales) {
      constexpr int W = Factors::vector_length;
      auto const row = static_cast<double>(factors.template row_scales<of_lower>(pack)[r * W + lane]);
      auto const column = static_cast<double>(factors.template column_scales<of_lower>(pack)[c * W + lane]);
      step = row * column / 127;
      auto& of_block = scales[{number, d}];
      of_block.rows.resize(n);
      of_block.columns.resize(n);
      of_block.rows[r] = row;
      of_block.columns[c] = column;
    }
    steps.block(number, d)(r, c) = step;
    values.block(number, d)(r, c) = value * step;
  }
};

/// Solves with stored factors, point by point.
template <int n>
class QuarterReference {
 public:
  template <class Exec, class Plan>
  QuarterReference(const Exec& exec, const Plan& plan)
      : m_factors(StoredFactors<n, Plan>(exec, plan).values), m_grid(plan.grid()) {
    // From the units of the factors to those of the matrix.
    auto const factors = plan.sweeps().factors();
    auto const& map = factors.m_map;
    constexpr int W = decltype(factors)::vector_length;
    auto const unknowns = copied<Exec>(factors.m_scales.m_units, n);
    auto const equations = copied<Exec>(factors.m_scales.m_equations, map.pack_count() * n * W);
    for (std::int64_t number = 0; number < m_grid.size(); ++number) {
      Point const p = m_grid.point(number);
      auto const equation = [&](int r) {
        return static_cast<double>(equations[(map.pack(p.i, p.j, p.k) * n + r) * W + map.lane(p.j)]);
      };
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          for (auto const d : lower_directions) m_factors.block(number, d)(r, c) /= equation(r) * unknowns[c];
          for (auto const d : upper_directions) m_factors.block(number, d)(r, c) *= unknowns[r] / unknowns[c];
          m_factors.block(number, Direction::center)(r, c) *= unknowns[r] * equation(c);
        }
      }
    }
  }

  std::vector<double> solve(std::vector<double> x) const {
    for (std::int64_t p = 0; p < m_grid.size(); ++p) {
      auto sum = of_point(x, p);
      for (auto const d : lower_directions) subtract(x, p, d, sum);
      set(x, p, m_factors.block(p, Direction::center) * sum);
    }
    for (std::int64_t p = m_grid.size() - 1; p >= 0; --p) {
      auto sum = of_point(x, p);
      for (auto const d : upper_directions) subtract(x, p, d, sum);
      set(x, p, sum);
    }
    return x;
  }
  /// With M^T: points hand on what their blocks, transposed, make of them.
  std::vector<double> solve_transposed(std::vector<double> x) const {
    for (std::int64_t p = 0; p < m_grid.size(); ++p) {
      for (auto const d : upper_directions) hand_on(x, p, d);
    }
    for (std::int64_t p = m_grid.size() - 1; p >= 0; --p) {
      set(x, p, transposed_dense(m_factors.block(p, Direction::center)) * of_point(x, p));
      for (auto const d : lower_directions) hand_on(x, p, d);
    }
    return x;
  }

 private:
  static std::vector<double> of_point(const std::vector<double>& x, std::int64_t p) {
    return {x.begin() + p * n, x.begin() + (p + 1) * n};
  }
  static void set(std::vector<double>& x, std::int64_t p, const std::vector<double>& value) {
    std::copy(value.begin(), value.end(), x.begin() + p * n);
  }
  void subtract(const std::vector<double>& x, std::int64_t p, Direction d, std::vector<double>& sum) const {
    Point const other = neighbour(m_grid.point(p), d);
    if (!m_grid.contains(other)) return;
    auto const product = m_factors.block(p, d) * of_point(x, m_grid.index(other));
    for (std::size_t c = 0; c < n; ++c) sum[c] -= product[c];
  }
  void hand_on(std::vector<double>& x, std::int64_t p, Direction d) const {
    Point const other = neighbour(m_grid.point(p), d);
    if (!m_grid.contains(other)) return;
    auto const product = transposed_dense(m_factors.block(p, d)) * of_point(x, p);
    for (std::size_t c = 0; c < n; ++c) x[static_cast<std::size_t>(m_grid.index(other)) * n + c] -= product[c];
  }

  ReferenceStencil m_factors;
  Grid m_grid;
};

}  // namespace hyperplane::test
