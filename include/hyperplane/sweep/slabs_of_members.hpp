// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <cstddef>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Which slabs of their grids the members of a factorization of several plans are.
class SlabsOfMembers {
 public:
  template <class Member>
  explicit SlabsOfMembers(const std::vector<Member>& members) {
    for (auto const& member : members) {
      m_first.push_back(member.first_slab);
      m_last.push_back(member.is_last());
    }
  }

  int first(int member) const { return m_first[as_size(member)]; }
  /// Whether it has the last slabs of its grid, so that a factorization is done after it.
  bool is_last(int member) const { return m_last[as_size(member)]; }
  /// Of entries, one for each member, those of members that are.
  template <class Entry>
  void keep_last(std::vector<Entry>& entries) const {
    std::size_t kept = 0;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      if (m_last[e]) entries[kept++] = entries[e];
    }
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
  }

 private:
  std::vector<int> m_first;
  std::vector<bool> m_last;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
