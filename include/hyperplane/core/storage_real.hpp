// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/bfloat16.hpp>
#include <hyperplane/core/half.hpp>
#include <hyperplane/core/quarter.hpp>

#include <concepts>
#include <limits>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI {

/// Numbers of 16 bits, in which values can be stored; all arithmetic is in float or double.
template <class T>
concept ShortReal = std::same_as<T, Half> || std::same_as<T, BFloat16>;

/// A type that factors, and copies of matrices, can be stored in.
template <class T>
concept StorageReal = std::same_as<T, float> || std::same_as<T, double> || ShortReal<T>;

/// A type that factors of BILU(0) and SSOR, and of incomplete factorizations of block CSR, can be stored in.
template <class T>
concept FactorReal = StorageReal<T> || std::same_as<T, Quarter>;

namespace detail {

/// The largest finite number of a type.
template <class T>
inline constexpr double largest_finite = std::numeric_limits<T>::max();
template <>
inline constexpr double largest_finite<Half> = 65504;
template <>
inline constexpr double largest_finite<BFloat16> = 0x1.fep127;

/// From one to the next larger number of a type.
template <class T>
inline constexpr double storage_epsilon = std::numeric_limits<T>::epsilon();
template <>
inline constexpr double storage_epsilon<Half> = 0x1p-10;
template <>
inline constexpr double storage_epsilon<BFloat16> = 0x1p-7;

/// What is stored beside factors of 16 bits, and not in so few, as matrices: Scalar. Otherwise in the type of factors.
template <class Scalar, class Storage>
using WideStorage = std::conditional_t<ShortReal<Storage>, Scalar, Storage>;

/// What a factorization writes whose factors are stored as Storage: another type where these are compressed afterwards.
template <class Storage>
using FactoredAs = std::conditional_t<std::same_as<Storage, Quarter>, Half, Storage>;

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
