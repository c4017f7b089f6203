// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// BlockIlu0 of several grid blocks: lists of them that meet no other, by MultiBlock and one after the other; and boxes,
// whole and cut, with each coupling and with the product. All are verified once against serial references and then
// timed with copy and triad next to every repetition; on a device, runs that take less follow one another for a
// millisecond.

#include "../support/suites.hpp"
#include "blocks.hpp"

#include <hyperplane/core/concepts.hpp>

namespace hyperplane::perf {
namespace {

template <class Exec>
class BlockSuite {
 public:
  explicit BlockSuite(const Settings& settings) : m_benchmarks(settings, on_device ? 1e-3 : 0.0) {}

  void register_all() {
    bool const smoke = m_benchmarks.settings().smoke;
    for (auto const& blocks : block_lists(smoke, on_device)) {
      register_list<6>(m_benchmarks, m_references, blocks);
      register_list<5>(m_benchmarks, m_references, blocks);
      register_list<1>(m_benchmarks, m_references, blocks);
    }
    for (auto const& cuts : box_cuts(smoke, on_device)) register_cuts<5>(m_benchmarks, m_references, cuts);
  }

 private:
  static constexpr bool on_device = !HostExecutionSpace<Exec>;

  KernelBenchmarks<Exec> m_benchmarks;
  BlockReferences m_references;
};

}  // namespace
}  // namespace hyperplane::perf

int main(int argc, char** argv) {
  return hyperplane::perf::run_on_all_spaces<hyperplane::perf::BlockSuite>(argc, argv);
}
