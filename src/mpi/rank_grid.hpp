// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>
#include <hyperplane/blocks/detail/status_in_whole.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/distributed_status.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::run_time {

/// Grid blocks over ranks; where they are a cut of one grid, with their boxes.
class RankGrid {
 public:
  RankGrid(DistributedGrid grid, std::optional<Grid> whole, std::vector<Box> boxes)
      : m_grid(std::move(grid)), m_whole(whole), m_boxes(std::move(boxes)) {}

  const DistributedGrid& grid() const { return m_grid; }
  /// The same for objects that exchange values by this transport. Collective.
  RankGrid with_transport(Transport transport) const {
    std::vector<int> owners;
    owners.reserve(detail::as_size(m_grid.whole().block_count()));
    for (int b = 0; b < m_grid.whole().block_count(); ++b) owners.push_back(m_grid.owner(b));
    return {{m_grid.communicator(), m_grid.whole(), std::move(owners), transport}, m_whole, m_boxes};
  }
  /// Where a grid block is in the grid that was cut. Throws Error where none was.
  const Box& box(int number) const {
    require(m_whole.has_value(), "the grid blocks are not those of a cut");
    m_grid.owner(number);
    return m_boxes[detail::as_size(number)];
  }
  /// Of a cut, points are those of the whole grid, as in one process.
  template <class BlockStatus>
  std::string message(const DistributedStatus<BlockStatus>& status) const {
    if (!m_whole || status.ok()) return status.message();
    BlockStatus const of_block = status;
    return detail::status_in_whole(of_block, *m_whole, m_boxes[detail::as_size(status.grid_block)].begin).message();
  }

 private:
  DistributedGrid m_grid;
  std::optional<Grid> m_whole;
  std::vector<Box> m_boxes;
};

}  // namespace hyperplane::run_time
