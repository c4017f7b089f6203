// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <cstdint>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Blocks that the forward sweep reads, in storage order and the order of use.
enum class LowerBlock : int { bottom, south, west, inverse };
inline constexpr int lower_blocks = 4;

/// Blocks that the backward sweep reads, each multiplied by d^-1 from the left, in storage order and the order of use.
enum class UpperBlock : int { top, north, east };
inline constexpr int upper_blocks = 3;

/// Of M, or of its transpose, whose sweeps go the same ways: forward z = r - (d^-1 U)^T z, backward x = d^-T (z - L^T
/// x).
enum class Sweep { forward, backward };

/// What a call of a plan runs: y = d^-1 (r - L y), x = y - d^-1 U x, or one after the other with y in the memory of x.
enum class Sweeps { both, forward, backward };

/// The label of the kernels that run them, whoever owns the plan.
constexpr const char* solve_label(Sweeps sweeps) {
  switch (sweeps) {
    case Sweeps::both: return "Hyperplane::BlockIlu0::solve";
    case Sweeps::forward: return "Hyperplane::BlockIlu0::solve::forward";
    case Sweeps::backward: return "Hyperplane::BlockIlu0::solve::backward";
  }
  return "Hyperplane::BlockIlu0::solve";
}

/// The same of those with M^T.
constexpr const char* transposed_label(Sweeps sweeps) {
  switch (sweeps) {
    case Sweeps::both: return "Hyperplane::BlockIlu0::solve_transposed";
    case Sweeps::forward: return "Hyperplane::BlockIlu0::solve_transposed::forward";
    case Sweeps::backward: return "Hyperplane::BlockIlu0::solve_transposed::backward";
  }
  return "Hyperplane::BlockIlu0::solve_transposed";
}

/// Vectors that a sweep takes together, so that it reads the factors once.
template <class Ref, int count>
struct VectorRefs {
  Ref m_refs[std::size_t{count}];
  HYPERPLANE_FUNCTION const Ref& operator[](int number) const { return m_refs[number]; }
};
/// Of vectors that follow one another.
template <int count, class Vector>
VectorRefs<typename Vector::Ref, count> vector_refs(const Vector* vectors) {
  return [&]<int... v>(std::integer_sequence<int, v...>) {
    return VectorRefs<typename Vector::Ref, count>{{vectors[v].ref()...}};
  }(std::make_integer_sequence<int, count>());
}

/// At most so many of them: the velocity components of a flow.
inline constexpr int max_right_hand_sides = 3;

/// The direction of block d of those that a sweep reads, without the inverse.
template <Sweep sweep>
HYPERPLANE_FUNCTION constexpr Direction sweep_direction(int d) {
  constexpr Direction forward[3] = {Direction::bottom, Direction::south, Direction::west};
  constexpr Direction backward[3] = {Direction::top, Direction::north, Direction::east};
  return sweep == Sweep::forward ? forward[d] : backward[d];
}

/// The factors d, L and U of M = (d + L)(I + d^-1 U) for kernels: L, d^-1 and d^-1 U in two streams, one for each
/// sweep, so that a solve reads every block once and at rising addresses, which hardware prefetching needs: the packs
/// of the upper stream are stored last first. Stored are their values in units of their own, where FactorScales are.
template <class Storage_, int n, int vector_length_>
struct TriangularFactors {
  using Storage = Storage_;
  /// That d^-1 is stored as.
  using Inverse = Storage;
  static constexpr int vector_length = vector_length_;
  static constexpr int block_entries = n * n;
  /// Values of a point that a sweep reads.
  static constexpr int lower_entries = lower_blocks * block_entries;
  static constexpr int upper_entries = upper_blocks * block_entries;
  /// Whether blocks of L and of d^-1 U have row_scales() and column_scales().
  static constexpr bool has_block_scales = false;
  using Map = SlabMap<vector_length>;
  using Lower = InterleavedRef<Storage, vector_length, lower_entries>;
  using Upper = InterleavedRef<Storage, vector_length, upper_entries>;

  using Scales = FactorScales<Storage, n, vector_length>;

  Map m_map;
  Lower m_lower;
  Upper m_upper;
  Scales m_scales{};

  HYPERPLANE_FUNCTION Storage* lower(std::int64_t pack, LowerBlock block) const {
    return m_lower.pack_data(pack, static_cast<int>(block) * block_entries);
  }
  HYPERPLANE_FUNCTION Storage* upper(std::int64_t pack, UpperBlock block) const {
    return m_upper.pack_data(m_map.pack_count() - 1 - pack, static_cast<int>(block) * block_entries);
  }

  /// The block that couples a point to its neighbour in a direction, in L or d^-1 U as the order of points has it.
  HYPERPLANE_FUNCTION Storage* coupling(std::int64_t pack, Direction direction) const {
    int const number = static_cast<int>(direction);
    return direction < Direction::center ? lower(pack, static_cast<LowerBlock>(number))
                                         : upper(pack, static_cast<UpperBlock>(stencil7_size - 1 - number));
  }
  HYPERPLANE_FUNCTION Storage* coupling(const Point& p, Direction direction) const {
    return coupling(m_map.pack(p.i, p.j, p.k), direction) + m_map.lane(p.j);
  }
  HYPERPLANE_FUNCTION Inverse* inverse(std::int64_t pack) const { return lower(pack, LowerBlock::inverse); }
  HYPERPLANE_FUNCTION Inverse* inverse(const Point& p) const {
    return inverse(m_map.pack(p.i, p.j, p.k)) + m_map.lane(p.j);
  }

  /// Where the order of the sweeps has a point of the grid, and what it calls a direction: that of the grid.
  HYPERPLANE_FUNCTION static Point point(const Point& p) { return p; }
  HYPERPLANE_FUNCTION static Direction direction(Direction d) { return d; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
