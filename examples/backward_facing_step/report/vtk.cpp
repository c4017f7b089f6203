// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vtk.hpp"

#include <hyperplane/core/error.hpp>

#include <bit>
#include <cstdint>
#include <fstream>
#include <string>

namespace backward_facing_step {

namespace {

struct Array {
  std::string name;
  int components;
  std::vector<double> values;
};

Array velocity(const Solution& solution) {
  Array result{"velocity", 3, {}};
  for (int j = 0; j < solution.channel.nj; ++j) {
    for (int i = 0; i < solution.channel.ni; ++i) {
      result.values.insert(result.values.end(), {0.5 * (solution.u(i, j) + solution.u(i + 1, j)),
                                                 0.5 * (solution.v(i, j) + solution.v(i, j + 1)), 0.0});
    }
  }
  return result;
}

}  // namespace

std::vector<double> stream_function(const Solution& solution) {
  auto const& c = solution.channel;
  std::vector<double> result((c.ni + 1) * (c.nj + 1));
  for (int j = 0; j < c.nj; ++j) {
    for (int i = 0; i <= c.ni; ++i) {
      result[i + (c.ni + 1) * (j + 1)] = result[i + (c.ni + 1) * j] + c.dy * solution.u(i, j);
    }
  }
  return result;
}

void write_vti(const std::filesystem::path& file, const Solution& solution) {
  std::ofstream out(file, std::ios::binary);
  if (!out) throw hyperplane::Error(file.string() + ": cannot be written");
  auto const& c = solution.channel;
  Array const arrays[] = {
      velocity(solution), {"pressure", 1, solution.p_values}, {"stream_function", 1, stream_function(solution)}};
  std::uint64_t offset = 0;
  auto const declare = [&](const Array& array) {
    out << "        <DataArray type=\"Float64\" Name=\"" << array.name << "\" NumberOfComponents=\"" << array.components
        << "\" format=\"appended\" offset=\"" << offset << "\"/>\n";
    offset += sizeof(std::uint64_t) + array.values.size() * sizeof(double);
  };
  char const* const order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  std::string const extent = "\"0 " + std::to_string(c.ni) + " 0 " + std::to_string(c.nj) + " 0 0\"";
  out.precision(17);
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"" << order
      << "\" header_type=\"UInt64\">\n  <ImageData WholeExtent=" << extent << " Origin=\"" << c.x(0)
      << " 0 0\" Spacing=\"" << c.dx << ' ' << c.dy << " 1\">\n    <Piece Extent=" << extent
      << ">\n      <CellData Scalars=\"pressure\" Vectors=\"velocity\">\n";
  declare(arrays[0]);
  declare(arrays[1]);
  out << "      </CellData>\n      <PointData Scalars=\"stream_function\">\n";
  declare(arrays[2]);
  out << "      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_";
  for (auto const& array : arrays) {
    std::uint64_t const bytes = array.values.size() * sizeof(double);
    out.write(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
    out.write(reinterpret_cast<const char*>(array.values.data()), static_cast<std::streamsize>(bytes));
  }
  out << "\n  </AppendedData>\n</VTKFile>\n";
  out.close();
  if (!out) throw hyperplane::Error(file.string() + ": could not be written completely");
}

}  // namespace backward_facing_step
