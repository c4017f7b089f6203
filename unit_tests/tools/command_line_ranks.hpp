// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "c/c_names.hpp"
#include "mpiexec.hpp"
#include "tools/command_line.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "support/cuda_devices.hpp"
#include "support/execution_spaces.hpp"
#endif

namespace hyperplane::test {

/// The command line on ranks of MPI, which it starts.
class CommandLineRanks : public CommandLine {
 protected:
  /// "2,3,4"; 2 where nobody says so.
  static std::vector<int> all_ranks() {
    const char* const text = std::getenv("HYPERPLANE_TEST_RANKS");
    std::istringstream list(text == nullptr ? "2" : text);
    std::vector<int> ranks;
    for (std::string word; std::getline(list, word, ',');) ranks.push_back(std::stoi(word));
    return ranks;
  }

  /// A rank that waits for another for good is a failure: `timeout` has a status of its own.
  static std::string on_ranks(int ranks) {
    return std::string("timeout 60 ") + mpiexec + ' ' + std::to_string(ranks) + ' ';
  }

  /// Whether kernels of two ranks can go on from the device of the one to that of the other. Asked of the devices, not
  /// of the program that is tested: where that does not do it, as in a container without CUDA IPC, tests fail.
  static bool devices_meet() {
#ifdef KOKKOS_ENABLE_CUDA
    if (DeviceInstances::device_count() < 2) return false;
    for (int device = 0; device < 2; ++device) {
      int major = 0;
      cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
      if (major < 9) return false;
    }
    int there = 0, back = 0;
    cuda::check(cudaDeviceCanAccessPeer(&there, 0, 1), "cudaDeviceCanAccessPeer");
    cuda::check(cudaDeviceCanAccessPeer(&back, 1, 0), "cudaDeviceCanAccessPeer");
    return there != 0 && back != 0;
#else
    return false;
#endif
  }

  Outcome solve_on(int ranks, const std::string& options) const {
    return run(system("A.mtx --rhs b.mtx --grid 4x3x5 --history h.json " + options), ranks == 1 ? "" : on_ranks(ranks));
  }

  static std::string system(const std::string& arguments) {
    return "solve --block-size 2 --solution x.mtx " + arguments;
  }

  /// Tests count threads of a host.
  static std::string on_host() { return " --backend " + c_backends().front(); }

  /// Of a solve that converges.
  int iterations_on(int ranks, const std::string& options) const {
    auto const outcome = solve_on(ranks, options);
    EXPECT_EQ(outcome.status, 0) << ranks << " ranks, " << options << ": " << outcome.output;
    EXPECT_EQ(count(outcome.output, "converged after"), 1) << outcome.output;
    auto const at = outcome.output.find("converged after ");
    return at == std::string::npos ? -1 : std::stoi(outcome.output.substr(at + 16));
  }

  static int count(const std::string& text, const std::string& part) {
    int result = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
    return result;
  }

  /// One error, of all ranks. Launchers add lines of their own.
  void expect_refused_on_ranks(const std::string& arguments, const std::string& what) const {
    auto const outcome = run(arguments, on_ranks(2));
    EXPECT_EQ(outcome.status, 1) << outcome.output;
    EXPECT_EQ(count(outcome.output, "hyperplane: error: "), 1) << outcome.output;
    EXPECT_THAT(outcome.output, ::testing::HasSubstr("hyperplane: error: " + what));
    EXPECT_FALSE(std::filesystem::exists(folder / "x.mtx"));
    EXPECT_FALSE(has_partial_files());
  }
};

}  // namespace hyperplane::test
