// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/slab_map.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The finalizer of splitmix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// doi:10.1145/2660193.2660195.
KOKKOS_FUNCTION inline std::uint64_t mixed_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * std::uint64_t{0xbf58476d1ce4e5b9};
  bits = (bits ^ (bits >> 27U)) * std::uint64_t{0x94d049bb133111eb};
  return bits ^ (bits >> 31U);
}

/// Uniform in [-1, 1).
template <class Scalar>
KOKKOS_FUNCTION Scalar random_value(std::uint64_t seed, std::int64_t number) {
  auto const bits = mixed_bits((seed + static_cast<std::uint64_t>(number)) * std::uint64_t{0x9e3779b97f4a7c15});
  return static_cast<Scalar>(static_cast<double>(bits >> 11U) * 0x1p-52 - 1.0);
}

/// Values of points; padding stays zero. The block size is known at run time: nothing here gains by knowing it before.
template <class Scalar, int vector_length>
struct FillRandom {
  SlabMap<vector_length> m_map;
  Scalar* m_values;
  int m_block_size;
  std::uint64_t m_seed;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    Point p;
    std::int64_t const row = e / vector_length;
    if (!m_map.find_point(row / m_block_size, static_cast<int>(e % vector_length), p)) return;
    auto const number = m_map.grid().index(p) * m_block_size + row % m_block_size;
    m_values[e] = random_value<Scalar>(m_seed, number);
  }
};

/// The same without grid and padding.
template <class Scalar>
struct FillRandomLine {
  Scalar* m_values;
  std::uint64_t m_seed;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_values[e] = random_value<Scalar>(m_seed, e); }
};

/// Uniform in [-1, 1), each a function of the seed, the number of the point and the unknown alone.
template <ExecutionSpace Exec, int vector_length, class Scalar>
void fill_random(const Exec& exec, const SlabMap<vector_length>& map, int block_size, Scalar* values,
                 std::uint64_t seed) {
  launch("Hyperplane::fill_random", LongIndexRange<Exec>(exec, 0, map.pack_count() * block_size * vector_length),
         sizeof(Scalar), FillRandom<Scalar, vector_length>{map, values, block_size, mixed_bits(seed + 1)});
}

/// The same for the vector of a grid, of points without one, or of all grid blocks, each with another seed.
template <ExecutionSpace Exec, class Vector>
void fill_random(const Exec& exec, const Vector& vector, std::uint64_t seed) {
  if constexpr (requires { vector.grid().block_count(); }) {
    for (int b = 0; b < vector.grid().block_count(); ++b) {
      fill_random(exec, vector.block(b), mixed_bits(seed + 1) + static_cast<std::uint64_t>(b));
    }
  } else if constexpr (requires { vector.points(); }) {
    using Scalar = std::remove_pointer_t<decltype(vector.flat().data())>;
    launch("Hyperplane::fill_random", LongIndexRange<Exec>(exec, 0, static_cast<std::int64_t>(vector.flat().size())),
           sizeof(Scalar), FillRandomLine<Scalar>{vector.flat().data(), mixed_bits(seed + 1)});
  } else {
    fill_random(exec, vector.map(), Vector::block_size, vector.flat().data(), seed);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
