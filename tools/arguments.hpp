// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CLI/CLI.hpp>

#include "commands.hpp"

namespace hyperplane::tools {

/// All commands and their options, and what they say of themselves.
class Arguments {
 public:
  Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// Throws CLI::ParseError, CLI::Success for --help and the like, or InputError for a command or an option that is not
  /// there. These come first: a mistyped option is not called a missing one.
  void parse(int argc, const char* const* argv) {
    check_spelling(argc, argv);
    m_app.parse(argc, argv);
  }
  /// Prints what was wanted; returns the exit status.
  int exit(const CLI::Success& wanted) const { return m_app.exit(wanted); }
  bool has_command(const std::string& name) const { return m_app.got_subcommand(name); }

  SolveCommand solve;
  SweptCommand swept;

 private:
  void check_spelling(int argc, const char* const* argv) const;

  CLI::App m_app;
};

}  // namespace hyperplane::tools
