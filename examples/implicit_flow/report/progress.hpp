// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/steady.hpp"

#include <filesystem>
#include <fstream>
#include <vector>

namespace implicit_flow {

/// Shows each step: one line that renews itself on a terminal, otherwise a line for each tenth step. Every step is also
/// kept in a file of comma-separated values.
class Progress {
 public:
  /// Throws hyperplane::Error if the history file cannot be written.
  Progress(const std::filesystem::path& history, bool may_have_terminal);

  void show(const StepReport& step);
  /// Closes the live line and says how it ended.
  void finish(const SteadyResult& result, double seconds);

 private:
  bool m_terminal;
  std::ofstream m_history;
};

/// A table of what each preconditioner needed.
void print(const std::vector<LinearTotals>& comparison);

}  // namespace implicit_flow
