// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/mpi/mpi.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/simd/vector_length.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

/// A vector whose values other ranks need on faces, and what brings them.
template <int n, class Exec>
class ExchangeProblem {
 public:
  static constexpr int W = vector_length_v<double, Exec>;

  ExchangeProblem(const Exec& exec, const DistributedGrid& grid) : m_grid(grid), m_x(exec, grid), m_a(exec, grid) {
    for (int const b : grid.blocks()) fill(exec, b);
  }

  /// A grid block for each rank, in a chain along i, with faces of extent x extent points.
  static DistributedGrid chain(const Communicator& communicator, int extent, Transport transport) {
    int const ranks = communicator.size();
    return {communicator, cut_grid(Grid(4 * ranks, extent, extent), {ranks, 1, 1}).grid, transport};
  }

  void exchange(const Exec& exec) const {
    m_a.ghosts().start(exec, m_x.flat().data());
    m_a.ghosts().finish(exec);
  }

  /// Throws Error on all ranks where a ghost value of one of them is not what its owner has.
  void check(const Exec& exec) const {
    for (int repetition = 0; repetition < 3; ++repetition) exchange(exec);
    exec.fence();
    m_grid.communicator().agree([&] { check_ghosts(); });
  }

 private:
  static double value(int block, std::int64_t point, int c) { return 1e7 * block + static_cast<double>(n * point + c); }

  void fill(const Exec& exec, int b) const {
    auto const& grid = m_grid.whole().block(b);
    Kokkos::View<double* [n], Kokkos::LayoutRight, Kokkos::HostSpace> const values(
        "values", static_cast<std::size_t>(grid.size()));
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      for (int c = 0; c < n; ++c) values(p, c) = value(b, p, c);
    }
    auto const there = Kokkos::create_mirror_view_and_copy(typename Exec::memory_space(), values);
    pack(exec, there, m_x.block(b));
    exec.fence();
  }

  /// By the rank that sends them, interfaces in their order, points in the order of the side that receives.
  std::map<int, std::vector<double>> expected_ghosts() const {
    std::map<int, std::vector<double>> expected;
    for (auto const& interface : m_grid.whole().interfaces()) {
      if (!m_grid.is_local(interface.block) || m_grid.is_local(interface.donor)) continue;
      auto const& donor = m_grid.whole().block(interface.donor);
      detail::for_each_pair(interface, [&](const Point&, const Point& q) {
        for (int c = 0; c < n; ++c) {
          expected[m_grid.owner(interface.donor)].push_back(value(interface.donor, donor.index(q), c));
        }
      });
    }
    return expected;
  }

  void check_ghosts() const {
    auto const ghosts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_a.ghosts().mailbox().received());
    InterleavedRef<double, W, n> const found(ghosts.data());
    std::int64_t first = 0;
    for (auto const& [rank, values] : expected_ghosts()) {
      auto const points = static_cast<std::int64_t>(values.size()) / n;
      for (std::int64_t p = 0; p < points; ++p) {
        for (int c = 0; c < n; ++c) {
          if (found(first + p / W, c, static_cast<int>(p % W)) == values[static_cast<std::size_t>(p * n + c)]) continue;
          throw std::runtime_error("ghost value " + std::to_string(p) + " from rank " + std::to_string(rank) +
                                   " is not what that rank has");
        }
      }
      first += (points + W - 1) / W;
    }
  }

  DistributedGrid m_grid;
  DistributedVector<double, n, Exec> m_x;
  DistributedStencil7<double, n, Exec> m_a;
};

}  // namespace hyperplane::perf
