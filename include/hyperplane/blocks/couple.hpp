// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/host/prefetch.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Coefficients of couplings of the transposed matrix, read where they are: the donor's block that couples it to the
/// point, in 16 bits with the units of the donor's rows.
template <class Storage, int n, int vector_length>
struct TransposedCoefficients {
  using Matrix = BlockStencil7Ref<Storage, n, vector_length>;
  using Packs = typename Matrix::Packs;

  Packs m_packs;

  KOKKOS_FUNCTION auto operator()(const FaceCoupling& coupling, int r, int c) const {
    auto const& donor = coupling.donor;
    Storage const value = m_packs(donor.pack, (static_cast<int>(coupling.back) * n + r) * n + c, donor.lane);
    if constexpr (Matrix::has_units) {
      auto const unit = m_packs(donor.pack, Matrix::block_entries + c, donor.lane);
      return Matrix::template unit<double>(unit) * static_cast<double>(value);
    } else {
      return value;
    }
  }
  void prefetch(const FaceCoupling& coupling) const {
    host::prefetch_values(m_packs.pack_data(coupling.donor.pack, static_cast<int>(coupling.back) * n * n),
                          n * n * vector_length);
  }
};

/// A matrix of a grid block, as kernels have it, and where its SIMD groups begin.
template <class Storage>
struct MatrixOfBlock {
  const Storage* values;
  std::int64_t first_pack;
};

/// The same where each grid block has its matrix in memory of its own.
template <class Storage, int n, int vector_length>
struct TransposedCoefficientsOfBlocks {
  const MatrixOfBlock<Storage>* m_blocks;

  KOKKOS_FUNCTION Storage operator()(const FaceCoupling& coupling, int r, int c) const {
    return block(coupling)[(r * n + c) * vector_length + coupling.donor.lane];
  }
  void prefetch(const FaceCoupling& coupling) const { host::prefetch_values(block(coupling), n * n * vector_length); }

 private:
  KOKKOS_FUNCTION const Storage* block(const FaceCoupling& coupling) const {
    auto const [values, first_pack] = m_blocks[coupling.donor_block];
    InterleavedRef<const Storage, vector_length, stencil7_size * n * n> const packs(values);
    return packs.pack_data(coupling.donor.pack - first_pack, static_cast<int>(coupling.back) * n * n);
  }
};

/// The same, of coefficients that are kept one after the other, column by column: those of the coupling's reverse.
template <class Storage, int n>
struct KeptTransposes {
  const Storage* m_values;

  KOKKOS_FUNCTION Storage operator()(const FaceCoupling& coupling, int r, int c) const {
    return m_values[(std::int64_t{coupling.reverse} * n + r) * n + c];
  }
  void prefetch(const FaceCoupling& coupling) const {
    host::prefetch_values(m_values + std::int64_t{coupling.reverse} * (n * n), n * n);
  }
};

/// Values of donors, of which a process has its own in a vector, and those of other processes as ghost values, whose
/// SIMD groups are counted on from its own. One type for both, so that sums are the same code, with the same bits.
template <class Scalar, int n, int vector_length>
struct DonorValues {
  using Packs = InterleavedRef<Scalar, vector_length, n>;

  Packs m_own;
  Packs m_ghosts;
  std::int64_t m_own_packs;

  /// Of a vector alone.
  explicit DonorValues(Scalar* own) : DonorValues(own, own, std::numeric_limits<std::int64_t>::max()) {}
  DonorValues(Scalar* own, Scalar* ghosts, std::int64_t own_packs)
      : m_own(own), m_ghosts(ghosts), m_own_packs(own_packs) {}

  KOKKOS_FUNCTION bool is_own(const Slot& donor) const { return donor.pack < m_own_packs; }
  KOKKOS_FUNCTION Scalar operator()(const Slot& donor, int c) const { return first(donor)[c * vector_length]; }
  /// The first value of a donor; the next one is a SIMD group's length behind it.
  KOKKOS_FUNCTION const Scalar* first(const Slot& donor) const {
    const Scalar* const pack =
        is_own(donor) ? m_own.pack_data(donor.pack) : m_ghosts.pack_data(donor.pack - m_own_packs);
    return pack + donor.lane;
  }
};

/// What couplings add to the sum of a point: C x_q, of coefficients that are kept one after the other, column by
/// column.
template <class Scalar, int n, int vector_length, class Storage>
struct KeptTerms {
  const Storage* m_values;
  DonorValues<Scalar, n, vector_length> m_x;

