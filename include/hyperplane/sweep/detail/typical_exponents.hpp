// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

/// How large each entry of a block typically is in a matrix: the upper quartile over points of the largest magnitude
/// in any block of a point. Neither rows that are much larger than others, as of masked points or walls, nor points at
/// which an entry vanishes then say what units all others have. A quartile needs a sample alone, so that it costs
/// little beside a factorization.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Packs of a sample, at most.
inline constexpr std::int64_t sampled_packs = 128;

/// Where the sample takes pack `number` of `count`: spread by the golden ratio, which is in step with no grid.
KOKKOS_FUNCTION inline std::int64_t sampled_pack(std::int64_t number, std::int64_t count) {
  if (count <= sampled_packs) return number;
  double const turns = static_cast<double>(number) * 0.6180339887498949;
  return static_cast<std::int64_t>((turns - Kokkos::floor(turns)) * static_cast<double>(count));
}

/// The exponents of the entries at a slot, with their bias: -1 where there is no point, 0 where an entry is zero. What
/// points out of the grid and what is not finite does not count.
template <int n, class MatrixStorage, int vector_length>
struct SampleExponents {
  BlockStencil7Ref<MatrixStorage, n, vector_length> m_a;
  std::int64_t m_slots;
  std::int16_t* m_exponents;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    auto const& map = m_a.map();
    auto const pack = sampled_pack(slot / vector_length, map.pack_count());
    auto const lane = static_cast<int>(slot % vector_length);
    Point p;
    bool const is_point = map.find_point(pack, lane, p);
    for (int e = 0; e < n * n; ++e) {
      m_exponents[e * m_slots + slot] = static_cast<std::int16_t>(is_point ? largest(pack, lane, p, e) : -1);
    }
  }

 private:
  KOKKOS_FUNCTION int largest(std::int64_t pack, int lane, const Point& p, int e) const {
    double result = 0;
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      if (!m_a.grid().contains(neighbour(p, direction))) continue;
      auto const magnitude =
          Kokkos::abs(static_cast<double>(m_a.pack_block(pack, direction)[e * vector_length + lane]));
      if (magnitude > result && magnitude * 0 == 0) result = magnitude;
    }
    return biased_exponent(result);
  }
};

/// Of each entry the largest exponent that a quarter of the points reach.
struct UpperQuartiles {
  std::int64_t m_slots;
  const std::int16_t* m_exponents;
  std::int16_t* m_quartiles;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const std::int16_t* const exponents = m_exponents + e * m_slots;
    std::int64_t const points = count(exponents, 0);
    int low = 0, high = 2 * double_exponent_bias;
    while (low < high) {
      int const middle = (low + high + 1) / 2;
      if (4 * count(exponents, middle) >= points) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    m_quartiles[e] = static_cast<std::int16_t>(low);
  }

 private:
  KOKKOS_FUNCTION std::int64_t count(const std::int16_t* exponents, int least) const {
    std::int64_t result = 0;
    for (std::int64_t slot = 0; slot < m_slots; ++slot) result += exponents[slot] >= least ? 1 : 0;
    return result;
  }
};

/// Into the last n^2 of `exponents`, which has as many for each slot of a sample, too.
template <int n, ExecutionSpace Exec, class MatrixStorage, int vector_length>
std::int16_t* find_typical_exponents(const Exec& exec, const BlockStencil7Ref<MatrixStorage, n, vector_length>& a,
                                     std::int16_t* exponents) {
  std::int64_t const slots = std::min(a.map().pack_count(), sampled_packs) * vector_length;
  std::int16_t* const quartiles = exponents + slots * n * n;
  launch("Hyperplane::FactorUnits::sample", IndexRange<Exec>(exec, 0, slots),
         static_cast<double>(stencil7_size * n * n) * sizeof(MatrixStorage),
         SampleExponents<n, MatrixStorage, vector_length>{a, slots, exponents});
  constexpr double passes = 12;
  launch("Hyperplane::FactorUnits::quartiles", IndexRange<Exec>(exec, 0, n * n),
         passes * static_cast<double>(slots) * sizeof(std::int16_t), UpperQuartiles{slots, exponents, quartiles});
  return quartiles;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
