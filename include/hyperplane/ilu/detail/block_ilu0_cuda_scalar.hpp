// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/ilu/detail/point_recursion_cuda_plan.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>

#include <cstddef>
#include <cstdint>

/// The solve of BILU(0) for one unknown a point on Path::pencil, as recursions over points.
namespace hyperplane::detail {

/// A sweep: y = d^-1 (r - L y) upwards, x = y - d^-1 U x downwards.
template <Sweep sweep, class Scalar, class Storage, int W>
struct CudaScalarSweep {
  using Coefficient = Storage;
  static constexpr bool forward = sweep == Sweep::forward;
  static constexpr int coefficients = forward ? lower_blocks : upper_blocks;
  static constexpr int vectors = 1;
  using Factors = BlockIlu0Factors<Storage, 1, W>;
  using Vector = BlockVectorRef<Scalar, 1, W>;

  Factors m_factors;
  Vector m_rhs;
  Vector m_x;

  struct Point {
    Scalar coefficients[CudaScalarSweep::coefficients];
    Scalar vectors[1];
    Scalar bottom[1];
    Scalar south[1];
    Scalar west[1];
  };
  struct Results {
    Scalar m_value;
    __device__ void clear() { m_value = 0; }
    __device__ Scalar passed(int) const { return m_value; }
  };

  __device__ const Storage* coefficient_packs(std::int64_t pack) const {
    if constexpr (forward)
      return m_factors.lower(pack, LowerBlock::bottom);
    else
      return m_factors.upper(pack, UpperBlock::top);
  }
  __device__ const Scalar* vector_packs(int, std::int64_t pack) const { return m_rhs.packs().pack_data(pack); }

  __device__ void begin(std::int64_t pack, int lane, int, int) { m_to = m_x.packs().pack_data(pack) + lane; }
  __device__ void advance(int steps) { m_to += forward ? steps * W : -steps * W; }
  __device__ void store(int step, const Results& results) const {
    m_to[(forward ? step : -step) * W] = results.m_value;
  }
  __device__ static void step(const Point& p, Results& results, int, bool) {
    Scalar sum = p.vectors[0];
    sum -= p.coefficients[0] * p.bottom[0];
    sum -= p.coefficients[1] * p.south[0];
    sum -= p.coefficients[2] * p.west[0];
    if constexpr (forward) sum = p.coefficients[3] * sum;
    results.m_value = sum;
  }

  Scalar* m_to = nullptr;
};

template <class Scalar, class Storage, int W>
class CudaScalarSolve {
  using Forward = CudaScalarSweep<Sweep::forward, Scalar, Storage, W>;
  using Backward = CudaScalarSweep<Sweep::backward, Scalar, Storage, W>;
  using Plan = PointRecursionPlan<PointRecursionLaunch<PointRecursion<Scalar, W, 1>, Forward, Backward>>;

 public:
  static bool suits() { return Plan::suits(); }

  CudaScalarSolve(cudaStream_t stream, const PencilMap<W>& map, int multiprocessors)
      : m_plan(stream, map, multiprocessors),
        m_bytes(static_cast<std::size_t>(map.pack_count()) * W * (7 * sizeof(Storage) + 2 * sizeof(Scalar))) {}

  void operator()(cudaStream_t stream, const BlockIlu0Factors<Storage, 1, W>& factors,
                  const BlockVectorRef<Scalar, 1, W>& rhs, const BlockVectorRef<Scalar, 1, W>& x) const {
    m_plan(stream, {factors, rhs, x}, {factors, x, x}, m_bytes);
  }

 private:
  Plan m_plan;
  std::size_t m_bytes;
};

}  // namespace hyperplane::detail
