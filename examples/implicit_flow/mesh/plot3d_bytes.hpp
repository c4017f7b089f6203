// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plot3d_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace implicit_flow {

/// Bytes of a binary file, in either order, with the checks that make its errors say where.
class Plot3dBytes {
 public:
  Plot3dBytes(std::string file, std::string_view contents, bool swapped)
      : m_file(std::move(file)), m_contents(contents), m_swapped(swapped) {}

  std::size_t size() const { return m_contents.size(); }
  bool has(std::size_t offset, std::size_t length) const { return length <= size() && offset <= size() - length; }

  template <class T>
  T read(std::size_t offset, const std::string& what = "") const {
    if (!has(offset, sizeof(T))) {
      bad_file(place(size()) + ": the file is truncated" + (what.empty() ? "" : ", expected " + what));
    }
    char bytes[sizeof(T)];
    std::memcpy(bytes, m_contents.data() + offset, sizeof(T));
    if (m_swapped) std::reverse(bytes, bytes + sizeof(T));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  /// The integer there, if the file is as long.
  std::optional<std::int64_t> integer(std::size_t offset) const {
    if (!has(offset, sizeof(std::int32_t))) return std::nullopt;
    return read<std::int32_t>(offset);
  }

  std::string place(std::size_t offset) const { return m_file + ", byte " + std::to_string(offset); }

  /// Length of the Fortran record that starts at `offset`, after a look at both of its markers.
  std::size_t record_length(std::size_t offset, const std::string& what) const {
    std::size_t const length = read<std::uint32_t>(offset, what);
    if (!has(offset, length + 8)) {
      bad_file(place(size()) + ": the file is truncated inside the record of " + std::to_string(length) +
               " bytes that starts at byte " + std::to_string(offset) + ", expected " + what);
    }
    auto const closing = read<std::uint32_t>(offset + 4 + length);
    if (closing != length) {
      bad_file(place(offset + 4 + length) + ": record length " + std::to_string(closing) +
               " does not match the one before the record, " + std::to_string(length));
    }
    return length;
  }

  /// Coordinates whose precision is known by the number of bytes that they take.
  Mesh coordinates(Plot3dBlock block, std::size_t offset, std::size_t length) const {
    auto const count = static_cast<std::size_t>(block.size());
    if (length == count * sizeof(double)) return coordinates<double>(std::move(block), offset);
    if (length == count * sizeof(float)) return coordinates<float>(std::move(block), offset);
    bad_file(place(offset) + ": " + std::to_string(length) + " bytes of coordinates" + block.of_block() + ", but " +
             to_string(block.vertices()) + " vertices need " + std::to_string(count * sizeof(double)) +
             " (double) or " + std::to_string(count * sizeof(float)) + " (float)");
  }

 private:
  template <class T>
  Mesh coordinates(Plot3dBlock block, std::size_t offset) const {
    block.allocate();
    for (std::int64_t index = 0; index < block.size(); ++index) {
      auto const here = offset + static_cast<std::size_t>(index) * sizeof(T);
      double const value = read<T>(here);
      if (!std::isfinite(value)) bad_file(place(here) + ": " + block.name(index) + " is not a finite number");
      block.set(index, value);
    }
    return block.finish();
  }

  std::string m_file;
  std::string_view m_contents;
  bool m_swapped;
};

}  // namespace implicit_flow
