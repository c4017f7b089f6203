// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/singular_pivot.hpp>
#include <hyperplane/sip/detail/sip_point.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/sweep/equation_units_cuda.hpp>
#include <hyperplane/sweep/factor_scales.hpp>
#include <hyperplane/sweep/point_recursion_cuda_plan.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a kernel in front of a recursion with masked points leaves for each point where its inverse pivot will be: a
/// bit for each entry of A that counts, those of the point itself only if it is not masked. A plan then needs no memory
/// for it, and the recursion finds it next to where it writes.
template <class Storage, int W>
struct SipUsedEntries {
  TriangularFactors<Storage, 1, W> m_factors;
  SipMask m_mask;

  HYPERPLANE_FUNCTION static constexpr unsigned bit(Direction direction) { return 1u << static_cast<int>(direction); }

  HYPERPLANE_FUNCTION void operator()(std::int64_t number) const {
    auto const& map = m_factors.m_map;
    Point const p = map.grid().point(number);
    unsigned used = 0;
    if (m_mask.contains(map.grid(), p)) {
      for (int d = 0; d < stencil7_size; ++d) {
        auto const direction = static_cast<Direction>(d);
        if (m_mask.contains(map.grid(), neighbour(p, direction))) used |= bit(direction);
      }
    }
    m_factors.lower(map.pack(p.i, p.j, p.k), LowerBlock::inverse)[map.lane(p.j)] =
        static_cast<Storage>(static_cast<float>(used));
  }
};

/// The coefficients of SIP as a recursion over points, see Sip: a point passes on its upper coefficients. With masked
/// points there are SipUsedEntries before.
template <class Scalar, class Storage, class MatrixStorage, int W, bool masked>
struct CudaSipCoefficients {
  using Coefficient = MatrixStorage;
  using Scales = FactorScales<Storage, 1, W>;
  static constexpr bool forward = true;
  static constexpr int coefficients = stencil7_size;
  static constexpr int vectors = 0;
  static constexpr bool coefficients_turned = false;

