// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Trivially copyable access to compact SIMD-interleaved storage: SIMD groups x entries x lanes, lanes fastest. In the
/// names here a SIMD group is a pack.
///
/// Entry e of the item in lane l of group p is at (p * entries + e) * vector_length + l: `vector_length` items (points,
/// lines) are interleaved entry by entry, so that one aligned vector load brings the same entry of all of them. The
/// same memory can be read as scalars, operator(), or as whole vectors from pack_data().
template <class T, int vector_length, int entries>
class InterleavedRef {
 public:
  HYPERPLANE_FUNCTION InterleavedRef() : m_data(nullptr) {}
  HYPERPLANE_FUNCTION explicit InterleavedRef(T* data) : m_data(data) {}

  HYPERPLANE_FUNCTION T& operator()(std::int64_t pack, int entry, int lane) const {
    return m_data[(pack * entries + entry) * vector_length + lane];
  }
  /// First lane of an entry; vector_length consecutive values.
  HYPERPLANE_FUNCTION T* pack_data(std::int64_t pack, int entry = 0) const {
    return m_data + (pack * entries + entry) * vector_length;
  }

 private:
  T* m_data;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
