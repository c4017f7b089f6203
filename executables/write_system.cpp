// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "write_system.hpp"

#include <hyperplane/core/error.hpp>

#include <fstream>
#include <limits>

namespace hyperplane::executables {

namespace {

/// write(file), with numbers that read back to the same bits.
template <class Write>
void write_file(const std::filesystem::path& path, const Write& write) {
  std::ofstream file(path);
  file.precision(std::numeric_limits<double>::max_digits10);
  write(file);
  file.close();
  if (!file) throw Error(path.string() + ": cannot be written");
}

}  // namespace

void write_matrix(const std::filesystem::path& path, std::int64_t rows, const std::vector<MatrixEntry>& entries) {
  write_file(path, [&](std::ofstream& file) {
    file << "%%MatrixMarket matrix coordinate real general\n" << rows << ' ' << rows << ' ' << entries.size() << '\n';
    for (auto const& [row, column, value] : entries) file << row + 1 << ' ' << column + 1 << ' ' << value << '\n';
  });
}

void write_vector(const std::filesystem::path& path, const std::vector<double>& values) {
  write_file(path, [&](std::ofstream& file) {
    file << "%%MatrixMarket matrix array real general\n" << values.size() << " 1\n";
    for (double const value : values) file << value << '\n';
  });
}

}  // namespace hyperplane::executables
