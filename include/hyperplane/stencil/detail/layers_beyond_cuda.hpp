// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a part of a box has beyond its first and its last layer: the values of the parts below and above it, which are
/// on other devices. Where there is no such part, any vector may stand for it.
template <class Scalar, int n, int W>
struct LayersBeyond {
  static constexpr bool exists = true;

  BlockVectorRef<Scalar, n, W> m_below;
  BlockVectorRef<Scalar, n, W> m_above;
  bool m_has_below;
  bool m_has_above;

  /// The first value of the neighbour of a point of the part that is not in the part, or nullptr where it has none.
  HYPERPLANE_FUNCTION const Scalar* at(const Point& p, Direction direction) const {
    if (direction == Direction::bottom && m_has_below) return at(m_below, p, m_below.grid().nk() - 1);
    if (direction == Direction::top && m_has_above) return at(m_above, p, 0);
    return nullptr;
  }

 private:
  HYPERPLANE_FUNCTION static const Scalar* at(const BlockVectorRef<Scalar, n, W>& x, const Point& p, int k) {
    return x.packs().pack_data(x.map().pack(p.i, p.j, k)) + x.map().lane(p.j);
  }
};

/// The same for products with A^T, which take the blocks that points of these layers have for the part.
template <class Scalar, class Storage, int n, int W>
struct BlocksBeyond : LayersBeyond<Scalar, n, W> {
  BlockStencil7Ref<Storage, n, W> m_a_below;
  BlockStencil7Ref<Storage, n, W> m_a_above;

  /// The block of the neighbour of a point of the part that points to it, where the neighbour is beyond.
  HYPERPLANE_FUNCTION const Storage* block(const Point& p, Direction direction) const {
    auto const& a = direction == Direction::bottom ? m_a_below : m_a_above;
    int const k = direction == Direction::bottom ? a.grid().nk() - 1 : 0;
    return a.pack_block(a.map().pack(p.i, p.j, k), opposite(direction)) + a.map().lane(p.j);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
