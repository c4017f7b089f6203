// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the values of several parts are, whose addresses follow one another: each part has SIMD groups in a piece of
/// memory of its own. A piece has a multiple of `unit` values. Groups are counted over all of the memory, so that those
/// of a part do not begin with its piece unless a group does, and gaps between parts have numbers, too.
class SpreadLayout {
 public:
  /// `packs`: the SIMD groups of each part, which have as many values each.
  SpreadLayout(const std::vector<std::int64_t>& packs, std::int64_t values_of_a_pack, std::int64_t unit)
      : m_values_of_a_pack(values_of_a_pack) {
    std::int64_t begin = 0;
    for (auto const count : packs) {
      auto const first = rounded_up(begin, values_of_a_pack) / values_of_a_pack;
      auto const end = rounded_up((first + count) * values_of_a_pack, unit);
      m_first_packs.push_back(first);
      m_packs.push_back(count);
      m_pieces.push_back(end - begin);
      begin = end;
    }
  }

  /// Number of parts.
  int count() const { return static_cast<int>(m_packs.size()); }
  /// Values of each piece, those of gaps included.
  const std::vector<std::int64_t>& pieces() const { return m_pieces; }
  /// The first SIMD group of part p.
  std::int64_t first_pack(int p) const { return m_first_packs[as_size(p)]; }
  /// Where the values of part p begin, and how many there are.
  std::int64_t first_value(int p) const { return first_pack(p) * m_values_of_a_pack; }
  std::int64_t values(int p) const { return m_packs[as_size(p)] * m_values_of_a_pack; }

 private:
  static std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

  std::int64_t m_values_of_a_pack;
  std::vector<std::int64_t> m_first_packs, m_packs, m_pieces;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
