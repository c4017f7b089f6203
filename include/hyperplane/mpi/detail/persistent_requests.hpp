// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/mpi/communicator.hpp>
#include <hyperplane/mpi/detail/mpi_call.hpp>

#include <mpi.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Persistent requests to send and to receive, started and finished together. Receives come first, so that they are
/// there when the messages arrive.
class PersistentRequests {
 public:
  explicit PersistentRequests(const Communicator& communicator) : m_communicator(communicator) {}
  ~PersistentRequests() {
    if (!mpi_runs()) return;
    for (auto& request : m_requests) MPI_Request_free(&request);
  }
  PersistentRequests(const PersistentRequests&) = delete;
  PersistentRequests& operator=(const PersistentRequests&) = delete;

  template <class Scalar>
  void add_receive(Scalar* values, std::int64_t count, int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call("MPI_Recv_init",
             MPI_Recv_init(values, checked(count, rank), type<Scalar>(), rank, tag, m_communicator.get(), &request));
    m_requests.push_back(request);
  }
  template <class Scalar>
  void add_send(const Scalar* values, std::int64_t count, int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call("MPI_Send_init",
             MPI_Send_init(values, checked(count, rank), type<Scalar>(), rank, tag, m_communicator.get(), &request));
    m_requests.push_back(request);
  }

  bool empty() const { return m_requests.empty(); }
  void start() { mpi_call("MPI_Startall", MPI_Startall(static_cast<int>(m_requests.size()), m_requests.data())); }
  void finish() {
    mpi_call("MPI_Waitall", MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE));
  }

 private:
  /// The communicator is the library's own.
  static constexpr int tag = 0;

  template <class Scalar>
  static MPI_Datatype type() {
    // Bits of the short types are sent as they are.
    if constexpr (sizeof(Scalar) == sizeof(std::uint16_t)) return MPI_UINT16_T;
    return std::is_same_v<Scalar, float> ? MPI_FLOAT : MPI_DOUBLE;
  }
  static int checked(std::int64_t count, int rank) {
    if (count > std::numeric_limits<int>::max()) {
      fail("MPI: " + std::to_string(count) + " values on interfaces with rank " + std::to_string(rank) +
           " are too many for one message");
    }
    return static_cast<int>(count);
  }

  Communicator m_communicator;
  std::vector<MPI_Request> m_requests;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
