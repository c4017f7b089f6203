// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/natural_order.hpp>
#include <hyperplane/blocks/remote_colours.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/function_ref.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/mpi/detail/ghost_exchange.hpp>
#include <hyperplane/mpi/detail/mailbox.hpp>
#include <hyperplane/mpi/detail/remote_faces.hpp>
#include <hyperplane/mpi/detail/reverse_couplings.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/transport.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Coefficients of some couplings, one after the other.
template <class Storage, int n>
struct GatherCoefficients {
  const int* m_numbers;
  const Storage* m_values;

  KOKKOS_FUNCTION Storage operator()(std::int64_t index) const {
    return m_values[std::int64_t{m_numbers[index / (n * n)]} * (n * n) + index % (n * n)];
  }
};

/// RemoteColours over the ranks of a DistributedGrid. Each stage has messages of its own: coefficients and what the
/// forward sweep has computed go to higher colours, what the backward sweep has to lower ones.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
class ColoursOfRanks : public RemoteColours<Scalar, Exec, Storage> {
 public:
  using Values = typename RemoteColours<Scalar, Exec, Storage>::Values;
  using Colours = typename RemoteColours<Scalar, Exec, Storage>::Colours;

  /// `colours` are those of all grid blocks, 0, 1, ... without gaps, and so are stages; coefficients: whether they are
  /// to be brought. Waits for the instance.
  ColoursOfRanks(const Exec& exec, const DistributedGrid& grid, Transport transport, const std::vector<int>& colours,
                 const Stages& stages, bool coefficients)
      : m_communicator(grid.communicator()),
        m_transport(transport),
        m_count(*std::ranges::max_element(colours) + 1),
        m_stages(stages.of_some(grid.local(), grid.blocks())),
        m_rise(rises_along_axes(grid.whole(), colours)) {
    m_lists.lower.resize(as_size(m_count));
    m_lists.upper.resize(as_size(m_count));
    list_ghosts(exec, grid, colours, stages);
    if (coefficients) list_reverses(grid, colours, stages);
  }

  int colours() const override { return m_count; }
  const Stages& stages() const override { return m_stages; }
  bool rise_along_axes() const override { return m_rise; }
  std::vector<FaceCouplingEntry> lower(int colour) const override { return m_lists.lower[as_size(colour)]; }
  std::vector<FaceCouplingEntry> upper(int colour) const override { return m_lists.upper[as_size(colour)]; }
  const std::vector<FaceCoupling>& reverses() const override { return m_lists.reverses; }

  void connect(const Exec& exec, const FaceCouplingList& upper, const std::vector<std::size_t>& begin,
               const Values& values) override {
    m_values = values;
    auto received = upper.couplings.size() - m_lists.reverses.size();
    for (auto const& list : m_coefficients) {
      std::vector<int> numbers;
      for (auto const& sent : list.sent()) {
        auto const c = as_size(m_colours[as_size(sent.block)]);
        numbers.push_back(find_coupling(upper, begin[c], begin[c + 1], sent.slot, sent.direction));
      }
      m_numbers.push_back(to_space(exec, std::string(label) + "::coefficients", numbers));
      auto const end = received + list.received().size();
      auto const part = Kokkos::subview(values, std::pair(received * n * n, end * n * n));
      m_coefficient_mail.emplace_back(exec, m_communicator, m_transport, std::string(label) + "::coefficients",
                                      list.sends(), list.receives(), n * n, part);
      received = end;
    }
    m_coefficients.clear();
  }

  /// After connect() on all ranks, or where coefficients are not brought. Collective. Waits for the instance.
  void connect_mailboxes(const Exec& exec) const {
    detail::connect_mailboxes(exec, m_communicator, m_transport, [&](const auto& function) {
      for (auto const* const exchanges : {&m_forward, &m_backward}) {
        for (auto const& exchange : *exchanges) function(exchange.mailbox());
      }
      for (auto const& mailbox : m_coefficient_mail) function(mailbox);
    });
  }

  void agree(FunctionRef<> function) const override { m_communicator.agree(function); }

