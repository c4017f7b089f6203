// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <numeric>
#include <vector>

#include "csr_reference.hpp"

/// Lines along strong couplings, from a matrix without a sparse structure.
namespace hyperplane::test {

/// The strengths of all pairs; -1 for those that are no neighbours.
inline std::vector<std::vector<double>> all_strengths(const ReferenceCsr& a) {
  auto const rows = static_cast<std::size_t>(a.rows());
  std::vector<std::vector<double>> result(rows, std::vector<double>(rows, -1.0));
  for (std::size_t row = 0; row < rows; ++row) {
    for (auto e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
      auto const column = static_cast<std::size_t>(a.columns[e]);
      if (column == row) continue;
      double squares = 0.0;
      for (double const entry : a.blocks[e].entries) squares += entry * entry;
      for (double* strength : {&result[row][column], &result[column][row]}) {
        *strength = std::max(*strength, 0.0) + std::sqrt(squares) / 2;
      }
    }
  }
  return result;
}

/// In the order in which they are found.
inline std::vector<std::deque<int>> coupling_lines_of(const ReferenceCsr& a, double strong) {
  auto const strengths = all_strengths(a);
  auto const count = strengths.size();
  std::vector<double> third(count, 0.0), ratio(count, 0.0);
  for (std::size_t p = 0; p < count; ++p) {
    std::vector<double> own;
    for (double const strength : strengths[p]) {
      if (strength >= 0.0) own.push_back(strength);
    }
    double mean = 0.0;
    for (double const strength : own) mean += strength / static_cast<double>(own.size());
    std::sort(own.rbegin(), own.rend());
    if (own.size() > 2) third[p] = own[2];
    if (mean > 0.0) ratio[p] = own[0] / mean;
  }
  std::vector<int> starts(count);
  std::iota(starts.begin(), starts.end(), 0);
  std::stable_sort(starts.begin(), starts.end(), [&](int p, int q) { return ratio[p] > ratio[q]; });
  std::vector<bool> taken(count, false);
  auto const next = [&](int p) {
    int best = -1;
    for (std::size_t q = 0; q < count; ++q) {
      double const strength = strengths[p][q];
      if (taken[q] || strength <= 0.0 || strength < strong * std::max(third[p], third[q])) continue;
      if (best < 0 || strength > strengths[p][best]) best = static_cast<int>(q);
    }
    if (best >= 0) taken[best] = true;
    return best;
  };
  std::vector<std::deque<int>> lines;
  for (int const start : starts) {
    if (taken[start]) continue;
    taken[start] = true;
    auto& line = lines.emplace_back(std::deque<int>{start});
    for (int p = next(start); p >= 0; p = next(p)) line.push_back(p);
    for (int p = next(start); p >= 0; p = next(p)) line.push_front(p);
  }
  return lines;
}

}  // namespace hyperplane::test
