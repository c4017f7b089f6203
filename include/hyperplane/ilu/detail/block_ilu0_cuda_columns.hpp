// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/folded_place_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

/// What a factorization works on. The packs of `m_upper` are stored last first.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Storage, class MatrixStorage>
struct alignas(16) FactorArguments {
  const MatrixStorage* m_a;
  Storage* m_lower;
  Storage* m_upper;
  /// Lowest singular_pivot_word.
  unsigned long long* m_singular;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#if defined(__CUDACC__)

/// The BILU(0) factorization of a group of packs: one thread for each column of each point's blocks, in registers;
/// what all columns need, the lower blocks and the pivot columns, passes through shared memory.
///
/// As for the solve, what comes from the matrix is loaded before the wait, and every entry sees the operations of the
/// portable kernel in their order, so that the factors are the same bit by bit. For blocks that fit in registers: n <=
/// 8 (larger ones are FactorEntries').
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Storage, class MatrixStorage, int W, class Map = SlabMap<W>>
class FactorColumn {
  static constexpr int block = n * n;
  using PlaceType = typename PlaceOf<Map>::Type;
  static constexpr int before = PlaceType::template neighbours<Sweep::forward>;

 public:
  static constexpr int threads_per_pack = n * W;
  /// Shared memory for each point: blocks for points before it, the pivot columns of two steps, their rows and
  /// reciprocals.
  static constexpr int shared_values = before * block + 2 * (n + 2);

  using Arguments = FactorArguments<Storage, MatrixStorage>;

  __device__ FactorColumn(const Map& map, const Arguments& arguments, int plane, const PlanePack& pack, Scalar* shared,
                          int points)
      : m_place(map, plane, pack, threadIdx.x % W),
        m_column(threadIdx.x / W % n),
        m_points(points),
        m_shared(shared + threadIdx.x / threads_per_pack * W + threadIdx.x % W),
        m_a(arguments.m_a + (m_place.m_pack * stencil7_size * block + m_column * n) * W + m_place.m_lane),
        m_own(m_place.stored_slot()) {}

  /// Does all that does not depend on other planes.
  __device__ void load(const Map& map, const Arguments& arguments) {
    auto const own = column_of(map, arguments, m_own, m_column);
    // All loads are under way before the first value is needed.
    MatrixStorage values[before][n];
#pragma unroll
    for (int d = 0; d < before; ++d) {
      bool const kept = m_place.template keeps<Sweep::forward>(map, d);
      auto const direction = m_place.template direction<Sweep::forward>(d);
#pragma unroll
      for (int u = 0; u < n; ++u) values[d][u] = given(direction, u, kept);
    }
#pragma unroll
    for (int u = 0; u < n; ++u) m_given[0][u] = given(Direction::center, u, m_place.m_exists);
#pragma unroll
    for (int b = 1; b < 4; ++b) {
      auto const direction = m_place.template direction<Sweep::backward>(3 - b);
#pragma unroll
      for (int u = 0; u < n; ++u) m_given[b][u] = given(direction, u, m_place.m_exists);
    }
#pragma unroll
    for (int d = 0; d < before; ++d) {
      bool const kept = m_place.template keeps<Sweep::forward>(map, d);
      auto* const block =
          own.coupling(m_place.template along<Sweep::forward>(d), m_place.template is_lower<Sweep::forward>(d));
#pragma unroll
      for (int u = 0; u < n; ++u) {
        shared_block(d, u, m_column) = static_cast<Scalar>(values[d][u]);
        if (kept) block[u * W] = static_cast<Storage>(static_cast<Scalar>(values[d][u]));
      }
    }
  }

  /// Called by all threads of the block when the planes before are complete.
  __device__ void finish(const Map& map, const Arguments& arguments) {
    Scalar d[n];
    eliminate(map, arguments, d);
#pragma unroll
    for (int u = 0; u < n; ++u) d[u] = static_cast<Scalar>(m_given[0][u]) + d[u];
    int const column = invert(map, arguments, d);
    auto* const inverse = column_of(map, arguments, m_own, column).inverse();
#pragma unroll
    for (int u = 0; u < n; ++u) {
      shared_block(0, u, column) = d[u];
      auto const stored = static_cast<Storage>(d[u]);
      m_excess += stored * Storage(0);
      if (m_place.m_exists) inverse[u * W] = stored;
    }
    if (m_place.m_exists && !(m_excess == Storage(0))) record(map, arguments, unstorable_code);
    __syncthreads();
    scale(map, arguments);
  }

 private:
  __device__ void record(const Map& map, const Arguments& arguments, int code) const {
    // Relaxed: the word carries everything, and it is read after the kernel.
    atomicMin(arguments.m_singular, static_cast<unsigned long long>(singular_pivot_word(m_place.number(map), code)));
  }

  __device__ MatrixStorage given(Direction direction, int u, bool wanted) const {
    return wanted ? __ldcs(m_a + (static_cast<int>(direction) * block + u) * W) : MatrixStorage(0);
  }

  /// A column of the factors of the point in a slot.
  __device__ static FactorSlot<n, W, Storage> column_of(const Map& map, const Arguments& arguments, std::int64_t slot,
                                                        int column) {
    return {map, arguments.m_lower, arguments.m_upper, slot, column * n};
  }

  __device__ Scalar& shared_block(int b, int u, int v) { return m_shared[((b * n + v) * n + u) * m_points]; }
  __device__ Scalar& shared_pivot(int step, int entry) {
    return m_shared[(before * block + step % 2 * (n + 2) + entry) * m_points];
  }

