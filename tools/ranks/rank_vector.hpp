// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_vector.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::tools {

/// Grid blocks over ranks, with a number of unknowns at each point.
struct RankShape : DistributedGrid {
  int block_size;

  friend bool operator==(const RankShape& a, const RankShape& b) {
    return static_cast<const DistributedGrid&>(a) == static_cast<const DistributedGrid&>(b) &&
           a.block_size == b.block_size;
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
      : m_shape(shape), m_values(shape.communicator().agree([&] {
          auto const packs = detail::BlockPacks<vector_length>(shape.local()).count();
          return InterleavedView<double, vector_length, 1, Exec>(exec, label, packs * shape.block_size);
        })) {}

  const RankShape& grid() const { return m_shape; }
  const Flat& flat() const { return m_values.flat(); }

  /// The same values, for code that knows n.
  template <int n>
  DistributedVector<double, n, Exec> as() const {
    return DistributedVector<double, n, Exec>(m_shape, flat());
  }

 private:
  RankShape m_shape;
  InterleavedView<double, vector_length, 1, Exec> m_values;
};

}  // namespace hyperplane::tools

/// All ranks agree on what a method does as they do of a DistributedGrid.
template <>
struct hyperplane::detail::KrylovProcesses<hyperplane::tools::RankShape>
    : hyperplane::detail::KrylovProcesses<hyperplane::DistributedGrid> {};
