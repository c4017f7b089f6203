// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/ilu/detail/block_ilu0_cuda_columns.hpp>
#include <hyperplane/sweep/folded_place_cuda.hpp>
#include <hyperplane/sweep/plane_packs_cuda.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstdint>

#if defined(__CUDACC__)

/// The BILU(0) factorization of a group of points with one thread for each entry of each point's blocks, and the
/// inverse by Gauss-Jordan elimination in place in shared memory: the fine-grained scheme of "Optimization of A
/// Fine-grained BILU by CUDA Inter-block Synchronization" (Luo, Edwards, Luo, Mueller, Feng), with pivoting added.
///
/// Every entry sees the operations of the portable kernel in their order: the factors are the same bit by bit.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, class Storage, class MatrixStorage, int W, class Map = SlabMap<W>>
class FactorEntries {
  static constexpr int block = n * n;
  using PlaceType = typename PlaceOf<Map>::Type;
  static constexpr int before = PlaceType::template neighbours<Sweep::forward>;
  /// Products that are taken together: of all three neighbours, or of both in a direction.
  static constexpr int together = before > 3 ? 2 : 3;

 public:
  /// Lanes of a pack that are worked on together: as many as leave room for a thread for each entry.
  static constexpr int lanes = [] {
    int result = W;
    while (result * block > 1024) result /= 2;
    return result;
  }();
  static constexpr int items_per_pack = W / lanes;
  static constexpr int threads_per_item = lanes * block;
  static constexpr int most_threads = 1024;
  static constexpr int shared_values_per_item = 6 * block * lanes;

  using Arguments = FactorArguments<Storage, MatrixStorage>;

  __device__ FactorEntries(const Map& map, const Arguments& arguments, Scalar* shared)
      : m_map(map),
        m_arguments(arguments),
        m_u(threadIdx.x / lanes % n),
        m_v(threadIdx.x / (lanes * n) % n),
        m_points(blockDim.x / block),
        m_shared(shared + threadIdx.x / threads_per_item * lanes + threadIdx.x % lanes),
        m_place(map, 0, no_pack(), 0) {}

  /// Does all that does not depend on other planes.
  __device__ void load(int plane, const PlanePack& pack, int part) {
    m_excess = 0;
    m_place = PlaceType(m_map, plane, pack, part * lanes + threadIdx.x % lanes);
    m_own = m_place.stored_slot();
    auto const* const a =
        m_arguments.m_a + (m_place.m_pack * stencil7_size * block + m_v * n + m_u) * W + m_place.m_lane;
    auto const given = [&](Direction direction, bool wanted) {
      return wanted ? __ldcs(a + static_cast<int>(direction) * block * W) : MatrixStorage(0);
    };
#pragma unroll
    for (int d = 0; d < before; ++d) {
      m_before[d] =
          given(m_place.template direction<Sweep::forward>(d), m_place.template keeps<Sweep::forward>(m_map, d));
    }
    m_center = given(Direction::center, m_place.m_exists);
#pragma unroll
    for (int d = 0; d < 3; ++d) m_after[d] = given(m_place.template direction<Sweep::backward>(d), m_place.m_exists);
    for (int d = 0; d < before; ++d) {
      if (!m_place.template keeps<Sweep::forward>(m_map, d)) continue;
      *entry_of(m_own).coupling(m_place.template along<Sweep::forward>(d),
                                m_place.template is_lower<Sweep::forward>(d)) =
          static_cast<Storage>(static_cast<Scalar>(m_before[d]));
    }
  }

  /// Called by all threads of the block when the planes before are complete.
  __device__ void finish() {
    Scalar const value = invert(static_cast<Scalar>(m_center) + eliminated());
    auto const stored = static_cast<Storage>(value);
    m_excess += stored * Storage(0);
    if (m_place.m_exists) {
      *entry_of(m_own).inverse() = stored;
      if (!(m_excess == Storage(0))) record(unstorable_code);
    }
    at(2, m_u, m_v) = value;
#pragma unroll
    for (int b = 0; b < 3; ++b) at(3 + b, m_u, m_v) = static_cast<Scalar>(m_after[b]);
    __syncthreads();
    Scalar sum[3] = {};
#pragma unroll
    for (int m = 0; m < n; ++m) {
#pragma unroll
      for (int b = 0; b < 3; ++b) sum[b] = fma(at(2, m_u, m), at(3 + b, m, m_v), sum[b]);
    }
#pragma unroll
    for (int b = 0; b < 3; ++b) {
      if (!m_place.template keeps<Sweep::backward>(m_map, b)) continue;
      *entry_of(m_own).coupling(m_place.template along<Sweep::backward>(b),
                                m_place.template is_lower<Sweep::backward>(b)) = static_cast<Storage>(sum[b]);
    }
  }

