// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <tuple>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// One Of<MatrixStorage> for each storage that a matrix may have: Scalar, and float. What a plan asks of a device is
/// asked once, when it is made.
template <class Scalar, template <class> class Of>
class ForMatrixStorages {
 public:
  /// From `make(std::type_identity<MatrixStorage>)`, for Scalar first.
  template <class Make>
  explicit ForMatrixStorages(const Make& make) : m_all(all(make)) {}

  template <class MatrixStorage>
  const Of<MatrixStorage>& get() const {
    return std::get<Of<MatrixStorage>>(m_all);
  }
  template <class MatrixStorage>
  Of<MatrixStorage>& get() {
    return std::get<Of<MatrixStorage>>(m_all);
  }

 private:
  static constexpr bool has_narrower = !std::is_same_v<Scalar, float>;
  using All = std::conditional_t<has_narrower, std::tuple<Of<Scalar>, Of<float>>, std::tuple<Of<Scalar>>>;

  template <class Make>
  static All all(const Make& make) {
    if constexpr (has_narrower) {
      return All{make(std::type_identity<Scalar>{}), make(std::type_identity<float>{})};
    } else {
      return All{make(std::type_identity<Scalar>{})};
    }
  }

  All m_all;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
