// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vtk.hpp"

#include <hyperplane/core/error.hpp>

#include <bit>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace implicit_flow {

namespace {

struct Array {
  std::string name;
  int components;
  std::vector<double> values;
};

std::vector<Array> cell_arrays(const Solution& solution) {
  std::vector<Array> arrays{{"density", 1, {}}, {"velocity", 3, {}}, {"pressure", 1, {}}, {"mach", 1, {}}};
  for (auto const& w : solution.cells) {
    arrays[0].values.push_back(w[0]);
    arrays[1].values.insert(arrays[1].values.end(), {w[1], w[2], w[3]});
    arrays[2].values.push_back(w[4]);
    arrays[3].values.push_back(solution.gas.mach(w));
  }
  return arrays;
}

}  // namespace

void write_vts(const std::filesystem::path& file, const Solution& solution) {
  std::ofstream out(file, std::ios::binary);
  if (!out) throw hyperplane::Error(file.string() + ": cannot be written");
  auto const cells = solution.mesh.cells();
  std::string const extent = "\"0 " + std::to_string(cells.ni()) + " 0 " + std::to_string(cells.nj()) + " 0 " +
                             std::to_string(cells.nk()) + "\"";
  auto arrays = cell_arrays(solution);
  Array points{"points", 3, {}};
  for (auto const& p : solution.mesh.position) points.values.insert(points.values.end(), {p.x, p.y, p.z});

  std::uint64_t offset = 0;
  auto const declare = [&](const Array& array) {
    out << "        <DataArray type=\"Float64\" Name=\"" << array.name << "\" NumberOfComponents=\"" << array.components
        << "\" format=\"appended\" offset=\"" << offset << "\"/>\n";
    offset += sizeof(std::uint64_t) + array.values.size() * sizeof(double);
  };
  char const* const order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"StructuredGrid\" version=\"1.0\" byte_order=\"" << order
      << "\" header_type=\"UInt64\">\n  <StructuredGrid WholeExtent=" << extent << ">\n    <Piece Extent=" << extent
      << ">\n      <CellData Scalars=\"pressure\" Vectors=\"velocity\">\n";
  for (auto const& array : arrays) declare(array);
  out << "      </CellData>\n      <Points>\n";
  declare(points);
  out << "      </Points>\n    </Piece>\n  </StructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";
  arrays.push_back(std::move(points));
  for (auto const& array : arrays) {
    std::uint64_t const bytes = array.values.size() * sizeof(double);
    out.write(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
    out.write(reinterpret_cast<const char*>(array.values.data()), static_cast<std::streamsize>(bytes));
  }
  out << "\n  </AppendedData>\n</VTKFile>\n";
  out.close();
  if (!out) throw hyperplane::Error(file.string() + ": could not be written completely");
}

void write_vtk(const std::filesystem::path& folder, std::span<const Solution> solutions) {
  auto const name = [](std::size_t b) { return "flow_" + std::to_string(b) + ".vts"; };
  std::filesystem::remove(folder / "flow.vts");
  std::filesystem::remove(folder / "flow.vtm");
  for (std::size_t b = 0; std::filesystem::remove(folder / name(b)); ++b) {
  }
  if (solutions.size() == 1) return write_vts(folder / "flow.vts", solutions.front());
  auto const list = folder / "flow.vtm";
  std::ofstream out(list);
  out << "<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\">\n  "
         "<vtkMultiBlockDataSet>\n";
  for (std::size_t b = 0; b < solutions.size(); ++b) {
    write_vts(folder / name(b), solutions[b]);
    out << "    <DataSet index=\"" << b << "\" file=\"" << name(b) << "\"/>\n";
  }
  out << "  </vtkMultiBlockDataSet>\n</VTKFile>\n";
  out.close();
  if (!out) throw hyperplane::Error(list.string() + ": cannot be written");
}

}  // namespace implicit_flow
