// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/cut_cost.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What works on a grid, as far as it matters to the number of parts.
struct PartsMachine {
  bool is_host;
  int concurrency;    ///< of the instance: threads
  int vector_length;  ///< of double
};

/// How many parts of a grid pay, and where to cut, from what was measured (docs/blocks.md says what, and the rule): as
/// many as it takes to have enough to do for all threads of a host, or most of a device. Of all cuts that do, it is the
/// one that cuts the least.
class PartsThatPay {
 public:
  /// Of blocks of n x n, with couplings so strong along i, j and k.
  PartsThatPay(const Grid& grid, int n, const std::array<double, 3>& strengths, const PartsMachine& machine)
      : m_grid(grid),
        m_extents{grid.ni(), grid.nj(), grid.nk()},
        m_n(n),
        m_strengths(strengths),
        m_machine(machine),
        m_used_by_one(used({1, 1, 1})) {}

  std::array<int, 3> choose() const {
    std::array<int, 3> best{1, 1, 1};
    if (!can_pay()) return best;
    auto const weak = weak_directions();
    if (!search(weak, gain_of_weak_cuts, best)) search({true, true, true}, gain_of_strong_cuts, best);
    return best;
  }

 private:
  /// How many times as fast a solve has to be: iterations are up to 1.2 times as many with `coloured` and 1.6 times
  /// with `none` where parts are not narrower than this, and up to 1.6 and 2.3 times as many with cuts across strong
  /// couplings.
  static constexpr double gain_of_weak_cuts = 1.5;
  static constexpr double gain_of_strong_cuts = 3;
  static constexpr int least_width = 16;
  /// Couplings along a direction are strong if they are so many times those of the weakest one.
  static constexpr double strong = 10;
  /// Bytes that a sweep on a host moves where one thread does all of it.
  static constexpr double least_host_bytes = 512e3;
  /// Points of a grid for devices, below which nothing was measured.
  static constexpr double least_device_points = 1e5;
  /// Colours follow one another.
  static constexpr double colours = 2;
  /// A device does half of what it can with one point on a hyperplane for so many of its threads, and has enough to do
  /// with twice as many: two thirds of what it can.
  static constexpr double threads_of_point = 128;
  static constexpr double enough_of_device = 2.0 / 3.0;

  bool can_pay() const {
    // M of BILU(0) of a line is A. With scalars, copies to parts and back cost more than parts gain: on one thread of a
    // host parts took 8 times as long as the whole. On devices they were not measured.
    if (m_n == 1 || std::ranges::count(m_extents, 1) >= 2) return false;
    auto const points = static_cast<double>(m_grid.size());
    if (m_machine.is_host) return points * (4.0 * m_n + 2.0) * m_n * sizeof(double) >= least_host_bytes;
    return points >= least_device_points;
  }

  double enough() const { return m_machine.is_host ? 1.0 : enough_of_device; }
  int most_parts() const { return m_machine.is_host ? 4 * m_machine.concurrency : 2048; }

  /// The share of the machine that has something to do.
  double used(const std::array<int, 3>& parts) const {
    double const taking_turns = parts == std::array{1, 1, 1} ? 1.0 : colours;
    if (m_machine.is_host) return std::min(1.0, slabs(parts) / taking_turns / m_machine.concurrency);
    double hyperplanes = -2.0;
    for (std::size_t d = 0; d < 3; ++d) hyperplanes += static_cast<double>(m_extents[d]) / parts[d];
    double const points = static_cast<double>(m_grid.size()) / hyperplanes / taking_turns;
    return points / (points + m_machine.concurrency / threads_of_point);
  }
  /// Of all parts: a thread works on one of them at a time.
  double slabs(const std::array<int, 3>& parts) const {
    auto const begin = [&](int part) { return static_cast<long long>(m_extents[1]) * part / parts[1]; };
    long long along_j = 0;
    for (int part = 0; part < parts[1]; ++part) {
      along_j += (begin(part + 1) - begin(part) + m_machine.vector_length - 1) / m_machine.vector_length;
    }
    return static_cast<double>(along_j) * parts[0] * parts[2];
  }

  std::array<bool, 3> weak_directions() const {
    double weakest = -1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      if (m_extents[d] > 1 && (weakest < 0 || m_strengths[d] < weakest)) weakest = m_strengths[d];
    }
    std::array<bool, 3> weak{};
    for (std::size_t d = 0; d < 3; ++d) weak[d] = m_strengths[d] <= strong * weakest;
    return weak;
  }

  int most_along(std::size_t d, const std::array<bool, 3>& may_cut) const {
    return may_cut[d] ? std::max(1, m_extents[d] / least_width) : 1;
  }

  /// Whether there is a cut across these directions with the gain, and the best one.
  bool search(const std::array<bool, 3>& may_cut, double gain, std::array<int, 3>& best) const {
    double best_used = 0.0;
    for (int i = 1; i <= std::min(most_parts(), most_along(0, may_cut)); ++i) {
      for (int j = 1; j <= std::min(most_parts() / i, most_along(1, may_cut)); ++j) {
        for (int k = 1; k <= std::min(most_parts() / i / j, most_along(2, may_cut)); ++k) {
          std::array<int, 3> const parts{i, j, k};
          double const use = std::min(used(parts), enough());
          if (use < gain * m_used_by_one || use < best_used) continue;
          if (use == best_used && !CutCost(m_grid, parts, m_strengths).less_than(CutCost(m_grid, best, m_strengths))) {
            continue;
          }
          best = parts;
          best_used = use;
        }
      }
    }
    return best_used > 0.0;
  }

  Grid m_grid;
  std::array<int, 3> m_extents;
  int m_n;
  std::array<double, 3> m_strengths;
  PartsMachine m_machine;
  double m_used_by_one;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
