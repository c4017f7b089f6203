// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <utility>

namespace hyperplane::executables {

namespace {

/// Waits for a message, but not for longer than that.
bool is_finished(MPI_Request& request, std::chrono::seconds patience) {
  auto const end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    int finished = 0;
    MPI_Test(&request, &finished, MPI_STATUS_IGNORE);
    if (finished != 0) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void print_error(const std::string& program, const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: %s\n", program.c_str(), text.c_str());
  std::fflush(stderr);
}

}  // namespace

Session::Session(int& argc, char**& argv, std::string program) : m_program(std::move(program)) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &m_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &m_size);
  MPI_Comm_dup(MPI_COMM_WORLD, &m_end);
}

Session::~Session() {
  MPI_Comm_free(&m_end);
  MPI_Finalize();
}

int Session::run(const std::function<int()>& work, std::chrono::seconds patience) const {
  int status = 0;
  std::string error;
  try {
    status = work();
  } catch (const std::exception& thrown) {
    error = thrown.what();
    status = 1;
  }
  bool const failed = status == 1;
  int const mine = failed ? m_rank : m_size;
  int first = m_size;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, m_end, &request);
  // Without an error of its own a rank waits as long as it takes.
  if (!failed) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (!is_finished(request, patience)) {
    print_error(m_program, "rank " + std::to_string(m_rank) + " alone: " + error);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (first == m_rank) print_error(m_program, error);
  return first < m_size ? 1 : status;
}

}  // namespace hyperplane::executables
