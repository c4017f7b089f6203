// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <hyperplane/array/array_ref.hpp>
#include <random>
#include <type_traits>
#include <vector>

namespace hyperplane::test {

/// How an array of points and components lies in memory: strides of i, j, k and the component, and where it begins.
struct ArrayLayout {
  std::array<int, 3> extents;
  int components = 1;
  std::array<std::int64_t, 4> strides;
  std::int64_t begin = 0;
  std::int64_t memory = 0;
  const char* name = "";
};

/// The layouts that codes have: Fortran's, C's, components fastest, padded rows, every second element, and i backwards.
inline std::vector<ArrayLayout> layouts_of(const std::array<int, 3>& extents, int components) {
  std::int64_t const ni = extents[0], nj = extents[1], nk = extents[2], nc = components;
  std::int64_t const all = ni * nj * nk * nc;
  std::int64_t const padded = (ni + 3) * (nj + 1) * (nk + 2);
  return {
      {extents, components, {1, ni, ni * nj, ni * nj * nk}, 0, all, "left"},
      {extents, components, {nj * nk * nc, nk * nc, nc, 1}, 0, all, "right"},
      {extents, components, {nc, nc * ni, nc * ni * nj, 1}, 0, all, "interleaved"},
      {extents, components, {1, ni + 3, (ni + 3) * (nj + 1), padded}, 1, padded * nc + 1, "padded"},
      {extents, components, {2, 2 * ni, 2 * ni * nj, 2 * ni * nj * nk}, 1, 2 * all + 1, "every second"},
      {extents, components, {-1, ni, ni * nj, ni * nj * nk}, ni - 1, all + ni, "backwards"},
  };
}

/// An array on the device and what it should hold, in order (i fastest, component last) on the host. Memory between its
/// points has a value of its own, so that writes there are seen.
template <class T, class Exec>
class TestArray {
 public:
  static constexpr T untouched = static_cast<T>(77);

  TestArray(const Exec& exec, const ArrayLayout& layout, unsigned int seed = 1)
      : m_exec(exec), m_layout(layout), m_memory("array", layout.memory) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> real(-1.0, 1.0);
    values.resize(static_cast<std::size_t>(points() * layout.components));
    for (auto& value : values) value = std::is_integral_v<T> ? static_cast<T>(100 * real(engine)) : T(real(engine));
    send();
  }

  /// Values to the device.
  void send() const {
    auto const host = Kokkos::create_mirror_view(m_memory);
    Kokkos::deep_copy(host, untouched);
    for_all([&](std::int64_t place, std::size_t number) { host(place) = values[number]; });
    Kokkos::deep_copy(m_memory, host);
  }

  std::int64_t points() const { return std::int64_t{m_layout.extents[0]} * m_layout.extents[1] * m_layout.extents[2]; }
  ArrayRef<T> ref() const {
    auto const& s = m_layout.strides;
    return {m_memory.data() + m_layout.begin, m_layout.extents, {s[0], s[1], s[2]}, m_layout.components, s[3]};
  }
  friend ArrayRef<T> array_ref(const TestArray& array) { return array.ref(); }

  T& at(int i, int j, int k, int c = 0) { return values[number(i, j, k, c)]; }
  T at(int i, int j, int k, int c = 0) const { return values[number(i, j, k, c)]; }

  /// What is on the device, in order; empty where memory between points was written.
  std::vector<double> found() const {
    m_exec.fence();
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, m_memory);
    std::vector<double> result(values.size());
    std::vector<bool> is_point(host.size(), false);
    for_all([&](std::int64_t place, std::size_t number) {
      result[number] = static_cast<double>(host(place));
      is_point[static_cast<std::size_t>(place)] = true;
    });
    for (std::size_t e = 0; e < host.size(); ++e) {
      if (!is_point[e] && host(e) != untouched) return {};
    }
    return result;
  }
  std::vector<double> expected() const { return {values.begin(), values.end()}; }

  std::vector<T> values;

 private:
  std::size_t number(int i, int j, int k, int c) const {
    auto const& e = m_layout.extents;
    return static_cast<std::size_t>(i + e[0] * (j + e[1] * (k + std::int64_t{e[2]} * c)));
  }
  template <class Visitor>
  void for_all(const Visitor& visit) const {
    for (int c = 0; c < m_layout.components; ++c) {
      for (int k = 0; k < m_layout.extents[2]; ++k) {
        for (int j = 0; j < m_layout.extents[1]; ++j) {
          for (int i = 0; i < m_layout.extents[0]; ++i) {
            auto const& s = m_layout.strides;
            visit(m_layout.begin + i * s[0] + j * s[1] + k * s[2] + c * s[3], number(i, j, k, c));
          }
        }
      }
    }
  }

  Exec m_exec;
  ArrayLayout m_layout;
  Kokkos::View<T*, typename Exec::memory_space> m_memory;
};

/// Calls visit(i, j, k, c), i fastest.
template <class Visitor>
void for_box(const Box& box, int components, const Visitor& visit) {
  for (int c = 0; c < components; ++c) {
    for (int k = box.begin.k; k < box.end.k; ++k) {
      for (int j = box.begin.j; j < box.end.j; ++j) {
        for (int i = box.begin.i; i < box.end.i; ++i) visit(i, j, k, c);
      }
    }
  }
}

/// All of an array, its inside, parts at every face and corner, a line, a point, nothing.
inline std::vector<Box> boxes_in(const std::array<int, 3>& e) {
  std::vector<Box> boxes = {{{0, 0, 0}, {e[0], e[1], e[2]}},
                            {{0, 0, 0}, {1, e[1], e[2]}},
                            {{0, e[1] - 1, 0}, {e[0], e[1], e[2]}},
                            {{e[0] - 1, e[1] - 1, e[2] - 1}, {e[0], e[1], e[2]}},
                            {{0, e[1] / 2, e[2] / 2}, {e[0], e[1] / 2 + 1, e[2] / 2 + 1}},
                            {{e[0], 0, 0}, {e[0], e[1], e[2]}}};
  Box const inside = boxes.front().without_boundary(1);
  if (!inside.empty()) boxes.push_back(inside);
  return boxes;
}

}  // namespace hyperplane::test