 private:
  __device__ void record(int code) const {
    // Relaxed: the word carries everything, and it is read after the kernel.
    atomicMin(m_arguments.m_singular,
              static_cast<unsigned long long>(singular_pivot_word(m_place.number(m_map), code)));
  }
  /// The thread's entry of the factors of the point in a slot.
  __device__ FactorSlot<n, W, Storage> entry_of(std::int64_t slot) const {
    return {m_map, m_arguments.m_lower, m_arguments.m_upper, slot, m_v * n + m_u};
  }
  __device__ Scalar& at(int b, int u, int v) const { return m_shared[((b * n + v) * n + u) * m_points]; }

  /// 0 - L_b U[b] - L_s U[s] - L_w U[w] with the scaled upper blocks of the neighbours, or of up to six.
  __device__ Scalar eliminated() {
    bool has[before];
    Storage other[before];
#pragma unroll
    for (int d = 0; d < before; ++d) {
      has[d] = m_place.template takes<Sweep::forward>(m_map, d);
      auto const slot = has[d] ? m_place.template stored_neighbour_slot<Sweep::forward>(m_map, d) : m_own;
      auto const* const from = entry_of(slot).coupling(m_place.template along<Sweep::forward>(d),
                                                       !m_place.template is_lower<Sweep::forward>(d));
      other[d] = has[d] ? __ldcg(from) : Storage(0);
    }
    Scalar sum = 0;
#pragma unroll
    for (int first = 0; first < before; first += together) {
#pragma unroll
      for (int d = 0; d < together; ++d) {
        at(d, m_u, m_v) = static_cast<Scalar>(m_before[first + d]);
        at(3 + d, m_u, m_v) = static_cast<Scalar>(other[first + d]);
      }
      __syncthreads();
#pragma unroll
      for (int d = 0; d < together; ++d) {
        if (!has[first + d]) continue;
        if constexpr (sizeof(Storage) < sizeof(MatrixStorage)) {
          m_excess += static_cast<Storage>(m_before[first + d]) * Storage(0);
        }
#pragma unroll
        for (int m = 0; m < n; ++m) sum = fma(-at(d, m_u, m), at(3 + d, m, m_v), sum);
      }
      __syncthreads();
    }
    return sum;
  }

  /// The entry of the inverse, from the entry of the block. Every thread finds the pivots for itself; the two copies of
  /// the block in shared memory take turns, so that a step needs one barrier.
  __device__ Scalar invert(Scalar value) const {
    int rows[n];
    at(0, m_u, m_v) = value;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < n; ++r) {
      int const now = r % 2;
      Scalar largest = fabs(at(now, r, r));
      int row = r;
#pragma unroll
      for (int w = r + 1; w < n; ++w) {
        Scalar const candidate = fabs(at(now, w, r));
        if (candidate > largest) {
          largest = candidate;
          row = w;
        }
      }
      rows[r] = row;
      // Zero, infinity and NaN alike fail this test.
      if (m_u == r && m_v == r && m_place.m_exists && !(largest > Scalar(0) && largest * Scalar(0) == Scalar(0))) {
        record(r);
      }
      Scalar const reciprocal = Scalar(1) / at(now, row, r);
      Scalar const scaled = m_v == r ? reciprocal : at(now, row, m_v) * reciprocal;
      int const from = m_u == row ? r : m_u;
      Scalar const old = m_v == r ? Scalar(0) : at(now, from, m_v);
      value = m_u == r ? scaled : fma(-at(now, from, r), scaled, old);
      at(1 - now, m_u, m_v) = value;
      __syncthreads();
    }
    int column = m_v;
#pragma unroll
    for (int r = 0; r < n; ++r) {
      if (column == r) {
        column = rows[r];
      } else if (column == rows[r]) {
        column = r;
      }
    }
    return at(n % 2, m_u, column);
  }

  const Map& m_map;
  const Arguments& m_arguments;
  int m_u;
  int m_v;
  int m_points;
  Scalar* m_shared;
  PlaceType m_place;
  std::int64_t m_own = 0;  ///< slot of the point's factors
  MatrixStorage m_before[before];
  MatrixStorage m_center;
  MatrixStorage m_after[3];
  Storage m_excess = 0;  ///< not a number where what the thread stores is not finite
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail

#endif
