// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "channel.hpp"
#include "solver/steady.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace backward_facing_step {

/// The command line of backward_facing_step.
struct Options {
  ChannelOptions channel;
  SteadyOptions steady;
  std::filesystem::path output = "backward-facing-step-output";
  bool write_systems = false;  ///< the linear systems of the last iteration
  std::string backend;
  int threads = 0;  ///< 0: Kokkos decides
};

/// Nothing where the process should end at once with `exit_status`: after --help, or after an error, which has been
/// explained.
std::optional<Options> parse_options(int argc, char** argv, int& exit_status);

}  // namespace backward_facing_step
