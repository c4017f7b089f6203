// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/diagnosis.hpp>
#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/line/detail/line_factors.hpp>
#include <hyperplane/line/detail/line_point_places.hpp>
#include <hyperplane/line/line_layout_ref.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The blocks of a point of a line, by its ordinal.
template <class Scalar, int n, class MatrixStorage, int vector_length>
struct LineDiagnosisBlocks {
  using Block = block::Matrix<Scalar, n>;

  LineMatrix<MatrixStorage, LinePointPlaces> m_a;
  LineLayoutRef<vector_length> m_layout;
  std::int64_t m_lines;

  template <class Places>
  LineDiagnosisBlocks(const LineMatrix<MatrixStorage, Places>& a, const LineLayoutRef<vector_length>& layout,
                      std::int64_t lines)
      : m_a(with_places(a, LinePointPlaces(a.m_places))), m_layout(layout), m_lines(lines) {}

  struct Place {
    std::int64_t pack;
    int lane;
    int step;
    bool is_first;
    bool is_last;
  };

  KOKKOS_FUNCTION Place find(std::int64_t ordinal) const {
    // The last line that does not begin after it; empty lines begin where the next one does.
    std::int64_t first = 0, last = m_lines - 1;
    while (first < last) {
      auto const middle = first + (last - first + 1) / 2;
      if (begin(middle) <= ordinal) {
        first = middle;
      } else {
        last = middle - 1;
      }
    }
    auto const slot = m_layout.m_slots[first];
    auto const pack = slot / vector_length;
    int const lane = static_cast<int>(slot % vector_length);
    int const step = m_layout.begin(pack, lane) + static_cast<int>(ordinal - begin(first));
    return {pack, lane, step, ordinal == begin(first), step + 1 == m_layout.end(pack, lane)};
  }

  KOKKOS_FUNCTION Block load(const Place& place, LineBlock which, int step) const {
    int const first = m_a.m_first[static_cast<int>(which)];
    Block result;
    for (int e = 0; e < n * n; ++e) {
      auto const index = m_a.m_places.index(m_layout, place.pack, place.lane, step, m_a.m_entries, first + e);
      result.m_entries[e] = static_cast<Scalar>(m_a.m_data[index]);
    }
    return result;
  }

 private:
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t line) const { return m_layout.m_ordinals[m_layout.m_slots[line]]; }
};

/// What is wrong at the first point at which a factorization along lines fails: its pivot block is computed once more,
/// from the matrix and from what the point before it, which is regular, has left. Where that is too large for its type,
/// the failure is that of the point before. Factors that are too large are an overflow where the blocks are finite that
/// they were made of, that for the next point too.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct LineDiagnosis {
  LineDiagnosisBlocks<Scalar, n, MatrixStorage, vector_length> m_blocks;
  LineFactors<Storage, n, vector_length> m_factors;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t ordinal, int code) const {
    auto const place = m_blocks.find(ordinal);
    auto const found = at_pivot(place, ordinal, code);
    bool const is_overflow = found.failure == FactorFailure::overflow && found.number < 0;
    if (is_overflow && !place.is_last && !block::is_finite<n>(m_blocks.load(place, LineBlock::upper, place.step))) {
      return {FactorFailure::not_finite, static_cast<int>(LineBlock::upper)};
    }
    return found;
  }

 private:
  using Range = StoredRange<Scalar, Storage>;
  using Place = typename LineDiagnosisBlocks<Scalar, n, MatrixStorage, vector_length>::Place;

  KOKKOS_FUNCTION PivotFinding at_pivot(const Place& place, std::int64_t ordinal, int code) const {
    auto d = m_blocks.load(place, LineBlock::diagonal, place.step);
    if (!block::is_finite<n>(d)) return {FactorFailure::not_finite, static_cast<int>(LineBlock::diagonal)};
    if (!place.is_first) {
      auto const lower = m_blocks.load(place, LineBlock::lower, place.step);
      if (!block::is_finite<n>(lower)) return {FactorFailure::not_finite, static_cast<int>(LineBlock::lower)};
      if (!block::is_finite<n>(m_blocks.load(place, LineBlock::upper, place.step - 1))) {
        return {FactorFailure::not_finite, neighbour_blocks};
      }
      using Stored = block::LaneMatrix<Scalar, Storage, n, vector_length>;
      Stored const upper{m_factors.upper(place.pack, place.step - 1) + place.lane};
      if (!block::is_finite<n>(upper)) return {FactorFailure::overflow, 0, ordinal - 1};
      if constexpr (has_scales<Storage>) {
        block::gemm_subtract<n>(lower, block::ScaledEntries<Stored, n>{upper, m_factors.m_scales.upper()}, d);
      } else {
        block::gemm_subtract<n>(lower, upper, d);
      }
      if (is_too_large(lower)) return {FactorFailure::overflow, 0};
    }
    if (is_too_large(m_blocks.load(place, LineBlock::diagonal, place.step))) return {FactorFailure::overflow, 0};
    return block::diagnose<Range>(d, code);
  }

  /// Paths that gather blocks do so in the type of the factors.
  KOKKOS_FUNCTION static bool is_too_large(const block::Matrix<Scalar, n>& given) {
    return block::storage_excess<Range, Scalar>(given) != Scalar(0);
  }
};

