// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plot3d.hpp"

#include "plot3d_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

namespace implicit_flow {

namespace {

/// Vertices that a file may claim before its size is looked at: keeps I*J*K within 64 bits.
constexpr std::int64_t largest_extent = 100'000;

hyperplane::Grid checked_extents(const std::string& place, const std::array<std::int64_t, 3>& extent) {
  for (auto const e : extent) {
    if (e < 2 || e > largest_extent) {
      bad_file(place + ": extents " + std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " +
               std::to_string(extent[2]) + ": each must be from 2 to " + std::to_string(largest_extent));
    }
  }
  return {static_cast<int>(extent[0]), static_cast<int>(extent[1]), static_cast<int>(extent[2])};
}

/// Value number `index` of a file: x, y and z of a grid follow each other as three arrays.
void set_coordinate(Mesh& mesh, std::int64_t index, double value) {
  auto const points = mesh.vertices.size();
  Vec3& p = mesh.position[static_cast<std::size_t>(index % points)];
  (index < points ? p.x : index < 2 * points ? p.y : p.z) = value;
}

std::string vertex_name(const hyperplane::Grid& grid, std::int64_t index) {
  auto const p = grid.point(index % grid.size());
  return std::string(1, "xyz"[index / grid.size()]) + " of vertex (" + std::to_string(p.i) + ", " +
         std::to_string(p.j) + ", " + std::to_string(p.k) + ")";
}

Mesh read_text(const std::string& file, const std::string& contents) {
  Plot3dText text(file, contents);
  std::array<std::int64_t, 3> extent{};
  std::string place;
  auto const first = text.integer("number of vertices along i");
  // A file of the multi-block kind starts with the number of blocks, alone on its line.
  bool const counts_blocks = text.at_end_of_line() && first.value == 1;
  if (text.at_end_of_line() && first.value > 1) {
    // Extents may also be written one a line; with three integers on the next line it is a block count.
    if (text.integers_on_next_line() == 3)
      bad_file(first.place + ": " + std::to_string(first.value) + " blocks: only single-block files are read");
  }
  extent[0] = counts_blocks ? text.integer("number of vertices along i").value : first.value;
  extent[1] = text.integer("number of vertices along j").value;
  extent[2] = text.integer("number of vertices along k").value;
  Mesh mesh(checked_extents(first.place, extent));
  for (std::int64_t index = 0; index < 3 * mesh.vertices.size(); ++index) {
    set_coordinate(mesh, index, text.real([&] { return vertex_name(mesh.vertices, index); }));
  }
  text.expect_end();
  return mesh;
}

/// Bytes of a binary file with the checks that make its errors say where.
class Bytes {
 public:
  Bytes(std::string file, const std::string& contents) : m_file(std::move(file)), m_contents(contents) {}

  std::size_t size() const { return m_contents.size(); }

  template <class T>
  T read(std::size_t offset) const {
    T value;
    if (offset + sizeof(T) > size()) bad_file(place(size()) + ": the file is truncated");
    std::memcpy(&value, m_contents.data() + offset, sizeof(T));
    return value;
  }

  std::string place(std::size_t offset) const { return m_file + ", byte " + std::to_string(offset); }

