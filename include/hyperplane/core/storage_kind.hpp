// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A FactorReal by its name, where it is chosen at run time.
enum class StorageKind { double_precision, single_precision, half, bfloat16, quarter };

inline constexpr std::array<StorageKind, 5> storage_kinds{StorageKind::double_precision, StorageKind::single_precision,
                                                          StorageKind::half, StorageKind::bfloat16,
                                                          StorageKind::quarter};

constexpr const char* name(StorageKind storage) {
  switch (storage) {
    case StorageKind::double_precision: return "double";
    case StorageKind::single_precision: return "float";
    case StorageKind::half: return "half";
    case StorageKind::bfloat16: return "bfloat16";
    case StorageKind::quarter: return "quarter";
  }
  return "unknown";
}

/// Whether it has at most 16 bits, which no matrix is stored in.
constexpr bool is_short(StorageKind storage) {
  return storage == StorageKind::half || storage == StorageKind::bfloat16 || storage == StorageKind::quarter;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
