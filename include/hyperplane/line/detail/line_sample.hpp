// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_point_places.hpp>
#include <hyperplane/line/line_layout_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Points of a matrix along lines for FactorUnits, which choose units by a sample of them. Its packs are the items of
/// the layout.
template <class MatrixStorage, int n, int vector_length>
struct LineSample {
  static constexpr double point_bytes = static_cast<double>(line_blocks * n * n) * sizeof(MatrixStorage);

  LineMatrix<MatrixStorage, LinePointPlaces> m_a;
  LineLayoutRef<vector_length> m_layout;
  std::int64_t m_items;

  template <class Places, class Layout>
  LineSample(const LineMatrix<MatrixStorage, Places>& a, const Layout& layout)
      : m_a(with_places(a, LinePointPlaces(a.m_places))), m_layout(layout.ref()), m_items(layout.items()) {}

  struct Place {
    std::int64_t pack;
    int lane;
    int step;
    bool exists;
  };

  KOKKOS_FUNCTION std::int64_t packs() const { return m_items; }
  KOKKOS_FUNCTION Place find(std::int64_t item, int lane) const {
    // The last pack that does not begin after it; packs without a step begin where the next one does.
    std::int64_t first = 0, last = m_layout.packs() - 1;
    while (first < last) {
      auto const middle = first + (last - first + 1) / 2;
      if (m_layout.first_item(middle) <= item) {
        first = middle;
      } else {
        last = middle - 1;
      }
    }
    auto const step = static_cast<int>(item - m_layout.first_item(first));
    return {first, lane, step, step >= m_layout.begin(first, lane) && step < m_layout.end(first, lane)};
  }
  /// The largest magnitude of an entry in any block of a point. What couples to no point of the line and what is not
  /// finite does not count.
  KOKKOS_FUNCTION double largest(const Place& place, int e) const {
    bool const is_first = place.step == m_layout.begin(place.pack, place.lane);
    bool const is_last = place.step + 1 == m_layout.end(place.pack, place.lane);
    double result = 0;
    for (int b = 0; b < line_blocks; ++b) {
      auto const which = static_cast<LineBlock>(b);
      if ((which == LineBlock::lower && is_first) || (which == LineBlock::upper && is_last)) continue;
      auto const index =
          m_a.m_places.index(m_layout, place.pack, place.lane, place.step, m_a.m_entries, m_a.m_first[b] + e);
      result = larger_if_finite(result, static_cast<double>(m_a.m_data[index]));
    }
    return result;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
