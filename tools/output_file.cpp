// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "matrix_market.hpp"

namespace hyperplane::tools {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw InputError((path == "-" ? "standard output" : path.string()) + ": cannot be written: " + reason);
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  if (path == "-") {
    m_path = path;
    m_file = stdout;
    return;
  }
  std::error_code error;
  // A symbolic link is followed, not replaced. Absolute, so that one file has one name.
  m_path = fs::weakly_canonical(fs::absolute(path), error);
  if (error) m_path = path;
  auto const status = fs::status(m_path, error);
  if (fs::is_directory(status)) throw InputError(path.string() + ": is a directory");
  // A file may be replaced in a folder that may be written to, even where it is not to be written to itself.
  if (fs::exists(status) && ::access(m_path.c_str(), W_OK) != 0) fail(path, std::strerror(errno));
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    m_temporary = m_path.string() + ".partial-" + std::to_string(::getpid());
    m_removed.emplace(m_temporary);
  }
  m_file = std::fopen((m_temporary.empty() ? m_path : m_temporary).c_str(), "wb");
  if (m_file == nullptr) fail(path, std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (m_file != nullptr && !is_standard_output()) std::fclose(m_file);
  std::error_code ignored;
  if (!m_temporary.empty()) std::filesystem::remove(m_temporary, ignored);
}

bool OutputFile::replaces(const std::filesystem::path& input) const {
  std::error_code error;
  return !m_temporary.empty() && std::filesystem::equivalent(m_path, input == "-" ? "/dev/stdin" : input, error);
}

void OutputFile::commit(const std::string& text) {
  bool const written = std::fwrite(text.data(), 1, text.size(), m_file) == text.size() && std::fflush(m_file) == 0;
  int const reason = errno;
  bool const closed = is_standard_output() || std::fclose(m_file) == 0;
  m_file = nullptr;
  if (!written || !closed) fail(m_path, std::strerror(written ? errno : reason));
  if (m_temporary.empty()) return;
  std::error_code error;
  std::filesystem::rename(m_temporary, m_path, error);
  if (error) fail(m_path, error.message());
}

}  // namespace hyperplane::tools
