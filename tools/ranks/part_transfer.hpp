// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <hyperplane/array/box.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <utility>
#include <vector>

namespace hyperplane::tools {

/// Brings values of the points of a grid from rank 0, which has all of them, to the owners of its parts, and back: part
/// by part, so that beside them there is memory for one part. Collective.
class PartTransfer {
 public:
  /// `owners` are the ranks that have the parts.
  PartTransfer(const Communicator& world, const Grid& whole, std::vector<Box> boxes, std::vector<int> owners)
      : m_world(world), m_whole(whole), m_boxes(std::move(boxes)), m_owners(std::move(owners)) {}

  /// place(part, values) on the owner of each part; there are so many values for each point of `all`, of rank 0.
  void scatter(const double* all, int values, const std::function<void(int, const std::vector<double>&)>& place) const;
  /// take(part, values) on the owner of each part, which fills them in.
  void gather(double* all, int values, const std::function<void(int, std::vector<double>&)>& take) const;

 private:
  Communicator m_world;
  Grid m_whole;
  std::vector<Box> m_boxes;
  std::vector<int> m_owners;
};

}  // namespace hyperplane::tools
