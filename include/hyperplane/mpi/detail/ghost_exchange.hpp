// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/blocks/outside_faces.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/mpi/detail/mailbox.hpp>
#include <hyperplane/mpi/detail/remote_faces.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/mpi/transport.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/stencil/grouped_apply_cuda.hpp>
#endif

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values of points that other ranks need, in the order in which they are sent.
template <class Scalar, int n, int vector_length>
struct GatherSent {
  const Slot* m_points;
  InterleavedRef<Scalar, vector_length, n> m_x;

  KOKKOS_FUNCTION Scalar operator()(std::int64_t index) const {
    auto const lane = index % vector_length;
    auto const row = index / vector_length;
    Slot const slot = m_points[row / n * vector_length + lane];
    return slot.pack == no_point ? Scalar(0) : m_x(slot.pack, static_cast<int>(row % n), slot.lane);
  }
};

/// Brings values next to interfaces from the ranks that have them: ghost values, which the couplings of this rank's
/// points to other ranks read. A shared plan: one exchange at a time of it and its copies.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class GhostExchange {
 public:
  using Mail = Mailbox<Scalar, Exec>;
  using Buffer = typename Mail::Buffer;
  /// Values of a SIMD group.
  static constexpr int values = n * vector_length;

  /// `received` is for the SIMD groups that come. With Transport::peer, the mailbox is to be connected. Waits for the
  /// instance.
  GhostExchange(const Exec& exec, const Communicator& communicator, Transport transport, const std::string& label,
                const RemoteFaces<vector_length>& faces, const Buffer& received)
      : m_label(label + "::pack"),
        m_sent_points(to_space(exec, label + "::sent_points", faces.sent_points())),
        m_mail(exec, communicator, transport, label, faces.sends(), faces.receives(), values, received) {}

  const Mail& mailbox() const { return m_mail; }

  /// Launches what packs values of x and starts the messages, for which it waits for the instance, but with
  /// Transport::peer. Nothing where there is no other rank to meet.
  void start(const Exec& exec, Scalar* x) const {
    start_gathered(
        exec, GatherSent<Scalar, n, vector_length>{m_sent_points.data(), InterleavedRef<Scalar, vector_length, n>(x)});
  }
  /// The same with what `gather` gives of values that are sent, interleaved as vectors are.
  template <class Gather>
  void start_gathered(const Exec& exec, const Gather& gather) const {
    if (!m_mail.empty()) m_mail.start(exec, m_label, 2.0 * sizeof(Scalar), gather);
  }
  /// Kernels that are launched afterwards have the ghost values. Waits for the messages, but with Transport::peer.
  void finish(const Exec& exec) const {
    if (!m_mail.empty()) m_mail.finish(exec);
  }

  /// start() with what kernels have written where the mailbox has what is sent.
  void send_prepared(const Exec& exec) const {
    if (m_mail.empty()) return;
    m_mail.hand_over(exec);
    m_mail.start(exec);
  }
  /// Before start(), where messages are to be expected by then, and instead of finish() where those that are sent are
  /// waited for later.
  void expect() const {
    if (!m_mail.empty()) m_mail.expect();
  }
  void await(const Exec& exec) const {
    if (m_mail.empty()) return;
    m_mail.wait_for_received();
    m_mail.take_over(exec);
  }
  void wait_for_sent() const {
    if (!m_mail.empty()) m_mail.wait_for_sent();
  }

  /// For what has started and is not wanted because of an error, which is to be thrown on: nothing is on its way into
  /// memory that is freed then, and messages are taken as other ranks count them. Whether that worked; the first error
  /// is the one that counts.
  bool abandon(const Exec& exec) const {
    try {
      finish(exec);
    } catch (...) {
      return false;
    }
    return true;
  }

  /// Interleaved as vectors are.
  Scalar* ghosts() const { return m_mail.received().data(); }

 private:
  std::string m_label;
  Kokkos::View<Slot*, typename Exec::memory_space> m_sent_points;
  Mail m_mail;
};

