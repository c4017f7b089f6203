// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include "typed_objects.hpp"

namespace hyperplane::run_time {

/// Grid blocks over ranks, with a number of unknowns at each point.
struct RankShape : DistributedGrid {
  int block_size;

  /// Of this rank.
  std::int64_t points() const { return local().size(); }
  std::int64_t rows() const { return points() * block_size; }

  friend bool operator==(const RankShape& a, const RankShape& b) {
    return static_cast<const DistributedGrid&>(a) == static_cast<const DistributedGrid&>(b) &&
           a.block_size == b.block_size;
  }
  /// "3 grid blocks (8x6x4, 8x6x4, 5x5x5) on 2 ranks, 5 unknowns at each point"
  friend std::string to_string(const RankShape& shape) {
    return to_string(static_cast<const DistributedGrid&>(shape)) + ", " + std::to_string(shape.block_size) +
           (shape.block_size == 1 ? " unknown" : " unknowns") + " at each point";
  }
};

/// A DistributedVector whose n is known at run time: the Krylov methods, which work on flat values, are compiled once.
template <class Exec>
class RankVector {
 public:
  using scalar_type = double;
  using execution_space = Exec;
  static constexpr int vector_length = vector_length_v<double, Exec>;
  using Flat = typename InterleavedView<double, vector_length, 1, Exec>::Flat;

  /// Allocates and sets to zero. Collective: where that fails on a rank, all ranks throw Error.
  RankVector(const Exec& exec, const RankShape& shape, const std::string& label = "Hyperplane::RankVector")
      : m_shape(shape), m_packs(shape.local()), m_values(shape.communicator().agree([&] {
          return InterleavedView<double, vector_length, 1, Exec>(exec, label, m_packs.count() * shape.block_size);
        })) {}

  const RankShape& grid() const { return m_shape; }
  const Flat& flat() const { return m_values.flat(); }

  /// The values of a grid block of this rank, by its number there.
  ShapedVector<Exec> part(int number) const {
    Shape const shape{m_shape.local().block(number), m_shape.block_size};
    return {shape, m_packs.part(flat(), number, shape.block_size * vector_length)};
  }

  /// The same values, for code that knows n.
  template <int n>
  DistributedVector<double, n, Exec> as() const {
    return DistributedVector<double, n, Exec>(m_shape, flat());
  }

 private:
  RankShape m_shape;
  detail::BlockPacks<vector_length> m_packs;
  InterleavedView<double, vector_length, 1, Exec> m_values;
};

}  // namespace hyperplane::run_time

/// All ranks agree on what a method does as they do of a DistributedGrid.
template <>
struct hyperplane::detail::KrylovProcesses<hyperplane::run_time::RankShape>
    : hyperplane::detail::KrylovProcesses<hyperplane::DistributedGrid> {};