  /// sum = 0 - L_b U[b] - L_s U[s] - L_w U[w] with the scaled upper blocks of the neighbours, or of up to six.
  __device__ void eliminate(const Map& map, const Arguments& arguments, Scalar (&sum)[n]) {
#pragma unroll
    for (int u = 0; u < n; ++u) sum[u] = Scalar(0);
    Storage values[before][n];
#pragma unroll
    for (int d = 0; d < before; ++d) {
      bool const has = m_place.template takes<Sweep::forward>(map, d);
      auto const slot = has ? m_place.template stored_neighbour_slot<Sweep::forward>(map, d) : m_own;
      auto const* const from =
          column_of(map, arguments, slot, m_column)
              .coupling(m_place.template along<Sweep::forward>(d), !m_place.template is_lower<Sweep::forward>(d));
#pragma unroll
      for (int m = 0; m < n; ++m) values[d][m] = has ? __ldcg(from + m * W) : Storage(0);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < before; ++d) {
      if (!m_place.template takes<Sweep::forward>(map, d)) continue;
      if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
#pragma unroll
        for (int u = 0; u < n; ++u) m_excess += static_cast<Storage>(shared_block(d, u, m_column)) * Storage(0);
      }
#pragma unroll
      for (int m = 0; m < n; ++m) {
        auto const value = static_cast<Scalar>(values[d][m]);
#pragma unroll
        for (int u = 0; u < n; ++u) sum[u] = fma(-shared_block(d, u, m), value, sum[u]);
      }
    }
  }

  /// Gauss-Jordan elimination with partial pivoting, as block::invert: d is the thread's column, first of the block,
  /// then of the inverse with its columns exchanged. Returns which column of the inverse it is.
  __device__ int invert(const Map& map, const Arguments& arguments, Scalar (&d)[n]) {
    int rows[n];
#pragma unroll
    for (int r = 0; r < n; ++r) {
      if (m_column == r) {
        Scalar largest = fabs(d[r]);
        int row = r;
#pragma unroll
        for (int u = r + 1; u < n; ++u) {
          Scalar const candidate = fabs(d[u]);
          if (candidate > largest) {
            largest = candidate;
            row = u;
          }
        }
        exchange(d, r, row);
        // Zero, infinity and NaN alike fail this test.
        if (m_place.m_exists && !(largest > Scalar(0) && largest * Scalar(0) == Scalar(0))) record(map, arguments, r);
        Scalar const reciprocal = Scalar(1) / d[r];
#pragma unroll
        for (int u = 0; u < n; ++u) {
          if (u == r) continue;
          shared_pivot(r, u) = d[u];
          d[u] = Scalar(0);
        }
        d[r] = Scalar(1);
        shared_pivot(r, n) = reciprocal;
        shared_pivot(r, n + 1) = static_cast<Scalar>(row);
      }
      if constexpr (n > 1) __syncthreads();
      rows[r] = static_cast<int>(shared_pivot(r, n + 1));
      if (m_column != r) exchange(d, r, rows[r]);
      d[r] *= shared_pivot(r, n);
#pragma unroll
      for (int u = 0; u < n; ++u) {
        if (u != r) d[u] = fma(-shared_pivot(r, u), d[r], d[u]);
      }
    }
    int column = m_column;
#pragma unroll
    for (int r = n - 1; r >= 0; --r) {
      if (column == r) {
        column = rows[r];
      } else if (column == rows[r]) {
        column = r;
      }
    }
    return column;
  }

  /// Exchanges d[r] and d[row], row >= r, without an index that only the run knows.
  __device__ static void exchange(Scalar (&d)[n], int r, int row) {
    Scalar const old = d[r];
#pragma unroll
    for (int u = 0; u < n; ++u) {
      if (u <= r || u != row) continue;
      d[r] = d[u];
      d[u] = old;
    }
  }

  /// Multiplies the upper blocks by the inverse, which is block 0 in shared memory.
  __device__ void scale(const Map& map, const Arguments& arguments) {
    auto const own = column_of(map, arguments, m_own, m_column);
    Scalar sum[3][n];
#pragma unroll
    for (int b = 0; b < 3; ++b) {
#pragma unroll
      for (int u = 0; u < n; ++u) sum[b][u] = Scalar(0);
    }
#pragma unroll
    for (int m = 0; m < n; ++m) {
      Scalar value[3];
#pragma unroll
      for (int b = 0; b < 3; ++b) value[b] = static_cast<Scalar>(m_given[3 - b][m]);
#pragma unroll
      for (int u = 0; u < n; ++u) {
        Scalar const inverse = shared_block(0, u, m);
#pragma unroll
        for (int b = 0; b < 3; ++b) sum[b][u] = fma(inverse, value[b], sum[b][u]);
      }
    }
#pragma unroll
    for (int b = 0; b < 3; ++b) {
      if (!m_place.template keeps<Sweep::backward>(map, b)) continue;
      auto* const upper =
          own.coupling(m_place.template along<Sweep::backward>(b), m_place.template is_lower<Sweep::backward>(b));
#pragma unroll
      for (int u = 0; u < n; ++u) upper[u * W] = static_cast<Storage>(sum[b][u]);
    }
  }

  PlaceType m_place;
  int m_column;
  int m_points;
  Scalar* m_shared;
  const MatrixStorage* m_a;
  std::int64_t m_own;           ///< slot of the point's factors
  MatrixStorage m_given[4][n];  ///< center, and for the points after it: east, north, top
  Storage m_excess = 0;         ///< not a number where what the thread stores is not finite
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#endif
