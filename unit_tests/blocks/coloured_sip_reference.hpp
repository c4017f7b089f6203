// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/multi_block_reference.hpp"
#include "support/sip_reference.hpp"

namespace hyperplane::test {

/// SIP of each grid block, in the order of the colours: neighbours of lower ones subtract from its diagonal.
class ReferenceColouredSip {
 public:
  ReferenceColouredSip(const MultiBlockReference& a, const std::vector<int>& colours, double alpha)
      : m_grid(a.grid), m_rows(a.rows_without_own()), m_colours(colours), m_order(colours.size()) {
    std::iota(m_order.begin(), m_order.end(), 0);
    std::ranges::stable_sort(m_order, {}, [&](int b) { return colours[b]; });
    for (int b = 0; b < m_grid.block_count(); ++b) {
      m_blocks.insert(m_blocks.end(), m_grid.block(b).size(), b);
      m_factors.emplace_back(a.blocks[b], alpha);
    }
    for (int const b : m_order) {
      auto matrix = a.blocks[b];
      for (std::int64_t p = 0; p < m_grid.block(b).size(); ++p) {
        auto const own = m_grid.first_point(b) + p;
        for_neighbours(own, true, [&](std::int64_t q, double coupling) {
          double const reverse = m_rows.blocks[q].at(own)(0, 0);
          matrix.block(p, Direction::center)(0, 0) -= coupling * reverse / diagonal(q);
        });
      }
      m_factors[b] = ReferenceSip(matrix, alpha);
    }
  }

  std::vector<double> solve(std::vector<double> x) const {
    for (int const b : m_order) {
      sweep(
          x, b,
          [&](std::int64_t p) {
            double sum = 0;
            for_neighbours(p, true, [&](std::int64_t q, double coupling) { sum += coupling * x[q]; });
            return sum;
          },
          &ReferenceSip::forward);
    }
    for (auto b = m_order.rbegin(); b != m_order.rend(); ++b) {
      sweep(
          x, *b,
          [&](std::int64_t p) {
            double sum = 0;
            for_neighbours(p, false, [&](std::int64_t q, double coupling) { sum += coupling * x[q]; });
            return sum / diagonal(p);
          },
          &ReferenceSip::backward);
    }
    return x;
  }

 private:
  double diagonal(std::int64_t p) const { return m_factors[m_blocks[p]].diagonal(p - m_grid.first_point(m_blocks[p])); }

  /// use(q, coupling) for neighbours of lower colours, or of higher ones.
  template <class Use>
  void for_neighbours(std::int64_t p, bool lower, const Use& use) const {
    for (auto const& [q, block] : m_rows.blocks[p]) {
      int const own = m_colours[m_blocks[p]], other = m_colours[m_blocks[q]];
      if (own != other && (other < own) == lower) use(q, block(0, 0));
    }
  }
  template <class Sum>
  void sweep(std::vector<double>& x, int b, const Sum& sum,
             std::vector<double> (ReferenceSip::*half)(std::vector<double>) const) const {
    std::vector<double> part;
    auto const first = m_grid.first_point(b);
    for (std::int64_t p = first; p < first + m_grid.block(b).size(); ++p) part.push_back(x[p] - sum(p));
    std::ranges::copy((m_factors[b].*half)(part), x.begin() + first);
  }

  MultiBlockGrid m_grid;
  BlockRows m_rows;
  std::vector<int> m_colours, m_order;
  std::vector<int> m_blocks;  ///< of points
  std::vector<ReferenceSip> m_factors;
};

}  // namespace hyperplane::test
