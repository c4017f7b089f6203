// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

/// What solves with the transpose take of couplings between colours.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Coefficients of couplings of the transposed factors, where these have them in order: what the donor's factors have
/// for the point.
template <class Storage, int n, int vector_length>
struct TransposedFactors {
  const TriangularFactors<Storage, n, vector_length>* m_factors;
  const std::int64_t* m_first_packs;

  KOKKOS_FUNCTION Storage operator()(const FaceCoupling& coupling, int r, int c) const {
    return block(coupling)[(r * n + c) * vector_length + coupling.donor.lane];
  }
  void prefetch(const FaceCoupling& coupling) const { host::prefetch_values(block(coupling), n * n * vector_length); }

 private:
  KOKKOS_FUNCTION const Storage* block(const FaceCoupling& coupling) const {
    int const b = coupling.donor_block;
    return m_factors[b].coupling(coupling.donor.pack - m_first_packs[b], coupling.back);
  }
};

/// Stores what points give to those of other processes; an index is a value.
template <class Scalar, int n, int vector_length, class Coefficients>
struct GiveTransposedTerms {
  GatherTransposedTerms<Scalar, n, vector_length, Coefficients> m_gather;
  Scalar* m_given;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const { m_given[index] = m_gather(index); }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
