// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlu0 on CUDA beside cuSPARSE with the same systems in the same run: bsrilu02 and bsrsv2 (both policies, both
// orders of the entries in a block) and SpSV; BlockIlu0 in double also with factors stored in float, and
// on the host's threads; and BlockIlu0Csr of the same matrix in compressed rows. Every one is
// checked against BlockIlu0's portable path, then timed with copy next to every repetition. Times are of the device;
// the analysis that cuSPARSE needs once is a counter, not in them.

#include "support/cache.hpp"
#include "support/cuda_support.hpp"
#include "support/cusparse_ilu0.hpp"
#include "support/cusparse_spsv.hpp"
#include "support/fastest_peers.hpp"
#include "support/harness.hpp"
#include "support/hyperplane_csr_ilu0.hpp"
#include "support/hyperplane_ilu0.hpp"
#include "support/problem.hpp"

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/comparison_paths.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::Cuda;
using Host = Kokkos::DefaultHostExecutionSpace;

/// What is compared; the first is what the others are checked against.
constexpr std::array paths = {SweepPath::portable, SweepPath::slab, SweepPath::cuda_graph};
constexpr std::array paths_of_papers = {ComparisonPath::thread_recycling, ComparisonPath::cooperative};

std::vector<Grid> cubes(const Settings& settings) {
  if (settings.smoke) return {Grid(13, 6, 7)};
  return {Grid(15, 15, 15), Grid(19, 19, 19), Grid(24, 24, 24),
          Grid(29, 29, 29), Grid(55, 55, 55), Grid(128, 128, 128)};
}

/// What is done to one object in turns.
struct Kernel {
  std::function<void()> prepare;  ///< enqueued before each run, not timed
  std::function<void()> run;
  bool repeatable;  ///< several runs in a row need no prepare() between them
  double analysis_seconds = 0.0;
  bool on_host = false;
};

