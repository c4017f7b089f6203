// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Several BlockVectors of one grid, as of several right-hand sides, one behind the other in one piece of memory, so
/// that what is read of a matrix for one of them serves all. Each is a BlockVector: pack(), unpack() and all else take
/// `vectors[j]`.
///
/// A shared handle with the semantics of a Kokkos::View. Memory: that of `count` BlockVectors.
template <Real Scalar, int n, int count, ExecutionSpace Exec>
class BlockVectors {
 public:
  static_assert(count >= 1 && count <= max_vectors);
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Vector = BlockVector<Scalar, n, Exec>;
  using Flat = typename Vector::Storage::Flat;
  static constexpr int block_size = n;
  static constexpr int vectors = count;
  /// Where methods find value e of vector j: at j times the values of one, and e.
  static constexpr bool side_by_side = false;

  /// Allocates and sets to zero.
  BlockVectors(const Exec& exec, const Grid& grid, const std::string& label = "Hyperplane::BlockVectors")
      : m_flat(detail::make_zeros<Scalar>(exec, label, count * values_of_one(grid))),
        m_vectors(parts(grid, m_flat, std::make_index_sequence<std::size_t{count}>())) {}

  /// A handle of values that exist: flat() of as many vectors with as many unknowns on this grid. Throws Error where
  /// the number of values is another one.
  BlockVectors(const Grid& grid, const Flat& values)
      : m_flat(checked(grid, values)), m_vectors(parts(grid, m_flat, std::make_index_sequence<std::size_t{count}>())) {}

  const Grid& grid() const { return m_vectors.front().grid(); }
  /// A handle of vector j.
  const Vector& operator[](int j) const { return m_vectors[detail::as_size(j)]; }
  /// Handles of all.
  std::span<const Vector, std::size_t{count}> all() const { return m_vectors; }
  /// All of the storage as one contiguous array, padding (zeros) included.
  const Flat& flat() const { return m_flat; }

 private:
  using Vectors = std::array<Vector, std::size_t{count}>;

  static std::int64_t values_of_one(const Grid& grid) {
    return typename Vector::Map(grid).pack_count() * n * Vector::vector_length;
  }
  static Flat checked(const Grid& grid, const Flat& values) {
    if (static_cast<std::int64_t>(values.size()) != count * values_of_one(grid)) {
      fail("BlockVectors: " + std::to_string(values.size()) + " values are not those of " + std::to_string(count) +
           " vectors of " + std::to_string(n) + " unknowns on a grid of " + to_string(grid) + " points");
    }
    return values;
  }
  template <std::size_t... j>
  static Vectors parts(const Grid& grid, const Flat& flat, std::index_sequence<j...>) {
    auto const size = detail::as_size(values_of_one(grid));
    return {Vector(grid, Flat(Kokkos::subview(flat, std::pair(j * size, (j + 1) * size))))...};
  }

  Flat m_flat;
  Vectors m_vectors;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
