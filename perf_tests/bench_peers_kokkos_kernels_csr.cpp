// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlukCsr beside spiluk and sptrsv of Kokkos Kernels, of block rows and of scalar ones: seven-point systems and a
// mesh, rows renumbered by each order, in which all take them. Both in one run, Kokkos Kernels' solves checked against
// BlockIlukCsr's: its factors must have as many entries and the same M. Of sptrsv the algorithms that give a row to a
// team (SEQLVLSCHD_TP1) and to a thread (SEQLVLSCHD_RP).

#include "csr/csr_problem.hpp"
#include "csr/csr_system.hpp"
#include "csr/mesh_system.hpp"
#include "support/cache.hpp"
#include "support/harness.hpp"
#include "support/kokkos_kernels_ilu.hpp"
#include "support/relative_difference.hpp"
#include "support/suites.hpp"

#include "unit_tests/support/random_system.hpp"

#include <hyperplane/csr/csr_path.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>

#include <KokkosKernels_config.h>
#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::perf {
namespace {

/// A system, and what its factorization gives.
struct Reference {
  CsrSystem system;
  Cost factor, solve;
  std::int64_t kept = 0;
  std::vector<double> x{};
};

template <class Exec>
class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    Grid const box = m_settings.smoke ? Grid(5, 4, 6) : on_host ? Grid(48, 48, 48) : Grid(100, 100, 100);
    for (int const fill : {0, 1}) {
      for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
        register_stencils<1, 3, 5, 6>(box, fill, order);
        register_system<MeshSystem::n>("mesh", box, fill, order, [=] { return MeshSystem(box); });
      }
    }
  }

 private:
  static constexpr bool on_host = HostExecutionSpace<Exec>;
  template <int n>
  using Problem = CsrProblem<Exec, double, BlockIlukCsr<double, n, Exec>>;
  using Peer = KokkosKernelsIlu<Exec>;

  template <int... sizes>
  void register_stencils(const Grid& box, int fill, RowOrder order) {
    (register_system<sizes>("stencil", box, fill, order, [=] { return csr_system(test::RandomSystem{box, sizes}); }),
     ...);
  }

  template <int n>
  void register_system(const std::string& kind, const Grid& box, int fill, RowOrder order,
                       const std::function<CsrSystem()>& make) {
    auto const key = std::string(Exec::name()) + "/" + kind + "/k=" + std::to_string(fill) + "/" + name(order) +
                     "/n=" + std::to_string(n) + "/" + to_string(box);
    auto const reference = [=, this]() -> const Reference& {
      return m_reference.get<Reference>(key, [&] {
        m_object.clear();
        auto system = make();
        if (order != RowOrder::natural) {
          system = system.renumbered(order_rows(order, system.offsets, system.columns));
        }
        Problem<n> const problem(m_exec, system, {.fill = fill});
        problem.solve(m_exec);
        return std::make_shared<Reference>(Reference{std::move(system), problem.factor_cost(), problem.solve_cost(),
                                                     problem.ilu().blocks(), problem.x(m_exec)});
      });
    };
    register_own<n>("Hyperplane", CsrPath::automatic, key, fill, reference);
    // A launch for each level, as the peer has them.
    if constexpr (!on_host && n == 1) register_own<n>("Hyperplane_portable", CsrPath::portable, key, fill, reference);
    if constexpr (n > 1) register_peer("bsr", KokkosKernelsFormat::bsr, key, fill, reference);
    register_peer("crs", KokkosKernelsFormat::crs, key, fill, reference);
  }

  template <int n>
  void register_own(const std::string& library, CsrPath path, const std::string& key, int fill,
                    const std::function<const Reference&()>& reference) {
    auto const make = [=, this]() -> Problem<n>& {
      return m_object.get<Problem<n>>(library + key, [&] {
        auto const& expected = reference();
        auto own =
            std::make_shared<Problem<n>>(m_exec, expected.system, BlockIlukCsrOptions{.fill = fill, .path = path});
        own->solve(m_exec);
        check(library, expected, own->x(m_exec));
        return own;
      });
    };
    auto const add = [&](const std::string& kernel, Cost Reference::* cost, const auto& run) {
      add_benchmark(m_settings, kernel + "/" + library + "/" + key, [=, this](benchmark::State& state) {
        auto const& expected = reference();
        auto& problem = make();
        time(state, expected, expected.*cost, [&] { run(problem, m_exec); });
        state.counters["levels"] = problem.ilu().forward_levels();
      });
    };
    add("factor", &Reference::factor, [](Problem<n>& problem, const Exec& exec) { problem.factor(exec); });
    add("solve", &Reference::solve, [](Problem<n>& problem, const Exec& exec) { problem.solve(exec); });
  }

  void register_peer(const std::string& format_name, KokkosKernelsFormat format, const std::string& key, int fill,
                     const std::function<const Reference&()>& reference) {
    auto const library = "KokkosKernels_" + format_name;
    auto const make = [=, this]() -> Peer& {
      return m_object.get<Peer>(library + key, [&] {
        auto const& expected = reference();
        auto peer = std::make_shared<Peer>(m_exec, expected.system, format, fill, expected.kept);
        for (auto const solve : {&Peer::solve_by_teams, &Peer::solve_by_ranges}) {
          // Timed loops do both again and again.
          for (int run = 0; run < 2; ++run) {
            peer->factor();
            (peer.get()->*solve)();
          }
          check(library, expected, peer->x());
        }
        return peer;
      });
    };
    auto const add = [&](const std::string& kernel, const std::string& way, Cost Reference::* cost,
                         void (Peer::*run)()) {
      add_benchmark(m_settings, kernel + "/" + library + way + "/" + key, [=, this](benchmark::State& state) {
        try {
          auto const& expected = reference();
          if (on_host && Peer::working_bytes(expected.system, format) > most_working_bytes) {
            state.SkipWithError("spiluk's working array would have more than 8 GiB");
            return;
          }
          auto& peer = make();
          time(state, expected, expected.*cost, [&] { (peer.*run)(); });
          state.counters["levels"] = peer.levels();
        } catch (const std::exception& error) {
          // A peer that fails leaves the others be.
          m_object.clear();
          if (m_settings.smoke) throw;
          state.SkipWithError(error.what());
        }
      });
    };
    add("factor", "", &Reference::factor, &Peer::factor);
    add("solve", "_teams", &Reference::solve, &Peer::solve_by_teams);
    add("solve", "_ranges", &Reference::solve, &Peer::solve_by_ranges);
  }

  static void check(const std::string& library, const Reference& expected, const std::vector<double>& x) {
    double const error = relative_difference(x, expected.x);
    if (error <= 32.0 * expected.system.n * std::numeric_limits<double>::epsilon()) return;
    std::ostringstream message;
    message << "M^-1 r of " << library << " differs from that of BlockIlukCsr by " << error;
    throw std::runtime_error(message.str());
  }

  /// With the cost of Hyperplane, whoever runs.
  void time(benchmark::State& state, const Reference& reference, const Cost& cost, const std::function<void()>& run) {
    auto const points = static_cast<std::int64_t>(reference.system.points());
    // As long as starting a run and waiting for its end do not matter.
    constexpr double enough = on_host ? 0.0 : 1e-3;
    time_kernel(state, m_exec, *m_stream, points, cost, run, enough);
  }

  static constexpr double most_working_bytes = 8.0 * (1 << 30);

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_reference, m_object;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  benchmark::AddCustomContext("kokkos_kernels_version", std::to_string(KOKKOSKERNELS_VERSION_MAJOR) + "." +
                                                            std::to_string(KOKKOSKERNELS_VERSION_MINOR) + "." +
                                                            std::to_string(KOKKOSKERNELS_VERSION_PATCH));
  return hyperplane::perf::run_on_all_spaces<hyperplane::perf::Suite>(argc, argv);
}
