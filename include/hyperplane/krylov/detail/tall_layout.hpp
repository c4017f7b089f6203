// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the values of several vectors of as many elements are: side by side, that of element e of vector j at
/// e * vectors + j, or those of one vector behind those of the other, at j * size + e.
template <int vectors_, bool side_by_side_>
struct TallLayout {
  static constexpr int vectors = vectors_;
  static constexpr bool side_by_side = side_by_side_;
  /// Vectors whose values of an element follow one another.
  static constexpr int beside = side_by_side ? vectors : 1;

  std::int64_t m_size;  ///< elements

  KOKKOS_FUNCTION std::int64_t places() const { return m_size * vectors; }
  KOKKOS_FUNCTION std::int64_t place(std::int64_t e, int j) const {
    return side_by_side ? e * vectors + j : j * m_size + e;
  }
  /// The vector whose value is at a place.
  KOKKOS_FUNCTION int vector_at(std::int64_t place) const {
    return static_cast<int>(side_by_side ? place % vectors : place / m_size);
  }
  KOKKOS_FUNCTION std::int64_t element_at(std::int64_t place, int j) const {
    return side_by_side ? place / vectors : place - j * m_size;
  }
};

/// That of PointVectors, or of BlockVectors.
template <class Vectors>
using TallLayoutOf = TallLayout<Vectors::vectors, Vectors::side_by_side>;

/// One of `chunks` parts of the elements, for each of the vectors that are beside one another from the first on.
struct TallChunk {
  int m_first;
  std::int64_t m_chunk;

  KOKKOS_FUNCTION static TallChunk of(std::int64_t index, std::int64_t chunks) {
    return {static_cast<int>(index / chunks), index % chunks};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