 private:
  std::string m_file;
  const std::string& m_contents;
};

hyperplane::Grid read_extents(const Bytes& bytes, std::size_t offset) {
  std::array<std::int64_t, 3> extent{};
  for (std::size_t d = 0; d < 3; ++d) extent[d] = bytes.read<std::int32_t>(offset + 4 * d);
  return checked_extents(bytes.place(offset), extent);
}

template <class T>
Mesh read_coordinates(const Bytes& bytes, const hyperplane::Grid& grid, std::size_t offset) {
  Mesh mesh(grid);
  for (std::int64_t index = 0; index < 3 * grid.size(); ++index) {
    auto const here = offset + static_cast<std::size_t>(index) * sizeof(T);
    double const value = bytes.read<T>(here);
    if (!std::isfinite(value))
      bad_file(bytes.place(here) + ": " + vertex_name(grid, index) + " is not a finite number");
    set_coordinate(mesh, index, value);
  }
  return mesh;
}

/// Coordinates whose precision is known by the number of bytes that they take.
Mesh read_coordinates(const Bytes& bytes, const hyperplane::Grid& grid, std::size_t offset, std::size_t length) {
  auto const count = 3 * static_cast<std::size_t>(grid.size());
  if (length == count * sizeof(double)) return read_coordinates<double>(bytes, grid, offset);
  if (length == count * sizeof(float)) return read_coordinates<float>(bytes, grid, offset);
  bad_file(bytes.place(offset) + ": " + std::to_string(length) + " bytes of coordinates, but " + to_string(grid) +
           " vertices need " + std::to_string(count * sizeof(double)) + " (double) or " +
           std::to_string(count * sizeof(float)) + " (float)");
}

/// Length of the Fortran record that starts at `offset`, after a look at both of its markers.
std::size_t record_length(const Bytes& bytes, std::size_t offset) {
  auto const length = bytes.read<std::uint32_t>(offset);
  if (offset + 8 + length > bytes.size()) {
    bad_file(bytes.place(bytes.size()) + ": the file is truncated inside the record of " + std::to_string(length) +
             " bytes that starts at byte " + std::to_string(offset));
  }
  auto const closing = bytes.read<std::uint32_t>(offset + 4 + length);
  if (closing != length) {
    bad_file(bytes.place(offset + 4 + length) + ": record length " + std::to_string(closing) +
             " does not match the one before the record, " + std::to_string(length));
  }
  return length;
}

Mesh read_unformatted(const Bytes& bytes) {
  std::size_t offset = 0;
  if (record_length(bytes, 0) == 4) {
    auto const blocks = bytes.read<std::int32_t>(4);
    if (blocks != 1)
      bad_file(bytes.place(4) + ": " + std::to_string(blocks) + " blocks: only single-block files are read");
    offset = 12;
  }
  if (record_length(bytes, offset) != 12)
    bad_file(bytes.place(offset) + ": expected a record of three extents, 12 bytes");
  auto const grid = read_extents(bytes, offset + 4);
  offset += 20;
  auto const length = record_length(bytes, offset);
  auto mesh = read_coordinates(bytes, grid, offset + 4, length);
  if (offset + 8 + length != bytes.size()) {
    bad_file(bytes.place(offset + 8 + length) +
             ": data after the end of the grid (several blocks or iblank are not read)");
  }
  return mesh;
}

Mesh read_stream(const Bytes& bytes) {
  std::size_t const offset = bytes.read<std::int32_t>(0) == 1 ? 4 : 0;
  auto const grid = read_extents(bytes, offset);
  return read_coordinates(bytes, grid, offset + 12, bytes.size() - offset - 12);
}

bool is_text(const std::string& contents) {
  for (std::size_t c = 0; c < std::min<std::size_t>(contents.size(), 512); ++c) {
    auto const byte = static_cast<unsigned char>(contents[c]);
    if (byte > 126 || (byte < 32 && byte != '\n' && byte != '\r' && byte != '\t')) return false;
  }
  return true;
}

}  // namespace

Mesh read_plot3d(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) bad_file(file.string() + ": cannot be read");
  std::string const contents(std::istreambuf_iterator<char>(in), {});
  if (contents.empty()) bad_file(file.string() + ": the file is empty");
  if (is_text(contents)) return read_text(file.string(), contents);
  Bytes const bytes(file.string(), contents);
  // A record of 12 bytes (extents) or 4 (number of blocks) closes with its length again; in a stream file the first
  // word is I itself, and the words there are other extents.
  auto const first = bytes.read<std::uint32_t>(0);
  bool const records = (first == 12 && bytes.read<std::uint32_t>(16) == 12) ||
                       (first == 4 && bytes.read<std::uint32_t>(8) == 4 && bytes.read<std::uint32_t>(12) == 12);
  return records ? read_unformatted(bytes) : read_stream(bytes);
}

void write_plot3d(const std::filesystem::path& file, const Mesh& mesh, Plot3dFormat format) {
  std::ofstream out(file, std::ios::binary);
  if (!out) bad_file(file.string() + ": cannot be written");
  auto const& grid = mesh.vertices;
  auto const put = [&](auto value) { out.write(reinterpret_cast<const char*>(&value), sizeof(value)); };
  auto const for_each_coordinate = [&](auto&& f) {
    for (auto const component : {&Vec3::x, &Vec3::y, &Vec3::z}) {
      for (auto const& p : mesh.position) f(p.*component);
    }
  };
  if (format == Plot3dFormat::ascii) {
    out.precision(17);
    out << grid.ni() << ' ' << grid.nj() << ' ' << grid.nk() << '\n';
    int column = 0;
    for_each_coordinate([&](double value) { out << value << (++column % 4 == 0 ? '\n' : ' '); });
    out << '\n';
  } else {
    bool const records = format == Plot3dFormat::unformatted;
    auto const bytes = 3 * sizeof(double) * mesh.position.size();
    if (records && bytes > UINT32_MAX - 8) bad_file(file.string() + ": the grid is too large for one Fortran record");
    if (records) put(std::uint32_t{12});
    for (int const extent : {grid.ni(), grid.nj(), grid.nk()}) put(std::int32_t{extent});
    if (records) put(std::uint32_t{12});
    if (records) put(static_cast<std::uint32_t>(bytes));
    for_each_coordinate(put);
    if (records) put(static_cast<std::uint32_t>(bytes));
  }
  out.close();
  if (!out) bad_file(file.string() + ": could not be written completely");
}

}  // namespace implicit_flow
