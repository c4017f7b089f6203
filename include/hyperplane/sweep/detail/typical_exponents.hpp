// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/power_of_two.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstdint>

/// How large each entry of a block typically is in a matrix: the upper quartile over points of the largest magnitude
/// in any block of a point. Neither rows that are much larger than others, as of masked points or walls, nor points at
/// which an entry vanishes then say what units all others have. A quartile needs a sample alone, so that it costs
/// little beside a factorization.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Packs of a sample, at most.
inline constexpr std::int64_t sampled_packs = 128;

/// Lanes of the sample of so many packs.
KOKKOS_FUNCTION inline std::int64_t sampled_slots(std::int64_t packs, int vector_length) {
  return (packs < sampled_packs ? packs : sampled_packs) * vector_length;
}

/// Where the sample takes pack `number` of `count`: spread by the golden ratio, which is in step with no grid.
KOKKOS_FUNCTION inline std::int64_t sampled_pack(std::int64_t number, std::int64_t count) {
  if (count <= sampled_packs) return number;
  double const turns = static_cast<double>(number) * 0.6180339887498949;
  return static_cast<std::int64_t>((turns - Kokkos::floor(turns)) * static_cast<double>(count));
}

/// The exponents of the entries at a slot, with their bias: -1 where there is no point, 0 where an entry is zero.
/// `Sample` finds points of a matrix, and what is largest in the blocks of one.
template <int n, int vector_length, class Sample>
struct SampleExponents {
  Sample m_sample;
  std::int64_t m_slots;
  std::int16_t* m_exponents;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    auto const pack = sampled_pack(slot / vector_length, m_sample.packs());
    auto const point = m_sample.find(pack, static_cast<int>(slot % vector_length));
    for (int e = 0; e < n * n; ++e) {
      int const exponent = point.exists ? biased_exponent(m_sample.largest(point, e)) : -1;
      m_exponents[e * m_slots + slot] = static_cast<std::int16_t>(exponent);
    }
  }
};

/// Of each entry the largest exponent that a quarter of the points reach. A thread of a host has an entry, a team of
/// threads of a device.
struct UpperQuartiles {
  std::int64_t m_slots;
  const std::int16_t* m_exponents;
  std::int16_t* m_quartiles;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    m_quartiles[e] = find([&](int least) {
      std::int64_t result = 0;
      for (std::int64_t slot = 0; slot < m_slots; ++slot) result += reaches(e, slot, least);
      return result;
    });
  }
  template <class Member>
    requires(!std::integral<Member>)
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    find_with(member, member.league_rank());
  }
  /// Entry e, by a team.
  template <class Member>
  KOKKOS_FUNCTION void find_with(const Member& member, std::int64_t e) const {
    auto const quartile = find([&](int least) {
      int result = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(member, static_cast<int>(m_slots)),
          [&](int slot, int& sum) { sum += reaches(e, slot, least); }, result);
      return std::int64_t{result};
    });
    Kokkos::single(Kokkos::PerTeam(member), [&] { m_quartiles[e] = quartile; });
  }

 private:
  template <class Count>
  KOKKOS_FUNCTION static std::int16_t find(const Count& count) {
    std::int64_t const points = count(0);
    int low = 0, high = 2 * double_exponent_bias;
    while (low < high) {
      int const middle = (low + high + 1) / 2;
      if (4 * count(middle) >= points) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return static_cast<std::int16_t>(low);
  }
  KOKKOS_FUNCTION int reaches(std::int64_t e, std::int64_t slot, int least) const {
    return m_exponents[e * m_slots + slot] >= least ? 1 : 0;
  }
};

/// UpperQuartiles, or what is like them, of as many entries.
template <ExecutionSpace Exec, class Find>
void launch_quartiles(const Exec& exec, std::int64_t entries, std::int64_t slots, const Find& find) {
  if constexpr (HostExecutionSpace<Exec>) {
    constexpr double passes = 12;
    launch("Hyperplane::FactorUnits::quartiles", IndexRange<Exec>(exec, 0, entries),
           passes * static_cast<double>(slots) * sizeof(std::int16_t), find);
  } else {
    constexpr int threads = 128;
    Kokkos::parallel_for("Hyperplane::FactorUnits::quartiles",
                         Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(entries), threads), find);
  }
}

/// Into the last n^2 of `exponents`, which has as many for each slot of a sample, too.
template <int n, int vector_length, ExecutionSpace Exec, class Sample>
std::int16_t* find_typical_exponents(const Exec& exec, const Sample& sample, std::int16_t* exponents) {
  std::int64_t const slots = sampled_slots(sample.packs(), vector_length);
  std::int16_t* const quartiles = exponents + slots * n * n;
  launch("Hyperplane::FactorUnits::sample", IndexRange<Exec>(exec, 0, slots), Sample::point_bytes,
         SampleExponents<n, vector_length, Sample>{sample, slots, exponents});
  launch_quartiles(exec, n * n, slots, UpperQuartiles{slots, exponents, quartiles});
  return quartiles;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
