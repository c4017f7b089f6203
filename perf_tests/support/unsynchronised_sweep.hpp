// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

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
  using Packs = std::remove_cvref_t<decltype(std::declval<typename Vector::Ref>().packs())>;

 public:
  UnsynchronisedSweep(const Exec& exec, const Grid& grid)
      : m_coefficients(exec, "coefficients", SlabMap<W>(grid).pack_count()), m_rhs(exec, grid), m_x(exec, grid) {
    Kokkos::deep_copy(exec, m_coefficients.flat(), 0.125);
    Kokkos::deep_copy(exec, m_rhs.flat(), 1.0);
  }

  /// Public for nvcc.
  struct Kernel {
    typename Coefficients::Ref m_values;
    Packs m_rhs;
    Packs m_x;
    std::int64_t m_packs;
    std::int64_t m_pitch;

    KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
      constexpr int step = forward ? -1 : 1;
      std::int64_t const pack = slot / W;
      int const lane = static_cast<int>(slot % W);
      auto const neighbour = [&](std::int64_t other, int other_lane) {
        return other >= 0 && other < m_packs && other_lane >= 0 && other_lane < W ? m_rhs(other, 0, other_lane) : 0.0;
      };
      double sum = m_rhs(pack, 0, lane);
      sum -= m_values(pack, 0, lane) * neighbour(pack + m_pitch, lane);
      sum -= m_values(pack, 1, lane) * neighbour(pack + step, lane + step);
      sum -= m_values(pack, 2, lane) * neighbour(pack + step, lane);
      if constexpr (forward) sum *= m_values(pack, coefficients - 1, lane);
      m_x(pack, 0, lane) = sum;
    }
  };

  void run(const Exec& exec) const {
    SlabMap<W> const map(m_x.grid());
    std::int64_t const packs = map.pack_count();
    Kokkos::parallel_for("Hyperplane::perf::unsynchronised_sweep", Kokkos::RangePolicy<Exec>(exec, 0, packs * W),
                         Kernel{m_coefficients.ref(), m_rhs.ref().packs(), m_x.ref().packs(), packs,
                                forward ? -map.pitch() : map.pitch()});
  }

 private:
  Coefficients m_coefficients;
  Vector m_rhs;
  Vector m_x;
};

}  // namespace hyperplane::perf
