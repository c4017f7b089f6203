// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The swept rule: time of a step against the number of points, for every equation and variant, each compared with
// `classic` once before it is timed.

#include "support/harness.hpp"
#include "support/overlapped_tiles.hpp"
#include "support/suites.hpp"
#include "support/swept_examples.hpp"

#include <hyperplane/swept/swept_rule.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

template <class Problem, class Exec>
class Suite {
 public:
  using Line = SweptLine<Problem, Exec>;
  using HostLine = SweptLine<Problem, Kokkos::DefaultHostExecutionSpace>;
  /// Takes the line that many steps further.
  using Advance = std::function<void(const Line&, std::int64_t)>;
  using Make = std::function<Advance(std::int64_t)>;
  static constexpr std::int64_t steps_between_transfers = HostExecutionSpace<Exec> ? 32 : 1024;

  explicit Suite(const Settings& settings) : m_settings(settings) {}

  void register_all() {
    for (auto const points : sizes()) {
      for (auto const variant : variants()) register_variant(points, name(variant), {.variant = variant});
      for (auto const tile : tile_sizes()) {
        for (auto const variant : {SweptVariant::tiles, SweptVariant::resident}) {
          register_variant(points, std::string(name(variant)) + "_" + std::to_string(tile),
                           {.variant = variant, .tile_points = tile});
        }
      }
      for (auto const steps : tile_steps(points)) {
        register_variant(points, "tiles_4096_" + std::to_string(steps),
                         {.variant = SweptVariant::tiles, .tile_points = 4096, .tile_steps = steps});
      }
      register_overlapped<4, 128>(points);
      register_overlapped<8, 128>(points);
      register_overlapped<8, 256>(points);
      if constexpr (Problem::components == 1) register_overlapped<16, 256>(points);
    }
  }

 private:
  std::vector<std::int64_t> sizes() const {
    if (m_settings.smoke) return {2048};
    std::vector<std::int64_t> result;
    for (int power = 11; power <= 24; power += HostExecutionSpace<Exec> && power < 23 ? 2 : 1) {
      result.push_back(std::int64_t{1} << power);
    }
    return result;
  }

  /// Of the variants that keep tiles in registers.
  static std::vector<std::int64_t> tile_sizes() {
    std::vector<std::int64_t> result;
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (CudaExecutionSpace<Exec>) {
      for (auto const& entry : detail::swept_tile_entries<Problem>()) {
        result.push_back(std::int64_t{32} * entry.m_lane_points * entry.m_warps);
      }
    }
#endif
    return result;
  }

  /// Beside what the plan chooses, of the tiles that long lines are fastest with.
  static std::vector<std::int64_t> tile_steps([[maybe_unused]] std::int64_t points) {
    if constexpr (CudaExecutionSpace<Exec> && Problem::components == 1) {
      if (points >= 1 << 20) return {16, 32, 48, 64, 96};
    }
    return {};
  }

  static std::vector<SweptVariant> variants() {
    std::vector<SweptVariant> result{SweptVariant::classic, SweptVariant::shared};
    if constexpr (CudaExecutionSpace<Exec>) {
      result.insert(result.end(),
                    {SweptVariant::hybrid, SweptVariant::cuda_graph, SweptVariant::registers, SweptVariant::automatic});
    } else {
      result.push_back(SweptVariant::tiles);
    }
    return result;
  }

  Advance swept(std::int64_t points, const SweptOptions& options) const {
    auto const rule = std::make_shared<SweptRule<Problem, Exec>>(m_exec, m_problem, points, options);
    return [rule, exec = m_exec](const Line& u, std::int64_t steps) { rule->advance(exec, u, steps); };
  }

  /// Overlapped tiles of so many points per thread and threads, on CUDA.
  template <int lane_points, int threads>
  void register_overlapped([[maybe_unused]] std::int64_t points) {
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (CudaExecutionSpace<Exec>) {
      using Tiles = OverlappedTiles<Problem, lane_points, threads>;
      if constexpr (Tiles::own_points > 0) {
        if (points < Tiles::tile_points) return;
        register_one(points, "overlapped_" + std::to_string(Tiles::tile_points), [this](std::int64_t n) -> Advance {
          Line const spare("spare", n, Problem::components);
          return [spare, n, this](const Line& u, std::int64_t steps) {
            detail::SweptRow<Problem> const row{u.data(), static_cast<std::int64_t>(u.stride(1))};
            detail::SweptRow<Problem> const other{spare.data(), static_cast<std::int64_t>(spare.stride(1))};
            if (overlapped_advance<Problem, lane_points, threads>(m_exec.cuda_stream(), m_problem, n, row, other,
                                                                  steps)) {
              Kokkos::deep_copy(m_exec, u, spare);
            }
          };
        });
      }
    }
#endif
  }

  void register_variant(std::int64_t points, const std::string& variant, const SweptOptions& options) {
    // Bits, but for the host's share of a line whose problem has reciprocals.
    constexpr bool to_rounding = CudaExecutionSpace<Exec> && Problem::components == 3;
    register_one(
        points, variant, [this, options](std::int64_t n) { return swept(n, options); },
        to_rounding && options.variant == SweptVariant::hybrid ? 1e-8 : 0.0);
  }

