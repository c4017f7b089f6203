// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "matrix_market.hpp"

namespace hyperplane::tools {

OutputFile::OutputFile(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  // A symbolic link is followed, not replaced. Absolute, so that one file has one name.
  m_path = fs::weakly_canonical(fs::absolute(path), error);
  if (error) m_path = path;
  auto const status = fs::status(m_path, error);
  if (fs::is_directory(status)) throw InputError(path.string() + ": is a directory");
  if (!fs::exists(status) || fs::is_regular_file(status)) {
    m_temporary = m_path.string() + ".partial-" + std::to_string(::getpid());
  }
  m_file = std::fopen((m_temporary.empty() ? m_path : m_temporary).c_str(), "wb");
  if (m_file == nullptr) throw InputError(path.string() + ": cannot be written: " + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (m_file != nullptr) std::fclose(m_file);
  std::error_code ignored;
  if (!m_temporary.empty()) std::filesystem::remove(m_temporary, ignored);
}

void OutputFile::commit(const std::string& text) {
  bool const written = std::fwrite(text.data(), 1, text.size(), m_file) == text.size();
  bool const closed = std::fclose(m_file) == 0;
  m_file = nullptr;
  if (!written || !closed) throw InputError(m_path.string() + ": cannot be written: " + std::strerror(errno));
  if (m_temporary.empty()) return;
  std::error_code error;
  std::filesystem::rename(m_temporary, m_path, error);
  if (error) throw InputError(m_path.string() + ": cannot be written: " + error.message());
}

}  // namespace hyperplane::tools
