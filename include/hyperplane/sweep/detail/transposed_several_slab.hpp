// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/sweep/detail/transposed_step_slab.hpp>
#include <hyperplane/sweep/slab_strips.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Sweeps with M^T of several vectors on hosts.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where slabs hand on: for one vector at first, for others when they come. Copies share it.
template <class Scalar, int n, int vector_length, HostExecutionSpace Exec>
class SlabHandedOnMemory {
  using HandedOn = SlabHandedOn<Scalar, n, vector_length>;

 public:
  SlabHandedOnMemory(const Exec& exec, const std::string& owner, const SlabMap<vector_length>& map, std::int64_t chains)
      : m_owner("Hyperplane::" + owner),
        m_borders(HandedOn::border_values(map.slabs(), map.steps())),
        m_chains(chains) {
    of(exec, 0);
  }

  HandedOn of(const Exec& exec, int vector) const {
    while (m_vectors->size() <= as_size(vector)) {
      m_vectors->push_back(
          {Borders(exec, m_owner + "::borders", m_borders), Carried(exec, m_owner + "::carried", m_chains)});
    }
    auto const& own = (*m_vectors)[as_size(vector)];
    return {own.borders.flat().data(), own.carried.flat().data()};
  }

 private:
  using Borders = InterleavedView<Scalar, 1, 1, Exec>;
  using Carried = InterleavedView<Scalar, vector_length, 2 * n, Exec>;
  struct OfVector {
    Borders borders;
    Carried carried;
  };

  std::string m_owner;
  std::int64_t m_borders;
  std::int64_t m_chains;
  std::shared_ptr<std::vector<OfVector>> m_vectors = std::make_shared<std::vector<OfVector>>();
};

/// Step, a TransposedSlabStep, of one vector after the other for as many steps as have their blocks in a cache of a
/// core, so that each vector has the operations that it has alone.
template <class Step, int count, int together>
struct TransposedSlabSteps {
  static constexpr bool forward = Step::forward;
  Step m_steps[std::size_t{count}];

  void operator()(int counted_slab, std::int64_t counted_begin, std::int64_t counted_end) const {
    run(counted_slab, counted_begin, counted_end, EverySlabStep{{.begins = counted_begin == 0}});
  }

  /// Of `steps`.
  template <class Steps>
  void run(int counted_slab, std::int64_t counted_begin, std::int64_t counted_end, Steps steps) const {
    for (auto begin = counted_begin; begin < counted_end; begin += together) {
      auto const end = std::min<std::int64_t>(begin + together, counted_end);
      for (auto const& step : m_steps) step.run(counted_slab, begin, end, steps);
      steps.begins = false;
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
