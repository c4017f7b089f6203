// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plot3d.hpp"
#include "plot3d_layout.hpp"

#include <cstdint>
#include <fstream>
#include <vector>

namespace implicit_flow {

namespace {

/// What comes before the coordinates, in the records of a Fortran file.
std::vector<std::vector<std::int32_t>> headers(std::span<const Mesh> blocks) {
  std::vector<std::vector<std::int32_t>> result;
  if (blocks.size() > 1) result.push_back({static_cast<std::int32_t>(blocks.size())});
  result.emplace_back();
  for (auto const& mesh : blocks) {
    result.back().insert(result.back().end(), {mesh.vertices.ni(), mesh.vertices.nj(), mesh.vertices.nk()});
  }
  return result;
}

template <class F>
void for_each_coordinate(const Mesh& mesh, const F& f) {
  for (auto const component : {&Vec3::x, &Vec3::y, &Vec3::z}) {
    for (auto const& p : mesh.position) f(p.*component);
  }
}

void write_text(std::ostream& out, std::span<const Mesh> blocks) {
  out.precision(17);
  for (auto const& header : headers(blocks)) {
    for (std::size_t n = 0; n < header.size(); ++n) {
      out << header[n] << (n % 3 == 2 || n + 1 == header.size() ? '\n' : ' ');
    }
  }
  for (auto const& mesh : blocks) {
    int column = 0;
    for_each_coordinate(mesh, [&](double value) { out << value << (++column % 4 == 0 ? '\n' : ' '); });
    out << '\n';
  }
}

void write_binary(std::ostream& out, std::span<const Mesh> blocks, bool records) {
  auto const put = [&](auto value) { out.write(reinterpret_cast<const char*>(&value), sizeof(value)); };
  auto const record = [&](std::size_t bytes, const auto& write) {
    if (records) put(static_cast<std::uint32_t>(bytes));
    write();
    if (records) put(static_cast<std::uint32_t>(bytes));
  };
  for (auto const& header : headers(blocks)) {
    record(4 * header.size(), [&] {
      for (auto const value : header) put(value);
    });
  }
  for (auto const& mesh : blocks) {
    record(3 * sizeof(double) * mesh.position.size(), [&] { for_each_coordinate(mesh, put); });
  }
}

}  // namespace

void write_plot3d(const std::filesystem::path& file, std::span<const Mesh> blocks, Plot3dFormat format) {
  std::ofstream out(file, std::ios::binary);
  if (!out) bad_file(file.string() + ": cannot be written");
  if (format == Plot3dFormat::unformatted) {
    for (auto const& mesh : blocks) {
      if (3 * sizeof(double) * mesh.position.size() <= UINT32_MAX - 8) continue;
      bad_file(file.string() + ": the grid is too large for one Fortran record");
    }
  }
  if (format == Plot3dFormat::ascii) {
    write_text(out, blocks);
  } else {
    write_binary(out, blocks, format == Plot3dFormat::unformatted);
  }
  out.close();
  if (!out) bad_file(file.string() + ": could not be written completely");
}

}  // namespace implicit_flow
