// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fmt/format.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <hyperplane/swept/euler.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/kuramoto_sivashinsky.hpp>
#include <hyperplane/swept/swept_rule.hpp>
#include <iterator>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "backends.hpp"
#include "commands.hpp"
#include "output_file.hpp"

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

/// Advances in parts where somebody watches, and says how far it is.
template <class Advance>
void advance_with_progress(std::int64_t steps, const Advance& advance) {
  bool const watched = ::isatty(STDERR_FILENO) == 1;
  std::int64_t const parts = watched ? std::clamp<std::int64_t>(steps, 1, 50) : 1;
  for (std::int64_t part = 0; part < parts; ++part) {
    auto const done = part * steps / parts;
    if (watched) {
      fmt::print(stderr, "\r\033[Kstep {} of {}", done, steps);
      std::fflush(stderr);
    }
    advance((part + 1) * steps / parts - done);
  }
  if (watched) fmt::print(stderr, "\r\033[K");
}

template <class Exec, class Problem>
void run_case(const Exec& exec, const SweptCommand& command, const Case<Problem>& c, OutputFile* file) {
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
  Kokkos::Timer const timer;
  advance_with_progress(command.steps, [&](std::int64_t steps) {
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
  fmt::print("{} steps to time {:.6g} of {} points: setup {:.3f} s, {:.3f} s, {:.3f} us a step ({}, {})\n",
             command.steps, static_cast<double>(command.steps) * c.time_step, command.points, setup, seconds,
             command.steps > 0 ? 1e6 * seconds / static_cast<double>(command.steps) : 0.0, Exec::name(),
             name(rule.variant()));
}

}  // namespace

int run_swept(const SweptCommand& command) {
  auto const backend = run_time::choose_backend(command.backend, "--backend");
  std::optional<OutputFile> file;
  if (!command.output.empty()) file.emplace(command.output);
  auto* const output = file ? &*file : nullptr;
  run_time::for_each_backend([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    if (name != backend) return;
    Exec const exec{};
    switch (command.equation) {
      case SweptEquation::heat: return run_case(exec, command, heat_case(command.points), output);
      case SweptEquation::kuramoto_sivashinsky:
        return run_case(exec, command, kuramoto_sivashinsky_case(command.points), output);
      case SweptEquation::euler: return run_case(exec, command, euler_case(command.points), output);
    }
  });
  return exit_converged;
}

}  // namespace hyperplane::tools
