// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "block_case.hpp"

#include "unit_tests/support/dense_matrix.hpp"
#include "unit_tests/support/random_system.hpp"
#include "unit_tests/support/serial_reference.hpp"

#include <hyperplane/blocks/colours.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyperplane::perf {

/// BILU(0) of a RandomSystem whose points are in parts, by its formulas, serial: the order is colour of the part,
/// number of the point. Only the inverse pivots are stored.
class ReferencePartsIlu0 {
 public:
  /// The part of each point and the colour of each part. `coupled`: whether couplings between parts are in M.
  ReferencePartsIlu0(const RandomSystem& a, std::vector<int> parts, std::vector<int> colours, bool coupled)
      : m_a(a), m_parts(std::move(parts)), m_colours(std::move(colours)), m_coupled(coupled) {
    for (int colour = 0; colour <= *std::ranges::max_element(m_colours); ++colour) {
      for (std::int64_t p = 0; p < a.grid.size(); ++p) {
        if (colour_of(p) == colour) m_order.push_back(p);
      }
    }
    m_inverse.assign(m_parts.size(), test::DenseMatrix(0));
    for (auto const p : m_order) {
      auto d = a.block(p, Direction::center);
      for_neighbours(p, true, [&](std::int64_t q, Direction to_q) {
        d = d - a.block(p, to_q) * m_inverse[at(q)] * a.block(q, opposite(to_q));
      });
      m_inverse[at(p)] = test::inverse(d);
    }
  }

  std::vector<double> solve(std::vector<double> x) const {
    for (auto const p : m_order) {
      auto r = values(x, p);
      for_neighbours(p, true, [&](std::int64_t q, Direction to_q) { subtract(m_a.block(p, to_q) * values(x, q), r); });
      std::ranges::copy(m_inverse[at(p)] * r, x.begin() + p * m_a.n);
    }
    for (auto p = m_order.rbegin(); p != m_order.rend(); ++p) {
      std::vector<double> sum(static_cast<std::size_t>(m_a.n), 0.0);
      for_neighbours(*p, false,
                     [&](std::int64_t q, Direction to_q) { subtract(m_a.block(*p, to_q) * values(x, q), sum); });
      auto result = values(x, *p);
      auto const correction = m_inverse[at(*p)] * sum;
      for (std::size_t c = 0; c < result.size(); ++c) result[c] += correction[c];
      std::ranges::copy(result, x.begin() + *p * m_a.n);
    }
    return x;
  }

 private:
  static std::size_t at(std::int64_t p) { return static_cast<std::size_t>(p); }
  int colour_of(std::int64_t p) const { return m_colours[static_cast<std::size_t>(m_parts[at(p)])]; }

  std::vector<double> values(const std::vector<double>& x, std::int64_t p) const {
    return {x.begin() + p * m_a.n, x.begin() + (p + 1) * m_a.n};
  }
  static void subtract(const std::vector<double>& product, std::vector<double>& r) {
    for (std::size_t c = 0; c < r.size(); ++c) r[c] -= product[c];
  }

  /// use(q, direction) for those that come before p in the order, or after it.
  template <class Use>
  void for_neighbours(std::int64_t p, bool before, const Use& use) const {
    Point const own = m_a.grid.point(p);
    for (auto const d : stencil7_directions) {
      Point const other = neighbour(own, d);
      if (d == Direction::center || !m_a.grid.contains(other)) continue;
      auto const q = m_a.grid.index(other);
      if (!m_coupled && m_parts[at(p)] != m_parts[at(q)]) continue;
      if ((std::pair(colour_of(q), q) < std::pair(colour_of(p), p)) == before) use(q, d);
    }
  }

  RandomSystem m_a;
  std::vector<int> m_parts, m_colours;
  bool m_coupled;
  std::vector<std::int64_t> m_order;
  std::vector<test::DenseMatrix> m_inverse;
};

/// M^-1 b of all systems of a case, one after the other, with the coupling of BILU(0) of its grid blocks.
inline std::vector<double> reference_solve(const BlockCase& blocks, int n, Coupling coupling) {
  std::vector<double> result;
  auto const systems = blocks.systems(n);
  bool const one = systems.size() == 1;
  for (auto const& system : systems) {
    auto const size = static_cast<std::size_t>(system.grid.size());
    std::vector<int> parts(size, 0), colours{0};
    // BILU(0) of the whole box does not know its parts, and a grid block that is a system of its own has one.
    if (one && coupling != Coupling::natural) {
      auto const& grid = blocks.grid();
      for (int b = 0; b < grid.block_count(); ++b) {
        for (auto const p : blocks.places(b)) parts[static_cast<std::size_t>(p)] = b;
      }
      colours = find_colours(grid);
    }
    ReferencePartsIlu0 const ilu(system, std::move(parts), std::move(colours), coupling != Coupling::none);
    auto const x = ilu.solve(system.rhs());
    result.insert(result.end(), x.begin(), x.end());
  }
  return result;
}

/// A b of all systems of a case.
inline std::vector<double> reference_apply(const BlockCase& blocks, int n) {
  std::vector<double> result;
  for (auto const& system : blocks.systems(n)) {
    auto const y = test::reference_product(system, system.rhs());
    result.insert(result.end(), y.begin(), y.end());
  }
  return result;
}

}  // namespace hyperplane::perf