class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    for (auto const& grid : cubes(m_settings)) {
      register_block_size<5>(grid);
      register_block_size<6>(grid);
      register_block_size<1>(grid);
      register_block_size<3>(grid);
    }
  }

  /// Whether a benchmark ended with an error instead of a time.
  bool failed() const { return m_failed; }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_scalar<double, n>("double", grid);
    register_scalar<float, n>("float", grid);
  }

  // cuSPARSE first, so that BlockIlu0 can be compared with the fastest of it.
  template <class Scalar, int n>
  void register_scalar(const std::string& scalar, const Grid& grid) {
    auto const key = scalar + "/n=" + std::to_string(n) + "/" + to_string(grid);
    for (auto const direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
      for (auto const policy : {CUSPARSE_SOLVE_POLICY_USE_LEVEL, CUSPARSE_SOLVE_POLICY_NO_LEVEL}) {
        auto const variant = std::string(direction == CUSPARSE_DIRECTION_ROW ? "_row" : "_column") +
                             (policy == CUSPARSE_SOLVE_POLICY_USE_LEVEL ? "_level" : "_no_level");
        auto const make = [=, this]() -> CusparseBsrIlu0<Scalar>& {
          return m_object.get<CusparseBsrIlu0<Scalar>>(variant + key, [&] {
            auto made = std::make_shared<CusparseBsrIlu0<Scalar>>(m_exec, RandomSystem{grid, n}, direction, policy);
            made->factor();
            made->check_pivots();
            made->solve();
            this->template check<Scalar, n>("bsrilu02 and bsrsv2", grid, made->x());
            return made;
          });
        };
        add<Scalar, n>("factor", "bsrilu02" + variant, key, grid, true, [=] {
          auto& peer = make();
          return Kernel{[&peer] { peer.reset(); }, [&peer] { peer.factor(); }, false, peer.factor_analysis_seconds()};
        });
        add<Scalar, n>("solve", "bsrsv2" + variant, key, grid, true, [=] {
          auto& peer = make();
          return Kernel{[] {}, [&peer] { peer.solve(); }, true, peer.solve_analysis_seconds()};
        });
      }
    }
    add<Scalar, n>("solve", "SpSV", key, grid, true, [=, this] {
      auto& peer = m_object.get<CusparseSpsv<Scalar>>("SpSV" + key, [&] {
        auto made = std::make_shared<CusparseSpsv<Scalar>>(m_exec, RandomSystem{grid, n});
        made->solve();
        this->template check<Scalar, n>("SpSV", grid, made->x());
        return made;
      });
      return Kernel{[] {}, [&peer] { peer.solve(); }, true, peer.solve_analysis_seconds()};
    });
    if constexpr (std::same_as<Scalar, double>) register_host<n>(key, grid);
    register_paths<Scalar, n, Scalar>("", key, grid);
    if constexpr (std::same_as<Scalar, double>) register_paths<Scalar, n, float>("_float_storage", key, grid);
  }

  template <int n>
  void register_host(const std::string& key, const Grid& grid) {
    using Plan = HyperplaneIlu0<double, n, double, Host>;
    auto const make = [=, this]() -> Plan& {
      return m_object.get<Plan>(host_library + key, [&] {
        auto made = std::make_shared<Plan>(m_host, grid, SweepPath::automatic);
        made->solve();
        this->template check<double, n>(host_library, grid, made->x());
        return made;
      });
    };
    add<double, n>("factor", host_library, key, grid, false, [=] {
      auto& plan = make();
      return Kernel{.prepare = [] {}, .run = [&plan] { plan.factor(); }, .repeatable = true, .on_host = true};
    });
    add<double, n>("solve", host_library, key, grid, false, [=] {
      auto& plan = make();
      return Kernel{.prepare = [] {}, .run = [&plan] { plan.solve(); }, .repeatable = true, .on_host = true};
    });
  }

  template <class Scalar, int n, class Storage>
  void register_paths(const std::string& suffix, const std::string& key, const Grid& grid) {
    for (auto const path : paths) register_path<Scalar, n, Storage>(path, suffix, key, grid);
    for (auto const path : paths_of_papers) register_path<Scalar, n, Storage>(path, suffix, key, grid);
    for (auto const path : {CsrPath::portable, CsrPath::tickets}) {
      register_plan<Scalar, n, Storage, HyperplaneCsrIlu0<Scalar, n, Storage>>(
          std::string("Hyperplane_csr_") + (path == CsrPath::portable ? "portable" : "tickets") + suffix, key, grid,
          [=, this] { return HyperplaneCsrIlu0<Scalar, n, Storage>(m_exec, RandomSystem{grid, n}, path); });
    }
  }

  template <class Scalar, int n, class Storage, class ChosenPath>
  void register_path(ChosenPath path, const std::string& suffix, const std::string& key, const Grid& grid) {
    using Plan = HyperplaneIlu0<Scalar, n, Storage>;
    register_plan<Scalar, n, Storage, Plan>(std::string("Hyperplane_") + name(path) + suffix, key, grid,
                                            [=, this] { return Plan(m_exec, grid, path); });
  }

  template <class Scalar, int n, class Storage, class Plan, class MakePlan>
  void register_plan(const std::string& library, const std::string& key, const Grid& grid, const MakePlan& make_plan) {
    auto const make = [=, this]() -> Plan& {
      return m_object.get<Plan>(library + key, [&] {
        auto made = std::make_shared<Plan>(make_plan());
        made->solve();
        this->template check<Scalar, n, Storage>(library, grid, made->x());
        return made;
      });
    };
    add<Scalar, n, Storage>("factor", library, key, grid, false, [=] {
      auto& plan = make();
      return Kernel{[] {}, [&plan] { plan.factor(); }, false};
    });
    add<Scalar, n, Storage>("solve", library, key, grid, false, [=] {
      auto& plan = make();
      return Kernel{[] {}, [&plan] { plan.solve(); }, true};
    });
  }

  template <class Scalar, int n, class Storage = Scalar>
  void add(const std::string& kernel, const std::string& library, const std::string& key, const Grid& grid, bool peer,
           const std::function<Kernel()>& make) {
    auto const cost = kernel == "factor" ? factor_cost(n, sizeof(Storage), sizeof(Storage))
                                         : solve_cost(n, sizeof(Storage), sizeof(Scalar));
    int const sweeps = kernel == "factor" ? 1 : 2;
    add_benchmark(m_settings, kernel + "/" + library + "/" + key, [=, this](benchmark::State& state) {
      // A path that does not take this grid, or a peer that fails, leaves the others be.
      try {
        auto const best = time_kernel(state, make(), grid, cost, sweeps);
        auto const what = kernel + "/" + key;
        if (peer) {
          m_fastest.note(what, library, best);
        } else if (library == host_library) {
          m_fastest.note_host(what, best);
        } else {
          m_fastest.compare(state, what, best);
        }
      } catch (const std::exception& error) {
        m_failed = true;
        m_object.clear();
        state.SkipWithError(error.what());
      }
    });
  }

  /// Returns the best time in seconds. Solves are timed in batches of at least a millisecond, one behind the other as
  /// in an iteration, so that they are not shorter than what starting the first one takes.
  double time_kernel(benchmark::State& state, const Kernel& kernel, const Grid& grid, const Cost& cost, int sweeps) {
    auto const stream = m_exec.cuda_stream();
    auto const seconds = [&](auto&& work) {
      return kernel.on_host ? seconds_of(m_host, work) : m_timer.seconds(stream, work);
    };
    double const enough = 1e-3;
    kernel.prepare();
    double const first = seconds(kernel.run);
    int const batch = kernel.repeatable ? std::clamp(static_cast<int>(enough / first) + 1, 1, 100) : 1;
    m_stream->copy(m_exec);
    Samples times;
    Samples copy_times;
    for (auto _ : state) {
      kernel.prepare();
      times.add(seconds([&] {
                  for (int i = 0; i < batch; ++i) kernel.run();
                }) /
                batch);
      copy_times.add(m_timer.seconds(stream, [&] { m_stream->copy(m_exec); }));
      state.SetIterationTime(times.seconds().back());
    }
    double const giga = 1e-9;
    double const points = static_cast<double>(grid.size());
    double const bandwidth = giga * cost.bytes * points / times.best();
    double const copy = giga * m_stream->copy_bytes() / copy_times.best();
    int const planes = grid.ni() + grid.nj() + grid.nk() - 2;
    state.counters["best_ms"] = 1e3 * times.best();
    state.counters["median_ms"] = 1e3 * times.median();
    state.counters["ns/point"] = 1e9 * times.best() / points;
    state.counters["us/plane"] = 1e6 * times.best() / (sweeps * planes);
    state.counters["GB/s"] = bandwidth;
    state.counters["batch"] = batch;
    if (!kernel.on_host) {
      state.counters["copy_GB/s"] = copy;
      state.counters["of_copy"] = bandwidth / copy;
    }
    if (kernel.analysis_seconds > 0.0) state.counters["analysis_ms"] = 1e3 * kernel.analysis_seconds;
    return times.best();
  }

  template <class Scalar, int n, class Storage = Scalar>
  void check(const std::string& what, const Grid& grid, const std::vector<double>& x) {
    auto const key = std::string(typeid(Scalar).name()) + std::to_string(n) + to_string(grid);
    auto const& reference = m_reference.get<std::vector<double>>(key, [&] {
      HyperplaneIlu0<Scalar, n> const plan(m_exec, grid, paths.front());
      plan.solve();
      return std::make_shared<std::vector<double>>(plan.x());
    });
    double const error = relative_difference(x, reference);
    double const tolerance = 32.0 * n * static_cast<double>(std::numeric_limits<Storage>::epsilon());
    if (error <= tolerance) return;
    throw std::runtime_error(what + ": relative difference from BlockIlu0 " + std::to_string(error) + ", tolerance " +
                             std::to_string(tolerance));
  }

  static constexpr const char* host_library = "Hyperplane_host";

  Settings m_settings;
  Exec m_exec;
  Host m_host;
  std::shared_ptr<Stream<Exec>> m_stream;
  DeviceTimer m_timer;
  Cache m_object;
  Cache m_reference;
  FastestPeers m_fastest;
  bool m_failed = false;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  bool failed = false;
  int const status = run_benchmarks(argc, argv, [&](const Settings& settings) {
    benchmark::AddCustomContext("cusparse_version", cusparse_version());
    auto made = std::shared_ptr<Suite>(new Suite(settings), [&](Suite* last) {
      failed = last->failed();
      delete last;
    });
    made->register_all();
    return made;
  });
  return failed ? 1 : status;
}
