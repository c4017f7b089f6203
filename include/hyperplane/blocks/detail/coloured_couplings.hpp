// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/block/gemm.hpp>
#include <hyperplane/block/matrix.hpp>
#include <hyperplane/blocks/detail/couple.hpp>
#include <hyperplane/blocks/detail/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// d of the points of a colour that have neighbours of lower ones: D_p - sum of C_pq (d_q^-1 C_qp), into the matrix,
/// with what was there kept for restore(); and a copy of the C_pq, which a solve needs when the matrix is gone.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct SubtractLowerNeighbours {
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const Storage* m_upper;      ///< d_q^-1 C_qp
  Storage* m_lower;            ///< C_pq
  MatrixStorage* m_diagonals;  ///< D_p as it was
  const FaceCoupling* m_reverse;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    FacePoint const point = m_points[p];
    MatrixStorage* const center = entries(point, Direction::center);
    block::Matrix<Scalar, n> d;
    for (int e = 0; e < n * n; ++e) {
      m_diagonals[p * (n * n) + e] = center[e * vector_length];
      d.m_entries[e] = static_cast<Scalar>(center[e * vector_length]);
    }
    for (int number = point.begin; number < point.end; ++number) {
      FaceCoupling const coupling = m_couplings[number];
      const MatrixStorage* const c = entries(point, coupling.direction);
      for (int e = 0; e < n * n; ++e) {
        m_lower[std::int64_t{number} * (n * n) + e] = static_cast<Storage>(c[e * vector_length]);
      }
      // Two of them, where the points are neighbours across two faces.
      for (int reverse = coupling.reverse_begin; reverse < coupling.reverse_end; ++reverse) {
        if (!(m_reverse[reverse].donor == point.slot)) continue;
        block::gemm_subtract<n>(block::LaneMatrix<Scalar, MatrixStorage, n, vector_length>{c},
                                block::LaneMatrix<Scalar, Storage, n, 1>{m_upper + std::int64_t{reverse} * (n * n)}, d);
      }
    }
    for (int e = 0; e < n * n; ++e) center[e * vector_length] = static_cast<MatrixStorage>(d.m_entries[e]);
  }

  KOKKOS_FUNCTION MatrixStorage* entries(const FacePoint& point, Direction direction) const {
    return m_a.pack_data(point.slot.pack, static_cast<int>(direction) * n * n) + point.slot.lane;
  }
};

/// The diagonal blocks as they were.
template <int n, class MatrixStorage, int vector_length>
struct RestoreDiagonals {
  const FacePoint* m_points;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const MatrixStorage* m_diagonals;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    auto const [pack, lane] = m_points[p].slot;
    MatrixStorage* const center = m_a.pack_data(pack, static_cast<int>(Direction::center) * n * n) + lane;
    for (int e = 0; e < n * n; ++e) center[e * vector_length] = m_diagonals[p * (n * n) + e];
  }
};

/// d_p^-1 C_pq of the couplings to higher colours.
template <class Scalar, int n, class Storage, class MatrixStorage, int vector_length>
struct ScaleUpperNeighbours {
  const FacePoint* m_points;
  const FaceCoupling* m_couplings;
  InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> m_a;
  const TriangularFactors<Storage, n, vector_length>* m_factors;
  Storage* m_upper;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    FacePoint const point = m_points[p];
    block::LaneMatrix<Scalar, Storage, n, vector_length> const inverse{
        m_factors[point.block].lower(point.pack, LowerBlock::inverse) + point.slot.lane};
    for (int number = point.begin; number < point.end; ++number) {
      block::LaneMatrix<Scalar, MatrixStorage, n, vector_length> const c{
          m_a.pack_data(point.slot.pack, static_cast<int>(m_couplings[number].direction) * n * n) + point.slot.lane};
      block::Matrix<Scalar, n> u;
      block::gemm<n>(inverse, c, u);
      for (int e = 0; e < n * n; ++e) {
        m_upper[std::int64_t{number} * (n * n) + e] = static_cast<Storage>(u.m_entries[e]);
      }
    }
  }
};

