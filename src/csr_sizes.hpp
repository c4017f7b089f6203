// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <utility>

#include "find_size.hpp"
#include "held_csr_plan.hpp"
#include "held_csr_product.hpp"
#include "typed_csr.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

namespace {

template <int n, class Exec>
class CsrOfSize final : public SizedCsr<Exec> {
 public:
  using typename SizedCsr<Exec>::Plan;
  using typename SizedCsr<Exec>::Product;

  Product make_product(const CsrArrays<Exec>& a) const override { return make_csr_product<n>(a); }
  Product make_transposed_product(const CsrLists<Exec>& lists, const CsrArrays<Exec>& a) const override {
    return make_transposed_csr_product<n>(lists, a);
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
