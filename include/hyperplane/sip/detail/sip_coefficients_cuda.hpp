// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/ilu/detail/block_ilu0_factors.hpp>
#include <hyperplane/ilu/detail/point_recursion_cuda_plan.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::detail {

/// The coefficients of SIP as a recursion over points, see Sip: a point passes on its upper coefficients.
template <class Scalar, class Storage, class MatrixStorage, int W>
struct CudaSipCoefficients {
  using Coefficient = MatrixStorage;
  static constexpr bool forward = true;
  static constexpr int coefficients = stencil7_size;
  static constexpr int vectors = 0;

  BlockStencil7Ref<MatrixStorage, 1, W> m_a;
  BlockIlu0Factors<Storage, 1, W> m_factors;
  unsigned long long* m_singular;
  Scalar m_alpha;

  struct Point {
    Scalar coefficients[stencil7_size];
    Scalar vectors[1];
    Scalar bottom[sip_upper];
    Scalar south[sip_upper];
    Scalar west[sip_upper];
  };
  struct Results {
    SipPoint<Scalar> m_point;
    __device__ void clear() { m_point = {}; }
    __device__ Scalar passed(int e) const { return m_point.m_upper[e]; }
  };

  __device__ const MatrixStorage* coefficient_packs(std::int64_t pack) const {
    return m_a.pack_block(pack, Direction::bottom);
  }
  __device__ const Scalar* vector_packs(int, std::int64_t) const { return nullptr; }

  __device__ void begin(std::int64_t pack, int lane, int j, int k) {
    m_lower = m_factors.lower(pack, LowerBlock::bottom) + lane;
    m_upper = m_factors.upper(pack, UpperBlock::top) + lane;
    m_j = j;
    m_k = k;
  }
  __device__ void advance(int steps) {
    m_lower += steps * lower_blocks * W;
    m_upper -= steps * upper_blocks * W;
  }
  __device__ void store(int step, const Results& results) const {
#pragma unroll
    for (int e = 0; e < lower_blocks; ++e) {
      m_lower[(step * lower_blocks + e) * W] = static_cast<Storage>(results.m_point.m_lower[e]);
    }
#pragma unroll
    for (int e = 0; e < upper_blocks; ++e) {
      m_upper[(-step * upper_blocks + e) * W] = static_cast<Storage>(results.m_point.m_upper[e]);
    }
  }
  __device__ void step(const Point& p, Results& results, int i, bool exists) const {
    auto const& grid = m_a.grid();
    // Entries that point out of the grid are ignored.
    auto const entry = [&](Direction direction) { return p.coefficients[static_cast<int>(direction)]; };
    SipEntries<Scalar> const a{entry(Direction::center),
                               m_k > 0 ? entry(Direction::bottom) : Scalar(0),
                               m_j > 0 ? entry(Direction::south) : Scalar(0),
                               i > 0 ? entry(Direction::west) : Scalar(0),
                               i + 1 < grid.ni() ? entry(Direction::east) : Scalar(0),
                               m_j + 1 < grid.nj() ? entry(Direction::north) : Scalar(0),
                               m_k + 1 < grid.nk() ? entry(Direction::top) : Scalar(0)};
    // What the factors keep is narrower than what the recursion goes on with, unless it is rounded.
    auto const kept = [](const Scalar(&u)[sip_upper]) {
      return SipUpper<Scalar>{static_cast<Scalar>(static_cast<Storage>(u[0])),
                              static_cast<Scalar>(static_cast<Storage>(u[1])),
                              static_cast<Scalar>(static_cast<Storage>(u[2]))};
    };
    bool regular = true;
    results.m_point = sip_point(a, kept(p.bottom), kept(p.south), kept(p.west), m_alpha, regular);
    if (!regular && exists) {
      atomicMin(m_singular,
                static_cast<unsigned long long>(singular_pivot_word(grid.index(hyperplane::Point{i, m_j, m_k}), 0)));
    }
  }

  Storage* m_lower = nullptr;
  Storage* m_upper = nullptr;
  int m_j = 0;
  int m_k = 0;
};

}  // namespace hyperplane::detail
