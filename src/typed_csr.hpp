// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/detail/transposed_lists.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/point_vectors.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "csr_solvers.hpp"
#include "find_size.hpp"
#include "instance.hpp"
#include "narrowed_copy.hpp"

/// Objects of compressed rows of one execution space. Only what depends on the block size is compiled for each of them
/// (SizedCsr); vectors are their unknowns, so that the Krylov methods are compiled once.
namespace hyperplane::run_time {

/// All unknowns of a PointVector whose n is known at run time.
template <ExecutionSpace Exec>
using FlatVector = PointVector<double, 1, Exec>;

/// Right-hand sides that are solved for together. Kernels are compiled for this number alone, and not for each.
inline constexpr int csr_vectors = 4;
/// The same of so many PointVectors.
template <ExecutionSpace Exec>
using FlatVectors = PointVectors<double, 1, csr_vectors, Exec>;

template <int n, class Exec>
PointVectors<double, n, csr_vectors, Exec> point_vectors(const FlatVectors<Exec>& vectors) {
  return PointVectors<double, n, csr_vectors, Exec>(vectors.flat());
}

/// The arrays of a BlockCsr, which are shared.
template <ExecutionSpace Exec, Real Value = double>
struct CsrArrays {
  using Memory = typename Exec::memory_space;
  Kokkos::View<const std::int64_t*, Memory> offsets;
  Kokkos::View<const int*, Memory> columns;
  Kokkos::View<Value*, Memory> values;
};

/// Its blocks by columns, for products with its transpose.
template <ExecutionSpace Exec>
using CsrLists = detail::TransposedLists<Exec, std::int64_t>;

template <int n, class Exec, class Value>
BlockCsr<double, n, Exec, Value> block_csr(const CsrArrays<Exec, Value>& a) {
  return BlockCsr<double, n, Exec, Value>(a.offsets, a.columns, a.values);
}

/// Products with a BlockCsr or its transpose, whatever the block size.
template <ExecutionSpace Exec>
class TypedCsrProduct {
 public:
  using Vector = FlatVector<Exec>;
  using Vectors = FlatVectors<Exec>;
  virtual ~TypedCsrProduct() = default;
  virtual void apply(const Exec& exec, const Vector& x, const Vector& y) const = 0;
  virtual void apply(const Exec& exec, const Vectors& x, const Vectors& y) const = 0;
  virtual void residual(const Exec& exec, const Vector& b, const Vector& x, const Vector& r) const = 0;

  friend void apply(const Exec& exec, const TypedCsrProduct& a, const Vector& x, const Vector& y) {
    a.apply(exec, x, y);
  }
  friend void apply(const Exec& exec, const TypedCsrProduct& a, const Vectors& x, const Vectors& y) {
    a.apply(exec, x, y);
  }
};

/// Products as Krylov methods take them, which may be those of a copy in float: a RoundedOperator.
template <ExecutionSpace Exec>
class CsrOperator {
 public:
  /// `copy`: null, where there is none. `other_copy` says which block of it is none, in words.
  CsrOperator(const TypedCsrProduct<Exec>& exact, const TypedCsrProduct<Exec>* copy,
              std::function<std::string()> other_copy)
      : m_exact(exact), m_copy(copy), m_other_copy(std::move(other_copy)) {}

  const TypedCsrProduct<Exec>& exact() const { return m_exact; }
  const TypedCsrProduct<Exec>& rounded() const { return m_copy == nullptr ? m_exact : *m_copy; }
  double rounding() const { return m_copy == nullptr ? 0.0 : copy_rounding(StorageKind::single_precision); }

  template <class Vector>
  friend void apply(const Exec& exec, const CsrOperator& a, const Vector& x, const Vector& y) {
    a.rounded().apply(exec, x, y);
  }
  friend std::string describe_other_copy(const Exec&, const CsrOperator& a) {
    return a.m_copy == nullptr ? std::string() : a.m_other_copy();
  }

 private:
  const TypedCsrProduct<Exec>& m_exact;
  const TypedCsrProduct<Exec>* m_copy;
  std::function<std::string()> m_other_copy;
};

/// Factors whatever they are and their block size.
template <ExecutionSpace Exec>
class TypedCsrPlan {
 public:
  using Vector = FlatVector<Exec>;
  using Vectors = FlatVectors<Exec>;
  virtual ~TypedCsrPlan() = default;
  /// Of the structure that it was made for. DILU and SSOR keep the values of A, which they share, and solve with them.
  virtual void factor(const Exec& exec, const CsrArrays<Exec>& a) = 0;
  virtual void solve(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual void solve_transposed(const Exec& exec, const Vector& rhs, const Vector& x) const = 0;
  virtual void solve(const Exec& exec, const Vectors& rhs, const Vectors& x) const = 0;
  virtual void solve_transposed(const Exec& exec, const Vectors& rhs, const Vectors& x) const = 0;
  virtual FactorProblem problem(const Exec& exec) const = 0;
  /// What the first matrix has chosen, where it does.
  virtual std::optional<StorageKind> chosen_storage() const { return std::nullopt; }
};

/// What is compiled for a block size.
template <ExecutionSpace Exec>
class SizedCsr {
 public:
  using Product = std::unique_ptr<TypedCsrProduct<Exec>>;
  using Plan = std::unique_ptr<TypedCsrPlan<Exec>>;
  virtual ~SizedCsr() = default;
  virtual Product make_product(const CsrArrays<Exec>& a) const = 0;
  virtual Product make_transposed_product(const CsrLists<Exec>& lists, const CsrArrays<Exec>& a) const = 0;
  /// Of a kind that has factors, other than lines, which SizedLineFactory has.
  virtual Plan make_plan(const Exec& exec, const CsrArrays<Exec>& a,
                         const CsrPreconditionerSettings& settings) const = 0;
};

/// The same of factors that are narrower than double, and of copies in float.
template <ExecutionSpace Exec>
class SizedShortCsr {
 public:
  using Copy = CsrArrays<Exec, float>;
  using Product = std::unique_ptr<TypedCsrProduct<Exec>>;
  using Plan = std::unique_ptr<TypedCsrPlan<Exec>>;
  virtual ~SizedShortCsr() = default;
  /// Of a kind whose factors can be.
  virtual Plan make_plan(const Exec& exec, const CsrArrays<Exec>& a, const CsrPreconditionerSettings& settings,
                         StorageKind storage) const = 0;
  virtual Product make_product(const Copy& a) const = 0;
  virtual Product make_transposed_product(const CsrLists<Exec>& lists, const Copy& a) const = 0;
  /// Rounds values to a copy of the same structure, and says what overflows first, in words.
  virtual std::string narrow(const Exec& exec, const CsrArrays<Exec>& a, const Copy& copy) const = 0;
  /// Which block of a copy is none, in words.
  virtual std::string other_copy(const Exec& exec, const CsrArrays<Exec>& a, const Copy& copy) const = 0;
};

/// Those of block size n, if that is in a group of them. Defined in csr_sizes.hpp and csr_short_sizes.hpp, which are
/// compiled for one group at a time.
template <int group, ExecutionSpace Exec>
const SizedCsr<Exec>* find_sized_csr(int n);
template <int group, ExecutionSpace Exec>
const SizedShortCsr<Exec>* find_sized_short_csr(int n);

/// Defined in context_csr.cpp.
template <ExecutionSpace Exec>
std::unique_ptr<CsrSolvers> make_csr_solvers(const Instance<Exec>& instance);

}  // namespace hyperplane::run_time
