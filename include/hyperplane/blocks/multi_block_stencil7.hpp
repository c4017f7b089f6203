// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/outside_faces.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/stencil/grouped_apply_cuda.hpp>
#endif

#include <optional>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A block matrix on the seven-point stencil of all grid blocks: one allocation, in which each grid block has its part
/// as a BlockStencil7.
///
/// The block of a point that points out of its grid block is the coupling to the neighbour across the interface there,
/// if there is one: east of the last i multiplies the donor's point, whatever the donor's axes are. Elsewhere it is
/// ignored, as BlockStencil7 says.
///
/// Of 16 bits it is a copy for products, made by narrow(), and its parts are ScaledStencil7s, whose units are those of
/// whole rows, with the couplings: a box that is cut into grid blocks has the units and the bits of the box.
///
/// A shared handle with the semantics of a Kokkos::View. The constructor allocates on the given instance, lists the
/// points on interfaces on the host and waits for their copy; nothing else here allocates.
template <Real Scalar, int n, ExecutionSpace Exec, StorageReal StorageScalar = Scalar>
class MultiBlockStencil7 {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  static constexpr int block_size = n;
  static constexpr int vector_length = vector_length_v<Scalar, Exec>;
  using Block = NarrowedStencil7<Scalar, n, Exec, StorageScalar>;
  using Storage = typename Block::Storage;
  using GroupedApply = detail::GroupedApply<Scalar, n, Exec>;

  /// Allocates and sets to zero.
  MultiBlockStencil7(const Exec& exec, const MultiBlockGrid& grid,
                     const std::string& label = "Hyperplane::MultiBlockStencil7")
      : MultiBlockStencil7(exec, grid, detail::all_face_couplings(grid, detail::BlockPacks<vector_length>(grid)),
                           detail::BlockPacks<vector_length>(grid).numbers(grid), label) {}
  /// The rows of some grid blocks of a larger grid. The list has the couplings of their points, also to donors beyond
  /// the values of these grid blocks, in a vector that goes on there; numbers are those of the larger grid. Products
  /// are with such vectors.
  MultiBlockStencil7(const Exec& exec, const MultiBlockGrid& grid, const detail::FaceCouplingList& list,
                     const std::vector<detail::SlotNumbers<vector_length>>& numbers, const std::string& label)
      : m_grid(grid),
        m_packs(grid),
        m_storage(exec, label, m_packs.count()),
        m_numbers(detail::to_space(exec, "Hyperplane::MultiBlockGrid::numbers", numbers)),
        m_couplings(detail::to_space(exec, list)) {
    m_outside.emplace(exec, grid, list, detail::FaceCouplingList());
    m_grouped_apply.emplace(exec, m_packs.grids(grid), detail::grouped_packs(list, false));
  }

  const MultiBlockGrid& grid() const { return m_grid; }
  /// The part of a grid block, a handle of the same values. Of 16 bits it is not to be narrowed by itself, which would
  /// make its couplings zero.
  Block block(int number) const {
    return Block(m_grid.block(number), m_packs.part(m_storage.flat(), number, Block::Ref::entries * vector_length));
  }
  /// All of the storage as one contiguous array. Padding is zero and has to stay so.
  const typename Storage::Flat& flat() const { return m_storage.flat(); }
  /// Points on interfaces, for mask_points() and products with A^T.
  const detail::FaceCouplings<Exec>& couplings() const { return m_couplings; }
  /// The same points as grid blocks have them outside, for apply() and residual().
  const detail::OutsideFaces<Exec, vector_length>& outside() const { return *m_outside; }
  /// For apply() and residual() of several grid blocks.
  const GroupedApply& grouped_apply() const { return *m_grouped_apply; }
  /// The numbers of points in slots, by grid block, for mask_points().
  const Kokkos::View<detail::SlotNumbers<vector_length>*, memory_space>& numbers() const { return m_numbers; }

 private:
  MultiBlockGrid m_grid;
  detail::BlockPacks<vector_length> m_packs;
  Storage m_storage;
  Kokkos::View<detail::SlotNumbers<vector_length>*, memory_space> m_numbers;
  detail::FaceCouplings<Exec> m_couplings;
  std::optional<detail::OutsideFaces<Exec, vector_length>> m_outside;
  std::optional<GroupedApply> m_grouped_apply;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
