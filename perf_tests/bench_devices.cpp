// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BILU(0) of boxes that are cut along k over the CUDA devices of one process, n = 5: `natural`, by BlockIlu0OnDevices,
// and `none`, of parts that do not know of one another. `weak` boxes grow with the devices, `strong` ones do not. Each
// is verified once, on the layers beside each cut and the outermost ones: `natural` against the whole box on one
// device, bit by bit, or, where that does not hold it, against factors stored as float, to their rounding. Then it is
// timed with a copy on the first device next to every repetition. Runs follow one another for some milliseconds.

#include "blocks/block_case.hpp"
#include "support/cost_model.hpp"
#include "support/harness.hpp"
#include "support/relative_difference.hpp"
#include "support/stream.hpp"
#include "support/suites.hpp"

#include "unit_tests/support/cuda_devices.hpp"

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_on_devices_cuda.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::Cuda;
using test::DeviceInstances;
constexpr int n = 5;
using Vector = BlockVector<double, n, Exec>;

/// The values of a layer.
struct GatherLayer {
  Vector::Ref m_from;
  double* m_to;
  int m_k;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    Point p = m_from.grid().point(number / n);
    p.k = m_k;
    m_to[number] = m_from(p, static_cast<int>(number % n));
  }
};

std::vector<double> layer(const Exec& exec, const Vector& x, int k) {
  auto const size = std::int64_t{x.grid().ni()} * x.grid().nj() * n;
  Kokkos::View<double*, Exec> const values(Kokkos::view_alloc(exec, "layer"), size);
  Kokkos::parallel_for("layer", Kokkos::RangePolicy<Exec>(exec, 0, size), GatherLayer{x.ref(), values.data(), k});
  auto const host = Kokkos::create_mirror_view(values);
  Kokkos::deep_copy(exec, host, values);
  exec.fence();
  return {host.data(), host.data() + size};
}

