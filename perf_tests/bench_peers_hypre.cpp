// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlukCsr and BlockIlutCsr on a mesh beside hypre's ILU(k) and ILUT: the same system, one process against one
// thread. ILU(k) is checked against hypre's once. ILUT has the drop tolerance with which its factors have as many
// entries as hypre's, which keeps all entries of A that its number of entries in a row allows. Iterations are of the
// same FGMRES(30) to 1e-8 with either, whose residual is computed from x. Set-ups, with patterns, and solves are timed
// in turns, with triad between them.

#include "csr/csr_problem.hpp"
#include "csr/mesh_system.hpp"
#include "support/cache.hpp"
#include "support/compare.hpp"
#include "support/harness.hpp"
#include "support/hypre_ilu.hpp"
#include "support/relative_difference.hpp"
#include "support/suites.hpp"

#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// hypre's ILU as a preconditioner of this library's Krylov methods.
struct HyprePreconditioner {
  HypreIlu& ilu;

  template <class Vector>
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    exec.fence();
    ilu.set_b(r.flat().data());
    ilu.solve();
    ilu.get_x(z.flat().data());
  }
};

/// The two libraries with the same system, verified.
template <class Hyperplane>
struct Pair {
  Pair(const Exec& exec, const CsrSystem& system, const typename Hyperplane::Options& options,
       const HypreIluOptions& hypre_options)
      : hyperplane(std::make_shared<Hyperplane>(exec, system, options)), hypre(system, hypre_options) {
    hypre.set_up();
    if constexpr (requires { options.drop_tolerance; }) {
      find_drop_tolerance(exec, system, options);
    } else {
      hyperplane->solve(exec);
      hypre.solve();
      check("M^-1 r", hyperplane->x(exec));
    }
    hyperplane->apply(exec);
    hypre.apply();
    check("A x", hyperplane->x(exec));
    hyperplane_iterations = hyperplane->iterations(exec);
    hypre_iterations = hyperplane->iterations(exec, HyprePreconditioner{hypre});
    hypre.set_b(system.rhs.data());
  }

  std::shared_ptr<Hyperplane> hyperplane;
  HypreIlu hypre;
  int hyperplane_iterations = 0;
  int hypre_iterations = 0;

 private:
  void check(const std::string& what, const std::vector<double>& x) const {
    double const error = relative_difference(hypre.x(), x);
    if (error <= 32.0 * Hyperplane::block_size * std::numeric_limits<double>::epsilon()) return;
    throw std::runtime_error("hypre and Hyperplane differ in " + what + " by " + std::to_string(error));
  }

  /// Bisects the drop tolerance until the factors have as many entries as hypre's.
  void find_drop_tolerance(const Exec& exec, const CsrSystem& system, typename Hyperplane::Options options) {
    constexpr double close = 0.01, enough = 0.1;
    constexpr int most = 20;
    double low = 1e-6, high = 1.0;
    for (int step = 0; step < most; ++step) {
      double const difference = hyperplane->fill() / hypre.fill() - 1.0;
      if (std::abs(difference) <= (step + 1 < most ? close : enough)) return;
      (difference > 0.0 ? low : high) = options.drop_tolerance;
      options.drop_tolerance = std::sqrt(low * high);
      hyperplane.reset();
      hyperplane = std::make_shared<Hyperplane>(exec, system, options);
    }
    throw std::runtime_error("ILUT has " + std::to_string(hyperplane->fill()) + " entries for each of A, hypre's " +
                             std::to_string(hypre.fill()));
  }
};

class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    register_block_size<5>();
    register_block_size<1>();
  }

 private:
  Grid box() const { return m_settings.smoke ? Grid(5, 4, 6) : Grid(48, 48, 48); }

  /// A mesh whose points have numbers by reverse Cuthill-McKee, in which both take them; for n = 1 the equation of
  /// momentum along the first axis alone.
  CsrSystem system(int n) const {
    MeshSystem const mesh(box());
    auto const system = mesh.renumbered(order_rows(RowOrder::rcm, mesh.offsets, mesh.columns));
    return n == 1 ? system.component(1) : system;
  }

  template <int n>
  void register_block_size() {
    for (int const levels : {0, 1}) {
      register_pair<BlockIlukCsr<double, n, Exec>>("iluk=" + std::to_string(levels), {.fill = levels},
                                                   {.levels = levels});
    }
    // The tolerance of hypre, and p.
    constexpr int p = 20;
    for (auto const* const tau : {"0.1", "0.03", "0.01"}) {
      register_pair<BlockIlutCsr<double, n, Exec>>(
          std::string("ilut=") + tau + "," + std::to_string(p), {.row_entries = p},
          {.is_ilut = true, .drop_tolerance = std::stod(tau), .row_entries = (p + 1) * n - 1});
    }
  }

  template <class Ilu>
  void register_pair(const std::string& which, const typename Ilu::Options& options,
                     const HypreIluOptions& hypre_options) {
    constexpr int n = Ilu::block_size;
    using Both = Pair<CsrProblem<Exec, double, Ilu>>;
    auto const key = which + "/double/n=" + std::to_string(n) + "/" + to_string(box());
    // A set-up of hypre takes seconds.
    auto rarely = m_settings;
    rarely.repetitions = std::min(rarely.repetitions, 3);
    auto const add = [&](const Settings& settings, const std::string& kernel, void (*hyperplane)(Both&, const Exec&),
                         void (*hypre)(Both&)) {
      add_benchmark(settings, kernel + "/hypre/" + key, [=, this](benchmark::State& state) {
        auto& pair =
            m_pair.get<Both>(key, [&] { return std::make_shared<Both>(m_exec, system(n), options, hypre_options); });
        compare(state, m_exec, *m_stream, [&] { hyperplane(pair, m_exec); }, [&] { hypre(pair); });
        state.counters["iterations"] = pair.hypre_iterations;
        state.counters["hyperplane_iterations"] = pair.hyperplane_iterations;
        state.counters["iterations_ratio"] = static_cast<double>(pair.hyperplane_iterations) / pair.hypre_iterations;
        state.counters["fill"] = pair.hypre.fill();
        state.counters["hyperplane_fill"] = pair.hyperplane->fill();
        if constexpr (requires { options.drop_tolerance; }) {
          state.counters["hyperplane_drop_tolerance"] = pair.hyperplane->ilu().drop_tolerance();
        }
      });
    };
    add(rarely, "setup", [](Both& p, const Exec& e) { p.hyperplane->set_up(e); }, [](Both& p) { p.hypre.set_up(); });
    add(m_settings, "solve", [](Both& p, const Exec& e) { p.hyperplane->solve(e); }, [](Both& p) { p.hypre.solve(); });
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_pair;
};

std::shared_ptr<void> register_suite(const Settings& settings) {
  if (Exec().concurrency() != 1) {
    throw std::runtime_error("one hypre process is compared with one thread: run with OMP_NUM_THREADS=1");
  }
  benchmark::AddCustomContext("hypre_version", HYPRE_RELEASE_VERSION);
  return register_suites<Suite>(settings);
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  try {
    HypreScope const hypre(argc, argv);
    return run_benchmarks(argc, argv, register_suite);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
