// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/ghost_points.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Ghost points of grid blocks over devices, see GhostPoints: each device fills those of its grid blocks, and reads
/// donors on other devices where they are.
///
/// A plan: the constructor allocates, 32 bytes for each ghost point on the device of its grid block, and waits for the
/// instances; fill() does neither on CUDA, is one launch for each part, and asynchronous on the given instance, see
/// MultiBlockGridOnDevices.
template <ExecutionSpace Exec>
class GhostPointsOnDevices {
 public:
  using execution_space = Exec;

  /// Throws Error where layers is less than 1.
  explicit GhostPointsOnDevices(const MultiBlockGridOnDevices<Exec>& grid, int layers = 1)
      : m_grid(grid), m_layers(layers) {
    m_grid.for_parts([&](int p) {
      auto const has = [&](int block) { return m_grid.owner(block) == p; };
      m_parts.emplace_back(m_grid.exec(p), detail::ghost_pairs(m_grid.whole(), layers, has));
    });
  }

  const MultiBlockGridOnDevices<Exec>& grid() const { return m_grid; }
  int layers() const { return m_layers; }
  /// Number of ghost points.
  std::int64_t size() const {
    std::int64_t result = 0;
    for (auto const& part : m_parts) result += part.size();
    return result;
  }

  /// write(block, ghost, c, read(donor, point, c)) for all ghost points and 0 <= c < components, as
  /// GhostPoints::fill(). Grid blocks are numbered as in the whole grid. write() is called on the device that has the
  /// grid block, and so is read(), whose donor may be on another one: what it reads has to be accessible from there, as
  /// memory of cudaMalloc is.
  template <class Read, class Write>
  void fill(const Exec& exec, int components, const Read& read, const Write& write) const {
    require(components >= 1, "GhostPointsOnDevices::fill: there is no component");
    m_grid.run(exec, [&](int p) { m_parts[detail::as_size(p)].run(m_grid.exec(p), components, read, write); });
  }

 private:
  MultiBlockGridOnDevices<Exec> m_grid;
  int m_layers;
  std::vector<detail::GhostCopies<Exec>> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