/// What is wrong with the spikes of a part, where they cannot be kept: they are too large, if the blocks that couple
/// the part to the separators beside it are finite.
template <class Scalar, int n, class MatrixStorage, int vector_length>
struct LineSpikeDiagnosis {
  LineDiagnosisBlocks<Scalar, n, MatrixStorage, vector_length> m_blocks;
  const int* m_left;  ///< as LineSpikeFactor has them
  const int* m_right;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t ordinal, int) const {
    auto const place = m_blocks.find(ordinal);
    auto const& layout = m_blocks.m_layout;
    auto const slot = place.pack * vector_length + place.lane;
    int const first = layout.begin(place.pack, place.lane), last = layout.end(place.pack, place.lane) - 1;
    if (m_left[slot] >= 0 && !block::is_finite<n>(m_blocks.load(place, LineBlock::lower, first))) {
      return {FactorFailure::not_finite, static_cast<int>(LineBlock::lower), ordinal + (first - place.step)};
    }
    if (m_right[slot] >= 0 && !block::is_finite<n>(m_blocks.load(place, LineBlock::upper, last))) {
      return {FactorFailure::not_finite, static_cast<int>(LineBlock::upper), ordinal + (last - place.step)};
    }
    return {FactorFailure::overflow, 0};
  }
};

/// What is wrong with the blocks that couple a separator to the parts beside it, where they cannot be kept: they are
/// too large, if the blocks of its row are finite.
template <class Scalar, int n, class MatrixStorage, int vector_length>
struct LineCouplingDiagnosis {
  LineDiagnosisBlocks<Scalar, n, MatrixStorage, vector_length> m_blocks;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t ordinal, int) const {
    auto const place = m_blocks.find(ordinal);
    for (int e = 0; e < line_blocks; ++e) {
      if (!block::is_finite<n>(m_blocks.load(place, static_cast<LineBlock>(e), place.step))) {
        return {FactorFailure::not_finite, e};
      }
    }
    return {FactorFailure::overflow, 0};
  }
};

/// LineDiagnosis for LineJacobi, whose points do not depend on one another.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct LineJacobiDiagnosis {
  LineDiagnosisBlocks<Scalar, n, MatrixStorage, vector_length> m_blocks;

  KOKKOS_FUNCTION PivotFinding operator()(std::int64_t ordinal, int code) const {
    auto const place = m_blocks.find(ordinal);
    for (int e = 0; e < line_blocks; ++e) {
      auto const which = static_cast<LineBlock>(e);
      if ((which == LineBlock::lower && place.is_first) || (which == LineBlock::upper && place.is_last)) continue;
      if (!block::is_finite<n>(m_blocks.load(place, which, place.step))) {
        return {FactorFailure::not_finite, static_cast<int>(which)};
      }
    }
    auto d = m_blocks.load(place, LineBlock::diagonal, place.step);
    return block::diagnose<StoredRange<Scalar, Storage>>(d, code);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
