// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/mpi/detail/mailbox.hpp>
#include <hyperplane/mpi/detail/remote_faces.hpp>
#include <hyperplane/mpi/distributed_grid.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values of points that other ranks need, in the order in which they are sent; an index is a value of the buffer.
template <class Scalar, int n, int vector_length>
struct GatherSent {
  const Slot* m_points;
  InterleavedRef<Scalar, vector_length, n> m_x;
  Scalar* m_buffer;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const lane = index % vector_length;
    auto const row = index / vector_length;
    Slot const slot = m_points[row / n * vector_length + lane];
    m_buffer[index] = slot.pack == no_point ? Scalar(0) : m_x(slot.pack, static_cast<int>(row % n), slot.lane);
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

  /// `received` is for the SIMD groups that come. Waits for the instance.
  GhostExchange(const Exec& exec, const Communicator& communicator, const std::string& label,
                const RemoteFaces<vector_length>& faces, const Buffer& received)
      : m_label(label + "::pack"),
        m_sent_points(to_space(exec, label + "::sent_points", faces.sent_points())),
        m_mail(exec, communicator, label, faces.sends(), faces.receives(), values, received) {}

  /// Launches what packs values of x, waits for it and starts the messages. Nothing where there is no other rank to
  /// meet.
  void start(const Exec& exec, Scalar* x) const {
    if (m_mail.empty()) return;
    auto const& sent = m_mail.sent();
    if (auto const size = static_cast<std::int64_t>(sent.size()); size > 0) {
      launch(m_label, IndexRange<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, size), 2.0 * sizeof(Scalar),
             GatherSent<Scalar, n, vector_length>{m_sent_points.data(), InterleavedRef<Scalar, vector_length, n>(x),
                                                  sent.data()});
    }
    m_mail.start(exec);
  }
  /// Waits for the messages.
  void wait() const {
    if (!m_mail.empty()) m_mail.wait();
  }
  /// Waits for the messages; kernels that are launched afterwards have the ghost values.
  void finish(const Exec& exec) const {
    if (!m_mail.empty()) m_mail.finish(exec);
  }

  /// Interleaved as vectors are.
  Scalar* ghosts() const { return m_mail.received().data(); }

 private:
  std::string m_label;
  Kokkos::View<Slot*, typename Exec::memory_space> m_sent_points;
  Mail m_mail;
};

/// The ghost values of all interfaces with other ranks, and the couplings to them.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class RemoteCouplings : public GhostExchange<Scalar, n, Exec, vector_length> {
 public:
  /// Waits for the instance.
  RemoteCouplings(const Exec& exec, const DistributedGrid& grid)
      : RemoteCouplings(exec, grid.communicator(),
                        RemoteFaces<vector_length>(grid, [](const Interface&) { return true; })) {}

  /// Points with couplings to other ranks, whose donors are ghosts().
  FacePart couplings() const { return m_couplings.all(); }

 private:
  using Base = GhostExchange<Scalar, n, Exec, vector_length>;
  static constexpr const char* label = "Hyperplane::DistributedStencil7";

  RemoteCouplings(const Exec& exec, const Communicator& communicator, const RemoteFaces<vector_length>& faces)
      : Base(exec, communicator, label, faces,
             Base::Mail::made(exec, std::string(label) + "::received", faces.received_packs() * Base::values)) {
    FaceCouplingList list;
    append_face_couplings(faces.couplings(), list);
    m_couplings = to_space(exec, list);
  }

  FaceCouplings<Exec> m_couplings;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
