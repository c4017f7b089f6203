// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::perf {

using detail::Sweep;

/// The bound of a sweep of SIP: one launch that reads the coefficients and a vector and writes another, with the
/// arithmetic of a sweep, but takes its neighbours from the vector that it reads, so that no point waits for another.
/// The result is wrong.
template <Sweep sweep, class Exec>
class UnsynchronisedSweep {
  using Vector = BlockVector<double, 1, Exec>;
  static constexpr int W = Vector::vector_length;
  static constexpr bool forward = sweep == Sweep::forward;
  static constexpr int coefficients = forward ? detail::lower_blocks : detail::upper_blocks;
  using Coefficients = InterleavedView<double, W, coefficients, Exec>;

 public:
  UnsynchronisedSweep(const Exec& exec, const Grid& grid)
      : m_coefficients(exec, "coefficients", SlabMap<W>(grid).pack_count()), m_rhs(exec, grid), m_x(exec, grid) {
    Kokkos::deep_copy(exec, m_coefficients.flat(), 0.125);
    Kokkos::deep_copy(exec, m_rhs.flat(), 1.0);
  }

  void run(const Exec& exec) const {
    auto const values = m_coefficients.ref();
    auto const rhs = m_rhs.ref().packs();
    auto const x = m_x.ref().packs();
    SlabMap<W> const map(m_x.grid());
    std::int64_t const packs = map.pack_count();
    std::int64_t const pitch = forward ? -map.pitch() : map.pitch();
    int const step = forward ? -1 : 1;
    Kokkos::parallel_for(
        "Hyperplane::perf::unsynchronised_sweep", Kokkos::RangePolicy<Exec>(exec, 0, packs * W),
        KOKKOS_LAMBDA(std::int64_t slot) {
          std::int64_t const pack = slot / W;
          int const lane = static_cast<int>(slot % W);
          auto const neighbour = [&](std::int64_t other, int other_lane) {
            return other >= 0 && other < packs && other_lane >= 0 && other_lane < W ? rhs(other, 0, other_lane) : 0.0;
          };
          double sum = rhs(pack, 0, lane);
          sum -= values(pack, 0, lane) * neighbour(pack + pitch, lane);
          sum -= values(pack, 1, lane) * neighbour(pack + step, lane + step);
          sum -= values(pack, 2, lane) * neighbour(pack + step, lane);
          if constexpr (forward) sum *= values(pack, coefficients - 1, lane);
          x(pack, 0, lane) = sum;
        });
  }

 private:
  Coefficients m_coefficients;
  Vector m_rhs;
  Vector m_x;
};

}  // namespace hyperplane::perf