  void expect_coefficients() const override {
    for (auto const& mail : m_coefficient_mail) {
      if (!mail.empty()) mail.expect();
    }
  }
  void hand_over_coefficients(const Exec& exec, int stage) const override {
    auto const* const mail = find_coefficient_mail(stage);
    if (mail == nullptr) return;
    mail->pack(exec, "Hyperplane::DistributedMultiBlock::factor::pack", 2.0 * sizeof(Storage),
               GatherCoefficients<Storage, n>{m_numbers[as_size(stage)].data(), m_values.data()});
    mail->hand_over(exec);
  }
  void exchange_coefficients(const Exec& exec, int stage) const override {
    auto const* const mail = find_coefficient_mail(stage);
    if (mail == nullptr) return;
    mail->start(exec);
    mail->wait_for_received();
  }
  void take_over_coefficients(const Exec& exec, int stage) const override {
    auto const* const mail = find_coefficient_mail(stage);
    if (mail != nullptr) mail->take_over(exec);
  }
  void finish_coefficients() const override {
    for (auto const& mail : m_coefficient_mail) {
      if (!mail.empty()) mail.wait_for_sent();
    }
  }

  // In the order in which they are sent.
  void expect_values() const override {
    for (auto const& exchange : m_forward) exchange.expect();
    for (auto exchange = m_backward.rbegin(); exchange != m_backward.rend(); ++exchange) exchange->expect();
  }
  void send_forward(const Exec& exec, int stage, Scalar* x) const override { m_forward[as_size(stage)].start(exec, x); }
  void await_forward(const Exec& exec, int stage) const override { m_forward[as_size(stage)].await(exec); }
  void send_backward(const Exec& exec, int stage, Scalar* x) const override {
    m_backward[as_size(stage)].start(exec, x);
  }
  void await_backward(const Exec& exec, int stage) const override { m_backward[as_size(stage)].await(exec); }
  void finish_values() const override {
    for (auto const* const all : {&m_forward, &m_backward}) {
      for (auto const& exchange : *all) exchange.wait_for_sent();
    }
  }
  Scalar* ghosts() const override { return m_ghosts.data(); }

  const std::vector<FaceCoupling>& given_to(Colours colours, int stage) const override {
    return m_lists.given[static_cast<std::size_t>(colours)][as_size(stage)];
  }
  Scalar* room_to_give(Colours colours, int stage) const override {
    return exchange(colours, stage).mailbox().sent().data();
  }
  void send_given(const Exec& exec, Colours colours, int stage) const override {
    exchange(colours, stage).send_prepared(exec);
  }

  void forget_lists() override { m_lists = Lists(); }

 private:
  using Exchange = GhostExchange<Scalar, n, Exec, vector_length>;
  using Reverses = ReverseCouplings<vector_length>;

  static constexpr const char* label = "Hyperplane::DistributedMultiBlock";

  /// Null where no coefficients of a stage are brought.
  const Mailbox<Storage, Exec>* find_coefficient_mail(int stage) const {
    if (m_coefficient_mail.empty()) return nullptr;
    auto const& mail = m_coefficient_mail[as_size(stage)];
    return mail.empty() ? nullptr : &mail;
  }

  const Exchange& exchange(Colours colours, int stage) const {
    return (colours == Colours::higher ? m_forward : m_backward)[as_size(stage)];
  }

