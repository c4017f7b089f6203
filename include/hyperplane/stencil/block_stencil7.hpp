// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A block matrix on the seven-point stencil: seven n x n blocks for each point of a grid.
///
/// Row block of point p: center * x[p] + west * x[i-1] + east * x[i+1] + south * x[j-1] + north * x[j+1] +
/// bottom * x[k-1] + top * x[k+1]. Blocks that point outside the grid are ignored, but by BlockTridiagonal
/// along periodic lines, whose ends they couple; where BlockIlu0 reads one that is not finite, its status names it. On
/// hosts apply() and residual(), and LineImplicit with them, multiply these blocks by zero, which costs less than to
/// leave them out: what is not finite there makes the product so, and Krylov methods break down and name the block.
/// Values are of type Storage and are computed with as Scalar: Storage = float with Scalar = double is the mixed form,
/// half the bytes. Kept in the compact SIMD-interleaved layout of the execution space (SlabMap).
///
/// A shared handle with the semantics of a Kokkos::View. Cost: 7 n^2 values of Storage per point and the padding of
/// SlabMap. The constructor allocates on the given instance and sets to zero; nothing else here allocates.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class BlockStencil7 {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  static_assert(sizeof(StorageScalar) <= sizeof(Scalar), "storage may be narrower than arithmetic, not wider");

  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Map = SlabMap<vector_length>;
  using Ref = BlockStencil7Ref<StorageScalar, n, vector_length>;
  using Storage = InterleavedView<StorageScalar, vector_length, stencil7_size * n * n, Exec>;

  /// Allocates and sets to zero.
  BlockStencil7(const Exec& exec, const Grid& grid, const std::string& label = "Hyperplane::BlockStencil7")
      : m_map(grid), m_storage(exec, label, m_map.pack_count()) {}

  /// A handle of values that exist: flat() of a matrix with blocks of this size on this grid. Throws Error where the
  /// number of values is another one.
  BlockStencil7(const Grid& grid, const typename Storage::Flat& values)
      : m_map(grid), m_storage(m_map.pack_count(), values) {
    if (static_cast<std::int64_t>(values.size()) != m_map.pack_count() * stencil7_size * n * n * vector_length) {
      fail("BlockStencil7: " + std::to_string(values.size()) + " values are not those of " + std::to_string(n) + " x " +
           std::to_string(n) + " blocks on a grid of " + to_string(grid) + " points");
    }
  }

  const Grid& grid() const { return m_map.grid(); }
  const Map& map() const { return m_map; }
  Ref ref() const { return Ref(m_map, m_storage.ref()); }
  /// All of the storage as one contiguous array. Padding is zero and has to stay so.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }

 private:
  Map m_map;
  Storage m_storage;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
