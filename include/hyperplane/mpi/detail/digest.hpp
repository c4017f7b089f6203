// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/interface.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>

#include <cstdint>
#include <span>

/// Numbers that tell lists apart on different ranks.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) over the bytes of numbers.
class Digest {
 public:
  template <class... Numbers>
  void add(Numbers... numbers) {
    (add_one(static_cast<std::uint32_t>(numbers)), ...);
  }
  std::uint64_t value() const { return m_value; }

 private:
  void add_one(std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) m_value = (m_value ^ (number >> shift & 255U)) * 0x100000001b3U;
  }
  std::uint64_t m_value = 0xcbf29ce484222325U;
};

inline std::uint64_t digest(std::span<const int> numbers) {
  Digest result;
  for (int const number : numbers) result.add(number);
  return result.value();
}

inline std::uint64_t digest(std::span<const Grid> grids) {
  Digest result;
  for (auto const& grid : grids) result.add(grid.ni(), grid.nj(), grid.nk());
  return result.value();
}

inline std::uint64_t digest(std::span<const Interface> interfaces) {
  Digest result;
  for (auto const& interface : interfaces) {
    auto const add = [&](const Point& p) { result.add(p.i, p.j, p.k); };
    result.add(interface.block, static_cast<int>(interface.face), interface.donor);
    add(interface.points.begin);
    add(interface.points.end);
    add(interface.donor_begin);
    for (int const axis : interface.transform.axes) result.add(axis);
  }
  return result.value();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
