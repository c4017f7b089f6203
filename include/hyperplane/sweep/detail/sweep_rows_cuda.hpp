// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/folded_place_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

#if defined(__CUDACC__)

#include <hyperplane/cuda/load_streamed.hpp>

/// The two sweeps for a group of packs: one thread for each row of each point.
///
/// A thread's coefficients depend on nothing, so it loads them into registers while other planes are still under way;
/// what is left for the time after the wait is three loads, 4n multiplications and two exchanges in the block. Threads
/// are numbered lanes first, then rows, then packs: a warp reads whole sectors, in rising order.
///
/// The order of operations of each unknown is that of the portable kernels, one fused multiplication and addition for
/// each term, so that the result is theirs bit by bit.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a sweep works on; the right-hand side of the backward sweep is the result of the forward sweep. The packs of
/// `m_upper` are stored last first.
template <class Scalar, int n, class Storage, int W>
struct alignas(16) SweepArguments : FactorScales<Storage, n, W> {
  const Storage* m_lower;
  const Storage* m_upper;
  const Scalar* m_rhs;
  Scalar* m_x;
};
template <class Scalar, int n, class Storage, int W>
SweepArguments<Scalar, n, Storage, W> sweep_arguments(const TriangularFactors<Storage, n, W>& factors,
                                                      const BlockVectorRef<Scalar, n, W>& rhs,
                                                      const BlockVectorRef<Scalar, n, W>& x) {
  return {factors.m_scales, factors.m_lower.pack_data(0), factors.m_upper.pack_data(0), rhs.packs().pack_data(0),
          x.packs().pack_data(0)};
}

/// Shared memory of a sweep: the neighbours' unknowns and, for the one that multiplies by d^-1, the sums.
template <class Scalar, int n, int neighbours = 3>
constexpr int sweep_shared_values = n > 1 ? (neighbours + 1) * n : 0;

/// The thread's place in a group of packs.
template <int n, int W>
struct RowThread {
  static constexpr int threads_per_pack = n * W;
  int m_lane;
  int m_row;
  int m_pack;   ///< of the group
  int m_point;  ///< of the group: position of the point's values in shared memory

  __device__ RowThread()
      : m_lane(threadIdx.x % W),
        m_row(threadIdx.x / W % n),
        m_pack(threadIdx.x / threads_per_pack),
        m_point(m_pack * W + m_lane) {}
};

/// A sweep with M^T takes the blocks that neighbours have for the point. Map: SlabMap, or FoldedMap.
template <class Scalar, int n, class Storage, int W, Sweep sweep, bool transposed = false, class Map = SlabMap<W>>
class SweepRow {
  using PlaceType = typename PlaceOf<Map>::Type;
  static constexpr bool forward = sweep == Sweep::forward;
  /// Whether it takes L and d^-1, not d^-1 U.
  static constexpr bool takes_lower = forward != transposed;
  static constexpr int neighbours = PlaceType::template neighbours<sweep>;
  using Arguments = SweepArguments<Scalar, n, Storage, W>;
  static constexpr bool has_units = Arguments::exist;

 public:
  /// Loads all that does not depend on other planes.
  __device__ void load(const Map& map, const Arguments& arguments, const RowThread<n, W>& thread, int plane,
                       const PlanePack& pack) {
    PlaceType const place(map, plane, pack, thread.m_lane);
    m_exists = place.m_exists;
    Row const own(map, arguments.m_lower, arguments.m_upper, place.stored_slot(), first_entry(thread));
#pragma unroll
    for (int d = 0; d < neighbours; ++d) {
      m_has[d] = place.template takes<sweep>(map, d);
      m_neighbour[d] = place.template neighbour_slot<sweep>(map, d, n) + thread.m_row * W;
      int const along = place.template along<sweep>(d);
      bool const is_lower = place.template is_lower<sweep>(d);
      auto const* values = own.coupling(along, is_lower);
      if (transposed && m_has[d]) {
        auto const slot = place.template stored_neighbour_slot<sweep>(map, d);
        values = Row(map, arguments.m_lower, arguments.m_upper, slot, first_entry(thread)).coupling(along, !is_lower);
      }
#pragma unroll
      for (int c = 0; c < n; ++c) m_blocks[d][c] = m_has[d] ? load_streamed(values + c * stride * W) : Storage{};
    }
    m_own = place.slot(n) + thread.m_row * W;
    if constexpr (takes_lower) {
#pragma unroll
      for (int c = 0; c < n; ++c) {
        m_inverse[c] = m_exists ? load_streamed(own.inverse() + c * stride * W) : Storage{};
      }
    }
    if constexpr (has_units) load_units(arguments, thread.m_row);
    if constexpr (forward) m_sum = m_exists ? __ldcs(arguments.m_rhs + m_own) : Scalar(0);
  }

