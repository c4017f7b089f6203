// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/ghost_rows.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where factors have two couplings, of lanes of SIMD groups.
template <class Storage>
struct GhostCoupling {
  const Storage* m_from;
  Storage* m_to;
};

/// An index is a value.
template <class Storage, int n, int vector_length>
struct CopyGhostCouplings {
  const GhostCoupling<Storage>* m_couplings;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& coupling = m_couplings[index / (n * n)];
    std::int64_t const entry = index % (n * n) * vector_length;
    coupling.m_to[entry] = coupling.m_from[entry];
  }
};

/// What rows of ghost points have for solves with M^T, after all factorizations: what couples the neighbour that a
/// ghost point stands for to the point next to it, in L or d^-1 U. So sweeps with M^T subtract at the point what they
/// do inside of a box. Those with M read it at ghost points alone.
template <class Storage, int n, int vector_length, ExecutionSpace Exec>
class TransposedGhosts {
 public:
  using Factors = TriangularFactors<Storage, n, vector_length>;

  /// A ghost point, and the coupling of the point next to it that it stands for.
  void add(const GhostRow& ghost, const FaceCoupling& coupling) { m_donors.emplace_back(ghost, coupling); }

  /// `factors` are those of the larger grids, and `coupling_back(coupling)` is where those of the donor have what
  /// couples it to the point. Waits for the instance.
  template <class CouplingBack>
  void connect(const Exec& exec, const std::vector<Factors>& factors, const CouplingBack& coupling_back) {
    std::vector<GhostCoupling<Storage>> copies;
    for (auto const& [ghost, coupling] : m_donors) {
      Storage* const row = factors[as_size(ghost.grid)].coupling(ghost.slot.pack - ghost.first_pack, ghost.inward);
      copies.push_back({coupling_back(coupling), row + ghost.slot.lane});
    }
    m_copies = to_space(exec, "Hyperplane::MultiBlock::transposed_ghosts", copies);
    m_donors = {};
  }

  /// When all factors are there.
  void copy(const Exec& exec) const {
    std::size_t const values = m_copies.size() * n * n;
    if (values == 0) return;
    launch("Hyperplane::MultiBlock::factor::transpose", LongIndexRange<Exec>(exec, 0, values), 2.0 * sizeof(Storage),
           CopyGhostCouplings<Storage, n, vector_length>{m_copies.data()});
  }

 private:
  std::vector<std::pair<GhostRow, FaceCoupling>> m_donors;
  Kokkos::View<GhostCoupling<Storage>*, typename Exec::memory_space> m_copies;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
