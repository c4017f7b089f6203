// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "dense_matrix.hpp"
#include "masks.hpp"
#include "multi_block_reference.hpp"

/// The system of the points that are not masked, which have numbers of their own: no other point is in it.
namespace hyperplane::test {

class ReducedSystem {
 public:
  ReducedSystem(const BlockRows& a, const Mask& mask) : m_rows{a.n, {}}, m_points(mask.size()) {
    std::vector<std::int64_t> numbers(mask.size(), -1);
    for (std::size_t p = 0; p < mask.size(); ++p) {
      if (mask[p] == 0) continue;
      numbers[p] = static_cast<std::int64_t>(m_kept.size());
      m_kept.push_back(static_cast<std::int64_t>(p));
    }
    m_rows.blocks.resize(m_kept.size());
    for (std::size_t number = 0; number < m_kept.size(); ++number) {
      for (auto const& [q, block] : a.blocks[m_kept[number]]) {
        if (numbers[q] >= 0) m_rows.blocks[number].emplace(numbers[q], block);
      }
    }
  }

  const BlockRows& rows() const { return m_rows; }
  int n() const { return m_rows.n; }
  /// Of a vector of all points what is of this system, and back, with zeros elsewhere.
  std::vector<double> taken(const std::vector<double>& x) const {
    std::vector<double> result;
    for (auto const p : m_kept) {
      for (int c = 0; c < n(); ++c) result.push_back(x[p * n() + c]);
    }
    return result;
  }
  std::vector<double> embedded(const std::vector<double>& x) const {
    std::vector<double> result(m_points * n(), 0.0);
    for (std::size_t number = 0; number < m_kept.size(); ++number) {
      for (int c = 0; c < n(); ++c) result[m_kept[number] * n() + c] = x[number * n() + c];
    }
    return result;
  }
  /// The places that these points have among themselves in an order of all points.
  std::vector<std::int64_t> places(const std::vector<std::int64_t>& all) const {
    std::vector<std::int64_t> by_place(all.size(), -1);
    for (std::size_t number = 0; number < m_kept.size(); ++number) {
      by_place[all[m_kept[number]]] = static_cast<std::int64_t>(number);
    }
    std::vector<std::int64_t> result(m_kept.size());
    std::int64_t next = 0;
    for (auto const number : by_place) {
      if (number >= 0) result[number] = next++;
    }
    return result;
  }

  /// The part of the matrix whose blocks (p, q) are taken.
  template <class Takes>
  DenseMatrix dense(const Takes& takes) const {
    DenseMatrix result(static_cast<int>(m_kept.size()) * n());
    for (std::size_t p = 0; p < m_kept.size(); ++p) {
      for (auto const& [q, block] : m_rows.blocks[p]) {
        if (!takes(m_kept[p], m_kept[q])) continue;
        for (int r = 0; r < n(); ++r) {
          for (int c = 0; c < n(); ++c) {
            result(static_cast<int>(p) * n() + r, static_cast<int>(q) * n() + c) = block(r, c);
          }
        }
      }
    }
    return result;
  }
  DenseMatrix dense() const {
    return dense([](std::int64_t, std::int64_t) { return true; });
  }
  /// What a matrix of this system solves, of a right-hand side of all points.
  std::vector<double> solve(const DenseMatrix& m, const std::vector<double>& rhs) const {
    return embedded(inverse(m) * taken(rhs));
  }

 private:
  BlockRows m_rows;
  std::size_t m_points;
  std::vector<std::int64_t> m_kept;
};

}  // namespace hyperplane::test
