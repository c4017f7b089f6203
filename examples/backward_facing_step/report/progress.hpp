// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../solver/steady.hpp"

#include <filesystem>
#include <fstream>

namespace backward_facing_step {

/// Shows the iterations: one line that renews itself on a terminal, otherwise a line for each hundredth. Every
/// iteration is also kept in a file of comma-separated values.
class Progress {
 public:
  /// Throws hyperplane::Error if the history file cannot be written.
  explicit Progress(const std::filesystem::path& history);

  void show(const SimpleReport& report);
  /// Closes the live line and says how it ended.
  void finish(const SteadyResult& result, double seconds);

 private:
  bool m_terminal;
  std::ofstream m_history;
};

}  // namespace backward_facing_step
