// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BILU(0) of boxes that are cut along k over the CUDA devices of one process, n = 5: `natural`, by BlockIlu0OnDevices,
// and `none`, of parts that do not know of one another. `weak` boxes grow with the devices, `strong` ones do not. Each
// is verified once, on the layers beside each cut and the outermost ones: `natural` against the whole box on one
// device, bit by bit, or, where that does not hold it, against factors stored as float, to their rounding; where it
// does not hold these either, on a box with fewer layers. Beside `natural` are transposed solves, products and
// transposed products, verified in the same way, and iterations of BiCGStab, which are made of solves and products.
// Then it is timed with a copy on the first device next to every repetition. Runs follow one another for some
// milliseconds. Grid blocks over devices are in blocks.hpp.

#include "../support/cost_model.hpp"
#include "../support/harness.hpp"
#include "../support/relative_difference.hpp"
#include "../support/stream.hpp"
#include "../support/suites.hpp"
#include "blocks.hpp"
#include "packets.hpp"
#include "problem.hpp"
#include "timing.hpp"

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

using namespace on_devices;

class DeviceSuite {
 public:
  explicit DeviceSuite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    int const devices = test::DeviceInstances::device_count();
    if (devices > 1) {
      add_packets("packet/lanes=1", 1, 1);
      add_packets("packet/lanes=32", 1, 32);
      add_packets("packet_stress", m_exec.cuda_device_prop().multiProcessorCount, 512);
    }
    for (auto const& one : m_settings.smoke ? std::vector{Grid(16, 16, 16)} : boxes()) {
      auto const name = to_string(one);
      add_case("one_" + name, one, 1, false);
      add_case("one_" + name, one, 1, true);
      for (int count = 2; count <= devices; count *= 2) {
        Grid const weak(one.ni(), one.nj(), one.nk() * count);
        add_case("weak_" + name, weak, count, true);
        add_case("weak_" + name, weak, count, false);
        if (one.ni() == one.nk()) add_case("strong_" + name, one, count, true);
      }
    }
  }

 private:
  /// Of a device. Those that are no cubes show what the way of a wave through them takes.
  static std::vector<Grid> boxes() {
    return {Grid(128, 128, 128), Grid(256, 256, 256), Grid(128, 128, 32),
            Grid(128, 128, 64),  Grid(256, 256, 64),  Grid(256, 256, 128)};
  }

  void add_packets(const std::string& name, int blocks, int threads) {
    add_benchmark(
        m_settings, name,
        [=, this](benchmark::State& state) {
          PacketsBetweenDevices const packets(blocks, threads);
          int const steps = m_settings.smoke ? 100 : 20000;
          packets.run(100);
          Samples times;
          for (auto _ : state) {
            times.add(packets.run(steps) / (2 * steps));
            state.SetIterationTime(times.seconds().back());
          }
          state.counters["best_us"] = 1e6 * times.best();
          state.counters["median_us"] = 1e6 * times.median();
          state.counters["packets"] = 2.0 * blocks * threads * steps * static_cast<double>(times.seconds().size());
        },
        benchmark::kMicrosecond);
  }

  void add_case(const std::string& name, const Grid& box, int devices, bool coupled) {
    auto const key = std::string("Cuda/") + (coupled ? "natural" : "none") + "/double/n=" + std::to_string(n) + "/" +
                     name + "/devices=" + std::to_string(devices);
    add("factor/" + key, key, box, devices, coupled, factor_cost(n, sizeof(double), sizeof(double)),
        [](DeviceProblem& p) { p.factor(); });
    add("solve/" + key, key, box, devices, coupled, solve_cost(n, sizeof(double), sizeof(double)),
        [](DeviceProblem& p) { p.solve(); });
    if (!coupled) return;
    auto const product = apply_cost(n, sizeof(double), sizeof(double));
    add("apply/" + key, key, box, devices, coupled, product, [](DeviceProblem& p) { p.apply(); });
    add("solve_transposed/" + key, key, box, devices, coupled, solve_cost(n, sizeof(double), sizeof(double)),
        [](DeviceProblem& p) { p.solve_transposed(); });
    add("apply_transposed/" + key, key, box, devices, coupled, product, [](DeviceProblem& p) { p.apply_transposed(); });
    add("bicgstab/" + key, key, box, devices, coupled, iterations_cost(product), [](DeviceProblem& p) { p.iterate(); });
  }

  /// What DeviceProblem::iterate() moves: of vectors 19 values for each unknown in an iteration, and 7 before the
  /// first.
  static Cost iterations_cost(const Cost& product) {
    auto const solve = solve_cost(n, sizeof(double), sizeof(double));
    double const vectors = n * sizeof(double);
    double const iteration = 2 * (product.bytes + solve.bytes) + 19 * vectors;
    return {DeviceProblem::iterations * iteration + product.bytes + 7 * vectors, 0};
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
      time_run(
          state, m_exec, *m_stream, devices, cost.bytes * static_cast<double>(box.size()), [&] { run(*m_problem); },
          [&] { m_problem->fence(); });
    });
  }

  static std::unique_ptr<DeviceProblem> make(const Grid& box, int devices, bool coupled) {
    if (!coupled) return solved(box, devices, false);
    Grid checked = box;
    while (!fits<float>(checked)) checked = Grid(box.ni(), box.nj(), checked.nk() / 2);
    if (checked.nk() != box.nk()) verified(checked, devices);
    return checked.nk() == box.nk() ? verified(box, devices) : solved(box, devices, true);
  }

  /// Whether a device holds the matrix and the factors of a box, and some more.
  template <class Storage>
  static bool fits(const Grid& box) {
    double const bytes = 2.2 * 7 * n * n * sizeof(Storage) * static_cast<double>(box.size());
    return bytes < static_cast<double>(Exec().cuda_device_prop().totalGlobalMem);
  }

  static std::unique_ptr<DeviceProblem> solved(const Grid& box, int devices, bool coupled) {
    auto made = std::make_unique<DeviceProblem>(box, devices, coupled);
    made->solve();
    made->fence();
    return made;
  }

  static std::unique_ptr<DeviceProblem> verified(const Grid& box, int devices) {
    auto const layers = checked_layers(box, devices);
    bool const exact = fits<double>(box);
    auto const of_whole = [&](Operation operation) {
      return exact ? whole_layers<double>(box, layers, operation) : whole_layers<float>(box, layers, operation);
    };
    constexpr Operation operations[] = {Operation::solve, Operation::solve_transposed, Operation::apply,
                                        Operation::apply_transposed};
    std::vector<std::vector<double>> expected;
    for (auto const operation : operations) expected.push_back(of_whole(operation));
    auto made = solved(box, devices, true);
    for (auto const operation : operations) {
      made->run(operation);
      made->fence();
      auto const x = made->results();
      auto const& of_box = expected[static_cast<std::size_t>(operation)];
      if (exact ? x == of_box : relative_difference(x, of_box) <= 1e-5) continue;
      constexpr const char* names[] = {"the solve", "the transposed solve", "the product", "the transposed product"};
      throw std::runtime_error(std::string(names[static_cast<int>(operation)]) + " of " + to_string(box) + " on " +
                               std::to_string(devices) + " devices differs from that on one by " +
                               std::to_string(relative_difference(x, of_box)));
    }
    return made;
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  std::string m_key;
  std::unique_ptr<DeviceProblem> m_problem;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_suites<hyperplane::perf::DeviceSuite, hyperplane::perf::BlocksOverDevicesSuite>(argc,
                                                                                                               argv);
}
