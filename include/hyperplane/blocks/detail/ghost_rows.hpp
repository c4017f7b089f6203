// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// What factorizations and sweeps of grids with ghost points do with those: see BoxesInOrder.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The row of a ghost point, and the point next to it, if there is one that is coupled to it. Packs are counted over
/// all grids.
struct GhostRow {
  Slot slot{};
  Slot point{};
  int grid = 0;
  std::int64_t first_pack = 0;           ///< of its grid
  Direction inward = Direction::center;  ///< to the point
  /// What it stands for, unless that is nothing; other parts of this process have SIMD groups of any numbers.
  bool has_donor = false;
  Slot donor{};
  int number = -1;  ///< of the coupling to a higher colour, of the two between it and the point

  /// Whether it comes before the point.
  KOKKOS_FUNCTION bool is_lower() const { return inward > Direction::center; }
};

/// A block of the matrix that couples a point to a ghost point that stands for nothing.
struct ClosedFace {
  Slot point{};
  Direction direction = Direction::center;
};

template <class Scalar, int n, int vector_length>
struct CloseFaces {
  const ClosedFace* m_faces;
  InterleavedRef<Scalar, vector_length, stencil7_size * n * n> m_a;

  KOKKOS_FUNCTION void operator()(std::int64_t f) const {
    auto const& [point, direction] = m_faces[f];
    Scalar* const entries = m_a.pack_data(point.pack, static_cast<int>(direction) * n * n) + point.lane;
    for (int e = 0; e < n * n; ++e) entries[e * vector_length] = Scalar(0);
  }
};

/// The rows of ghost points: the unit matrix, and of those before their point the block that couples them to it, so
/// that what is subtracted at the point is what its neighbour has left. `upper` is null where nothing is subtracted.
template <class Scalar, int n, class Storage, int vector_length>
struct SetGhostRows {
  const GhostRow* m_ghosts;
  InterleavedRef<Scalar, vector_length, stencil7_size * n * n> m_a;
  const Storage* m_upper;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    auto const& ghost = m_ghosts[g];
    Scalar* const center = entries(ghost, Direction::center);
    for (int c = 0; c < n; ++c) center[c * (n + 1) * vector_length] = Scalar(1);
    if (m_upper == nullptr || ghost.number < 0 || !ghost.is_lower()) return;
    Scalar* const to_point = entries(ghost, ghost.inward);
    for (int e = 0; e < n * n; ++e) {
      to_point[e * vector_length] = static_cast<Scalar>(m_upper[std::int64_t{ghost.number} * (n * n) + e]);
    }
  }

 private:
  KOKKOS_FUNCTION Scalar* entries(const GhostRow& ghost, Direction direction) const {
    return m_a.pack_data(ghost.slot.pack, static_cast<int>(direction) * n * n) + ghost.slot.lane;
  }
};

/// After a factorization: sweeps leave ghost points what they are, and d_p^-1 C_pq of couplings to higher colours are
/// kept for the points that have them next to a ghost point. `upper` is null where nothing is subtracted.
template <class Scalar, int n, class Storage, int vector_length>
struct KeepGhostRows {
  const GhostRow* m_ghosts;
  const TriangularFactors<Storage, n, vector_length>* m_factors;
  Storage* m_upper;

  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    auto const& ghost = m_ghosts[g];
    auto const& factors = m_factors[ghost.grid];
    Storage* const inverse = factors.lower(ghost.slot.pack - ghost.first_pack, LowerBlock::inverse) + ghost.slot.lane;
    for (int e = 0; e < n * n; ++e) {
      inverse[e * vector_length] = static_cast<Storage>(Scalar(e % (n + 1) == 0 ? 1 : 0));
    }
    if (m_upper == nullptr || ghost.number < 0 || ghost.is_lower()) return;
    const Storage* const outward =
        factors.coupling(ghost.point.pack - ghost.first_pack, opposite(ghost.inward)) + ghost.point.lane;
    for (int e = 0; e < n * n; ++e) m_upper[std::int64_t{ghost.number} * (n * n) + e] = outward[e * vector_length];
  }
};

/// Before a sweep: ghost points that come before, or after, have the values that they stand for; the others zero. An
/// index is an equation of a point.
template <class Scalar, int n, int vector_length>
struct SetGhosts {
  const GhostRow* m_ghosts;
  DonorValues<Scalar, n, vector_length> m_values;
  InterleavedRef<Scalar, vector_length, n> m_x;
  bool m_lower;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& ghost = m_ghosts[index / n];
    int const r = static_cast<int>(index % n);
    bool const has_value = ghost.has_donor && ghost.is_lower() == m_lower;
    m_x(ghost.slot.pack, r, ghost.slot.lane) = has_value ? m_values(ghost.donor, r) : Scalar(0);
  }
};

/// A point that is a neighbour of points of higher colours: where vectors of grid blocks have it, and the larger grids.
struct FaceSlots {
  Slot own{};
  Slot placed{};
};

/// After a forward sweep: what points of higher colours read. An index is an equation of a point.
template <class Scalar, int n, int vector_length>
struct GiveFaces {
  const FaceSlots* m_faces;
  InterleavedRef<Scalar, vector_length, n> m_from;
  InterleavedRef<Scalar, vector_length, n> m_x;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& [own, placed] = m_faces[index / n];
    int const r = static_cast<int>(index % n);
    m_x(own.pack, r, own.lane) = m_from(placed.pack, r, placed.lane);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
