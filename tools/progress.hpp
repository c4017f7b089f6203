// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace hyperplane::tools {

/// Says on the standard error how far the work is. On a terminal it is one line, written anew 10 times a second at
/// most and removed at the end; elsewhere nothing, or where it is wanted a line every second at most. The first is
/// shown at once. What a launcher gives its processes is taken for no terminal, wherever it goes.
class Progress {
 public:
  explicit Progress(bool wanted, bool may_have_terminal = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows what `text()` says, where it is time for it.
  template <class Text>
  void show(const Text& text) {
    if (is_due()) write(text());
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_due();
  void write(const std::string& text);

  bool m_terminal;
  bool m_active;
  std::optional<Clock::time_point> m_last;
};

}  // namespace hyperplane::tools
