// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace hyperplane::tools {

namespace {

// Somebody who no longer reads is no reason to end.
void put(const std::string& text) {
  static_cast<void>(std::fputs(text.c_str(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace

Progress::Progress(bool wanted, bool may_have_terminal)
    : m_terminal(may_have_terminal && ::isatty(STDERR_FILENO) == 1), m_active(m_terminal || wanted) {}

Progress::~Progress() {
  if (m_terminal && m_last) put("\r\033[K");
}

bool Progress::is_due() {
  if (!m_active) return false;
  auto const interval = std::chrono::milliseconds(m_terminal ? 100 : 1000);
  auto const now = Clock::now();
  if (m_last && now - *m_last < interval) return false;
  m_last = now;
  return true;
}

void Progress::write(const std::string& text) { put(m_terminal ? "\r\033[K" + text : text + "\n"); }

}  // namespace hyperplane::tools
