// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/ghost_points.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/mpi/detail/choose_transport.hpp>
#include <hyperplane/mpi/detail/mailbox.hpp>
#include <hyperplane/mpi/detail/message.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct DistributedGhostPointsOptions {
  int layers = 1;
  /// Of all fields that are exchanged at a time.
  int components = 1;
};

namespace detail {

/// Ghost points of this rank with their donors on it, and points whose values go to other ranks, or that get them,
/// message after message. All ranks go through the interfaces of the whole grid in the same order, past those that
/// do not concern them, so that they agree on the order of values without a word.
class GhostLists {
 public:
  GhostLists(const DistributedGrid& grid, int layers) {
    int const rank = grid.communicator().rank();
    std::map<int, std::vector<BlockPoint>> to_send, to_receive;
    auto const is_local = [&](int block) { return grid.is_local(block); };
    for_each_ghost(grid.whole(), layers, is_local, [&](const GhostPair& pair) {
      int const owner = grid.owner(pair.ghost.block), donor_owner = grid.owner(pair.donor.block);
      auto const here = [&](const BlockPoint& at) { return BlockPoint{grid.local_number(at.block), at.point}; };
      if (owner == rank && donor_owner == rank) {
        local.push_back({here(pair.ghost), here(pair.donor)});
      } else if (owner == rank) {
        to_receive[donor_owner].push_back(here(pair.ghost));
      } else if (donor_owner == rank) {
        to_send[owner].push_back(here(pair.donor));
      }
    });
    list(to_send, sends, sent);
    list(to_receive, receives, received);
  }

  std::vector<GhostPair> local;
  /// Items are points.
  std::vector<Message> sends, receives;
  std::vector<BlockPoint> sent, received;

 private:
  static void list(const std::map<int, std::vector<BlockPoint>>& of, std::vector<Message>& messages,
                   std::vector<BlockPoint>& points) {
    for (auto const& [rank, some] : of) {
      messages.push_back({rank, static_cast<std::int64_t>(points.size()), static_cast<std::int64_t>(some.size())});
      points.insert(points.end(), some.begin(), some.end());
    }
  }
};

/// Value `index` of all that are sent.
template <class Scalar, class Read>
struct GatherGhosts {
  const BlockPoint* m_points;
  int m_components;
  Read m_read;

  KOKKOS_FUNCTION Scalar operator()(std::int64_t index) const {
    auto const& at = m_points[index / m_components];
    return m_read(at.block, at.point, static_cast<int>(index % m_components));
  }
};

/// Writes value `index` of all that have come.
template <class Scalar, class Write>
struct ScatterGhosts {
  const BlockPoint* m_points;
  const Scalar* m_values;
  int m_components;
  Write m_write;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const& at = m_points[index / m_components];
    m_write(at.block, at.point, static_cast<int>(index % m_components), m_values[index]);
  }
};

}  // namespace detail

/// Ghost points of the grid blocks of all ranks: GhostPoints over a DistributedGrid. Values of donors on this rank are
/// copied where they are; those of other ranks come by the grid's transport.
///
/// A plan: the constructor is collective, allocates (32 bytes for each ghost point, and between ranks the values, where
/// there is a device twice) and waits for the instance; where that fails on a rank all ranks throw Error. It goes
/// through the points of interfaces that values of this rank come or go by, and looks at the others. start() and
/// finish() are called by all ranks in the same order, and allocate nothing. Copies share buffers: one exchange at a
/// time of a plan and its copies, and the end of the last one is collective with Transport::peer.
template <Real Scalar, ExecutionSpace Exec>
class DistributedGhostPoints {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  using Options = DistributedGhostPointsOptions;

  /// Throws Error, on all ranks, as GhostPoints does, where there is no component, where ranks have other options, and
  /// where the grid asks for a transport that cannot be had.
  DistributedGhostPoints(const Exec& exec, const DistributedGrid& grid, const Options& options = {})
      : m_grid(grid),
        m_options(checked(grid, options)),
        m_transport(detail::choose_transport(exec, grid)),
        m_parts(grid.communicator().agree([&] { return Parts(exec, grid, options, m_transport); })) {
    detail::connect_mailboxes(exec, grid.communicator(), m_transport,
                              [&](const auto& function) { function(m_parts.mail); });
  }

  const DistributedGrid& grid() const { return m_grid; }
  const Options& options() const { return m_options; }
  /// How values of other ranks come: host, gpu_aware or peer.
  Transport transport() const { return m_transport; }

  /// Sends what other ranks need: read(block, point, c) in kernels, 0 <= c < components, where block is the number in
  /// grid().local(). Waits for the instance, but with Transport::peer. What is read may change when the instance has
  /// come to here.
  template <class Read>
  void start(const Exec& exec, const Read& read) const {
    if (m_parts.mail.empty()) return;
    m_parts.mail.start(exec, "Hyperplane::DistributedGhostPoints::pack", 2.0 * sizeof(Scalar),
                       detail::GatherGhosts<Scalar, Read>{m_parts.sent.data(), m_options.components, read});
  }

  /// write(block, ghost, c, value) in kernels for all ghost points of this rank: those with donors on this rank by
  /// read, in one launch before it waits for messages (but with Transport::peer), and the others in one launch after
  /// that.
  template <class Read, class Write>
  void finish(const Exec& exec, const Read& read, const Write& write) const {
    m_parts.local.run(exec, m_options.components, read, write);
    if (m_parts.mail.empty()) return;
    m_parts.mail.finish(exec);
    auto const count = static_cast<std::int64_t>(m_parts.received.extent(0)) * m_options.components;
    if (count == 0) return;
    detail::launch("Hyperplane::DistributedGhostPoints::unpack", detail::LongIndexRange<Exec>(exec, 0, count),
                   2.0 * sizeof(Scalar),
                   detail::ScatterGhosts<Scalar, Write>{m_parts.received.data(), m_parts.mail.received().data(),
                                                        m_options.components, write});
  }

 private:
  using Mail = detail::Mailbox<Scalar, Exec>;
  using Points = Kokkos::View<detail::BlockPoint*, typename Exec::memory_space>;

  struct Parts {
    Parts(const Exec& exec, const DistributedGrid& grid, const Options& options, Transport transport)
        : Parts(exec, grid, options, transport, detail::GhostLists(grid, options.layers)) {}
    Parts(const Exec& exec, const DistributedGrid& grid, const Options& options, Transport transport,
          const detail::GhostLists& points)
        : local(exec, points.local),
          sent(detail::to_space(exec, "Hyperplane::DistributedGhostPoints::sent", points.sent)),
          received(detail::to_space(exec, "Hyperplane::DistributedGhostPoints::received", points.received)),
          mail(exec, grid.communicator(), transport, "Hyperplane::DistributedGhostPoints", points.sends,
               points.receives, options.components,
               Mail::allocated(exec, "Hyperplane::DistributedGhostPoints::values",
                               detail::item_count(points.receives) * options.components)) {}

    detail::GhostCopies<Exec> local;
    Points sent, received;
    Mail mail;
  };

  static Options checked(const DistributedGrid& grid, const Options& options) {
    grid.communicator().agree([&] {
      detail::check_ghost_points(options.layers);
      if (options.components < 1) {
        fail("DistributedGhostPoints: " + std::to_string(options.components) + " components are not possible");
      }
    });
    grid.communicator().require_same(
        "DistributedGhostPoints: layers and components",
        std::array{static_cast<std::uint64_t>(options.layers), static_cast<std::uint64_t>(options.components)});
    return options;
  }

  DistributedGrid m_grid;
  Options m_options;
  Transport m_transport;
  Parts m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
