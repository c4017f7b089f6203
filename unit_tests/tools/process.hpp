// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::test {

/// The executable, running: what it writes can be waited for, and signals sent. Nothing here depends on how fast a
/// machine is; what does not come in a minute does not come.
class Process {
 public:
  enum class Errors { pipe, terminal };

  Process(const std::filesystem::path& folder, std::vector<std::string> arguments, Errors errors = Errors::pipe) {
    std::array<int, 2> out{}, err{};
    bool const terminal = errors == Errors::terminal;
    bool const open =
        ::pipe2(out.data(), O_CLOEXEC) == 0 &&
        (terminal ? ::openpty(&err[0], &err[1], nullptr, nullptr, nullptr) == 0 : ::pipe2(err.data(), O_CLOEXEC) == 0);
    if (!open) throw std::runtime_error("no pipe");
    ::fcntl(err[0], F_SETFD, FD_CLOEXEC);
    ::fcntl(err[1], F_SETFD, FD_CLOEXEC);
    arguments.insert(arguments.begin(), HYPERPLANE_EXECUTABLE);
    std::vector<char*> words;
    for (auto& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    // Whoever runs the tests may ignore signals, as a shell does for what it runs in the background.
    posix_spawnattr_t attributes;
    sigset_t defaults;
    ::sigemptyset(&defaults);
    for (int const signal : {SIGINT, SIGTERM}) ::sigaddset(&defaults, signal);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    bool const started = ::posix_spawn(&m_process, words[0], &actions, &attributes, words.data(), ::environ) == 0;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    ::close(err[1]);
    m_out = out[0];
    m_err = err[0];
    if (!started) throw std::runtime_error("cannot be started");
  }

  ~Process() {
    if (m_running) {
      ::kill(m_process, SIGKILL);
      ::waitpid(m_process, nullptr, 0);
    }
    ::close(m_out);
    ::close(m_err);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits until the text has been written to the standard error so many times; false where it ends before.
  bool wait_for(const std::string& text, int times = 1) {
    while (count(m_errors, text) < times) {
      if (!read_some(m_err, m_errors)) return false;
    }
    return true;
  }

  /// Waits until there is something to read on the standard output, and does not read it.
  bool wait_for_output() const { return wait_for_input(m_out); }

  void send(int signal) const { ::kill(m_process, signal); }

  /// Reads all that is still written, and waits. The exit status, or where a signal ended it minus its number.
  int wait() {
    while (read_some(m_err, m_errors)) continue;
    while (read_some(m_out, m_output)) continue;
    return wait_unread();
  }

  /// As wait(), where nobody reads the output.
  int wait_unread() {
    auto const give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    int status = 0;
    while (::waitpid(m_process, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > give_up) throw std::runtime_error("does not end");
      ::usleep(1000);
    }
    m_running = false;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const std::string& output() const { return m_output; }
  const std::string& errors() const { return m_errors; }

  static int count(const std::string& text, const std::string& part) {
    int result = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++result;
    return result;
  }

 private:
  static bool wait_for_input(int file) {
    pollfd waiting{file, POLLIN, 0};
    return ::poll(&waiting, 1, 60'000) == 1;
  }
  static bool read_some(int file, std::string& text) {
    std::array<char, 4096> buffer{};
    if (!wait_for_input(file)) return false;
    auto const got = ::read(file, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  pid_t m_process = 0;
  bool m_running = true;
  int m_out = -1;
  int m_err = -1;
  std::string m_output;
  std::string m_errors;
};

}  // namespace hyperplane::test
