// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockTridiagonal on many lines in line storage: factor and solve, verified once by their residual and then timed with
// copy and triad next to every repetition. The cases are those of K. Kim's paper; on CUDA with loads of 128 and 64
// bits.

#include "../support/suites.hpp"
#include "lines.hpp"

namespace hyperplane::perf {
namespace {

template <class Exec>
class LineSuite {
 public:
  explicit LineSuite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    register_lines<1>(m_benchmarks);
    register_lines<3>(m_benchmarks);
    register_lines<5>(m_benchmarks);
    register_lines<10>(m_benchmarks);
    register_lines<15>(m_benchmarks);
  }

 private:
  KernelBenchmarks<Exec> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_on_all_spaces<hyperplane::perf::LineSuite>(argc, argv); }
