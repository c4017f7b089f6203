// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

namespace hyperplane::test {

/// Other processes that always have something to do, one for each core, while busy(true) holds. They end with the
/// object, or with the test.
class BusyCores {
 public:
  BusyCores() {
    auto const cores = std::thread::hardware_concurrency();
    for (unsigned int core = 0; core < cores; ++core) {
      pid_t const child = fork();
      if (child == 0) spin();
      if (child < 0) continue;
      kill(child, SIGSTOP);
      m_children.push_back(child);
    }
  }
  ~BusyCores() {
    for (pid_t const child : m_children) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;

  bool complete() const { return m_children.size() == std::thread::hardware_concurrency(); }
  void set_busy(bool busy) const {
    for (pid_t const child : m_children) kill(child, busy ? SIGCONT : SIGSTOP);
  }

 private:
  // Calls nothing that a child of a process with several threads may not call.
  [[noreturn]] static void spin() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(300);
    for (volatile unsigned long turns = 0;;) turns = turns + 1;
  }

  std::vector<pid_t> m_children;
};

}  // namespace hyperplane::test
