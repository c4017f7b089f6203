// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/quarter.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/simd/pack.hpp>
#include <hyperplane/sweep/compress_blocks.hpp>
#include <hyperplane/sweep/quarter_factors.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// Factors of 8 bits from those that a factorization has written as Half.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Of the points of a SIMD group at a time, T = Pack<float, vector_length>, or of one, T = float.
template <class T, int n, int vector_length>
struct CompressFactors {
  using From = TriangularFactors<Half, n, vector_length>;
  using To = TriangularFactors<Quarter, n, vector_length>;
  using Compress = CompressBlocks<T, n, vector_length>;
  static constexpr bool takes_packs = !std::is_floating_point_v<T>;
  /// Indices of the points of a SIMD group.
  static constexpr int indices = takes_packs ? 1 : vector_length;
  static constexpr double bytes =
      (7.0 * n * n * sizeof(Half) + (To::lower_entries + To::upper_entries) * sizeof(Quarter)) *
      (takes_packs ? vector_length : 1);

  From m_from;
  To m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const pack = index / indices;
    int const lane = static_cast<int>(index % indices);
    Compress::run(3, m_from.lower(pack, LowerBlock::bottom) + lane, m_to.lower(pack, LowerBlock::bottom) + lane,
                  m_to.template row_scales<true>(pack) + lane, m_to.template column_scales<true>(pack) + lane);
    Compress::run(3, m_from.upper(pack, UpperBlock::top) + lane, m_to.upper(pack, UpperBlock::top) + lane,
                  m_to.template row_scales<false>(pack) + lane, m_to.template column_scales<false>(pack) + lane);
    const Half* const from = m_from.inverse(pack) + lane;
    Half* const to = m_to.inverse(pack) + lane;
    for (int e = 0; e < n * n; ++e) {
      Compress::store(Compress::load(from + e * vector_length), to + e * vector_length);
    }
  }
};

template <int n, int vector_length, ExecutionSpace Exec>
void compress_factors(const Exec& exec, const TriangularFactors<Half, n, vector_length>& from,
                      const TriangularFactors<Quarter, n, vector_length>& to) {
  using T = std::conditional_t<HostExecutionSpace<Exec>, Pack<float, vector_length>, float>;
  using Kernel = CompressFactors<T, n, vector_length>;
  constexpr const char* label = "Hyperplane::BlockIlu0::compress";
  std::int64_t const indices = to.m_map.pack_count() * Kernel::indices;
  count_bytes(label, Kernel::bytes * static_cast<double>(indices));
  launch(label, LongIndexRange<Exec>(exec, 0, indices), Kernel::bytes, Kernel{from, to});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
