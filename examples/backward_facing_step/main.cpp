// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Laminar flow over a backward-facing step with SIP: see README.md.
#include "options.hpp"
#include "report/progress.hpp"
#include "report/published.hpp"
#include "report/reattachment.hpp"
#include "report/vtk.hpp"
#include "solver/simple.hpp"

#include <Kokkos_Core.hpp>
#include <executables/execution_spaces.hpp>
#include <executables/threads.hpp>
#include <executables/write_system.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

namespace {

using namespace backward_facing_step;

void print_bubbles(const Bubbles& bubbles) {
  if (bubbles.reattachment) std::printf("reattachment %.3f heights of the step behind it\n", *bubbles.reattachment);
  if (bubbles.upper_separation && bubbles.upper_reattachment) {
    std::printf("bubble at the upper wall from %.3f to %.3f\n", *bubbles.upper_separation, *bubbles.upper_reattachment);
  }
}

/// Shows and writes what was found; lengths of a flow that is not steady are compared with nothing.
void report_flow(const Options& options, const Solution& solution, bool steady) {
  auto const& c = solution.channel;
  write_vti(options.output / "flow.vti", solution);
  std::printf("flow rate %.10f in, %.10f out\n", solution.flow_rate(0), solution.flow_rate(c.ni));
  std::vector<Comparison> comparison;
  if (steady) {
    auto const bubbles = measure_bubbles(solution);
    print_bubbles(bubbles);
    comparison = compare_with_published(c, bubbles);
    print(comparison);
  }
  write_csv(options.output / "comparison.csv", comparison);
  std::printf("\nresults in %s\n", options.output.string().c_str());
}

/// A core computes a cell in some nanoseconds, and all threads meet after each of many small kernels.
int usual_threads(const ChannelOptions& channel) {
  constexpr std::int64_t cells_of_a_thread = 16384;
  return hyperplane::executables::threads_for(std::int64_t{channel.cells_along} * channel.cells_across,
                                              cells_of_a_thread);
}

template <class Exec>
void write_systems(const Exec& exec, const SimpleSolver<Exec>& solver, const std::filesystem::path& folder) {
  auto const write = [&](const Equation<Exec>& equation, const char* name) {
    hyperplane::executables::write_system(exec, hyperplane::MultiBlockGrid({equation.rhs().grid()}),
                                          std::vector{equation.matrix()}, std::vector{equation.rhs()}, folder, name);
  };
  write(solver.equation_u(), "_u");
  write(solver.equation_v(), "_v");
  write(solver.equation_p(), "_p");
}

template <class Exec>
int solve(const Options& options) {
  Exec const exec;
  auto const channel = make_channel(options.channel);
  std::filesystem::create_directories(options.output);
  Progress progress(options.output / "history.csv");
  std::printf("Re = %g on %d x %d cells, %d of the length before the step; SIP with alpha = %g; %s, %d threads\n",
              options.channel.reynolds, channel.ni, channel.nj, channel.inlet_cells, options.steady.pressure.alpha,
              Exec::name(), exec.concurrency());

  Kokkos::Timer const timer;
  SimpleSolver<Exec> solver(exec, channel, options.steady);
  auto const result = solver.run(exec, [&](const SimpleReport& report) { progress.show(report); });
  progress.finish(result, timer.seconds());
  if (options.write_systems) write_systems(exec, solver, options.output);
  report_flow(options, solver.solution(exec), result.converged);
  return result.converged ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  hyperplane::executables::let_waiting_threads_sleep(argv);
  int exit_status = 0;
  auto const options = parse_options(argc, argv, exit_status);
  if (!options) return exit_status;
  try {
    Kokkos::InitializationSettings settings;
    int const threads = options->threads > 0 ? options->threads : usual_threads(options->channel);
    if (threads > 0) settings.set_num_threads(threads);
    Kokkos::ScopeGuard const kokkos(settings);
    hyperplane::executables::for_each_execution_space(
        [&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
          if (name == options->backend) exit_status = solve<Exec>(*options);
        });
    return exit_status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "backward_facing_step: error: %s\n", error.what());
    return 1;
  }
}
