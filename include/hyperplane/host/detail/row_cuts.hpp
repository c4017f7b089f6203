// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/host/row_needs.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

/// Where tiles of a recursion over rows begin.
namespace hyperplane::inline HYPERPLANE_ABI::host {

/// How many rows of the tile begin, ..., end - 1 another thread has to be ahead with, so that one that begins with row
/// `end` need not wait for it in its first `looked_at` rows; or `limit`, where it is more.
inline int rows_ahead(const RowNeeds& needs, int begin, int end, int looked_at, int limit) {
  int ahead = 0;
  auto const last = std::min(end + looked_at, needs.count());
  for (int row = end; row < last && ahead < limit; ++row) {
    auto const needed = needs.of(row);
    auto const inside = std::lower_bound(needed.begin(), needed.end(), end);
    if (inside != needed.begin()) ahead = std::max(ahead, *std::prev(inside) + 1 - begin - (row - end));
  }
  return std::min(ahead, limit);
}

/// The end of the tile that begins with a row: of `least` to `most` rows, that behind which a thread can follow
/// most closely, as the end of a line of a grid is.
inline int row_cut(const RowNeeds& needs, int begin, int least, int most) {
  auto const last = std::min(begin + most, needs.count());
  int best = last;
  double share = 1.0;
  for (int end = begin + least; end <= last && end < needs.count(); ++end) {
    int const size = end - begin;
    auto const limit = static_cast<int>(std::ceil(share * size));
    auto const own = static_cast<double>(rows_ahead(needs, begin, end, least, limit)) / size;
    if (own >= share) continue;
    share = own;
    best = end;
  }
  return best;
}

/// The first row of each tile, and the end.
inline std::vector<int> row_cuts(const RowNeeds& needs, int least, int most) {
  std::vector<int> cuts{0};
  while (needs.count() - cuts.back() > least) cuts.push_back(row_cut(needs, cuts.back(), least, most));
  if (cuts.back() < needs.count()) cuts.push_back(needs.count());
  return cuts;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::host
