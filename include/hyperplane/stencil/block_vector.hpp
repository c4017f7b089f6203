// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// n unknowns for each point of a grid, in the compact SIMD-interleaved layout of the execution space (SlabMap).
///
/// A shared handle with the semantics of a Kokkos::View: copies refer to the same values, and constness is that of the
/// handle. Padding is zero: axpy, dot products and norms may therefore run over flat(), all of the storage. Operations
/// keep it so as long as values are finite; pack() restores it after they were not. Cost: n values per point and the
/// padding of SlabMap. The constructor allocates on the given instance; nothing else here does.
template <Real Scalar, int n, ExecutionSpace Exec>
class BlockVector {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Map = SlabMap<vector_length>;
  using Ref = BlockVectorRef<Scalar, n, vector_length>;
  using Storage = InterleavedView<Scalar, vector_length, n, Exec>;

  /// Allocates and sets to zero.
  BlockVector(const Exec& exec, const Grid& grid, const std::string& label = "Hyperplane::BlockVector")
      : m_map(grid), m_storage(exec, label, m_map.pack_count()) {}

  /// A handle of values that exist: flat() of a vector with as many unknowns on this grid. Throws Error where the
  /// number of values is another one.
  BlockVector(const Grid& grid, const typename Storage::Flat& values)
      : m_map(grid), m_storage(m_map.pack_count(), values) {
    if (static_cast<std::int64_t>(values.size()) != m_map.pack_count() * n * vector_length) {
      fail("BlockVector: " + std::to_string(values.size()) + " values are not those of " + std::to_string(n) +
           " unknowns on a grid of " + to_string(grid) + " points");
    }
  }

  const Grid& grid() const { return m_map.grid(); }
  const Map& map() const { return m_map; }
  Ref ref() const { return Ref(m_map, m_storage.ref()); }

  /// All of the storage as one contiguous array, padding (zeros) included.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }

 private:
  Map m_map;
  Storage m_storage;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
