// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part_transfer.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <hyperplane/mpi/detail/mpi_call.hpp>
#include <iterator>

namespace hyperplane::tools {

namespace {

/// Messages of the library have another one.
constexpr int tag = 1;
/// MPI counts in int.
constexpr std::size_t most_values = std::size_t{1} << 27;

/// Calls `f(part of the values, their number)` for as many as a message has.
template <class F>
void for_each_message(std::vector<double>& values, const F& f) {
  for (std::size_t begin = 0; begin < values.size(); begin += most_values) {
    f(values.data() + begin, static_cast<int>(std::min(most_values, values.size() - begin)));
  }
}

void send(const Communicator& world, std::vector<double>& values, int rank) {
  for_each_message(values, [&](const double* data, int count) {
    hyperplane::detail::mpi_call("MPI_Send", MPI_Send(data, count, MPI_DOUBLE, rank, tag, world.get()));
  });
}

void receive(const Communicator& world, std::vector<double>& values, int rank) {
  for_each_message(values, [&](double* data, int count) {
    hyperplane::detail::mpi_call("MPI_Recv",
                                 MPI_Recv(data, count, MPI_DOUBLE, rank, tag, world.get(), MPI_STATUS_IGNORE));
  });
}

/// Calls `f(offset in the whole, offset in the box, length)` for each line of a box along i, counted in values.
template <class F>
void for_each_line(const Grid& whole, const Box& box, int values, const F& f) {
  std::int64_t const length = std::int64_t{box.end.i - box.begin.i} * values;
  std::int64_t offset = 0;
  for (int k = box.begin.k; k < box.end.k; ++k) {
    for (int j = box.begin.j; j < box.end.j; ++j) {
      f(whole.index({box.begin.i, j, k}) * values, offset, length);
      offset += length;
    }
  }
}

}  // namespace

void PartTransfer::scatter(const double* all, int values,
                           const std::function<void(int, const std::vector<double>&)>& place) const {
  auto const& world = m_world;
  for (int part = 0; part < std::ssize(m_boxes); ++part) {
    auto const& box = m_boxes[static_cast<std::size_t>(part)];
    int const owner = m_owners[static_cast<std::size_t>(part)];
    if (world.rank() != 0 && world.rank() != owner) continue;
    std::vector<double> buffer(static_cast<std::size_t>(box.size() * values));
    if (world.rank() == 0) {
      for_each_line(m_whole, box, values, [&](std::int64_t from, std::int64_t to, std::int64_t length) {
        std::copy_n(all + from, length, buffer.data() + to);
      });
      if (owner != 0) send(world, buffer, owner);
    } else {
      receive(world, buffer, 0);
    }
    if (world.rank() == owner) place(part, buffer);
  }
}

void PartTransfer::gather(double* all, int values, const std::function<void(int, std::vector<double>&)>& take) const {
  auto const& world = m_world;
  for (int part = 0; part < std::ssize(m_boxes); ++part) {
    auto const& box = m_boxes[static_cast<std::size_t>(part)];
    int const owner = m_owners[static_cast<std::size_t>(part)];
    if (world.rank() != 0 && world.rank() != owner) continue;
    std::vector<double> buffer(static_cast<std::size_t>(box.size() * values));
    if (world.rank() == owner) {
      take(part, buffer);
      if (owner != 0) send(world, buffer, 0);
    } else {
      receive(world, buffer, owner);
    }
    if (world.rank() != 0) continue;
    for_each_line(m_whole, box, values, [&](std::int64_t to, std::int64_t from, std::int64_t length) {
      std::copy_n(buffer.data() + from, length, all + to);
    });
  }
}

}  // namespace hyperplane::tools
