// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/point_recursion_cuda_plan.hpp>
#include <hyperplane/sweep/point_recursion_cuda_sweep.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

/// The sweeps for one unknown per point on SweepPath::slab, as recursions over points.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A sweep.
template <Sweep sweep, class Scalar, class Storage, int W, int count>
struct CudaScalarSweep : CudaScalarSteps<sweep, sweep == Sweep::forward, Scalar, Storage, W, count> {
  using Factors = TriangularFactors<Storage, 1, W>;
  using Vectors = VectorRefs<BlockVectorRef<Scalar, 1, W>, count>;

  Factors m_factors;
  Vectors m_rhs;
  Vectors m_x;

  __device__ const Storage* coefficient_packs(std::int64_t pack) const {
    if constexpr (sweep == Sweep::forward) {
      return m_factors.lower(pack, LowerBlock::bottom);
    } else {
      return m_factors.upper(pack, UpperBlock::top);
    }
  }
  __device__ const Scalar* vector_packs(int v, std::int64_t pack) const { return m_rhs[v].packs().pack_data(pack); }

  __device__ void begin(std::int64_t pack, int lane, int, int) {
#pragma unroll
    for (int v = 0; v < count; ++v) this->m_to[v] = m_x[v].packs().pack_data(pack) + lane;
  }
};

/// A sweep with M^T: a point passes on what the neighbours subtract, its coefficients times the unknown, and these are
/// those of the plain sweep that goes the other way, stored against the order of the steps.
template <Sweep sweep, class Scalar, class Storage, int W>
struct CudaTransposedScalarSweep : CudaScalarSteps<sweep == Sweep::forward ? Sweep::backward : Sweep::forward,
                                                   sweep == Sweep::forward, Scalar, Storage, W, 1> {
  using Base = CudaScalarSteps<sweep == Sweep::forward ? Sweep::backward : Sweep::forward, sweep == Sweep::forward,
                               Scalar, Storage, W, 1>;
  using Point = typename Base::Point;
  using Factors = TriangularFactors<Storage, 1, W>;
  using Vector = BlockVectorRef<Scalar, 1, W>;
  static constexpr bool coefficients_turned = true;

  struct Results : Base::Results {
    Scalar m_subtrahends[3];  ///< of the neighbours at the top, in the north and in the east
    __device__ void clear() {
      Base::Results::clear();
#pragma unroll
      for (int d = 0; d < 3; ++d) m_subtrahends[d] = 0;
    }
    __device__ Scalar passed(int, Direction to) const {
      return m_subtrahends[to == Direction::top ? 0 : to == Direction::north ? 1 : 2];
    }
  };

  Factors m_factors;
  Vector m_rhs;
  Vector m_x;

  __device__ const Storage* coefficient_packs(std::int64_t pack) const {
    if constexpr (Base::is_lower) {
      return m_factors.lower(pack, LowerBlock::bottom);
    } else {
      return m_factors.upper(pack, UpperBlock::top);
    }
  }
  __device__ const Scalar* vector_packs(int, std::int64_t pack) const { return m_rhs.packs().pack_data(pack); }

  __device__ void begin(std::int64_t pack, int lane, int, int) { this->m_to[0] = m_x.packs().pack_data(pack) + lane; }

  __device__ static void step(const Point& p, Results& results, int, bool) {
    Scalar sum = p.vectors[0] - p.bottom[0] - p.south[0] - p.west[0];
    if constexpr (Base::is_lower) sum *= p.coefficients[3];
    results.m_values[0] = sum;
#pragma unroll
    for (int d = 0; d < 3; ++d) results.m_subtrahends[d] = p.coefficients[d] * sum;
  }
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
  template <Sweep sweep>
  using TransposedWork = CudaTransposedScalarSweep<sweep, Scalar, Storage, W>;
  /// As much to copy for a point as the plain sweeps that go the other way have.
  struct Transposed {
    Plan<TransposedWork<Sweep::forward>, TransposedWork<Sweep::forward>> forward;
    Plan<TransposedWork<Sweep::backward>, TransposedWork<Sweep::backward>> backward;
    Plan<TransposedWork<Sweep::forward>, TransposedWork<Sweep::backward>> both;
    explicit Transposed(const CudaScalarSolve& plain)
        : forward(plain.m_backward), backward(plain.m_forward), both(plain.m_both) {}
  };
  using Memory = PointRecursionMemory<Scalar>;

 public:
  static constexpr bool can_be_tall = false;
  static std::string lacking() { return Both<1>::lacking(); }

  CudaScalarSolve(cudaStream_t stream, const SlabMap<W>& map, int multiprocessors, int right_hand_sides)
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
  void operator()(cudaStream_t stream, Sweeps sweeps, const TriangularFactors<Storage, 1, W>& factors,
                  const Vectors<count>& rhs, const Vectors<count>& x) const {
    Work<Sweep::forward, count> const forward{{}, factors, rhs, x};
    Work<Sweep::backward, count> const backward{{}, factors, sweeps == Sweeps::both ? x : rhs, x};
    std::size_t const vectors = 2 * count * sizeof(Scalar);
    if constexpr (count == 1) {
      if (sweeps == Sweeps::forward) {
        return m_forward(stream, m_points * (lower_blocks * sizeof(Storage) + vectors), forward, forward);
      }
      if (sweeps == Sweeps::backward) {
        return m_backward(stream, m_points * (upper_blocks * sizeof(Storage) + vectors), backward, backward);
      }
    }
    both<count>()(stream, m_points * (7 * sizeof(Storage) + vectors), forward, backward);
  }

  /// What solve_transposed() does when it is called for the first time: the launches of other kernels.
  void prepare_transposed(cudaStream_t /*stream*/) {
    if (!m_transposed) m_transposed.emplace(*this);
  }

  /// With M^T.
  void solve_transposed(cudaStream_t stream, Sweeps sweeps, const TriangularFactors<Storage, 1, W>& factors,
                        const BlockVectorRef<Scalar, 1, W>& rhs, const BlockVectorRef<Scalar, 1, W>& x) {
    prepare_transposed(stream);
    TransposedWork<Sweep::forward> const forward{{}, factors, rhs, x};
    TransposedWork<Sweep::backward> const backward{{}, factors, sweeps == Sweeps::both ? x : rhs, x};
    std::size_t const vectors = 2 * sizeof(Scalar);
    switch (sweeps) {
      case Sweeps::forward:
        return m_transposed->forward(stream, m_points * (upper_blocks * sizeof(Storage) + vectors), forward, forward);
      case Sweeps::backward:
        return m_transposed->backward(stream, m_points * (lower_blocks * sizeof(Storage) + vectors), backward,
                                      backward);
      case Sweeps::both:
        return m_transposed->both(stream, m_points * (7 * sizeof(Storage) + vectors), forward, backward);
    }
  }

 private:
  /// Of which only one runs at a time.
  static PointRecursionPackets packets(const SlabMap<W>& map, int right_hand_sides) {
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
  std::optional<Transposed> m_transposed;
  std::size_t m_points;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