/// What the whole box on the first device gives in some layers.
template <class Storage>
std::vector<double> whole_layers(const Grid& box, const std::vector<int>& layers) {
  Exec const exec;
  RandomSystem const system{box, n};
  BlockStencil7<double, n, Exec, Storage> const a(exec, box);
  Vector const x(exec, box);
  assemble(exec, system, a);
  assemble(exec, system, x);
  BlockIlu0<double, n, Exec, Storage> ilu(exec, box);
  ilu.factor(exec, a);
  ilu.solve(exec, x, x);
  std::vector<double> result;
  for (int const k : layers) {
    auto const values = layer(exec, x, k);
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// The first layer of a part.
int begin_of(const Grid& box, int part, int devices) {
  return static_cast<int>(std::int64_t{box.nk()} * part / devices);
}

/// Layers at both ends of each part, by their numbers in the box.
std::vector<int> checked_layers(const Grid& box, int devices) {
  std::vector<int> result;
  for (int p = 0; p < devices; ++p) {
    result.push_back(begin_of(box, p, devices));
    result.push_back(begin_of(box, p + 1, devices) - 1);
  }
  return result;
}

/// A box over devices.
class DeviceProblem {
 public:
  DeviceProblem(const Grid& box, int devices, bool coupled) : m_instances(devices) {
    RandomSystem const system{box, n};
    if (coupled) m_whole = std::make_unique<BlockIlu0OnDevices<double, n, Exec>>(m_instances.all(), box);
    for (int d = 0; d < devices; ++d) {
      auto const& exec = m_instances.all()[static_cast<std::size_t>(d)];
      detail::CurrentDevice const current(exec.cuda_device());
      int const begin = begin_of(box, d, devices);
      Grid const part(box.ni(), box.nj(), begin_of(box, d + 1, devices) - begin);
      m_a.emplace_back(exec, part);
      m_b.emplace_back(exec, part);
      m_x.emplace_back(exec, part);
      PartOfSystem const of_part{system, {0, 0, begin}};
      assemble(exec, of_part, m_a.back());
      assemble(exec, of_part, m_b.back());
      if (!coupled) m_parts.emplace_back(exec, part);
    }
    factor();
    fence();
  }

  void factor() {
    if (m_whole) return m_whole->factor(std::span<const BlockStencil7<double, n, Exec>>(m_a));
    for_parts([&](const Exec& exec, std::size_t p) { m_parts[p].factor(exec, m_a[p]); });
  }
  void solve() const {
    if (m_whole) return m_whole->solve(m_b, m_x);
    for_parts([&](const Exec& exec, std::size_t p) { m_parts[p].solve(exec, m_b[p], m_x[p]); });
  }
  void fence() const {
    for (auto const& exec : m_instances.all()) exec.fence();
  }

  /// The values of checked_layers().
  std::vector<double> results() const {
    std::vector<double> result;
    for_parts([&](const Exec& exec, std::size_t p) {
      for (int const k : {0, m_x[p].grid().nk() - 1}) {
        auto const values = layer(exec, m_x[p], k);
        result.insert(result.end(), values.begin(), values.end());
      }
    });
    return result;
  }

 private:
  template <class Run>
  void for_parts(const Run& run) const {
    for (std::size_t p = 0; p < m_x.size(); ++p) {
      auto const& exec = m_instances.all()[p];
      detail::CurrentDevice const current(exec.cuda_device());
      run(exec, p);
    }
  }

  DeviceInstances m_instances;
  std::unique_ptr<BlockIlu0OnDevices<double, n, Exec>> m_whole;
  std::vector<BlockStencil7<double, n, Exec>> m_a;
  std::vector<Vector> m_b, m_x;
  mutable std::vector<BlockIlu0<double, n, Exec>> m_parts;
};

class DeviceSuite {
 public:
  explicit DeviceSuite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    for (int const extent : m_settings.smoke ? std::vector{16} : std::vector{128, 256}) {
      std::string const name = to_string(Grid(extent, extent, extent));
      add_case("one_" + name, Grid(extent, extent, extent), 1, false);
      for (int devices = 2; devices <= DeviceInstances::device_count(); devices *= 2) {
        add_case("weak_" + name, Grid(extent, extent, extent * devices), devices, true);
        add_case("weak_" + name, Grid(extent, extent, extent * devices), devices, false);
        add_case("strong_" + name, Grid(extent, extent, extent), devices, true);
      }
    }
  }

 private:
  void add_case(const std::string& name, const Grid& box, int devices, bool coupled) {
    auto const key = std::string("Cuda/") + (coupled ? "natural" : "none") + "/double/n=" + std::to_string(n) + "/" +
                     name + "/devices=" + std::to_string(devices);
    add("factor/" + key, key, box, devices, coupled, factor_cost(n, sizeof(double), sizeof(double)),
        [](DeviceProblem& p) { p.factor(); });
    add("solve/" + key, key, box, devices, coupled, solve_cost(n, sizeof(double), sizeof(double)),
        [](DeviceProblem& p) { p.solve(); });
  }

  void add(const std::string& name, const std::string& key, const Grid& box, int devices, bool coupled,
           const Cost& cost, void (*run)(DeviceProblem&)) {
    add_benchmark(m_settings, name, [=, this](benchmark::State& state) {
      if (m_key != key) {
        m_problem.reset();
        m_key.clear();
        m_problem = make(box, devices, coupled);
        m_key = key;
      }
      time_run(state, devices, cost.bytes * static_cast<double>(box.size()), [&] { run(*m_problem); });
    });
  }

  static std::unique_ptr<DeviceProblem> make(const Grid& box, int devices, bool coupled) {
    if (!coupled) {
      auto made = std::make_unique<DeviceProblem>(box, devices, false);
      made->solve();
      made->fence();
      return made;
    }
    auto const layers = checked_layers(box, devices);
    // Matrix and factors, and some more.
    double const bytes = 2.2 * 7 * n * n * sizeof(double) * static_cast<double>(box.size());
    bool const fits = bytes < static_cast<double>(Exec().cuda_device_prop().totalGlobalMem);
    auto const expected = fits ? whole_layers<double>(box, layers) : whole_layers<float>(box, layers);
    auto made = std::make_unique<DeviceProblem>(box, devices, true);
    made->solve();
    auto const x = made->results();
    if (fits ? x != expected : relative_difference(x, expected) > 1e-5) {
      throw std::runtime_error("BILU(0) of " + to_string(box) + " on " + std::to_string(devices) +
                               " devices differs from that on one by " +
                               std::to_string(relative_difference(x, expected)));
    }
    return made;
  }

  void time_run(benchmark::State& state, int devices, double bytes, const std::function<void()>& run) const {
    auto const seconds = [&](int count) {
      m_problem->fence();
      auto const start = std::chrono::steady_clock::now();
      for (int i = 0; i < count; ++i) run();
      m_problem->fence();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count;
    };
    seconds(1);
    int const batch = 1 + static_cast<int>(4e-3 / std::max(seconds(1), 1e-6));
    Samples times;
    Samples copies;
    for (auto _ : state) {
      times.add(seconds(batch));
      copies.add(seconds_of(m_exec, [&] { m_stream->copy(m_exec); }));
      state.SetIterationTime(times.seconds().back());
    }
    double const copy = m_stream->copy_bytes() / copies.best();
    state.counters["devices"] = devices;
    state.counters["best_ms"] = 1e3 * times.best();
    state.counters["median_ms"] = 1e3 * times.median();
    state.counters["GB/s"] = 1e-9 * bytes / times.best();
    state.counters["copy_GB/s"] = 1e-9 * copy;
    state.counters["of_copy"] = bytes / times.best() / (devices * copy);
    state.counters["batch"] = batch;
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  std::string m_key;
  std::unique_ptr<DeviceProblem> m_problem;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_suites<hyperplane::perf::DeviceSuite>(argc, argv); }
