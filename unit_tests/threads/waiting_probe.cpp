// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <executables/threads.hpp>
#include <fstream>
#include <string>

// Prints how often the OpenMP runtime looks before a thread that waits sleeps, the arguments, and what the process is
// called.
int main(int argc, char** argv) {
  hyperplane::executables::let_waiting_threads_sleep(argv);
  char const* const spins = std::getenv("GOMP_SPINCOUNT");
  std::printf("spins %s", spins != nullptr ? spins : "as usual");
  for (int a = 1; a < argc; ++a) std::printf(" %s", argv[a]);
  std::string name;
  std::getline(std::ifstream("/proc/self/comm"), name);
  std::printf(" in %s\n", name.c_str());
}
