// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two fastest CUDA paths of BlockIlu0 on grids with large planes and small blocks, where either may win, and with
// factors in 16 bits: what detail::choose_cuda_path was made from. Both are verified against each other once, then
// timed with copy and triad next to every repetition.

#include "../support/suites.hpp"
#include "paths.hpp"

namespace hyperplane::perf {
namespace {

class Suite {
 public:
  explicit Suite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    if (m_benchmarks.settings().smoke) {
      register_wide_paths<1>(m_benchmarks, Grid(13, 6, 7));
      return register_short_paths<2>(m_benchmarks, Grid(13, 6, 7));
    }
    for (auto const& grid : {Grid(96, 96, 96), Grid(128, 128, 128), Grid(160, 160, 160), Grid(192, 192, 192),
                             Grid(256, 256, 256), Grid(512, 96, 96), Grid(100, 300, 300)}) {
      register_wide_paths<1>(m_benchmarks, grid);
      register_wide_paths<2>(m_benchmarks, grid);
    }
    for (auto const& grid : {Grid(128, 128, 128), Grid(192, 192, 192), Grid(100, 300, 300)}) {
      register_wide_paths<3>(m_benchmarks, grid);
      register_wide_paths<4>(m_benchmarks, grid);
    }
    for (auto const& grid : {Grid(128, 128, 128), Grid(256, 256, 256)}) {
      register_short_paths<1>(m_benchmarks, grid);
      register_short_paths<2>(m_benchmarks, grid);
      register_short_paths<3>(m_benchmarks, grid);
      register_short_paths<4>(m_benchmarks, grid);
      register_wide_paths<5>(m_benchmarks, grid);
      register_short_paths<5>(m_benchmarks, grid);
      register_wide_paths<6>(m_benchmarks, grid);
      register_short_paths<6>(m_benchmarks, grid);
    }
  }

 private:
  KernelBenchmarks<Kokkos::Cuda> m_benchmarks;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) { return hyperplane::perf::run_suites<hyperplane::perf::Suite>(argc, argv); }
