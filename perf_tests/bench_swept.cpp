// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The swept rule: time of a step against the number of points, for every equation and variant, each compared with
// `classic` once before it is timed.

#include "support/harness.hpp"
#include "support/overlapped_tiles.hpp"

#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
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

template <class Problem>
struct Example;

template <>
struct Example<HeatEquation<double>> {
  static constexpr const char* name = "heat";
  static HeatEquation<double> problem() { return {0.3}; }
  static PointState<double, 1> state(double, double random) { return {1.0 + random}; }
};
template <>
struct Example<KuramotoSivashinsky<double>> {
  static constexpr const char* name = "ks";
  static KuramotoSivashinsky<double> problem() { return {0.01, 0.6}; }
  static PointState<double, 1> state(double, double random) { return {random}; }
};
template <>
struct Example<EulerEquations<double>> {
  static constexpr const char* name = "euler";
  static EulerEquations<double> problem() { return EulerEquations<double>::sod(0.1); }
  static PointState<double, 3> state(double x, double random) {
    bool const left = x < 0.5;
    return EulerEquations<double>::state((left ? 1.0 : 0.125) + 0.01 * random, 0.01 * random, left ? 1.0 : 0.1);
  }
};

/// Counts the values of a point that are not the same.
template <class Line>
struct Different {
  Line m_a, m_b;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const {
    for (std::size_t c = 0; c < m_a.extent(1); ++c) sum += m_a(i, c) == m_b(i, c) ? 0 : 1;
  }
};

template <class Problem, class Exec>
class Suite {
 public:
  using Line = SweptLine<Problem, Exec>;
  using HostLine = SweptLine<Problem, Kokkos::DefaultHostExecutionSpace>;
  /// Takes the line that many steps further.
  using Advance = std::function<void(const Line&, std::int64_t)>;
  using Make = std::function<Advance(std::int64_t)>;

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
      if constexpr (CudaExecutionSpace<Exec>) {
        register_one(points, "overlapped", [this](std::int64_t n) { return overlapped(n); });
      }
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

  static std::vector<SweptVariant> variants() {
    std::vector<SweptVariant> result{SweptVariant::classic, SweptVariant::shared};
    if constexpr (CudaExecutionSpace<Exec>) {
      result.insert(result.end(), {SweptVariant::cuda_graph, SweptVariant::registers, SweptVariant::automatic});
    }
    return result;
  }

  Advance swept(std::int64_t points, const SweptOptions& options) const {
    auto const rule = std::make_shared<SweptRule<Problem, Exec>>(m_exec, m_problem, points, options);
    return [rule, exec = m_exec](const Line& u, std::int64_t steps) { rule->advance(exec, u, steps); };
  }

  Advance overlapped([[maybe_unused]] std::int64_t points) const {
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (CudaExecutionSpace<Exec>) {
      Line const spare("spare", points, Problem::components);
      return [spare, points, this](const Line& u, std::int64_t steps) {
        detail::SweptRow<Problem> const row{u.data(), static_cast<std::int64_t>(u.stride(1))};
        detail::SweptRow<Problem> const other{spare.data(), static_cast<std::int64_t>(spare.stride(1))};
        if (overlapped_advance(m_exec.cuda_stream(), m_problem, points, row, other, steps)) {
          Kokkos::deep_copy(m_exec, u, spare);
        }
      };
    }
#endif
    return {};
  }

  void register_variant(std::int64_t points, const std::string& variant, const SweptOptions& options) {
    register_one(points, variant, [this, options](std::int64_t n) { return swept(n, options); });
  }