  BlockStencil7Ref<MatrixStorage, 1, W> m_a;
  TriangularFactors<Storage, 1, W> m_factors;
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
    __device__ Scalar passed(int e, Direction) const { return m_point.m_upper[e]; }
  };

  __device__ const MatrixStorage* coefficient_packs(std::int64_t pack) const {
    return m_a.pack_block(pack, Direction::bottom);
  }
  __device__ const Scalar* vector_packs(int, std::int64_t) const { return nullptr; }

  __device__ void begin(std::int64_t pack, int lane, int j, int k) {
    m_lower = m_factors.lower(pack, LowerBlock::bottom) + lane;
    m_upper = m_factors.upper(pack, UpperBlock::top) + lane;
    if constexpr (Scales::exist) m_equation = m_factors.m_scales.equation(pack, 0) + lane;
    m_j = j;
    m_k = k;
    if constexpr (masked) {
      auto const& map = m_a.map();
      bool const exists = j < map.grid().nj() && k < map.grid().nk();
      auto const first = map.pack(0, exists ? j : 0, exists ? k : 0);
      m_used = m_factors.lower(first, LowerBlock::inverse) + lane;
      m_points = exists ? map.grid().ni() : 0;
      // Of the first steps, in which the row may not have begun.
      int const i = static_cast<int>(pack - first);
#pragma unroll
      for (int s = 0; s < used_ahead; ++s) m_next_used[s] = load_used(i + s);
    }
  }
  __device__ void advance(int steps) {
    m_lower += steps * lower_blocks * W;
    m_upper -= steps * upper_blocks * W;
    if constexpr (Scales::exist) m_equation += steps * W;
  }
  __device__ void store(int step, const Results& results) const {
    auto const stored = in_units(results.m_point);
    if constexpr (Scales::exist) m_equation[step * W] = BFloat16(unit(results.m_point));
#pragma unroll
    for (int e = 0; e < lower_blocks; ++e) {
      m_lower[(step * lower_blocks + e) * W] = static_cast<Storage>(stored.m_lower[e]);
    }
#pragma unroll
    for (int e = 0; e < upper_blocks; ++e) {
      m_upper[(-step * upper_blocks + e) * W] = static_cast<Storage>(results.m_point.m_upper[e]);
    }
  }
  __device__ void step(const Point& p, Results& results, int i, bool exists) {
    auto const& grid = m_a.grid();
    unsigned used = 0;
    if constexpr (masked) {
      used = static_cast<unsigned>(static_cast<float>(m_next_used[0]));
#pragma unroll
      for (int s = 1; s < used_ahead; ++s) m_next_used[s - 1] = m_next_used[s];
      m_next_used[used_ahead - 1] = load_used(i + used_ahead);
    }
    // Entries that point out of the grid are ignored.
    auto const entry = [&](Direction direction, bool inside) {
      if constexpr (masked) inside = used & SipUsedEntries<Storage, W>::bit(direction);
      return inside ? p.coefficients[static_cast<int>(direction)] : Scalar(0);
    };
    SipEntries<Scalar> const a{entry(Direction::center, true),
                               entry(Direction::bottom, m_k > 0),
                               entry(Direction::south, m_j > 0),
                               entry(Direction::west, i > 0),
                               entry(Direction::east, i + 1 < grid.ni()),
                               entry(Direction::north, m_j + 1 < grid.nj()),
                               entry(Direction::top, m_k + 1 < grid.nk())};
    // What the factors keep is narrower than what the recursion goes on with, unless it is rounded.
    auto const kept = [](const Scalar(&u)[sip_upper]) {
      return SipUpper<Scalar>{static_cast<Scalar>(static_cast<Storage>(u[0])),
                              static_cast<Scalar>(static_cast<Storage>(u[1])),
                              static_cast<Scalar>(static_cast<Storage>(u[2]))};
    };
    Scalar pivot;
    results.m_point = sip_point(a, kept(p.bottom), kept(p.south), kept(p.west), m_alpha, pivot);
    // As sip_excess() says, of what is stored.
    auto const stored = in_units(results.m_point);
    bool regular = pivot * 0 == 0 && is_finite(stored.inverse());
    if constexpr (sizeof(Storage) < sizeof(Scalar)) {
#pragma unroll
      for (int e = 0; e < lower_blocks - 1; ++e) regular = regular && is_finite(stored.m_lower[e]);
    }
    if constexpr (masked) {
      if (!(used & SipUsedEntries<Storage, W>::bit(Direction::center))) {
        results.m_point = {};
        regular = true;
      }
    }
    if (!regular && exists) {
      atomicMin(m_singular,
                static_cast<unsigned long long>(singular_pivot_word(grid.index(hyperplane::Point{i, m_j, m_k}), 0)));
    }
  }

  /// S of a point, and its coefficients as they are stored.
  __device__ static Scalar unit(const SipPoint<Scalar>& point) { return cuda_equation_unit(fabs(point.inverse())); }
  __device__ static SipPoint<Scalar> in_units(const SipPoint<Scalar>& point) {
    if constexpr (Scales::exist) return sip_in_units(point, unit(point), cuda_unit_reciprocal(unit(point)));
    return point;
  }

  /// As a value of Storage.
  __device__ static bool is_finite(Scalar value) { return static_cast<Scalar>(static_cast<Storage>(value)) * 0 == 0; }

  /// How many steps before they are needed the used entries are read.
  static constexpr int used_ahead = masked ? 4 : 1;

  __device__ Storage load_used(int i) const {
    return static_cast<unsigned>(i) < m_points ? m_used[std::int64_t{i} * lower_blocks * W] : Storage(0.0F);
  }

  const Storage* m_used = nullptr;
  unsigned m_points = 0;
  Storage m_next_used[used_ahead] = {};
  Storage* m_lower = nullptr;
  Storage* m_upper = nullptr;
  BFloat16* m_equation = nullptr;  ///< S, where there are units
  int m_j = 0;
  int m_k = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
