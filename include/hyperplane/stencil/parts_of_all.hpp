// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cstdint>

/// Vectors and matrices of several grids in one allocation each, grid after grid: both have as many SIMD groups, so
/// that a number of these, `first_pack`, says where a grid begins.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The vector of a grid.
template <int n, class Scalar, int W>
HYPERPLANE_FUNCTION BlockVectorRef<Scalar, n, W> vector_part(const SlabMap<W>& map, std::int64_t first_pack,
                                                             Scalar* all) {
  return {map, InterleavedRef<Scalar, W, n>(all + first_pack * (n * W))};
}

/// The matrix of a grid.
template <int n, class Storage, int W>
HYPERPLANE_FUNCTION BlockStencil7Ref<Storage, n, W> matrix_part(const SlabMap<W>& map, std::int64_t first_pack,
                                                                Storage* all) {
  using Matrix = BlockStencil7Ref<Storage, n, W>;
  return Matrix(map, typename Matrix::Packs(all + first_pack * (Matrix::entries * W)));
}

/// All matrices, from that of a grid.
template <int n, class Storage, int W>
Storage* all_matrices(const BlockStencil7Ref<Storage, n, W>& part, std::int64_t first_pack) {
  return part.packs().pack_data(0) - first_pack * (BlockStencil7Ref<Storage, n, W>::entries * W);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
