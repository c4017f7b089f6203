// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>

/// Ctrl-C (SIGINT) and SIGTERM. As long as there is nothing to show yet, a signal ends the process at once. While there
/// is, the first one asks for an end, which the work heeds where it can, and the second one ends the process. Files
/// that are written beside their names are removed either way.
namespace hyperplane::tools {

inline constexpr int exit_stopped = 130;

/// From here on signals are handled as said above, those apart that whoever started the process wants ignored. A pipe
/// that nobody reads any more is an error of the write alone. Of several processes one `speaks`.
void handle_signals(bool speaks);

/// Where its life ends, signals are silent from then on. All has been said but why the work has failed, which is
/// printed after run() has returned: a launcher may stop the processes that are left as soon as one of them has ended
/// with an error.
class SilentInTheEnd {
 public:
  SilentInTheEnd() = default;
  ~SilentInTheEnd();
  SilentInTheEnd(const SilentInTheEnd&) = delete;
  SilentInTheEnd& operator=(const SilentInTheEnd&) = delete;
};

/// From here on there is something to show.
void finish_when_stopped();

/// Whether a signal has asked for an end.
bool stop_requested();

/// A file that is removed where a signal ends the process while this lives. It need not exist yet.
class RemovedWhenStopped {
 public:
  explicit RemovedWhenStopped(const std::filesystem::path& path);
  ~RemovedWhenStopped();
  RemovedWhenStopped(const RemovedWhenStopped&) = delete;
  RemovedWhenStopped& operator=(const RemovedWhenStopped&) = delete;

 private:
  int m_slot;
};

}  // namespace hyperplane::tools
