// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
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

/// Persistent requests to send and to receive. Receives come first, so that they are there when the messages arrive.
class PersistentRequests {
 public:
  explicit PersistentRequests(const Communicator& communicator) : m_communicator(communicator) {}
  ~PersistentRequests() {
    if (!mpi_runs()) return;
    if (m_expects) {
      // After an error: nothing may come into memory that is freed.
      for (auto& request : m_receives) MPI_Cancel(&request);
      MPI_Waitall(static_cast<int>(m_receives.size()), m_receives.data(), MPI_STATUSES_IGNORE);
    }
    for (auto* const requests : {&m_receives, &m_sends}) {
      for (auto& request : *requests) MPI_Request_free(&request);
    }
  }
  PersistentRequests(const PersistentRequests&) = delete;
  PersistentRequests& operator=(const PersistentRequests&) = delete;

  template <class Scalar>
  void add_receive(Scalar* values, std::int64_t count, int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call("MPI_Recv_init",
             MPI_Recv_init(values, checked(count, rank), type<Scalar>(), rank, tag, m_communicator.get(), &request));
    m_receives.push_back(request);
  }
  template <class Scalar>
  void add_send(const Scalar* values, std::int64_t count, int rank) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call("MPI_Send_init",
             MPI_Send_init(values, checked(count, rank), type<Scalar>(), rank, tag, m_communicator.get(), &request));
    m_sends.push_back(request);
  }

  /// Starts the receives, unless they have been.
  void expect() {
    if (!m_expects) start(m_receives);
    m_expects = true;
  }
  /// Starts the sends, after the receives.
  void start() {
    expect();
    start(m_sends);
  }
  void finish_receives() {
    finish(m_receives);
    m_expects = false;
  }
  void finish_sends() { finish(m_sends); }

 private:
  /// The communicator is the library's own.
  static constexpr int tag = 0;

  static void start(std::vector<MPI_Request>& requests) {
    // Open MPI 4 refuses a list of none.
    if (requests.empty()) return;
    mpi_call("MPI_Startall", MPI_Startall(static_cast<int>(requests.size()), requests.data()));
  }
  static void finish(std::vector<MPI_Request>& requests) {
    mpi_call("MPI_Waitall", MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  }

  template <class Value>
  static MPI_Datatype type() {
    if constexpr (std::is_same_v<Value, double>) {
      return MPI_DOUBLE;
    } else if constexpr (std::is_same_v<Value, float>) {
      return MPI_FLOAT;
    } else {
      static_assert(std::is_same_v<Value, BFloat16>, "units of Half are of each grid block");
      return MPI_UINT16_T;
    }
  }
  static int checked(std::int64_t count, int rank) {
    if (count > std::numeric_limits<int>::max()) {
      fail("MPI: " + std::to_string(count) + " values on interfaces with rank " + std::to_string(rank) +
           " are too many for one message");
    }
    return static_cast<int>(count);
  }

  Communicator m_communicator;
  std::vector<MPI_Request> m_receives, m_sends;
  bool m_expects = false;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
