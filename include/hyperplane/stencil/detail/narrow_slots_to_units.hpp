// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/power_of_two.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The unit of a row whose largest entry has this magnitude: a power of two that a BFloat16 has, and its inverse. In
/// it, that entry is at least 2^14 and less than 2^15, the last binade but one of Half, where nothing bounds the unit.
KOKKOS_FUNCTION inline double row_unit(double largest) {
  constexpr int most = 120, exponent_in_unit = 14;
  int const exponent = biased_exponent(largest) - double_exponent_bias - exponent_in_unit;
  return power_of_two(exponent < -most ? -most : exponent > most ? most : exponent);
}

/// A ScaledStencil7 of a matrix, slot by slot: units of the rows of a point, then its entries in them. Of the seven
/// entries of a row and an unknown, the largest one is rounded first, and what each loses is added to the next one:
/// what multiplies vectors that hardly change from point to point, the sum of the seven, is rounded as the smallest one
/// alone. Blocks without a neighbour are zero, whatever they are in A. Finds the first value that is finite and
/// overflows, by its number in the matrix; or, where it compares, writes nothing and finds the first value that is kept
/// as another one.
template <class Storage, int n, class Short, int W, bool compares, class Outside>
struct NarrowToUnits {
  BlockStencil7Ref<Storage, n, W> m_a;
  BlockStencil7Ref<Short, n, W> m_copy;
  Outside m_outside;

  KOKKOS_FUNCTION void operator()(std::int64_t slot, std::int64_t& first) const {
    std::int64_t const pack = slot / W;
    auto const lane = static_cast<int>(slot % W);
    Point p{};
    if (!m_a.map().find_point(pack, lane, p)) return;
    int directions[std::size_t{stencil7_size}], count = 0;
    for (int d = 0; d < stencil7_size; ++d) {
      if (has_neighbour(p, static_cast<Direction>(d))) {
        directions[count++] = d;
      } else {
        for (int e = d * n * n; e < (d + 1) * n * n; ++e) keep(pack, e, lane, Short(0.0F), first);
      }
    }
    for (int r = 0; r < n; ++r) {
      double largest = 0;
      for (int k = 0; k < count; ++k) {
        for (int c = 0; c < n; ++c) largest = larger_if_finite(largest, value(pack, entry(directions[k], r, c), lane));
      }
      double const unit = row_unit(largest);
      if constexpr (compares) {
        if (m_copy.template unit<double>(pack, r, lane) != unit) find(pack, entry(directions[0], r, 0), lane, first);
      } else {
        m_copy.set_unit(pack, r, lane, BFloat16(unit));
      }
      for (int c = 0; c < n; ++c) {
        int entries[std::size_t{stencil7_size}];
        for (int k = 0; k < count; ++k) entries[k] = entry(directions[k], r, c);
        round(pack, lane, entries, count, 1 / unit, first);
      }
    }
  }

 private:
  static constexpr int values_of_point = BlockStencil7Ref<Storage, n, W>::entries;

  KOKKOS_FUNCTION bool has_neighbour(const Point& p, Direction direction) const {
    bool const inside = m_a.grid().contains(neighbour(p, direction));
    if constexpr (Outside::exists) {
      return inside || m_outside.number(direction, p) >= 0;
    } else {
      return inside;
    }
  }
  KOKKOS_FUNCTION static constexpr int entry(int direction, int r, int c) { return (direction * n + c) * n + r; }
  KOKKOS_FUNCTION double value(std::int64_t pack, int e, int lane) const {
    return static_cast<double>(m_a.packs()(pack, e, lane));
  }

  KOKKOS_FUNCTION void round(std::int64_t pack, int lane, int* entries, int count, double factor,
                             std::int64_t& first) const {
    // Largest first, by insertion.
    for (int k = 1; k < count; ++k) {
      int const e = entries[k];
      double const magnitude = Kokkos::abs(value(pack, e, lane));
      int place = k;
      for (; place > 0 && Kokkos::abs(value(pack, entries[place - 1], lane)) < magnitude; --place) {
        entries[place] = entries[place - 1];
      }
      entries[place] = e;
    }
    double lost = 0;
    for (int k = 0; k < count; ++k) {
      double const given = value(pack, entries[k], lane);
      double const wanted = given == 0 ? 0 : given * factor + lost;
      Short const kept(wanted);
      auto const rounded = static_cast<double>(kept);
      if (Kokkos::isfinite(rounded)) lost = wanted - rounded;
      keep(pack, entries[k], lane, kept, first);
      if constexpr (!compares) {
        // Where the unit is bounded, BFloat16 would go on, but sums of floats would not.
        if (!(Kokkos::abs(wanted) <= largest_finite<Half>) && Kokkos::isfinite(given)) {
          find(pack, entries[k], lane, first);
        }
      }
    }
  }
  KOKKOS_FUNCTION void keep(std::int64_t pack, int e, int lane, Short kept, std::int64_t& first) const {
    auto& copied = m_copy.packs()(pack, e, lane);
    if constexpr (compares) {
      if (copied.m_bits != kept.m_bits) find(pack, e, lane, first);
    } else {
      copied = kept;
    }
  }
  KOKKOS_FUNCTION static void find(std::int64_t pack, int e, int lane, std::int64_t& first) {
    std::int64_t const number = (pack * values_of_point + e) * W + lane;
    if (number < first) first = number;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