/// What Coupling::coloured adds to the factors of the grid blocks: C_pq for neighbours of lower colours, d_p^-1 C_pq
/// for those of higher ones.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class ColouredCouplings {
 public:
  using Factors = TriangularFactors<Storage, n, vector_length>;

  /// `factors` are those of the grid blocks. Waits for the instance.
  ColouredCouplings(const Exec& exec, const MultiBlockGrid& grid, const BlockPacks<vector_length>& packs,
                    const std::vector<int>& colours, const std::vector<Factors>& factors)
      : m_factors(to_space(exec, "Hyperplane::MultiBlock::factors", factors)) {
    FaceCouplingList lower, upper;
    m_lower_begin.push_back(0);
    m_upper_begin.push_back(0);
    for (int c = 0; c <= *std::ranges::max_element(colours); ++c) {
      auto const colour = [&](int block) { return colours[as_size(block)]; };
      auto const is_lower = [&](const Interface& i) { return colour(i.block) == c && colour(i.donor) < c; };
      auto const is_upper = [&](const Interface& i) { return colour(i.block) == c && colour(i.donor) > c; };
      append_face_couplings(grid, packs, is_lower, lower);
      append_face_couplings(grid, packs, is_upper, upper);
      m_lower_begin.push_back(lower.points.size());
      m_upper_begin.push_back(upper.points.size());
    }
    for (auto& coupling : lower.couplings) {
      auto const c = as_size(colours[as_size(coupling.donor_block)]);
      // All of them have their reverse: interfaces are listed from both sides.
      auto const begin = upper.points.begin();
      auto const donor =
          std::lower_bound(begin + static_cast<std::ptrdiff_t>(m_upper_begin[c]),
                           begin + static_cast<std::ptrdiff_t>(m_upper_begin[c + 1]), coupling.donor,
                           [](const FacePoint& point, const Slot& slot) {
                             return std::tuple(point.slot.pack, point.slot.lane) < std::tuple(slot.pack, slot.lane);
                           });
      coupling.reverse_begin = donor->begin;
      coupling.reverse_end = donor->end;
    }
    m_lower = to_space(exec, lower);
    m_upper = to_space(exec, upper);
    auto const values = [&](const char* what, std::size_t blocks) {
      std::string const label = std::string("Hyperplane::MultiBlock::") + what;
      return Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), blocks * n * n);
    };
    m_lower_values = values("lower", lower.couplings.size());
    m_upper_values = values("upper", upper.couplings.size());
    // As wide as a matrix may be.
    std::size_t most = 0;
    for (std::size_t c = 0; c + 1 < m_lower_begin.size(); ++c) {
      most = std::max(most, m_lower_begin[c + 1] - m_lower_begin[c]);
    }
    m_diagonals = Kokkos::View<Scalar*, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::MultiBlock::diagonals"), most * n * n);
  }

  int colours() const { return static_cast<int>(m_lower_begin.size()) - 1; }

  /// Calls factor() for the grid blocks of a colour, with what their neighbours of lower colours subtract from the
  /// diagonal blocks of A, and keeps the coefficients of the couplings. A is afterwards what it was.
  template <class MatrixStorage, class Factor>
  void factor(const Exec& exec, int colour, MatrixStorage* a, const Factor& factor) const {
    using Matrix = InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n>;
    Matrix const matrix(a);
    auto const lower = lower_part(colour), upper = upper_part(colour);
    auto* const diagonals = reinterpret_cast<MatrixStorage*>(m_diagonals.data());
    constexpr double bytes = 2.0 * n * n * sizeof(MatrixStorage);
    using Subtract = SubtractLowerNeighbours<Scalar, n, Storage, MatrixStorage, vector_length>;
    run("Hyperplane::MultiBlock::factor::subtract", exec, lower.size, n * bytes,
        Subtract{lower.points, lower.couplings, matrix, m_upper_values.data(), m_lower_values.data(), diagonals,
                 m_upper.couplings.data()});
    factor();
    run("Hyperplane::MultiBlock::factor::restore", exec, lower.size, bytes,
        RestoreDiagonals<n, MatrixStorage, vector_length>{lower.points, matrix, diagonals});
    run("Hyperplane::MultiBlock::factor::scale", exec, upper.size, n * bytes,
        ScaleUpperNeighbours<Scalar, n, Storage, MatrixStorage, vector_length>{
            upper.points, upper.couplings, matrix, m_factors.data(), m_upper_values.data()});
  }

  /// r_p -= sum of C_pq y_q, before the forward sweep of a colour.
  void subtract_lower(const Exec& exec, int colour, Scalar* x) const {
    couple<true, Scalar, n, vector_length>("Hyperplane::MultiBlock::solve::lower", exec, lower_part(colour),
                                           KeptCoefficients<Storage, n>{m_lower_values.data()}, x, x);
  }
  /// y_p -= sum of d_p^-1 C_pq x_q, before the backward sweep of a colour.
  void subtract_upper(const Exec& exec, int colour, Scalar* x) const {
    couple<true, Scalar, n, vector_length>("Hyperplane::MultiBlock::solve::upper", exec, upper_part(colour),
                                           KeptCoefficients<Storage, n>{m_upper_values.data()}, x, x);
  }

 private:
  using Values = Kokkos::View<Storage*, typename Exec::memory_space>;

  template <class Kernel>
  static void run(const char* label, const Exec& exec, std::int64_t points, double bytes, const Kernel& kernel) {
    if (points == 0) return;
    launch(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, points), bytes, kernel);
  }
  FacePart lower_part(int colour) const {
    return m_lower.part(m_lower_begin[as_size(colour)], m_lower_begin[as_size(colour) + 1]);
  }
  FacePart upper_part(int colour) const {
    return m_upper.part(m_upper_begin[as_size(colour)], m_upper_begin[as_size(colour) + 1]);
  }

  Kokkos::View<Factors*, typename Exec::memory_space> m_factors;
  /// Points in the order of the colours.
  FaceCouplings<Exec> m_lower, m_upper;
  std::vector<std::size_t> m_lower_begin, m_upper_begin;
  Values m_lower_values, m_upper_values;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_diagonals;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
