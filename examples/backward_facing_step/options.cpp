// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <executables/execution_spaces.hpp>

#include <charconv>
#include <vector>

namespace backward_facing_step {

namespace {

/// "200x40"
void parse_cells(const std::string& text, ChannelOptions& channel) {
  char const* const end = text.data() + text.size();
  auto const along = std::from_chars(text.data(), end, channel.cells_along);
  bool right = along.ec == std::errc{} && along.ptr != end && *along.ptr == 'x';
  if (right) {
    auto const across = std::from_chars(along.ptr + 1, end, channel.cells_across);
    right = across.ec == std::errc{} && across.ptr == end;
  }
  if (!right || channel.cells_along > 100000 || channel.cells_across > 100000) {
    throw CLI::ValidationError("--cells", "'" + text + "' is not a number of cells such as 200x40");
  }
}

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  hyperplane::executables::for_each_execution_space([&](auto, const std::string& name) { names.push_back(name); });
  return names;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_status) {
  CLI::App app(
      "Laminar flow over a backward-facing step: SIMPLE on a staggered grid, linear systems by SIP.\n"
      "Writes flow.vti (ParaView), history.csv and, where lengths are published, comparison.csv to the output folder.\n"
      "Lengths are in heights of the step. Exit status: 0 steady, 1 error, 2 not steady (everything is written all the "
      "same).");
  Options options;
  auto& channel = options.channel;
  auto& steady = options.steady;
  app.add_option("--reynolds", channel.reynolds, "mean velocity of the inflow * 2 * height of the inlet / viscosity")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--cells", [&](const std::string& text) { parse_cells(text, channel); },
         "cells of the channel behind the step, along and across [200x40]")
      ->type_name("NxM");
  app.add_option("--length", channel.length, "length of the channel behind the step")->capture_default_str();
  app.add_option("--inlet", channel.inlet, "length of the inlet channel before the step; 0: inflow at the step")
      ->capture_default_str();
  app.add_flag("--no-step{false}", channel.step, "a plane channel without a step");
  app.add_option_function<double>(
         "--alpha", [&](double alpha) { steady.momentum.alpha = steady.pressure.alpha = alpha; },
         "of SIP, at least 0 and less than 1 [0.9]")
      ->type_name("FLOAT");
  app.add_option("--sweeps", steady.pressure.iterations, "iterations of SIP for a correction of the pressure")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--relaxation", steady.relaxation, "of the momentum equations, more than 0 and less than 1")
      ->capture_default_str();
  app.add_option("--iterations", steady.max_iterations, "most SIMPLE iterations")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--tolerance", steady.tolerance, "imbalance of momentum and mass at which the flow is steady")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--output", options.output, "folder for the results")->capture_default_str();
  app.add_flag("--write-systems", options.write_systems,
               "also write the linear systems of the last iteration to A_u.mtx, b_u.mtx, and so on of v and p");
  auto const backends = backend_names();
  options.backend = backends.back();
  app.add_option("--backend", options.backend, "where to run")->capture_default_str()->check(CLI::IsMember(backends));
  app.add_option("--threads", options.threads, "host threads [what Kokkos takes, fewer for small grids]")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_status = app.exit(error) == 0 ? 0 : 1;
    return std::nullopt;
  }
  return options;
}

}  // namespace backward_facing_step
