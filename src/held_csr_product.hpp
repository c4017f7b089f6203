// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>

#include <memory>

#include "held_csr_plan.hpp"
#include "typed_csr.hpp"

namespace hyperplane::run_time {

/// Of a BlockCsr, or its transpose.
template <int n, class Exec, class Matrix>
class HeldCsrProduct final : public TypedCsrProduct<Exec> {
 public:
  using typename TypedCsrProduct<Exec>::Vector;
  using typename TypedCsrProduct<Exec>::Vectors;
  explicit HeldCsrProduct(const Matrix& a) : m_a(a) {}

  void apply(const Exec& exec, const Vector& x, const Vector& y) const override {
    hyperplane::apply(exec, m_a, x.flat(), y.flat());
  }
  void apply(const Exec& exec, const Vectors& x, const Vectors& y) const override {
    hyperplane::apply(exec, m_a, point_vectors<n>(x), point_vectors<n>(y));
  }
  void residual(const Exec& exec, const Vector& b, const Vector& x, const Vector& r) const override {
    hyperplane::residual(exec, m_a, b.flat(), x.flat(), r.flat());
  }

 private:
  Matrix m_a;
};

template <int n, class Exec, class Value>
std::unique_ptr<TypedCsrProduct<Exec>> make_csr_product(const CsrArrays<Exec, Value>& a) {
  return std::make_unique<HeldCsrProduct<n, Exec, BlockCsr<double, n, Exec, Value>>>(block_csr<n>(a));
}

template <int n, class Exec, class Value>
std::unique_ptr<TypedCsrProduct<Exec>> make_transposed_csr_product(const CsrLists<Exec>& lists,
                                                                   const CsrArrays<Exec, Value>& a) {
  using Transposed = TransposedBlockCsr<double, n, Exec, Value>;
  return std::make_unique<HeldCsrProduct<n, Exec, Transposed>>(Transposed(lists, block_csr<n>(a)));
}

}  // namespace hyperplane::run_time
