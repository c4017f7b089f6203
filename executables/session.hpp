// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <string>

namespace hyperplane::executables {

/// MPI from its beginning to its end, in one process or many.
class Session {
 public:
  /// `program` is its name in front of errors.
  Session(int& argc, char**& argv, std::string program);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Whether this is the rank that speaks.
  bool speaks() const { return m_rank == 0; }

  /// Calls work() on all ranks, and returns what it returns, or 1 where it throws: one rank then prints why. If others
  /// do not come to the end in time after an error, they wait for the rank that has it, and MPI ends all of them.
  int run(const std::function<int()>& work, std::chrono::seconds patience = std::chrono::seconds(10)) const;

 private:
  std::string m_program;
  int m_rank = 0;
  int m_size = 1;
  /// For the end alone, where other ranks may be anywhere.
  MPI_Comm m_end = MPI_COMM_NULL;
};

}  // namespace hyperplane::executables