  void list_ghosts(const Exec& exec, const DistributedGrid& grid, const std::vector<int>& colours,
                   const Stages& stages) {
    std::vector<RemoteFaces<vector_length>> forward, backward;
    auto const colour = [&](int block) { return colours[as_size(block)]; };
    for (int stage = 0; stage < stages.count(); ++stage) {
      auto const is_sent = [&](int donor, const Point& q) { return stages.of(donor, q.j) == stage; };
      auto const rises = [&](const Interface& i) {
        return stages.has(stage, i.donor) && colour(i.block) > colour(i.donor);
      };
      auto const falls = [&](const Interface& i) {
        return stages.has(stage, i.donor) && colour(i.block) < colour(i.donor);
      };
      forward.emplace_back(grid, rises, is_sent);
      backward.emplace_back(grid, falls, is_sent);
    }
    std::int64_t packs = 0;
    for (auto const* const all : {&forward, &backward}) {
      for (auto const& faces : *all) packs += faces.received_packs();
    }
    m_ghosts = Exchange::Mail::allocated(exec, std::string(label) + "::ghosts", packs * Exchange::values);
    std::int64_t const own_packs = BlockPacks<vector_length>(grid.local()).count();
    std::int64_t first = 0;
    auto const add = [&](const RemoteFaces<vector_length>& faces, std::vector<Exchange>& exchanges,
                         std::vector<std::vector<FaceCouplingEntry>>& entries) {
      auto const end = first + faces.received_packs();
      auto const part =
          Kokkos::subview(m_ghosts, std::pair(as_size(first * Exchange::values), as_size(end * Exchange::values)));
      exchanges.emplace_back(exec, grid.communicator(), m_transport, label, faces, part);
      for (auto entry : faces.couplings()) {
        entry.coupling.donor.pack += own_packs + first;
        entries[as_size(colour(grid.blocks()[as_size(entry.point.block)]))].push_back(entry);
      }
      first = end;
    };
    for (auto const& faces : forward) add(faces, m_forward, m_lists.lower);
    for (auto const& faces : backward) add(faces, m_backward, m_lists.upper);
    for (auto const& faces : backward) m_lists.given[static_cast<std::size_t>(Colours::lower)].push_back(faces.sent());
    for (auto const& faces : forward) m_lists.given[static_cast<std::size_t>(Colours::higher)].push_back(faces.sent());
  }

  void list_reverses(const DistributedGrid& grid, const std::vector<int>& colours, const Stages& stages) {
    m_colours = colours;
    // By the point of the higher colour and its face: the point of the lower one; by that one: its couplings.
    std::map<std::tuple<std::int64_t, int, int>, std::pair<int, std::int64_t>> donors;
    std::map<std::pair<int, std::int64_t>, std::pair<int, int>> ranges;
    for (int stage = 0; stage < stages.count(); ++stage) {
      m_coefficients.emplace_back(grid, colours, stages, stage);
      check_coupling_count(m_lists.reverses.size() + m_coefficients.back().received().size());
      for (auto const& coupling : m_coefficients.back().received()) {
        int const number = static_cast<int>(m_lists.reverses.size());
        std::pair const donor(coupling.block, coupling.point);
        donors[{coupling.slot.pack, coupling.slot.lane, static_cast<int>(coupling.back)}] = donor;
        ranges.try_emplace(donor, number, number).first->second.second = number + 1;
        m_lists.reverses.push_back({coupling.slot, coupling.block, coupling.direction});
      }
    }
    for (auto& entries : m_lists.lower) {
      for (auto& [point, coupling] : entries) {
        auto const& donor = donors.at({point.slot.pack, point.slot.lane, static_cast<int>(coupling.direction)});
        std::tie(coupling.reverse_begin, coupling.reverse_end) = ranges.at(donor);
      }
    }
  }

  struct Lists {
    /// By the colour of this rank's points.
    std::vector<std::vector<FaceCouplingEntry>> lower, upper;
    std::vector<FaceCoupling> reverses;
    std::array<std::vector<std::vector<FaceCoupling>>, 2> given;  ///< to lower colours, to higher ones
  };

  Communicator m_communicator;
  Transport m_transport;
  int m_count;
  Stages m_stages;
  bool m_rise;
  Lists m_lists;
  std::vector<int> m_colours;  ///< of all grid blocks, where coefficients are brought
  /// By the stage of what is sent.
  std::vector<Reverses> m_coefficients;
  std::vector<Exchange> m_forward, m_backward;
  std::vector<Mailbox<Storage, Exec>> m_coefficient_mail;
  std::vector<Kokkos::View<int*, typename Exec::memory_space>> m_numbers;
  Kokkos::View<Scalar*, typename Exec::memory_space> m_ghosts;
  Values m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
