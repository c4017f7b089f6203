// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlu0 on grids and BlockIlukCsr on a mesh beside PETSc's ILU(k) of a BAIJ matrix: the same system, one process
// against one thread, the two checked against each other once and then timed in turns, with triad between them.

#include "csr/csr_problem.hpp"
#include "csr/mesh_system.hpp"
#include "support/cache.hpp"
#include "support/compare.hpp"
#include "support/harness.hpp"
#include "support/petsc_ilu.hpp"
#include "support/problem.hpp"
#include "support/relative_difference.hpp"
#include "support/suites.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/sweep/sweep_path.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hyperplane::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// The two libraries with the same system, verified: Problem or CsrProblem, and PETSc, which keeps doubles.
template <class Hyperplane, class Storage>
struct Pair {
  Pair(const Exec& exec, std::shared_ptr<Hyperplane> hyperplane, std::shared_ptr<PetscIlu> petsc)
      : m_hyperplane(std::move(hyperplane)), m_petsc(std::move(petsc)) {
    m_hyperplane->factor(exec);
    m_hyperplane->solve(exec);
    m_petsc->factor();
    m_petsc->solve();
    check("M^-1 r", m_hyperplane->x(exec));
    m_hyperplane->apply(exec);
    m_petsc->apply();
    check("A x", m_hyperplane->x(exec));
  }

  std::shared_ptr<Hyperplane> m_hyperplane;
  std::shared_ptr<PetscIlu> m_petsc;

 private:
  void check(const std::string& what, const std::vector<double>& x) const {
    double const error = relative_difference(m_petsc->x(), x);
    if (error <= reference_tolerance(Hyperplane::block_size, rounding_error<Storage>)) return;
    throw std::runtime_error("PETSc and Hyperplane differ in " + what + " by " + std::to_string(error));
  }
};

/// ILU(k) of a system on a mesh.
std::shared_ptr<PetscIlu> petsc_iluk(const CsrSystem& system, int levels) {
  constexpr int n = MeshSystem::n, most = 15;
  auto const for_blocks = [&](PetscInt row, const PetscIlu::TakeBlock& take) {
    auto const r = static_cast<std::size_t>(row);
    for (auto e = system.first(r); e < system.first(r + 1); ++e) take(system.columns[e], &system.values[e * n * n]);
  };
  return std::make_shared<PetscIlu>(
      static_cast<PetscInt>(system.points()), n, most, levels, for_blocks,
      [&](PetscInt row, int c) { return system.rhs[static_cast<std::size_t>(row * n + c)]; });
}

class Suite {
 public:
  explicit Suite(const Settings& settings)
      : m_settings(settings), m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    for (auto const& grid : grids_of(m_settings)) {
      register_block_size<5>(grid);
      register_block_size<6>(grid);
      register_block_size<4>(grid);
      register_block_size<1>(grid);
    }
    Grid const box = m_settings.smoke ? Grid(5, 4, 6) : Grid(48, 48, 48);
    for (int const levels : {0, 1}) {
      register_mesh<double>("double", box, levels);
      register_mesh<float>("float", box, levels);
    }
  }

 private:
  template <int n>
  void register_block_size(const Grid& grid) {
    register_storage<n, double>("double", grid);
    register_storage<n, float>("float", grid);
    register_storage<n, Half>("half", grid);
    register_storage<n, Quarter>("quarter", grid);
  }

  template <int n, class Storage>
  void register_storage(const std::string& storage, const Grid& grid) {
    using Hyperplane = Problem<n, Exec, Storage>;
    register_pair<Hyperplane, Storage>(
        storage + "/n=" + std::to_string(n) + "/" + to_string(grid),
        [=, this] {
          auto hyperplane = std::make_shared<Hyperplane>(m_exec, grid, SweepPath::automatic);
          auto petsc = petsc_ilu0(hyperplane->system());
          return std::make_shared<Pair<Hyperplane, Storage>>(m_exec, std::move(hyperplane), std::move(petsc));
        },
        Real<Storage>);
  }

  /// A mesh whose points have numbers by reverse Cuthill-McKee, in which both take them. The matrix is always double.
  template <class Storage>
  void register_mesh(const std::string& storage, const Grid& box, int levels) {
    using Hyperplane = CsrProblem<Exec, Storage>;
    register_pair<Hyperplane, Storage>(
        "mesh/ilu" + std::to_string(levels) + "/" + storage + "/n=5/" + to_string(box),
        [=, this] {
          MeshSystem const mesh(box);
          auto const system = mesh.renumbered(order_rows(RowOrder::rcm, mesh.offsets, mesh.columns));
          return std::make_shared<Pair<Hyperplane, Storage>>(
              m_exec, std::make_shared<Hyperplane>(m_exec, system, BlockIlukCsrOptions{.fill = levels}),
              petsc_iluk(system, levels));
        },
        std::is_same_v<Storage, double> && levels == 0);
  }

  template <class Hyperplane, class Storage, class Make>
  void register_pair(const std::string& key, const Make& make, bool with_product) {
    using Both = Pair<Hyperplane, Storage>;
    auto const add = [&](const std::string& kernel, void (*hyperplane)(Both&, const Exec&), void (*petsc)(Both&)) {
      add_benchmark(m_settings, kernel + "/PETSc/" + key, [=, this](benchmark::State& state) {
        auto& pair = m_pair.get<Both>(key, make);
        compare(state, m_exec, *m_stream, [&] { hyperplane(pair, m_exec); }, [&] { petsc(pair); });
      });
    };
    add("factor", [](Both& p, const Exec& e) { p.m_hyperplane->factor(e); }, [](Both& p) { p.m_petsc->factor(); });
    add("solve", [](Both& p, const Exec& e) { p.m_hyperplane->solve(e); }, [](Both& p) { p.m_petsc->solve(); });
    if (!with_product) return;
    add("apply", [](Both& p, const Exec& e) { p.m_hyperplane->apply(e); }, [](Both& p) { p.m_petsc->apply(); });
  }

  Settings m_settings;
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_pair;
};

std::shared_ptr<void> register_suite(const Settings& settings) {
  if (Exec().concurrency() != 1) {
    throw std::runtime_error("one PETSc process is compared with one thread: run with OMP_NUM_THREADS=1");
  }
  benchmark::AddCustomContext("petsc_version", std::to_string(PETSC_VERSION_MAJOR) + "." +
                                                   std::to_string(PETSC_VERSION_MINOR) + "." +
                                                   std::to_string(PETSC_VERSION_SUBMINOR));
#if defined(PETSC_USE_DEBUG)
  benchmark::AddCustomContext("petsc_build", "debug");
#else
  benchmark::AddCustomContext("petsc_build", "optimized");
#endif
  return register_suites<Suite>(settings);
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  try {
    PetscScope const petsc;
    return run_benchmarks(argc, argv, register_suite);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
