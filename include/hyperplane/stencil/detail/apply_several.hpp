// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// y = A x of several vectors, or A^T x, or what they leave of b, with A read from memory once.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On hosts: Product, an ApplySlab, of one vector after the other for as many steps as have their blocks in a core's
/// first cache, so that each vector has the operations that it has alone.
template <class Product, int count>
struct ApplySlabSeveral {
  Product m_products[std::size_t{count}];
  std::int64_t m_together;  ///< steps

  static constexpr std::int64_t steps_together(std::int64_t bytes_of_blocks) {
    constexpr std::int64_t cached = 16384;
    return std::max<std::int64_t>(1, cached / bytes_of_blocks);
  }

  void operator()(std::int64_t index) const {
    auto const all = m_products[0].steps_of(index);
    for (auto begin = all.m_begin; begin < all.m_end; begin += m_together) {
      auto const end = std::min(begin + m_together, all.m_end);
      for (auto const& product : m_products) product.run({all.m_slab, begin, end});
    }
  }
};

/// The same of Product, an ApplyTransposedSlab, for as many steps as have their blocks in its second cache.
template <class Product, int count>
struct ApplyTransposedSlabSeveral {
  Product m_products[std::size_t{count}];

  void operator()(std::int64_t index) const { Product::template run_together<count>(m_products, index); }
};

/// On devices: one thread for each equation of each slot of a SIMD group, lanes first, then equations, as ApplyCuda,
/// for all vectors. Transposed, it reads the blocks of the neighbours that point to its own.
template <bool subtract, bool transposed, class Scalar, int n, class Storage, int vector_length, int count>
struct ApplySeveral {
  using Vector = BlockVectorRef<Scalar, n, vector_length>;
  using Matrix = BlockStencil7Ref<Storage, n, vector_length>;
  using Product = ProductScalar<Scalar, Storage>;
  static_assert(!(subtract && Matrix::has_units), "a copy of 16 bits has products alone");

  Matrix m_a;
  Vector m_b[std::size_t{count}];
  Vector m_x[std::size_t{count}];
  Vector m_y[std::size_t{count}];

  std::int64_t size() const { return m_a.map().pack_count() * n * vector_length; }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& map = m_a.map();
    int const lane = static_cast<int>(index % vector_length), r = static_cast<int>(index / vector_length % n);
    auto const pack = index / (n * vector_length);
    Point p{};
    // Of padding nothing is written: it stays zero.
    if (!map.find_point(pack, lane, p)) return;
    std::conditional_t<transposed, Scalar, Product> sums[std::size_t{count}] = {};
    if constexpr (subtract) {
      HYPERPLANE_UNROLL
      for (int v = 0; v < count; ++v) sums[v] = m_b[v].packs()(pack, r, lane);
    }
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      Point const q = neighbour(p, direction);
      if (!m_a.grid().contains(q)) continue;
      auto const from = transposed ? map.pack(q.i, q.j, q.k) : pack;
      int const from_lane = transposed ? map.lane(q.j) : lane;
      const Storage* const a = m_a.pack_block(from, transposed ? opposite(direction) : direction) +
                               (transposed ? r * n * vector_length : r * vector_length) + from_lane;
      auto const other = map.distance(direction, lane, n) + lane;
      for (int c = 0; c < n; ++c) {
        auto const a_c = static_cast<Product>(a[c * (transposed ? 1 : n) * vector_length]);
        HYPERPLANE_UNROLL
        for (int v = 0; v < count; ++v) {
          Scalar x_c = m_x[v].packs().pack_data(pack)[other + c * vector_length];
          if constexpr (Matrix::has_units && transposed) x_c *= m_a.template unit<Scalar>(from, c, from_lane);
          auto const product = a_c * static_cast<Product>(x_c);
          sums[v] = subtract ? sums[v] - product : sums[v] + product;
        }
      }
    }
    HYPERPLANE_UNROLL
    for (int v = 0; v < count; ++v) {
      auto sum = static_cast<Scalar>(sums[v]);
      if constexpr (Matrix::has_units && !transposed) sum *= m_a.template unit<Scalar>(pack, r, lane);
      m_y[v].packs()(pack, r, lane) = sum;
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
