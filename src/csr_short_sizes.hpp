// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/csr/narrow.hpp>

#include <string>
#include <utility>

#include "find_size.hpp"
#include "held_csr_plan.hpp"
#include "held_csr_product.hpp"

// Included by a file of its own for the block sizes of each group: HYPERPLANE_SIZES.
namespace hyperplane::run_time {

namespace {

template <int n, class Exec>
class ShortCsrOfSize final : public SizedShortCsr<Exec> {
 public:
  using typename SizedShortCsr<Exec>::Copy;
  using typename SizedShortCsr<Exec>::Plan;
  using typename SizedShortCsr<Exec>::Product;

  Plan make_plan(const Exec& exec, const CsrArrays<Exec>& a, const CsrPreconditionerSettings& settings,
                 StorageKind storage) const override {
    switch (storage) {
      case StorageKind::half: return make_stored_csr_plan<n, Exec, Half>(exec, a, settings);
      case StorageKind::bfloat16: return make_stored_csr_plan<n, Exec, BFloat16>(exec, a, settings);
      case StorageKind::quarter: return make_stored_csr_plan<n, Exec, Quarter>(exec, a, settings);
      case StorageKind::single_precision: return make_stored_csr_plan<n, Exec, float>(exec, a, settings);
      case StorageKind::double_precision: break;
    }
    return nullptr;
  }
  Product make_product(const Copy& a) const override { return make_csr_product<n>(a); }
  Product make_transposed_product(const CsrLists<Exec>& lists, const Copy& a) const override {
    return make_transposed_csr_product<n>(lists, a);
  }
  std::string narrow(const Exec& exec, const CsrArrays<Exec>& a, const Copy& copy) const override {
    return detail::narrow_blocks(exec, block_csr<n>(a), block_csr<n>(copy));
  }
  std::string other_copy(const Exec& exec, const CsrArrays<Exec>& a, const Copy& copy) const override {
    return describe_other_copy(exec, block_csr<n>(a), block_csr<n>(copy));
  }
};

using ShortCsrSizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const SizedShortCsr<Kokkos::Serial>* find_sized_short_csr<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<SizedShortCsr<Kokkos::Serial>, ShortCsrOfSize, Kokkos::Serial>(n, ShortCsrSizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const SizedShortCsr<Kokkos::OpenMP>* find_sized_short_csr<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<SizedShortCsr<Kokkos::OpenMP>, ShortCsrOfSize, Kokkos::OpenMP>(n, ShortCsrSizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const SizedShortCsr<Kokkos::Cuda>* find_sized_short_csr<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<SizedShortCsr<Kokkos::Cuda>, ShortCsrOfSize, Kokkos::Cuda>(n, ShortCsrSizes{});
}
#endif

}  // namespace hyperplane::run_time
