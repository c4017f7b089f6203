// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Why the factors of a matrix are of no use.
enum class FactorFailure : int {
  none,
  zero_row,         ///< a row of the block that was to be inverted is zero
  zero_column,      ///< a column of it is
  singular,         ///< neither, but elimination found no pivot in a column
  not_finite,       ///< the matrix has infinities, or what is not a number
  overflow,         ///< the matrix is finite, the factors are not, in the type that they are computed or stored in
  other_structure,  ///< the matrix has other blocks than the plan was made of
};

constexpr const char* name(FactorFailure failure) {
  switch (failure) {
    case FactorFailure::none: return "none";
    case FactorFailure::zero_row: return "zero_row";
    case FactorFailure::zero_column: return "zero_column";
    case FactorFailure::singular: return "singular";
    case FactorFailure::not_finite: return "not_finite";
    case FactorFailure::overflow: return "overflow";
    case FactorFailure::other_structure: return "other_structure";
  }
  return "unknown";
}

/// What the status of every factorization says: whether it failed, and why. FactorStatus and LineStatus say where. The
/// pivot block of a point is what is inverted there: the diagonal block after the elimination of the points before. The
/// factors are not usable after a failure.
struct FactorDiagnosis {
  FactorFailure failure = FactorFailure::none;
  /// The zero row; the zero column; or the column in which elimination stopped, which need not be the equation that
  /// depends on the others.
  int equation = 0;

  bool ok() const { return failure == FactorFailure::none; }
  /// Whether a pivot block is singular.
  bool singular() const {
    return failure == FactorFailure::zero_row || failure == FactorFailure::zero_column ||
           failure == FactorFailure::singular;
  }

 protected:
  /// In words, where `place` begins with a blank: " at point (0, 3, 1)". `block` is the one that is not finite, or
  /// empty.
  std::string message_at(const std::string& place, const std::string& block) const {
    auto const number = std::to_string(equation);
    switch (failure) {
      case FactorFailure::none: break;
      case FactorFailure::zero_row:
        return "singular pivot" + place + ", equation " + number + ": the row of the pivot block is zero";
      case FactorFailure::zero_column:
        return "singular pivot" + place + ", unknown " + number + ": the column of the pivot block is zero";
      case FactorFailure::singular:
        return "singular pivot" + place + ": elimination stopped at column " + number + " of the pivot block";
      case FactorFailure::not_finite: return "not finite" + place + (block.empty() ? "" : ": " + block);
      case FactorFailure::overflow:
        return "overflow" + place + ": its factors have values that are too large for their type";
      case FactorFailure::other_structure:
        return "other structure" + place +
               ": the matrix has other columns there, or in another order, than the plan was made of";
    }
    return "factorization is regular";
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
