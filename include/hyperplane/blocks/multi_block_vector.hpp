// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/block_vector.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// n unknowns for each point of all grid blocks: one allocation, in which each grid block has its part as a
/// BlockVector. A KrylovVector.
///
/// A shared handle with the semantics of a Kokkos::View. Padding is zero, see BlockVector. The constructor allocates on
/// the given instance; nothing else here does.
template <Real Scalar, int n, ExecutionSpace Exec>
class MultiBlockVector {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Block = BlockVector<Scalar, n, Exec>;
  using Storage = InterleavedView<Scalar, vector_length, n, Exec>;

  /// Allocates and sets to zero.
  MultiBlockVector(const Exec& exec, const MultiBlockGrid& grid,
                   const std::string& label = "Hyperplane::MultiBlockVector")
      : m_grid(grid), m_packs(grid), m_storage(exec, label, m_packs.count()) {}

  /// A handle of values that exist: flat() of a vector with as many unknowns on these grid blocks. Throws Error where
  /// the number of values is another one.
  MultiBlockVector(const MultiBlockGrid& grid, const typename Storage::Flat& values)
      : m_grid(grid), m_packs(grid), m_storage(m_packs.count(), values) {
    if (static_cast<std::int64_t>(values.size()) != m_packs.count() * n * vector_length) {
      fail("MultiBlockVector: " + std::to_string(values.size()) + " values are not those of " + std::to_string(n) +
           " unknowns on " + to_string(grid));
    }
  }

  const MultiBlockGrid& grid() const { return m_grid; }
  /// The part of a grid block, a handle of the same values.
  Block block(int number) const {
    return Block(m_grid.block(number), m_packs.part(m_storage.flat(), number, n * vector_length));
  }
  /// All of the storage as one contiguous array, padding (zeros) included.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }

 private:
  MultiBlockGrid m_grid;
  detail::BlockPacks<vector_length> m_packs;
  Storage m_storage;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
