// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "interruption.hpp"

namespace hyperplane::tools {

/// A file that appears under its name only when it is complete: written beside it and renamed. What is there and is not
/// a regular file (a device, a pipe) is written to directly, and "-" is the standard output. The constructor throws
/// InputError where it cannot be opened, so that a bad path is known before the work is done.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Whether both would take the same name. Devices have room for both.
  bool is_same(const OutputFile& other) const {
    return (is_standard_output() && other.is_standard_output()) ||
           (!m_temporary.empty() && m_temporary == other.m_temporary);
  }
  /// Whether that is the file whose name it would take: an input that would be lost.
  bool replaces(const std::filesystem::path& input) const;
  bool is_standard_output() const { return m_path == "-"; }

  /// Writes the text and gives the file its name. Throws InputError where that fails.
  void commit(const std::string& text);

 private:
  std::filesystem::path m_path;
  std::filesystem::path m_temporary;  // empty where the path is written to directly
  std::optional<RemovedWhenStopped> m_removed;
  std::FILE* m_file = nullptr;
};

}  // namespace hyperplane::tools
