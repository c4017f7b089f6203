// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemv.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y = A x, or y = b - A x, of the terms that are asked for: one thread for each point. Products with neighbours
/// outside of the grid have their place in the sums.
template <bool subtract, class Scalar, int n, class Storage, int vector_length, class Terms, class Outside>
struct ApplyPortable {
  using Matrix = BlockStencil7Ref<Storage, n, vector_length>;
  using Product = ProductScalar<Scalar, Storage>;
  static_assert(!(subtract && Matrix::has_units), "a copy of 16 bits has products alone");

  Matrix m_a;
  BlockVectorRef<Scalar, n, vector_length> m_b;
  BlockVectorRef<Scalar, n, vector_length> m_x;
  BlockVectorRef<Scalar, n, vector_length> m_y;
  Terms m_terms;
  Outside m_outside;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    Point const p = m_a.grid().point(number);
    auto const pack = m_a.map().pack(p.i, p.j, p.k);
    int const lane = m_a.map().lane(p.j);
    block::Vector<Product, n> sum;
    for (int c = 0; c < n; ++c) sum[c] = subtract ? static_cast<Product>(m_b(p, c)) : Product(0);
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      Point const other = neighbour(p, direction);
      block::Vector<Product, n> x;
      if (!m_terms.has(direction) || !find(p, direction, other, x)) continue;
      block::LaneMatrix<Product, Storage, n, vector_length> const a{m_a.pack_block(pack, direction) + lane};
      if constexpr (subtract) {
        block::gemv_subtract<n>(a, x, sum);
      } else {
        block::gemv_add<n>(a, x, sum);
      }
    }
    for (int c = 0; c < n; ++c) {
      if constexpr (Matrix::has_units) {
        m_y(p, c) = m_a.template unit<Scalar>(pack, c, lane) * static_cast<Scalar>(sum[c]);
      } else {
        m_y(p, c) = sum[c];
      }
    }
  }

 private:
  /// The values of a neighbour; false where there is none.
  KOKKOS_FUNCTION bool find(const Point& p, Direction direction, const Point& other,
                            block::Vector<Product, n>& x) const {
    if (m_a.grid().contains(other)) {
      for (int c = 0; c < n; ++c) x[c] = static_cast<Product>(m_x(other, c));
      return true;
    }
    if constexpr (Outside::exists) {
      int const number = m_outside.number(direction, p);
      for (int c = 0; c < n && number >= 0; ++c) x[c] = static_cast<Product>(m_outside.values()(number, c));
      return number >= 0;
    }
    return false;
  }
};

template <bool subtract, class Scalar, int n, class Exec, class Storage, int vector_length, class Terms = AllTerms,
          class Outside = NoOutside>
void apply_portable(const char* label, const Exec& exec, const BlockStencil7Ref<Storage, n, vector_length>& a,
                    const BlockVectorRef<Scalar, n, vector_length>& b,
                    const BlockVectorRef<Scalar, n, vector_length>& x,
                    const BlockVectorRef<Scalar, n, vector_length>& y, const Terms& terms = {},
                    const Outside& outside = {}) {
  launch(label, IndexRange<Exec>(exec, 0, a.grid().size()), apply_bytes<Scalar, Storage, n>,
         ApplyPortable<subtract, Scalar, n, Storage, vector_length, Terms, Outside>{a, b, x, y, terms, outside});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
