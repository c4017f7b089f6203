// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <hyperplane/blocks/cut_grid.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <vector>

namespace hyperplane::tools {

/// Brings values of the points of a grid from rank 0, which has all of them, to the owners of its parts, and back: part
/// by part, so that beside them there is memory for one part. Collective.
class PartTransfer {
 public:
  PartTransfer(const DistributedGrid& grid, const Grid& whole, const std::vector<Box>& boxes)
      : m_grid(grid), m_whole(whole), m_boxes(boxes) {}

  /// place(part, values) on the owner of each part; there are so many values for each point of `all`, of rank 0.
  void scatter(const double* all, int values, const std::function<void(int, const double*)>& place) const;
  /// take(part, values) on the owner of each part, which fills them in.
  void gather(double* all, int values, const std::function<void(int, double*)>& take) const;

 private:
  DistributedGrid m_grid;
  Grid m_whole;
  std::vector<Box> m_boxes;
};

}  // namespace hyperplane::tools
