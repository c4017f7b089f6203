// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cache.hpp"
#include "../support/cost_model.hpp"
#include "../support/harness.hpp"
#include "../support/stream.hpp"
#include "adjoint_problem.hpp"
#include "csr_problem.hpp"
#include "csr_system.hpp"
#include "mesh_file.hpp"
#include "mesh_system.hpp"
#include "product_problem.hpp"
#include "several_problem.hpp"

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/grid/grid.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace hyperplane::perf {

/// The benchmarks of block CSR in an execution space, on a mesh: what they share, and how one is registered. Which ones
/// there are, files of their own say.
template <class Exec_>
class CsrSuite {
 public:
  using Exec = Exec_;

  /// What is timed beside a solve.
  struct Kernels {
    bool factor = true;
    bool slow_factor = false;  ///< takes up to seconds
    bool product = false;
  };

  /// What a problem is made of, when it is needed.
  struct Source {
    std::string name;
    std::function<std::shared_ptr<const CsrSystem>()> make;
  };

  /// Without a file the mesh is a box.
  CsrSuite(const Settings& settings, std::shared_ptr<MeshFile> file)
      : m_settings(settings),
        m_file(std::move(file)),
        m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  bool smoke() const { return m_settings.smoke; }
  bool has_file() const { return m_file != nullptr; }
  Grid box() const {
    if (smoke()) return Grid(5, 4, 6);
    return HostExecutionSpace<Exec> ? Grid(48, 48, 48) : Grid(100, 100, 100);
  }
  Source mesh() {
    return {mesh_name(), [this] { return mesh_system(); }};
  }
  /// A seven-point system of points^3 points.
  Source stencil(int n, int points) const {
    Grid const grid = smoke() ? box() : Grid(points, points, points);
    return {to_string(grid), [=] { return std::make_shared<CsrSystem>(csr_system({.grid = grid, .n = n})); }};
  }

  template <class Problem>
  void register_problem(const std::string& which, const typename Problem::Options& options, const Kernels& kernels) {
    register_problem<Problem>(which, options, kernels, mesh());
  }
  template <class Problem>
  void register_problem(const std::string& which, const typename Problem::Options& options, const Kernels& kernels,
                        const Source& source) {
    auto const key = std::string(Exec::name()) + "/" + which + "/n=5/" + source.name;
    auto const add = [&](const std::string& kernel, Cost (Problem::*cost)() const, const auto& run, bool slow = false) {
      add_benchmark(settings(slow), kernel + "/" + key, [=, this](benchmark::State& state) {
        auto& measured = m_measured.get<Measured<Problem>>(key, [&] {
          auto problem = std::make_shared<Problem>(m_exec, *source.make(), options);
          if (options.transposed) problem->check_transposed(m_exec);
          int const iterations = problem->iterations(m_exec);
          return std::make_shared<Measured<Problem>>(Measured<Problem>{problem, iterations});
        });
        auto& problem = *measured.problem;
        time_kernel(state, m_exec, *m_stream, problem.points(), (problem.*cost)(), [&] { run(problem, m_exec); });
        state.counters["iterations"] = measured.iterations;
        state.counters["levels"] = problem.ilu().forward_levels();
        state.counters["fill"] = problem.fill();
        state.counters["points"] = static_cast<double>(problem.points());
      });
    };
    if (kernels.factor) {
      add(
          "factor", &Problem::factor_cost, [](Problem& problem, const Exec& exec) { problem.factor(exec); },
          kernels.slow_factor);
    }
    add("solve", &Problem::solve_cost, [](Problem& problem, const Exec& exec) { problem.solve(exec); });
    if (options.transposed) {
      add("solve_transposed", &Problem::solve_cost,
          [](Problem& problem, const Exec& exec) { problem.solve_transposed(exec); });
    }
    if (kernels.product) {
      add("apply", &Problem::apply_cost, [](Problem& problem, const Exec& exec) { problem.apply(exec); });
    }
  }

  template <class M, class Make>
  void register_adjoint(const std::string& which, const Cost& cost, const Make& make) {
    using Problem = CsrAdjointProblem<Exec, M>;
    auto const key = std::string(Exec::name()) + "/" + which + "/n=5/" + mesh_name();
    auto const add = [&](const std::string& kernel, void (Problem::*run)(const Exec&) const) {
      add_benchmark(m_settings, kernel + "/" + key, [=, this](benchmark::State& state) {
        auto& problem =
            m_measured.get<Problem>(key, [&] { return std::make_shared<Problem>(m_exec, *mesh_system(), make); });
        time_kernel(state, m_exec, *m_stream, problem.points(), cost, [&] { (problem.*run)(m_exec); });
      });
    };
    add("solve", &Problem::solve);
    add("solve_transposed", &Problem::solve_transposed);
  }

  template <int n>
  void register_product(const std::string& which, const Source& source) {
    using Problem = ProductProblem<Exec, n>;
    auto const key = std::string(Exec::name()) + "/" + which + "/n=" + std::to_string(n) + "/" + source.name;
    auto const add = [&](const std::string& kernel, void (Problem::*run)(const Exec&) const) {
      add_benchmark(m_settings, kernel + "/" + key, [=, this](benchmark::State& state) {
        auto& problem = m_measured.get<Problem>("product/" + key,
                                                [&] { return std::make_shared<Problem>(m_exec, *source.make()); });
        time_kernel(state, m_exec, *m_stream, problem.points(), problem.cost(), [&] { (problem.*run)(m_exec); });
      });
    };
    add("apply", &Problem::apply);
    add("apply_transposed", &Problem::apply_transposed);
  }

  /// Solves in each order, and the rest by reverse Cuthill-McKee alone.
  template <int count>
  void register_several(RowOrder order) {
    using Problem = SeveralProblem<Exec, count>;
    bool const solves_alone = order != RowOrder::rcm;
    for (bool const together : {true, false}) {
      auto const key =
          std::string(Exec::name()) + "/" + name(order) + "/n=5/" + mesh_name() + "/vectors=" + std::to_string(count);
      auto const add = [&](const std::string& kernel, Cost (Problem::*cost)(bool) const,
                           void (Problem::*run)(const Exec&, bool) const, bool slow = false) {
        add_benchmark(settings(slow), kernel + (together ? "_together/" : "_one_by_one/") + key,
                      [=, this](benchmark::State& state) {
                        auto& problem = m_measured.get<Problem>(key, [&] {
                          return std::make_shared<Problem>(m_exec, *mesh_system(), order, solves_alone);
                        });
                        time_kernel(state, m_exec, *m_stream, problem.points(), (problem.*cost)(together),
                                    [&] { (problem.*run)(m_exec, together); });
                      });
      };
      add("solve", &Problem::solve_cost, &Problem::solve);
      if (solves_alone) continue;
      add("apply", &Problem::apply_cost, &Problem::apply);
      add("bicgstab", &Problem::bicgstab_cost, &Problem::bicgstab, true);
      add("fgmres", &Problem::fgmres_cost, &Problem::fgmres, true);
    }
  }

 private:
  template <class Problem>
  struct Measured {
    std::shared_ptr<Problem> problem;
    int iterations;
  };

  std::string mesh_name() const { return m_file ? m_file->name() : to_string(box()); }
  /// Made once: of 10^6 points that takes longer than what is timed.
  const std::shared_ptr<const MeshSystem>& mesh_system() {
    if (!m_mesh) m_mesh = std::make_shared<MeshSystem>(m_file ? MeshSystem(m_file->mesh()) : MeshSystem(box()));
    return m_mesh;
  }

  /// With few runs of what takes long.
  Settings settings(bool slow) const {
    auto result = m_settings;
    if (slow) result.repetitions = std::min(result.repetitions, 3);
    return result;
  }

  Settings m_settings;
  std::shared_ptr<MeshFile> m_file;          // none: the box
  std::shared_ptr<const MeshSystem> m_mesh;  // none: not made yet
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_measured;
};

/// Each has a file of its own.
template <class Exec>
void register_iluk(CsrSuite<Exec>& suite);
template <class Exec>
void register_narrow_ilu0(CsrSuite<Exec>& suite);
template <class Exec>
void register_relaxations(CsrSuite<Exec>& suite);
template <class Exec>
void register_ilut(CsrSuite<Exec>& suite);
template <class Exec>
void register_several_vectors(CsrSuite<Exec>& suite);
template <class Exec>
void register_stencils(CsrSuite<Exec>& suite);
template <class Exec>
void register_products(CsrSuite<Exec>& suite);

/// Behind the definition of one of them: for the host and, where there is CUDA, for the device.
#if defined(KOKKOS_ENABLE_CUDA)
#define HYPERPLANE_PERF_ON_ALL_SPACES(function)                         \
  template void function(CsrSuite<Kokkos::DefaultHostExecutionSpace>&); \
  template void function(CsrSuite<Kokkos::Cuda>&)
#else
#define HYPERPLANE_PERF_ON_ALL_SPACES(function) template void function(CsrSuite<Kokkos::DefaultHostExecutionSpace>&)
#endif

}  // namespace hyperplane::perf
