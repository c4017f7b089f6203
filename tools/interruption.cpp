// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interruption.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <string>

#include "matrix_market.hpp"

namespace hyperplane::tools {

namespace {

/// What the handler reads. It may call little: no allocation, no stream, no lock.
struct State {
  std::atomic<bool> finishes{false};
  std::atomic<bool> requested{false};
  std::atomic<bool> speaks{true};
  struct File {
    std::atomic<bool> used{false};
    std::array<char, 4096> name{};
  };
  std::array<File, 4> files;
};
static_assert(std::atomic<bool>::is_always_lock_free);

State state;

void end_now(bool again) {
  for (auto const& file : state.files) {
    if (file.used) ::unlink(file.name.data());
  }
  const char* const message = again ? "hyperplane: stopped by a second signal, without a result\n"
                                    : "hyperplane: stopped by a signal before there was a result\n";
  // Who no longer reads it misses nothing.
  if (state.speaks) static_cast<void>(!::write(STDERR_FILENO, message, std::strlen(message)));
  ::_exit(exit_stopped);
}

void on_signal(int) {
  if (!state.finishes) end_now(false);
  if (state.requested.exchange(true)) end_now(true);
}

}  // namespace

void handle_signals(bool speaks) {
  state.speaks = speaks;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaddset(&action.sa_mask, SIGINT);
  ::sigaddset(&action.sa_mask, SIGTERM);
  for (int const signal : {SIGINT, SIGTERM}) {
    struct sigaction before{};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

SilentInTheEnd::~SilentInTheEnd() { state.speaks = false; }

void finish_when_stopped() { state.finishes = true; }

bool stop_requested() { return state.requested; }

RemovedWhenStopped::RemovedWhenStopped(const std::filesystem::path& path) : m_slot(0) {
  while (state.files.at(m_slot).used) ++m_slot;
  auto& file = state.files.at(m_slot);
  auto const name = path.string();
  if (name.size() >= file.name.size()) throw InputError(name + ": cannot be written: the name is too long");
  std::memcpy(file.name.data(), name.c_str(), name.size() + 1);
  file.used = true;
}

RemovedWhenStopped::~RemovedWhenStopped() { state.files[m_slot].used = false; }

}  // namespace hyperplane::tools
