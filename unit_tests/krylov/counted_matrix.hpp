// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

namespace hyperplane::test {

/// A matrix that counts its products.
template <class Matrix>
struct Counted {
  using storage_type = typename Matrix::storage_type;
  Matrix matrix;
  std::shared_ptr<int> products = std::make_shared<int>(0);
};
template <class Exec, class Matrix, class Vector>
void apply(const Exec& exec, const Counted<Matrix>& a, const Vector& x, const Vector& y) {
  ++*a.products;
  apply(exec, a.matrix, x, y);
}

}  // namespace hyperplane::test
