// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vector3.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace hyperplane::perf {

/// A mesh of tetrahedra, oriented either way.
struct Tetrahedra {
  std::vector<Vector3> points;
  std::vector<std::array<int, 4>> cells;
};

/// Reads the text format 2.2 of gmsh (`gmsh -3 -format msh22`). Points keep the order of the file; triangles, lines and
/// points of the boundary are passed over. What cannot be read is an error with the file and the line.
class GmshReader {
 public:
  explicit GmshReader(const std::string& path) : m_path(path), m_file(path) {
    if (!m_file) throw std::runtime_error(path + ": cannot be opened");
  }

  Tetrahedra read() {
    read_format();
    while (read_section()) {
    }
    if (m_mesh.points.empty()) fail("the file has no nodes");
    if (m_mesh.cells.empty()) fail("the file has no tetrahedra");
    std::vector<bool> is_used(m_mesh.points.size(), false);
    for (auto const& cell : m_mesh.cells) {
      for (int const point : cell) is_used[static_cast<std::size_t>(point)] = true;
    }
    auto const unused = std::find(is_used.begin(), is_used.end(), false) - is_used.begin();
    if (unused < std::ssize(is_used)) {
      fail("node " + std::to_string(unused + 1) + " is part of no tetrahedron; a physical volume keeps such nodes out");
    }
    return std::move(m_mesh);
  }

 private:
  // Of gmsh's numbers for kinds of elements.
  static constexpr int line_kind = 1, triangle_kind = 2, tetrahedron_kind = 4, point_kind = 15;

  [[noreturn]] void fail(const std::string& message) const {
    throw std::runtime_error(m_path + ", line " + std::to_string(m_number) + ": " + message);
  }

  /// False at the end of the file.
  bool next_line() {
    if (!std::getline(m_file, m_line)) return false;
    ++m_number;
    if (m_line.ends_with('\r')) m_line.pop_back();
    m_rest = m_line;
    return true;
  }

  void need_line(const std::string& what) {
    if (!next_line()) fail("the file ends before " + what);
  }

  void need_line_that_says(const std::string& text) {
    need_line(text);
    if (m_line != text) fail("expected " + text + ", not " + printable(m_line));
  }

  /// What is printed of a word: not all of a binary file, and nothing that a terminal acts upon.
  static std::string printable(std::string_view word) {
    std::string result(word.substr(0, 40));
    std::replace_if(result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return "'" + result + (word.size() > result.size() ? "...'" : "'");
  }

  /// The next number of the line.
  template <class Number>
  Number number(const char* what) {
    m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t"), m_rest.size()));
    auto const word = m_rest.substr(0, m_rest.find_first_of(" \t"));
    if (word.empty()) fail(std::string(what) + " is missing");
    Number value{};
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(static_cast<double>(value))) {
      fail(std::string(what) + " cannot be " + printable(word));
    }
    m_rest.remove_prefix(word.size());
    return value;
  }

  /// A number of things, on a line of its own.
  int count(const char* what) {
    need_line(what);
    int const value = number<int>(what);
    if (value < 1) fail(std::string(what) + " is " + std::to_string(value));
    return value;
  }

  void read_format() {
    if (!next_line() || m_line != "$MeshFormat") fail("not a file of gmsh: the first line must be $MeshFormat");
    need_line("the version");
    auto const version = number<double>("the version");
    int const is_binary = number<int>("the kind of the file");
    if (version != 2.2 || is_binary != 0) fail("expected the text format 2.2, as gmsh -format msh22 writes it");
    need_line_that_says("$EndMeshFormat");
  }

  /// False at the end of the file.
  bool read_section() {
    if (!next_line()) return false;
    if (m_line.empty()) return true;
    if (!m_line.starts_with('$')) fail("expected a section, which begins with $, not " + printable(m_line));
    auto const end = "$End" + m_line.substr(1);
    if (m_line == "$Nodes") {
      read_nodes();
      need_line_that_says(end);
    } else if (m_line == "$Elements") {
      read_elements();
      need_line_that_says(end);
    } else {
      while (m_line != end) need_line(end);
    }
    return true;
  }

  void read_nodes() {
    if (!m_mesh.points.empty()) fail("$Nodes is there twice");
    int const nodes = count("the number of nodes");
    for (int node = 1; node <= nodes; ++node) {
      need_line("node " + std::to_string(node) + " of " + std::to_string(nodes));
      int const given = number<int>("the number of a node");
      if (given != node) fail("expected node " + std::to_string(node) + ", not " + std::to_string(given));
      Vector3 point{};
      for (auto& coordinate : point) coordinate = number<double>("a coordinate");
      m_mesh.points.push_back(point);
    }
  }

  void read_elements() {
    if (!m_mesh.cells.empty()) fail("$Elements is there twice");
    int const elements = count("the number of elements");
    for (int element = 1; element <= elements; ++element) {
      need_line("element " + std::to_string(element) + " of " + std::to_string(elements));
      (void)number<int>("the number of an element");
      int const kind = number<int>("the kind of an element");
      if (kind == line_kind || kind == triangle_kind || kind == point_kind) continue;
      if (kind != tetrahedron_kind) {
        fail("element of kind " + std::to_string(kind) + ": tetrahedra of four nodes, kind 4, are all that is read");
      }
      int const tags = number<int>("the number of tags");
      for (int tag = 0; tag < tags; ++tag) (void)number<int>("a tag");
      m_mesh.cells.push_back(tetrahedron());
    }
  }

  std::array<int, 4> tetrahedron() {
    std::array<int, 4> cell{};
    std::array<Vector3, 4> corners{};
    for (int c = 0; c < 4; ++c) {
      int const node = number<int>("a node");
      if (node < 1 || node > std::ssize(m_mesh.points)) {
        fail("node " + std::to_string(node) + " is not in 1.." + std::to_string(m_mesh.points.size()));
      }
      cell[c] = node - 1;
      corners[c] = m_mesh.points[static_cast<std::size_t>(cell[c])];
    }
    auto const a = difference(corners[1], corners[0]), b = difference(corners[2], corners[0]),
               c = difference(corners[3], corners[0]);
    if (dot(cross(a, b), c) == 0.0) fail("the tetrahedron has no volume");
    return cell;
  }

  std::string m_path;
  std::ifstream m_file;
  std::string m_line;
  std::string_view m_rest;
  int m_number = 0;
  Tetrahedra m_mesh;
};

}  // namespace hyperplane::perf
