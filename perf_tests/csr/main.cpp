// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BILU(0), (1) and (2), ILUT, DILU, LU-SGS and SSOR of block CSR on a mesh, in all orders of the rows: levels, blocks
// and iterations, and the times of factor, solve and product with copy and triad next to every repetition. Verified by
// the residual of a system that is solved, computed from x. Solves with M^T, of block Jacobi and lines along couplings,
// too, and products with A^T, verified as adjoints and beside a reference. Products, solves and iterations with several
// right-hand sides, together and one after the other. Seven-point systems: BILU(0) for n = 5, and products for every n,
// with about as many bytes. With --mesh=FILE the mesh is one of tetrahedra that gmsh made, and the seven-point systems
// are left out.

#include "../support/cache.hpp"
#include "../support/harness.hpp"
#include "../support/suites.hpp"
#include "adjoint_problem.hpp"
#include "csr_problem.hpp"
#include "mesh_file.hpp"
#include "product_problem.hpp"
#include "several_problem.hpp"

#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/csr/lines_along_couplings.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>
#include <hyperplane/line/line_set.hpp>

#include <benchmark/benchmark.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hyperplane::perf {
namespace {

template <class Exec>
class Suite {
 public:
  Suite(const Settings& settings, std::shared_ptr<MeshFile> file)
      : m_settings(settings),
        m_file(std::move(file)),
        m_stream(std::make_shared<Stream<Exec>>(m_exec, settings.stream_bytes<Exec>())) {}

  void register_all() {
    for (int const fill : {0, 1, 2}) {
      for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
        BlockIlukCsrOptions const options{.fill = fill, .order = order, .transposed = true};
        auto const key = "iluk=" + std::to_string(fill) + "/" + name(order);
        register_problem<Iluk<double>>(key + "/double", options, {.slow_factor = fill > 0, .product = fill == 0});
        if (fill == 0) {
          register_problem<Iluk<float>>(key + "/float", options, {.product = true});
          register_problem<Iluk<Half>>(key + "/half", options, {});
          register_problem<Iluk<Quarter>>(key + "/quarter", options, {});
        }
      }
    }
    for (bool const lu_sgs : {false, true}) {
      for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
        DiluCsrOptions const options{.lu_sgs = lu_sgs, .order = order, .transposed = true};
        auto const key = std::string(lu_sgs ? "lu-sgs/" : "dilu/") + name(order) + "/double";
        register_problem<Dilu>(key, options, {});
      }
    }
    register_problem<Ssor>("ssor/natural/double", {.relaxation = 1.3, .transposed = true}, {});
    constexpr double block = MeshSystem::n * MeshSystem::n * 8.0, vector = MeshSystem::n * 8.0;
    constexpr double flops = 2.0 * MeshSystem::n * MeshSystem::n;
    register_adjoint<Jacobi>("jacobi/double", {block + 2.0 * vector, flops},
                             [](const Exec& exec, const auto& a) { return Jacobi(exec, a); });
    // The three blocks of a line, as bench_block_tridiagonal counts them.
    register_adjoint<Lines>(
        "lines/double", {3.0 * block + 4.0 * vector, 3.0 * flops}, [](const Exec& exec, const auto& a) {
          auto lines = lines_along_couplings(exec, a);
          auto const lists = LineSet::lists(a.rows(), std::move(lines.offsets), std::move(lines.points));
          return Lines(exec, a, lists, {.transposed = true});
        });
    for (auto const* const tau : {"0.03", "0.01", "0.003"}) {
      for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours, RowOrder::lines}) {
        BlockIlutCsrOptions options{.drop_tolerance = std::stod(tau), .row_entries = 20, .order = order};
        options.transposed = options.drop_tolerance == 0.01;
        auto const key = std::string("ilut=") + tau + ",20/" + name(order) + "/double";
        register_problem<Ilut>(key, options, {.factor = options.drop_tolerance == 0.01, .slow_factor = true});
      }
    }
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
      register_several<2>(order);
      register_several<4>(order);
      register_several<8>(order);
    }
    register_product<MeshSystem::n>("mesh/double", mesh());
    if (!m_file) register_stencils();
  }

 private:
  template <class Storage>
  using Iluk = CsrProblem<Exec, Storage>;
  using Ilut = CsrProblem<Exec, double, BlockIlutCsr<double, MeshSystem::n, Exec>>;

  using Dilu = CsrProblem<Exec, double, DiluCsr<double, MeshSystem::n, Exec>>;
  using Ssor = CsrProblem<Exec, double, SsorCsr<double, MeshSystem::n, Exec>>;
  using Jacobi = BlockJacobiCsr<double, MeshSystem::n, Exec>;
  using Lines = LineImplicitCsr<double, MeshSystem::n, Exec>;

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

  template <class Problem>
  struct Measured {
    std::shared_ptr<Problem> problem;
    int iterations;
  };

  Grid box() const {
    if (m_settings.smoke) return Grid(5, 4, 6);
    return HostExecutionSpace<Exec> ? Grid(48, 48, 48) : Grid(100, 100, 100);
  }
  std::string mesh_name() const { return m_file ? m_file->name() : to_string(box()); }
  Source mesh() {
    return {mesh_name(), [this] { return mesh_system(); }};
  }
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

  void register_stencils() {
    auto const of = [this](int n, int points) {
      Grid const grid = m_settings.smoke ? box() : Grid(points, points, points);
      return Source{to_string(grid), [=] { return std::make_shared<CsrSystem>(csr_system({.grid = grid, .n = n})); }};
    };
    register_problem<Iluk<double>>("stencil/double", {.fill = 0, .transposed = true}, {}, of(5, 64));
    register_problem<Iluk<Half>>("stencil/half", {.fill = 0, .transposed = true}, {}, of(5, 64));
    register_problem<Iluk<Quarter>>("stencil/quarter", {.fill = 0, .transposed = true}, {}, of(5, 64));
    constexpr int points[] = {160, 128, 96, 80, 64, 64, 56, 48, 48, 44, 40, 40, 36, 36, 32, 32};
    static_assert(std::size(points) == max_block_size);
    [&]<int... n_minus_1>(std::integer_sequence<int, n_minus_1...>) {
      (register_product<n_minus_1 + 1>("stencil/double", of(n_minus_1 + 1, points[n_minus_1])), ...);
    }(std::make_integer_sequence<int, max_block_size>());
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

  Settings m_settings;
  std::shared_ptr<MeshFile> m_file;          // none: the box
  std::shared_ptr<const MeshSystem> m_mesh;  // none: not made yet
  Exec m_exec;
  std::shared_ptr<Stream<Exec>> m_stream;
  Cache m_measured;
};

/// Takes --mesh=FILE out of the arguments.
std::shared_ptr<MeshFile> take_mesh(int& argc, char** argv) {
  std::string_view const mesh = "--mesh=";
  std::shared_ptr<MeshFile> file;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with(mesh)) {
      file = std::make_shared<MeshFile>(argv[i] + mesh.size());
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return file;
}

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  using namespace hyperplane::perf;
  auto const file = take_mesh(argc, argv);
  return run_on_all_spaces<Suite>(argc, argv, file);
}
