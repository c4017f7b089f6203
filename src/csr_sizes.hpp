// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <utility>

#include "find_size.hpp"
#include "held_csr_plan.hpp"
#include "typed_csr.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

namespace {

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

template <int n, class Exec>
class CsrOfSize final : public SizedCsr<Exec> {
 public:
  using typename SizedCsr<Exec>::Plan;
  using typename SizedCsr<Exec>::Product;
  using Matrix = BlockCsr<double, n, Exec>;
  using Transposed = TransposedBlockCsr<double, n, Exec>;

  Product make_product(const CsrArrays<Exec>& a) const override {
    return std::make_unique<HeldCsrProduct<n, Exec, Matrix>>(block_csr<n>(a));
  }
  Product make_transposed_product(const Exec& exec, const CsrArrays<Exec>& a) const override {
    return std::make_unique<HeldCsrProduct<n, Exec, Transposed>>(Transposed(exec, block_csr<n>(a)));
  }
  Plan make_plan(const Exec& exec, const CsrArrays<Exec>& a, const CsrPreconditionerSettings& settings) const override {
    return make_stored_csr_plan<n, Exec, double>(exec, a, settings);
  }
};

using CsrSizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const SizedCsr<Kokkos::Serial>* find_sized_csr<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<SizedCsr<Kokkos::Serial>, CsrOfSize, Kokkos::Serial>(n, CsrSizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const SizedCsr<Kokkos::OpenMP>* find_sized_csr<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<SizedCsr<Kokkos::OpenMP>, CsrOfSize, Kokkos::OpenMP>(n, CsrSizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const SizedCsr<Kokkos::Cuda>* find_sized_csr<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<SizedCsr<Kokkos::Cuda>, CsrOfSize, Kokkos::Cuda>(n, CsrSizes{});
}
#endif

}  // namespace hyperplane::run_time