  void register_one(std::int64_t points, const std::string& variant, const Make& make, double tolerance = 0.0) {
    std::string const label =
        std::string(Example<Problem>::name) + "/" + Exec::name() + "/" + variant + "/N=" + std::to_string(points);
    benchmark::RegisterBenchmark(label.c_str(), [this, points, make, tolerance](
                                                    benchmark::State& state) { run(state, points, make, tolerance); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMicrosecond);
  }

  /// The same for all variants.
  const HostLine& initial(std::int64_t points) {
    if (static_cast<std::int64_t>(m_initial.extent(0)) == points) return m_initial;
    HostLine const u("initial", points, Problem::components);
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (std::int64_t i = 0; i < points; ++i) {
      auto const state = Example<Problem>::state(static_cast<double>(i) / static_cast<double>(points), unit(engine));
      for (int c = 0; c < Problem::components; ++c) u(i, c) = state[c];
    }
    m_initial = u;
    return m_initial;
  }

  void run(benchmark::State& state, std::int64_t points, const Make& make, double tolerance) {
    try {
      auto const& start = initial(points);
      Line const u("u", points, Problem::components);
      double setup = 0.0;
      Advance advance;
      {
        Kokkos::Timer const timer;
        advance = make(points);
        m_exec.fence();
        setup = timer.seconds();
      }
      verify(points, start, u, advance, tolerance);

      // Enough steps that neither the first launch nor the clock counts, and that tiles have some to share.
      std::int64_t const few = m_settings.smoke || HostExecutionSpace<Exec> ? 16 : 512;
      double const trial = seconds_of(m_exec, [&] { advance(u, few); }) / static_cast<double>(few);
      double const wanted = m_settings.smoke ? 1e-4 : HostExecutionSpace<Exec> ? 0.1 : 4e-3;
      auto const least = HostExecutionSpace<Exec> && !m_settings.smoke && trial < 0.02 ? 8 * few : few;
      auto const steps = std::clamp<std::int64_t>(std::llround(wanted / trial), least, 20000);
      double const expected = trial * static_cast<double>(steps);
      int const repetitions = std::min(m_settings.repetitions, expected > 0.2 ? 3 : 7);
      Samples inside, transfers, outside;
      for (auto _ : state) {
        double total = 0.0;
        for (int r = 0; r < repetitions; ++r) {
          inside.add(seconds_of(m_exec, [&] { advance(u, steps); }) / static_cast<double>(steps));
          total += inside.seconds().back();
        }
        state.SetIterationTime(total);
      }
      // Transfers alone, and the same number of steps of every variant between them.
      auto const back = HostLine("back", points, Problem::components);
      bool const long_run = trial * static_cast<double>(steps_between_transfers) > 0.3;
      for (int r = 0; r < (long_run ? 1 : 3); ++r) {
        transfers.add(seconds_of(m_exec, [&] {
          Kokkos::deep_copy(m_exec, u, start);
          Kokkos::deep_copy(m_exec, back, u);
        }));
        outside.add(seconds_of(m_exec, [&] {
          Kokkos::deep_copy(m_exec, u, start);
          advance(u, steps_between_transfers);
          Kokkos::deep_copy(m_exec, back, u);
        }));
      }
      state.counters["us/step"] = 1e6 * inside.best();
      state.counters["median_us/step"] = 1e6 * inside.median();
      state.counters["setup_us"] = 1e6 * setup;
      state.counters["transfers_us"] = 1e6 * transfers.best();
      state.counters["us_with_transfers"] = 1e6 * outside.best();
      state.counters["steps_with_transfers"] = static_cast<double>(steps_between_transfers);
      state.counters["steps"] = static_cast<double>(steps);
      state.counters["points/s"] = static_cast<double>(points) / inside.best();
    } catch (const Error& error) {
      // A variant that cannot have so many, or so few, points.
      state.SkipWithError(error.what());
    }
  }

  /// Throws unless the variant has classic's bits, or is as near as the tolerance, after many steps.
  void verify(std::int64_t points, const HostLine& start, const Line& u, const Advance& advance, double tolerance) {
    std::int64_t const steps = HostExecutionSpace<Exec>   ? points <= (1 << 17) ? 333 : 20
                               : m_settings.smoke         ? 100
                               : points <= (1 << 19)      ? 2500
                               : Problem::components == 1 ? 700
                                                          : 100;
    Kokkos::deep_copy(m_exec, u, start);
    advance(u, steps);
    if (static_cast<std::int64_t>(m_expected.extent(0)) != points) {
      m_expected = Line();
      m_expected = Line("expected", points, Problem::components);
      Kokkos::deep_copy(m_exec, m_expected, start);
      SweptRule<Problem, Exec>(m_exec, m_problem, points, {.variant = SweptVariant::classic})
          .advance(m_exec, m_expected, steps);
    }
    std::int64_t different = 0;
    Kokkos::parallel_reduce("Hyperplane::perf::compare", Kokkos::RangePolicy<Exec>(m_exec, 0, points),
                            Different<Line>{u, m_expected, tolerance}, different);
    if (different == 0) return;
    throw std::runtime_error("bench_swept: " + std::to_string(different) + " values are not classic's");
  }

  Settings m_settings;
  HostLine m_initial;
  Line m_expected;
  Exec m_exec;
  Problem m_problem = Example<Problem>::problem();
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane;
  using Exec = Kokkos::DefaultExecutionSpace;
  return perf::run_suites<perf::Suite<HeatEquation<double>, Exec>, perf::Suite<KuramotoSivashinsky<double>, Exec>,
                          perf::Suite<EulerEquations<double>, Exec>>(argc, argv);
}
