// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/storage_real.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Types whose range is so small that factors are stored in units of their own.
template <class Storage>
inline constexpr bool has_scales = std::same_as<FactoredAs<Storage>, Half>;

/// The type whose range factors have that are stored as Storage.
template <class Scalar, class Storage>
using StoredRange = std::conditional_t<has_scales<Storage>, Scalar, Storage>;

/// The units of stored factors, powers of two, so that nothing is rounded: C for the unknowns, the same for all points,
/// and S for the equations of each point. Stored are
///
///     S L C,  C^-1 d^-1 S^-1  and  C^-1 (d^-1 U) C:
///
/// the factors of the matrix whose rows are multiplied by S and whose columns by C. Sweeps take vectors into these
/// units and out of them. There are none for most types.
template <class Storage, int n, int vector_length, bool exist_ = has_scales<Storage>>
struct FactorScales {
  static constexpr bool exist = false;
};

template <class Storage, int n, int vector_length>
struct FactorScales<Storage, n, vector_length, true> {
  static constexpr bool exist = true;
  /// C, its inverse, and what entries of a stored d^-1 U are multiplied by to have d^-1 U.
  static constexpr int units = 2 * n + n * n;

  double* m_units;
  BFloat16* m_equations;

  HYPERPLANE_FUNCTION double& unknown(int c) const { return m_units[c]; }
  HYPERPLANE_FUNCTION double unknown_inverse(int c) const { return m_units[n + c]; }
  HYPERPLANE_FUNCTION const double* upper() const { return m_units + 2 * n; }
  HYPERPLANE_FUNCTION double upper_inverse(int r, int c) const { return upper()[r * n + c]; }
  /// Of the points of a pack S, lanes fastest.
  HYPERPLANE_FUNCTION BFloat16* equation(std::int64_t pack, int r) const {
    return m_equations + (pack * n + r) * vector_length;
  }

  /// C is given: what is made of it.
  HYPERPLANE_FUNCTION void complete() const {
    for (int c = 0; c < n; ++c) m_units[n + c] = 1 / unknown(c);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) m_units[2 * n + c * n + r] = unknown(r) * unknown_inverse(c);
    }
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
