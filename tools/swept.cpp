// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <executables/execution_spaces.hpp>
#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
#include <hyperplane/swept/swept_rule.hpp>
#include <iterator>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "interruption.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "spelling.hpp"

namespace hyperplane::tools {

namespace {

/// An equation with its initial state on a line of points.
template <class Problem>
struct Case {
  Problem problem;
  double time_step;
  double spacing;
  double first;  ///< where the first point is
  std::vector<SweptPointState<Problem>> initial;
  const char* columns;
};

/// Cosines in a bar of length 1 with unit diffusivity, from end to end.
Case<HeatEquation<>> heat_case(std::int64_t points) {
  double const fourier_number = 0.4;
  double const dx = points > 1 ? 1.0 / static_cast<double>(points - 1) : 1.0;
  Case<HeatEquation<>> result{{fourier_number}, fourier_number * dx * dx, dx, 0.0, {}, "x,temperature"};
  for (std::int64_t i = 0; i < points; ++i) {
    double const angle = std::numbers::pi * static_cast<double>(i) * dx;
    result.initial.push_back({std::cos(angle) + 0.5 * std::cos(5 * angle)});
  }
  return result;
}

/// Long waves on a ring of half as much length as it has points.
Case<KuramotoSivashinsky<>> kuramoto_sivashinsky_case(std::int64_t points) {
  double const dx = 0.5;
  double const dt = dx * dx * dx * dx / 12;
  Case<KuramotoSivashinsky<>> result{{dt, dx}, dt, dx, 0.0, {}, "x,u"};
  double const length = dx * static_cast<double>(points);
  double const k = 2 * std::numbers::pi * std::max(1.0, std::round(length / 100)) / length;
  for (std::int64_t i = 0; i < points; ++i) {
    double const angle = k * dx * static_cast<double>(i);
    result.initial.push_back({std::cos(angle) * (1 + std::sin(angle))});
  }
  return result;
}

/// Sod's shock tube of length 1, the diaphragm in the middle; values are of cells.
Case<EulerEquations<>> euler_case(std::int64_t points) {
  double const dx = 1.0 / static_cast<double>(points);
  double const ratio = 0.2;
  auto const problem = EulerEquations<>::sod(ratio);
  Case<EulerEquations<>> result{problem, ratio * dx, dx, dx / 2, {}, "x,density,momentum,energy"};
  for (std::int64_t i = 0; i < points; ++i) result.initial.push_back(2 * i < points ? problem.left : problem.right);
  return result;
}

/// What a block of steps has at least. The rule takes many steps in a pass over a long line, which saves most of the
/// time; blocks of a few steps would lose that.
constexpr std::int64_t least_steps = 64;

/// Advances until all steps are done or a signal asks for an end, and returns how many there were. Between two looks
/// for a signal is a block of steps: up to half a second, or the fewest that let the rule work as if nobody looked.
template <class Advance>
std::int64_t advance_until_stopped(const SweptCommand& command, const Advance& advance) {
  Progress progress(command.progress);
  std::int64_t done = 0;
  auto block = std::clamp<std::int64_t>((std::int64_t{1} << 24) / command.points, least_steps, 1024);
  while (done < command.steps && !stop_requested()) {
    progress.show([&] { return fmt::format("step {} of {}", done, command.steps); });
    Kokkos::Timer const timer;
    auto const steps = std::min(block, command.steps - done);
    advance(steps);
    done += steps;
    double const seconds = timer.seconds();
    if (seconds < 0.1) block *= 2;
    if (seconds > 0.5) block = std::max(block / 2, least_steps);
  }
  return done;
}

template <class Exec, class Problem>
int run_case(const Exec& exec, const SweptCommand& command, const Case<Problem>& c, OutputFile* file) {
  Kokkos::Timer const setup_timer;
  SweptRule<Problem, Exec> rule(exec, c.problem, command.points, {command.variant, command.tile_points});
  SweptLine<Problem, Exec> const u(Kokkos::view_alloc(exec, "u"), c.initial.size(), Problem::components);
  auto const host = Kokkos::create_mirror_view(u);
  for (std::size_t i = 0; i < c.initial.size(); ++i) {
    for (int v = 0; v < Problem::components; ++v) host(i, v) = c.initial[i][v];
  }
  Kokkos::deep_copy(exec, u, host);
  exec.fence();
  double const setup = setup_timer.seconds();
  finish_when_stopped();
  Kokkos::Timer const timer;
  auto const steps_done = advance_until_stopped(command, [&](std::int64_t steps) {
    rule.advance(exec, u, steps);
    exec.fence();
  });
  double const seconds = timer.seconds();
  Kokkos::deep_copy(exec, host, u);
  exec.fence();
  if (file != nullptr) {
    std::string text = std::string(c.columns) + "\n";
    for (std::size_t i = 0; i < c.initial.size(); ++i) {
      fmt::format_to(std::back_inserter(text), "{:.17g}", c.first + c.spacing * static_cast<double>(i));
      for (int v = 0; v < Problem::components; ++v) fmt::format_to(std::back_inserter(text), ",{:.17g}", host(i, v));
      text += '\n';
    }
    file->commit(text);
  }
  bool const stopped = steps_done < command.steps;
  fmt::print(file != nullptr && file->is_standard_output() ? stderr : stdout,
             "{} steps to time {:.6g} of {} points: setup {:.3f} s, {:.3f} s, {:.3f} us a step ({}, {})\n",
             stopped ? fmt::format("stopped after {} of {}", steps_done, command.steps) : std::to_string(steps_done),
             static_cast<double>(steps_done) * c.time_step, command.points, setup, seconds,
             steps_done > 0 ? 1e6 * seconds / static_cast<double>(steps_done) : 0.0, Exec::name(),
             name(rule.variant()));
  return stopped ? exit_stopped : exit_converged;
}

}  // namespace

int run_swept(const SweptCommand& command) {
  auto const backend = choose_backend(command.backend);
  std::optional<OutputFile> file;
  if (!command.output.empty()) file.emplace(command.output);
  auto* const output = file ? &*file : nullptr;
  int status = exit_error;
  executables::for_each_execution_space([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    if (name != backend) return;
    Exec const exec{};
    switch (command.equation) {
      case SweptEquation::heat: status = run_case(exec, command, heat_case(command.points), output); break;
      case SweptEquation::kuramoto_sivashinsky:
        status = run_case(exec, command, kuramoto_sivashinsky_case(command.points), output);
        break;
      case SweptEquation::euler: status = run_case(exec, command, euler_case(command.points), output); break;
    }
  });
  return status;
}

}  // namespace hyperplane::tools
