// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <hyperplane/blocks/assign_blocks.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_stencil7_on_devices.hpp>
#include <hyperplane/blocks/multi_block_vector_on_devices.hpp>
#include <hyperplane/core/concepts.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/multi_block_reference.hpp"
#include "support/transfer.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "support/cuda_devices.hpp"
#endif

// Grid blocks over devices, from and to the host. Where there are fewer devices than parts, these share one; on other
// execution spaces all of them share the one memory.
namespace hyperplane::test {

/// An instance for each part.
template <class Exec>
class PartInstances {
 public:
  explicit PartInstances(int count) : m_instances(static_cast<std::size_t>(count)) {}
  const std::vector<Exec>& all() const { return m_instances; }

 private:
  std::vector<Exec> m_instances;
};
#ifdef KOKKOS_ENABLE_CUDA
template <CudaExecutionSpace Exec>
class PartInstances<Exec> : public DeviceInstances {
 public:
  using DeviceInstances::DeviceInstances;
};
#endif

/// Different ways to give grid blocks to so many parts, by name.
inline std::vector<std::pair<std::string, std::vector<int>>> owners_of_parts(const MultiBlockGrid& grid, int parts) {
  std::vector<int> in_turn, backwards;
  for (int b = 0; b < grid.block_count(); ++b) {
    in_turn.push_back(b % parts);
    backwards.push_back(parts - 1 - b * parts / grid.block_count());
  }
  std::vector<std::pair<std::string, std::vector<int>>> result;
  auto const add = [&](const std::string& name, const std::vector<int>& owners) {
    if (std::ranges::none_of(result, [&](const auto& other) { return other.second == owners; })) {
      result.emplace_back(name, owners);
    }
  };
  add("by points", assign_blocks(grid, parts));
  add("in turn", in_turn);
  add("backwards", backwards);
  add("all on the last", std::vector<int>(in_turn.size(), parts - 1));
  return result;
}

/// Copies of what to_device() makes for each grid block, on the instances of the parts, for which nobody waits.
template <int n, class Storage, class Exec>
MultiBlockStencil7OnDevices<double, n, Exec, Storage> to_devices(const Exec& exec,
                                                                 const MultiBlockGridOnDevices<Exec>& grid,
                                                                 const MultiBlockReference& a) {
  MultiBlockStencil7OnDevices<double, n, Exec, Storage> result(exec, grid);
  grid.for_parts([&](int p) {
    for (int const b : grid.blocks(p)) {
      auto const block = to_device<double, n, Storage>(grid.exec(p), a.blocks[b]);
      Kokkos::deep_copy(grid.exec(p), result.block(b).flat(), block.flat());
    }
  });
  return result;
}
template <int n, class Exec>
MultiBlockVectorOnDevices<double, n, Exec> to_devices(const Exec& exec, const MultiBlockGridOnDevices<Exec>& grid,
                                                      const std::vector<double>& values) {
  MultiBlockVectorOnDevices<double, n, Exec> result(exec, grid);
  grid.for_parts([&](int p) {
    for (int const b : grid.blocks(p)) {
      auto const first = values.begin() + grid.whole().first_point(b) * n;
      auto const& of_block = grid.whole().block(b);
      auto const block =
          to_device<double, n>(grid.exec(p), of_block, std::vector<double>(first, first + of_block.size() * n));
      Kokkos::deep_copy(grid.exec(p), result.block(b).flat(), block.flat());
    }
  });
  return result;
}

/// Waits for all.
template <int n, class Exec>
std::vector<double> to_host(const Exec& exec, const MultiBlockVectorOnDevices<double, n, Exec>& vector) {
  exec.fence();
  auto const& grid = vector.grid();
  std::vector<double> result;
  for (int b = 0; b < grid.whole().block_count(); ++b) {
    auto const values = to_host(grid.exec(grid.owner(b)), vector.block(b));
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

}  // namespace hyperplane::test
