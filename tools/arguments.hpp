// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "commands.hpp"

namespace hyperplane::tools {

enum class Command { solve, swept, info };

/// What the words of the command line ask for.
struct Arguments {
  Command command = Command::info;
  SolveCommand solve{};
  SweptCommand swept{};
};

/// Reads all commands and their options; nothing where only --help or --version were asked for, which is printed where
/// `speaks`. Throws InputError for a command or an option that is not there, and what CLI11 throws for other mistakes.
/// The first come first: a mistyped option is not called a missing one.
std::optional<Arguments> parse_arguments(int argc, const char* const* argv, bool speaks);

}  // namespace hyperplane::tools