  /// Called by all threads of the block when the planes before are complete; `points` of a group are in `shared`.
  /// Unknowns are read past the first-level cache, which other multiprocessors' stores do not reach.
  __device__ void finish(const Arguments& arguments, const RowThread<n, W>& thread, Scalar* shared, int points) {
    Scalar x[neighbours];
#pragma unroll
    for (int d = 0; d < neighbours; ++d) x[d] = m_has[d] ? __ldcg(arguments.m_x + m_neighbour[d]) : Scalar(0);
    if constexpr (!forward) m_sum = m_exists ? __ldcg(arguments.m_rhs + m_own) : Scalar(0);
    if constexpr (has_units) {
#pragma unroll
      for (int d = 0; d < neighbours; ++d) x[d] *= m_of_neighbours[d];
      m_sum *= m_of_rhs;
    }
    compute(thread, shared, points, x);
    if constexpr (has_units) m_sum *= m_of_result;
    if (m_exists) arguments.m_x[m_own] = m_sum;
  }

 private:
  using Row = FactorSlot<n, W, const Storage>;
  /// The first entry of the thread's row, of the transposed block if that is what is taken, and from each to the next.
  __device__ static int first_entry(const RowThread<n, W>& thread) { return thread.m_row * (transposed ? n : 1); }
  static constexpr int stride = transposed ? 1 : n;

  /// What takes the thread's component into the units of the factors, and out of them, as SweepUnits of the portable
  /// path do. Those of equations are where vectors have their values.
  __device__ void load_units(const Arguments& arguments, int row) {
    auto const unknown = static_cast<Scalar>(arguments.unknown(row));
    auto const inverse = static_cast<Scalar>(arguments.unknown_inverse(row));
    Scalar const equation = takes_lower && m_exists ? static_cast<Scalar>(arguments.m_equations[m_own]) : Scalar(1);
    m_of_rhs = transposed ? unknown : takes_lower ? equation : inverse;
    m_of_result = !transposed ? unknown : takes_lower ? equation : inverse;
#pragma unroll
    for (int d = 0; d < neighbours; ++d) {
      m_of_neighbours[d] = transposed ? unknown : inverse;
      if constexpr (transposed && takes_lower) {
        m_of_neighbours[d] = m_has[d] ? 1 / static_cast<Scalar>(arguments.m_equations[m_neighbour[d]]) : Scalar(1);
      }
    }
  }

  /// From the neighbours' values of the thread's own component to the new value, in m_sum.
  __device__ void compute(const RowThread<n, W>& thread, Scalar* shared, int points, const Scalar (&x)[neighbours]) {
    // Where there is no neighbour, -0 * 0 is added, which changes no sum, not even one that is -0.
    if constexpr (n == 1) {
#pragma unroll
      for (int d = 0; d < neighbours; ++d) m_sum = fma(-static_cast<Scalar>(m_blocks[d][0]), x[d], m_sum);
      if constexpr (takes_lower) m_sum = fma(static_cast<Scalar>(m_inverse[0]), m_sum, Scalar(0));
    } else {
#pragma unroll
      for (int d = 0; d < neighbours; ++d) shared[(d * n + thread.m_row) * points + thread.m_point] = x[d];
      __syncthreads();
#pragma unroll
      for (int d = 0; d < neighbours; ++d) {
        // Most points of a folded order have three of six.
        if (neighbours > 3 && !m_has[d]) continue;
#pragma unroll
        for (int c = 0; c < n; ++c) {
          Scalar const value = shared[(d * n + c) * points + thread.m_point];
          m_sum = fma(-static_cast<Scalar>(m_blocks[d][c]), value, m_sum);
        }
      }
      if constexpr (takes_lower) {
        Scalar* const sums = shared + neighbours * n * points;
        sums[thread.m_row * points + thread.m_point] = m_sum;
        __syncthreads();
        m_sum = 0;
#pragma unroll
        for (int c = 0; c < n; ++c) {
          m_sum = fma(static_cast<Scalar>(m_inverse[c]), sums[c * points + thread.m_point], m_sum);
        }
      }
    }
  }

  Storage m_blocks[neighbours][n];
  Storage m_inverse[takes_lower ? n : 1];
  Scalar m_sum;
  // Of factors that have units.
  Scalar m_of_rhs;
  Scalar m_of_result;
  Scalar m_of_neighbours[neighbours];
  std::int64_t m_neighbour[neighbours];
  std::int64_t m_own;
  bool m_has[neighbours];
  bool m_exists;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#endif
