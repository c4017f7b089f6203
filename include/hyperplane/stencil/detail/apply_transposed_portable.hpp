// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A^T x of the block of a slot that points in a direction: what it contributes to the neighbour there.
template <class Scalar, int n, class Storage, int vector_length>
KOKKOS_FORCEINLINE_FUNCTION block::Vector<Scalar, n> transposed_product(
    const BlockStencil7Ref<Storage, n, vector_length>& a, const BlockVectorRef<Scalar, n, vector_length>& x,
    std::int64_t pack, int lane, Direction direction) {
  using Product = ProductScalar<Scalar, Storage>;
  using Given = block::LaneMatrix<Product, Storage, n, vector_length>;
  block::Vector<Product, n> values, product;
  HYPERPLANE_HOST_UNROLL
  for (int c = 0; c < n; ++c) {
    Scalar value = x.packs()(pack, c, lane);
    if constexpr (BlockStencil7Ref<Storage, n, vector_length>::has_units) {
      value *= a.template unit<Scalar>(pack, c, lane);
    }
    values[c] = static_cast<Product>(value);
  }
  block::gemv<n>(block::TransposedBlock<Given>{{a.pack_block(pack, direction) + lane}}, values, product);
  if constexpr (std::is_same_v<Product, Scalar>) {
    return product;
  } else {
    block::Vector<Scalar, n> result;
    for (int c = 0; c < n; ++c) result[c] = static_cast<Scalar>(product[c]);
    return result;
  }
}

/// y = A^T x, or y = b - A^T x, of the terms that are asked for: one thread for each point, which reads the blocks of
/// its neighbours that point to it.
template <bool subtract, class Scalar, int n, class Storage, int vector_length, class Terms>
struct ApplyTransposedPortable {
  BlockStencil7Ref<Storage, n, vector_length> m_a;
  BlockVectorRef<Scalar, n, vector_length> m_b;
  BlockVectorRef<Scalar, n, vector_length> m_x;
  BlockVectorRef<Scalar, n, vector_length> m_y;
  Terms m_terms;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const& map = m_a.map();
    Point const p = m_a.grid().point(number);
    block::Vector<Scalar, n> sum;
    for (int c = 0; c < n; ++c) sum[c] = subtract ? m_b(p, c) : Scalar(0);
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      Point const other = neighbour(p, direction);
      if (!m_terms.has(direction) || !m_a.grid().contains(other)) continue;
      auto const product = transposed_product<Scalar, n>(m_a, m_x, map.pack(other.i, other.j, other.k),
                                                         map.lane(other.j), opposite(direction));
      for (int c = 0; c < n; ++c) sum[c] = subtract ? sum[c] - product[c] : sum[c] + product[c];
    }
    for (int c = 0; c < n; ++c) m_y(p, c) = sum[c];
  }
};

template <bool subtract, class Scalar, int n, class Exec, class Storage, int vector_length, class Terms = AllTerms>
void apply_transposed_portable(const char* label, const Exec& exec,
                               const BlockStencil7Ref<Storage, n, vector_length>& a,
                               const BlockVectorRef<Scalar, n, vector_length>& b,
                               const BlockVectorRef<Scalar, n, vector_length>& x,
                               const BlockVectorRef<Scalar, n, vector_length>& y, const Terms& terms = {}) {
  launch(label, IndexRange<Exec>(exec, 0, a.grid().size()), apply_bytes<Scalar, Storage, n>,
         ApplyTransposedPortable<subtract, Scalar, n, Storage, vector_length, Terms>{a, b, x, y, terms});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
