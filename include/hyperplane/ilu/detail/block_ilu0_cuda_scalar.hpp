// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/ilu/detail/point_recursion_cuda_plan.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

/// The solve of BILU(0) for one unknown a point on Path::pencil, as recursions over points.
namespace hyperplane::detail {

/// A sweep of `count` vectors: y = d^-1 (r - L y) upwards, x = y - d^-1 U x downwards.
template <Sweep sweep, class Scalar, class Storage, int W, int count>
struct CudaScalarSweep {
  using Coefficient = Storage;
  static constexpr bool forward = sweep == Sweep::forward;
  static constexpr int coefficients = forward ? lower_blocks : upper_blocks;
  static constexpr int vectors = count;
  using Factors = BlockIlu0Factors<Storage, 1, W>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, 1, W>, count>;

  Factors m_factors;
  Vectors m_rhs;
  Vectors m_x;

  struct Point {
    Scalar coefficients[CudaScalarSweep::coefficients];
    Scalar vectors[count];
    Scalar bottom[count];
    Scalar south[count];
    Scalar west[count];
  };
  struct Results {
    Scalar m_values[count];
    __device__ void clear() {
#pragma unroll
      for (int v = 0; v < count; ++v) m_values[v] = 0;
    }
    __device__ Scalar passed(int v) const { return m_values[v]; }
  };

  __device__ const Storage* coefficient_packs(std::int64_t pack) const {
    if constexpr (forward)
      return m_factors.lower(pack, LowerBlock::bottom);
    else
      return m_factors.upper(pack, UpperBlock::top);
  }
  __device__ const Scalar* vector_packs(int v, std::int64_t pack) const { return m_rhs[v].packs().pack_data(pack); }

  __device__ void begin(std::int64_t pack, int lane, int, int) {
#pragma unroll
    for (int v = 0; v < count; ++v) m_to[v] = m_x[v].packs().pack_data(pack) + lane;
  }
  __device__ void advance(int steps) {
#pragma unroll
    for (int v = 0; v < count; ++v) m_to[v] += forward ? steps * W : -steps * W;
  }
  __device__ void store(int step, const Results& results) const {
#pragma unroll
    for (int v = 0; v < count; ++v) m_to[v][(forward ? step : -step) * W] = results.m_values[v];
  }
  __device__ static void step(const Point& p, Results& results, int, bool) {
#pragma unroll
    for (int v = 0; v < count; ++v) {
      Scalar sum = p.vectors[v];
      sum -= p.coefficients[0] * p.bottom[v];
      sum -= p.coefficients[1] * p.south[v];
      sum -= p.coefficients[2] * p.west[v];
      // Zero is added, so that a zero has the sign that it has on the other paths.
      if constexpr (forward) sum = fma(p.coefficients[3], sum, Scalar(0));
      results.m_values[v] = sum;
    }
  }

  Scalar* m_to[count] = {};
};

/// A launch for one sweep or both, and for up to max_right_hand_sides vectors both.
template <class Scalar, class Storage, int W>
class CudaScalarSolve {
  template <int count>
  using Vectors = VectorRefs<BlockVectorRef<Scalar, 1, W>, count>;
  template <Sweep sweep, int count>
  using Work = CudaScalarSweep<sweep, Scalar, Storage, W, count>;
  template <class First, class Second>
  using Plan = PointRecursionPlan<PointRecursionLaunch<PointRecursion<Scalar, W, First::vectors>, First, Second>>;
  template <int count>
  using Both = Plan<Work<Sweep::forward, count>, Work<Sweep::backward, count>>;
  using Forward = Plan<Work<Sweep::forward, 1>, Work<Sweep::forward, 1>>;
  using Backward = Plan<Work<Sweep::backward, 1>, Work<Sweep::backward, 1>>;
  using Memory = PointRecursionMemory<Scalar>;

 public:
  static bool suits() { return Both<1>::suits(); }

  CudaScalarSolve(cudaStream_t stream, const PencilMap<W>& map, int multiprocessors, int right_hand_sides)
      : m_memory(std::make_shared<Memory>(stream, packets(map, right_hand_sides))),
        m_forward(stream, map, multiprocessors, m_memory),
        m_backward(stream, map, multiprocessors, m_memory),
        m_both(stream, map, multiprocessors, m_memory),
        m_points(static_cast<std::size_t>(map.pack_count()) * W) {
    if (right_hand_sides > 1) m_both_of_2.emplace(stream, map, multiprocessors, m_memory);
    if (right_hand_sides > 2) m_both_of_3.emplace(stream, map, multiprocessors, m_memory);
  }

  /// Of several vectors always both.
  template <int count>
  void operator()(cudaStream_t stream, Sweeps sweeps, const BlockIlu0Factors<Storage, 1, W>& factors,
                  const Vectors<count>& rhs, const Vectors<count>& x) const {
    Work<Sweep::forward, count> const forward{factors, rhs, x};
    Work<Sweep::backward, count> const backward{factors, sweeps == Sweeps::both ? x : rhs, x};
    std::size_t const vectors = 2 * count * sizeof(Scalar);
    if constexpr (count == 1) {
      if (sweeps == Sweeps::forward) {
        return m_forward(stream, forward, forward, m_points * (lower_blocks * sizeof(Storage) + vectors));
      }
      if (sweeps == Sweeps::backward) {
        return m_backward(stream, backward, backward, m_points * (upper_blocks * sizeof(Storage) + vectors));
      }
    }
    both<count>()(stream, forward, backward, m_points * (7 * sizeof(Storage) + vectors));
  }

 private:
  /// Of which only one runs at a time.
  static PointRecursionPackets packets(const PencilMap<W>& map, int right_hand_sides) {
    auto result = most(Both<1>::packets(map), most(Forward::packets(map), Backward::packets(map)));
    if (right_hand_sides > 1) result = most(result, Both<2>::packets(map));
    if (right_hand_sides > 2) result = most(result, Both<3>::packets(map));
    return result;
  }

  template <int count>
  const Both<count>& both() const {
    if constexpr (count == 1) {
      return m_both;
    } else if constexpr (count == 2) {
      return *m_both_of_2;
    } else {
      return *m_both_of_3;
    }
  }

  std::shared_ptr<Memory> m_memory;
  Forward m_forward;
  Backward m_backward;
  Both<1> m_both;
  std::optional<Both<2>> m_both_of_2;
  std::optional<Both<3>> m_both_of_3;
  std::size_t m_points;
};

}  // namespace hyperplane::detail