/// The ghost values of all interfaces with other ranks, and all couplings of this rank's points: those of points
/// without ghost values, and those of the others. A point has all of its couplings in one list, in the order of one
/// process, so that what they add up to has its bits.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class RankCouplings : public GhostExchange<Scalar, n, Exec, vector_length> {
 public:
  /// With Transport::peer, the mailbox is to be connected. Waits for the instance.
  RankCouplings(const Exec& exec, const DistributedGrid& grid, Transport transport)
      : RankCouplings(exec, grid, transport, RemoteFaces<vector_length>(grid, [](const Interface&) { return true; })) {}

  /// Points whose donors are all on this rank.
  FacePart inner() const { return m_inner.all(); }
  /// The couplings of both as grid blocks have them outside.
  const OutsideFaces<Exec, vector_length>& outside() const { return *m_outside; }
  /// Points that have donors on other ranks; see donors().
  FacePart outer() const { return m_outer.all(); }
  DonorValues<Scalar, n, vector_length> donors(Scalar* x) const { return {x, this->ghosts(), m_own_packs}; }
  /// As start(), with what donors of this rank give to points of others by the transposed matrix.
  template <class Storage>
  void start_transposed(const Exec& exec, Storage* a, Scalar* x) const {
    using Coefficients = TransposedCoefficients<Storage, n, vector_length>;
    this->start_gathered(exec, GatherTransposedTerms<Scalar, n, vector_length, Coefficients>{
                                   m_sent.data(), {{typename Coefficients::Packs(a)}, donors(x)}});
  }
  /// Products of the grid blocks of this rank, where points that have donors on other ranks come late.
  const GroupedApply<Scalar, n, Exec>& grouped_apply() const { return *m_grouped_apply; }

 private:
  using Base = GhostExchange<Scalar, n, Exec, vector_length>;
  static constexpr const char* label = "Hyperplane::DistributedStencil7";

  RankCouplings(const Exec& exec, const DistributedGrid& grid, Transport transport,
                const RemoteFaces<vector_length>& faces)
      : Base(exec, grid.communicator(), transport, label, faces,
             Base::Mail::allocated(exec, std::string(label) + "::received", faces.received_packs() * Base::values)) {
    BlockPacks<vector_length> const packs(grid.local());
    m_own_packs = packs.count();
    m_sent = to_space(exec, std::string(label) + "::sent", faces.sent());
    auto const place = [](const FaceCouplingEntry& e) { return std::pair(e.point.slot.pack, e.point.slot.lane); };
    std::vector<FaceCouplingEntry> own, inner, outer = faces.couplings();
    std::set<std::pair<std::int64_t, int>> with_ghosts;
    for (auto& entry : outer) {
      entry.coupling.donor.pack += m_own_packs;
      with_ghosts.insert(place(entry));
    }
    for (auto const& interface : grid.local().interfaces()) append_entries(grid.local(), packs, interface, own);
    for (auto const& entry : own) (with_ghosts.contains(place(entry)) ? outer : inner).push_back(entry);
    auto const inner_list = listed(std::move(inner)), outer_list = listed(std::move(outer));
    m_inner = to_space(exec, inner_list);
    m_outer = to_space(exec, outer_list);
    m_outside.emplace(exec, grid.local(), inner_list, outer_list);
    auto outside = grouped_packs(outer_list, true);
    for (auto const& pack : grouped_packs(inner_list, false)) outside.push_back(pack);
    m_grouped_apply.emplace(exec, packs.grids(grid.local()), outside);
  }

  static FaceCouplingList listed(std::vector<FaceCouplingEntry> entries) {
    FaceCouplingList list;
    append_face_couplings(std::move(entries), list);
    return list;
  }

  std::int64_t m_own_packs = 0;
  Kokkos::View<FaceCoupling*, typename Exec::memory_space> m_sent;
  FaceCouplings<Exec> m_inner, m_outer;
  std::optional<OutsideFaces<Exec, vector_length>> m_outside;
  std::optional<GroupedApply<Scalar, n, Exec>> m_grouped_apply;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
