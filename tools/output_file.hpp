// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace hyperplane::tools {

/// A file that appears under its name only when it is complete: written beside it and renamed. What is there and is not
/// a regular file (a device, a pipe) is written to directly. The constructor throws InputError where it cannot be
/// opened, so that a bad path is known before the work is done.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Whether both would take the same name. Devices have room for both.
  bool is_same(const OutputFile& other) const { return !m_temporary.empty() && m_temporary == other.m_temporary; }

  /// Writes the text and gives the file its name. Throws InputError where that fails.
  void commit(const std::string& text);

 private:
  std::filesystem::path m_path;
  std::filesystem::path m_temporary;  // empty where the path is written to directly
  std::FILE* m_file = nullptr;
};

}  // namespace hyperplane::tools