  KOKKOS_FUNCTION void add(Scalar& sum, const FaceCoupling& coupling, int number, int r) const {
    for (int c = 0; c < n; ++c) {
      sum += static_cast<Scalar>(m_values[(std::int64_t{number} * n + c) * n + r]) * m_x(coupling.donor, c);
    }
  }
  /// Hosts see by themselves what comes next.
  void prefetch(const FaceCoupling&) const {}
};

/// The same of the transposed matrix. Each donor has a sum of its own, so that another process, which has its
/// coefficients, can send it: this is what a ghost value of such a donor is.
template <class Scalar, int n, int vector_length, class Coefficients>
struct TransposedTerms {
  Coefficients m_coefficients;
  DonorValues<Scalar, n, vector_length> m_x;

  KOKKOS_FUNCTION void add(Scalar& sum, const FaceCoupling& coupling, int /*number*/, int r) const {
    sum += m_x.is_own(coupling.donor) ? of_donor(coupling, r) : m_x(coupling.donor, r);
  }
  /// Of a donor of this process.
  KOKKOS_FUNCTION Scalar of_donor(const FaceCoupling& coupling, int r) const {
    Scalar sum(0);
    for (int c = 0; c < n; ++c) {
      sum += static_cast<Scalar>(m_coefficients(coupling, r, c)) * m_x(coupling.donor, c);
    }
    return sum;
  }
  void prefetch(const FaceCoupling& coupling) const {
    if (m_x.is_own(coupling.donor)) m_coefficients.prefetch(coupling);
  }
};

/// What donors of this process give to points of others, interleaved as vectors are: of each of `couplings`, as those
/// points have them, one value for each equation, and zero where there is none.
template <class Scalar, int n, int vector_length, class Coefficients>
struct GatherTransposedTerms {
  const FaceCoupling* m_couplings;
  TransposedTerms<Scalar, n, vector_length, Coefficients> m_terms;

  KOKKOS_FUNCTION Scalar operator()(std::int64_t index) const {
    auto const lane = index % vector_length;
    auto const row = index / vector_length;
    FaceCoupling const coupling = m_couplings[row / n * vector_length + lane];
    return coupling.donor.pack == no_point ? Scalar(0) : m_terms.of_donor(coupling, static_cast<int>(row % n));
  }
};

/// y_p += or -= the sum over the couplings of a point p; an index is an equation of a point.
template <bool subtract, class Scalar, int n, int vector_length, class Terms>
struct Couple {
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  Terms m_terms;
  InterleavedRef<Scalar, vector_length, n> m_y;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    FacePoint const point = m_points[index / n];
    int const r = static_cast<int>(index % n);
    Scalar sum(0);
    for (int number = point.begin; number < point.end; ++number) {
      FaceCoupling const coupling = m_couplings[number];
      m_terms.add(sum, coupling, number, r);
    }
    Scalar& y = m_y(point.slot.pack, r, point.slot.lane);
    y = subtract ? y - sum : y + sum;
  }
};

/// The same on hosts; an index is a point. Points on faces are far from one another, so that hosts do not see by
/// themselves what comes next.
template <bool subtract, class Scalar, int n, int vector_length, class Terms>
struct CouplePoints {
  static constexpr std::int64_t ahead = 4;  ///< 2 to 16 take the same time

  Couple<subtract, Scalar, n, vector_length, Terms> m_couple;
  std::int64_t m_size;

  void operator()(std::int64_t p) const {
    if (p + ahead < m_size) prefetch(m_couple.m_points[p + ahead]);
    for (int r = 0; r < n; ++r) m_couple(p * n + r);
  }

 private:
  void prefetch(const FacePoint& point) const {
    for (int number = point.begin; number < point.end; ++number) {
      m_couple.m_terms.prefetch(m_couple.m_couplings[number]);
    }
  }
};

/// The donors' vector and y may be one, where no point has a coupling to another of the list.
template <bool subtract, class Scalar, int n, int vector_length, ExecutionSpace Exec, class Terms>
void couple(const std::string& label, const Exec& exec, const FacePart& part, const Terms& terms, Scalar* y) {
  if (part.size == 0) return;
  using Indices = LongIndexRange<Exec>;
  double const bytes = 2.0 * n * sizeof(Scalar);  // of an equation
  Couple<subtract, Scalar, n, vector_length, Terms> const body{part.points, part.couplings, terms,
                                                               InterleavedRef<Scalar, vector_length, n>(y)};
  if constexpr (HostExecutionSpace<Exec>) {
    launch(label, Indices(exec, 0, part.size), n * bytes,
           CouplePoints<subtract, Scalar, n, vector_length, Terms>{body, part.size});
  } else {
    launch(label, Indices(exec, 0, part.size * n), bytes, body);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