  void register_one(std::int64_t points, const std::string& variant, const Make& make) {
    std::string const label =
        std::string(Example<Problem>::name) + "/" + Exec::name() + "/" + variant + "/N=" + std::to_string(points);
    benchmark::RegisterBenchmark(label.c_str(),
                                 [this, points, make](benchmark::State& state) { run(state, points, make); })
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

  void run(benchmark::State& state, std::int64_t points, const Make& make) {
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
      verify(points, start, u, advance);

      // Enough steps that neither the first launch nor the clock counts, and that tiles have some to share.
      std::int64_t const few = m_settings.smoke || HostExecutionSpace<Exec> ? 16 : 512;
      double const trial = seconds_of(m_exec, [&] { advance(u, few); }) / static_cast<double>(few);
      double const wanted = m_settings.smoke ? 1e-4 : HostExecutionSpace<Exec> ? 0.1 : 4e-3;
      auto const least = HostExecutionSpace<Exec> && !m_settings.smoke && trial < 0.1 ? 8 * few : few;
      auto const steps = std::clamp<std::int64_t>(std::llround(wanted / trial), least, 20000);
      double const expected = trial * static_cast<double>(steps);
      int const repetitions = std::min(m_settings.repetitions, expected > 0.2 ? 3 : 7);
      Samples inside, outside;
      for (auto _ : state) {
        double total = 0.0;
        for (int r = 0; r < repetitions; ++r) {
          inside.add(seconds_of(m_exec, [&] { advance(u, steps); }) / static_cast<double>(steps));
          total += inside.seconds().back();
        }
        state.SetIterationTime(total);
      }
      auto const back = HostLine("back", points, Problem::components);
      for (int r = 0; r < 2; ++r) {
        outside.add(seconds_of(m_exec,
                               [&] {
                                 Kokkos::deep_copy(m_exec, u, start);
                                 advance(u, steps);
                                 Kokkos::deep_copy(m_exec, back, u);
                               }) /
                    static_cast<double>(steps));
      }
      state.counters["us/step"] = 1e6 * inside.best();
      state.counters["median_us/step"] = 1e6 * inside.median();
      state.counters["us/step_with_transfers"] = 1e6 * outside.best();
      state.counters["setup_ms"] = 1e3 * setup;
      state.counters["steps"] = static_cast<double>(steps);
      state.counters["points/s"] = static_cast<double>(points) / inside.best();
    } catch (const Error& error) {
      // A variant that cannot have so many, or so few, points.
      state.SkipWithError(error.what());
    }
  }

  /// Throws unless the variant has classic's bits.
  void verify(std::int64_t points, const HostLine& start, const Line& u, const Advance& advance) const {
    std::int64_t const steps = points <= (1 << 17) ? 333 : HostExecutionSpace<Exec> ? 20 : 70;
    Kokkos::deep_copy(m_exec, u, start);
    advance(u, steps);
    Line const expected("expected", points, Problem::components);
    Kokkos::deep_copy(m_exec, expected, start);
    SweptRule<Problem, Exec>(m_exec, m_problem, points, {.variant = SweptVariant::classic})
        .advance(m_exec, expected, steps);
    std::int64_t different = 0;
    Kokkos::parallel_reduce("Hyperplane::perf::compare", Kokkos::RangePolicy<Exec>(m_exec, 0, points),
                            Different<Line>{u, expected}, different);
    if (different == 0) return;
    throw std::runtime_error("bench_swept: " + std::to_string(different) + " values are not classic's");
  }

  Settings m_settings;
  HostLine m_initial;
  Exec m_exec;
  Problem m_problem = Example<Problem>::problem();
};

template <class Exec>
struct Suites {
  explicit Suites(const Settings& settings) : m_heat(settings), m_ks(settings), m_euler(settings) {
    m_heat.register_all();
    m_ks.register_all();
    m_euler.register_all();
  }
  Suite<HeatEquation<double>, Exec> m_heat;
  Suite<KuramotoSivashinsky<double>, Exec> m_ks;
  Suite<EulerEquations<double>, Exec> m_euler;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_benchmarks(argc, argv, [](const hyperplane::perf::Settings& settings) {
    return std::static_pointer_cast<void>(
        std::make_shared<hyperplane::perf::Suites<Kokkos::DefaultExecutionSpace>>(settings));
  });
}
