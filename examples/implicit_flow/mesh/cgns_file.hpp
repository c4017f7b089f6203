// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>

#include <cgnslib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace implicit_flow {

/// A file that is open for reading.
class CgnsFile {
 public:
  explicit CgnsFile(const std::filesystem::path& file) : m_file(file.string()) {
    if (!std::ifstream(file) || std::filesystem::is_directory(file)) refuse("", "cannot be read");
    if (cg_open(m_file.c_str(), CG_MODE_READ, &m_number) == CG_OK) return;
    refuse("", "no CGNS file, or not a whole one: " + reason());
  }
  ~CgnsFile() { cg_close(m_number); }
  CgnsFile(const CgnsFile&) = delete;
  CgnsFile& operator=(const CgnsFile&) = delete;

  operator int() const { return m_number; }

  [[noreturn]] void refuse(const std::string& place, const std::string& why) const {
    throw hyperplane::Error(m_file + ": " + place + (place.empty() ? "" : ": ") + why);
  }
  /// Throws unless a call of libcgns has succeeded.
  void require(int status, const std::string& place) const {
    if (status != CG_OK) refuse(place, "cannot be read as CGNS: " + reason());
  }

 private:
  /// In the words of libcgns, some of which end with the line.
  static std::string reason() {
    std::string text = cg_get_error();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }

  std::string m_file;
  int m_number = 0;
};

}  // namespace implicit_flow
