// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlu0 and the products around it: factor, solve, solve with M^T, apply, residual and one correction iteration,
// each verified once against a serial reference and then timed with copy and triad next to every repetition.

#include "../support/suites.hpp"
#include "points.hpp"

namespace hyperplane::perf {
namespace {

template <class Exec>
class PointSuite {
 public:
  explicit PointSuite(const Settings& settings) : m_benchmarks(settings) {}

  void register_all() {
    for (auto const& grid : grids_of(m_benchmarks.settings())) {
      register_points<5>(m_benchmarks, m_references, grid);
      register_points<6>(m_benchmarks, m_references, grid);
      register_points<4>(m_benchmarks, m_references, grid);
      register_points<1>(m_benchmarks, m_references, grid);
    }
    // Thin: it has one slab, which threads share by strips.
    if (HostExecutionSpace<Exec> && !m_benchmarks.settings().smoke) {
      register_points<5>(m_benchmarks, m_references, Grid(8, 8, 512));
    }
  }

 private:
  KernelBenchmarks<Exec> m_benchmarks;
  Cache m_references;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_on_all_spaces<hyperplane::perf::PointSuite>(argc, argv);
}
