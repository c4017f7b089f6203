// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "objects.hpp"

/// Vectors on grids of one execution space.
namespace hyperplane::run_time {

/// A BlockVector whose n is known at run time: the Krylov methods, which work on flat values, are compiled once.
template <ExecutionSpace Exec>
class ShapedVector {
 public:
  using scalar_type = double;
  using execution_space = Exec;
  using Flat = Kokkos::View<double*, typename Exec::memory_space>;
  static constexpr int vector_length = vector_length_v<double, Exec>;

  /// Allocates and sets to zero.
  ShapedVector(const Exec& exec, const Shape& shape, const std::string& label = "Hyperplane::Vector")
      : m_shape(shape), m_storage(exec, label, packs(shape)) {}
  /// A handle of values that exist, those of a grid block among others.
  ShapedVector(const Shape& shape, const Flat& values) : m_shape(shape), m_storage(packs(shape), values) {}

  const Shape& grid() const { return m_shape; }
  const Flat& flat() const { return m_storage.flat(); }
  /// That one has, padding included.
  static std::int64_t values(const Shape& shape) { return packs(shape) * vector_length; }

  /// The same values, for code that knows n.
  template <int n>
  BlockVector<double, n, Exec> as() const {
    return BlockVector<double, n, Exec>(m_shape.grid, flat());
  }

 private:
  static std::int64_t packs(const Shape& shape) {
    return SlabMap<vector_length>(shape.grid).pack_count() * shape.block_size;
  }

  Shape m_shape;
  InterleavedView<double, vector_length, 1, Exec> m_storage;
};

/// Right-hand sides of grids that are solved for together: as many as sweeps are compiled for anyway.
inline constexpr int grid_vectors = detail::max_right_hand_sides;

/// BlockVectors whose n is known at run time, as ShapedVector.
template <ExecutionSpace Exec>
class ShapedVectors {
 public:
  using scalar_type = double;
  using execution_space = Exec;
  using Flat = typename ShapedVector<Exec>::Flat;
  static constexpr int vectors = grid_vectors;
  static constexpr bool side_by_side = false;

  /// Allocates and sets to zero.
  ShapedVectors(const Exec& exec, const Shape& shape, const std::string& label)
      : m_flat(detail::make_zeros<double>(exec, label, vectors * ShapedVector<Exec>::values(shape))),
        m_vectors(parts(shape, m_flat, std::make_index_sequence<std::size_t{vectors}>())) {}

  const Shape& grid() const { return m_vectors.front().grid(); }
  const ShapedVector<Exec>& operator[](int j) const { return m_vectors[static_cast<std::size_t>(j)]; }
  const Flat& flat() const { return m_flat; }

  /// The same values, for code that knows n.
  template <int n>
  BlockVectors<double, n, vectors, Exec> as() const {
    return BlockVectors<double, n, vectors, Exec>(grid().grid, m_flat);
  }

 private:
  using Vectors = std::array<ShapedVector<Exec>, std::size_t{vectors}>;

  template <std::size_t... j>
  static Vectors parts(const Shape& shape, const Flat& flat, std::index_sequence<j...>) {
    auto const size = static_cast<std::size_t>(ShapedVector<Exec>::values(shape));
    return {ShapedVector<Exec>(shape, Flat(Kokkos::subview(flat, std::pair(j * size, (j + 1) * size))))...};
  }

  Flat m_flat;
  Vectors m_vectors;
};

}  // namespace hyperplane::run_time
