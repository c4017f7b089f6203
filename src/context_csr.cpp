// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "chosen_csr_storage.hpp"
#include "context_csr_objects.hpp"
#include "context_csr_solvers.hpp"
#include "errors.hpp"
#include "find_size.hpp"
#include "typed_csr.hpp"

namespace hyperplane::run_time {

namespace {

template <class Exec>
const SizedCsr<Exec>& sized_csr(int n) {
  require_block_size(n, "block size");
  return *find_in_groups([&]<int group>() { return find_sized_csr<group, Exec>(n); },
                         std::make_integer_sequence<int, HYPERPLANE_GROUPS>{});
}

template <class Exec>
const SizedShortCsr<Exec>& sized_short_csr(int n) {
  require_block_size(n, "block size");
  return *find_in_groups([&]<int group>() { return find_sized_short_csr<group, Exec>(n); },
                         std::make_integer_sequence<int, HYPERPLANE_GROUPS>{});
}

template <class Exec>
const SizedLineFactory<Exec>& sized_lines(int n) {
  require_block_size(n, "block size");
  return *find_in_groups([&]<int group>() { return find_sized_line_factory<group, Exec>(n); },
                         std::make_integer_sequence<int, HYPERPLANE_GROUPS>{});
}

template <class Exec>
std::unique_ptr<TypedCsrPlan<Exec>> make_csr_plan(const Exec& exec, int n, const CsrArrays<Exec>& a,
                                                  const CsrPreconditionerSettings& settings, StorageKind storage) {
  if (settings.kind == csr_lines) return sized_lines<Exec>(n).make_csr_plan(exec, a, settings);
  if (storage == StorageKind::double_precision) return sized_csr<Exec>(n).make_plan(exec, a, settings);
  return sized_short_csr<Exec>(n).make_plan(exec, a, settings, storage);
}

const PointShape& checked(const PointShape& shape) {
  require_block_size(shape.block_size, "block size");
  constexpr int most = std::numeric_limits<int>::max();
  if (shape.points >= 1 && shape.points <= most) return shape;  // NOLINT(bugprone-return-const-ref-from-parameter)
  throw Error("points is " + std::to_string(shape.points) + ", expected 1 to " + std::to_string(most));
}

/// Of a matrix of blocks, or of one of scalars in blocks. Its rows are looked at later.
PointShape shape_of(const Csr& csr) {
  if (csr.block_size < 1) {
    throw SizeMismatch("block_size is " + std::to_string(csr.block_size) + ", expected 1 or more");
  }
  if (csr.block_size > 1 || csr.unknowns_per_point == 0) {
    check_unknowns(csr, csr.block_size);
    return {csr.rows, csr.block_size};
  }
  int const n = csr.unknowns_per_point;
  require_block_size(n, "unknowns per point");
  if (csr.rows % n != 0) {
    throw SizeMismatch("rows is " + std::to_string(csr.rows) + ", expected a multiple of unknowns_per_point, " +
                       std::to_string(n));
  }
  return {csr.rows / n, n};
}

template <class Exec>
class CsrSolversOn final : public CsrSolvers {
 public:
  explicit CsrSolversOn(const Instance<Exec>& instance) : m_instance(instance) {}

  std::unique_ptr<Vector> make_vector(const PointShape& shape) const override {
    return std::make_unique<CsrVectorOn<Exec>>(m_instance, checked(shape));
  }
  std::unique_ptr<Matrix> make_matrix(const Csr& csr, MemorySpace space) const override {
    auto const shape = shape_of(csr);
    int const n = shape.block_size;
    return std::make_unique<CsrMatrixOn<Exec>>(m_instance, shape, csr, space, sized_csr<Exec>(n),
                                               sized_short_csr<Exec>(n));
  }
  std::unique_ptr<Preconditioner> make_preconditioner(const Matrix& a,
                                                      const CsrPreconditionerSettings& settings) const override {
    auto const& matrix = typed<CsrMatrixOn<Exec>>("create", "A", a, m_instance);
    if (settings.transposed != 0 && settings.transposed != 1) {
      throw Error("transposed is " + std::to_string(settings.transposed) + ", expected 0 or 1");
    }
    require_own_options(settings);
    if (!(settings.strong_coupling >= 1.0 && std::isfinite(settings.strong_coupling))) {
      throw Error("strong_coupling is " + hyperplane::detail::shortest(settings.strong_coupling) +
                  ", expected a finite number, 1 or more");
    }
    auto factors = std::make_shared<CsrFactors<Exec>>();
    if (settings.kind != csr_identity) {
      factors->plan = make_plan(matrix, settings);
      factors->storage = settings.storage;
      factors->is_storage_chosen = settings.storage_fraction.has_value();
      factors->is_for_transpose = settings.transposed == 1;
    }
    return std::make_unique<CsrPreconditionerOn<Exec>>(m_instance, matrix.shape(), std::move(factors));
  }
  std::unique_ptr<Preconditioner> make_identity(const PointShape& shape) const override {
    return std::make_unique<CsrPreconditionerOn<Exec>>(m_instance, checked(shape),
                                                       std::make_shared<CsrFactors<Exec>>());
  }
  std::unique_ptr<Krylov> make_krylov(const PointShape& shape, Method method,
                                      const KrylovOptions& options) const override {
    auto const& size = checked(shape);
    switch (method) {
      case Method::richardson: return std::make_unique<CsrKrylovOn<Exec, Richardson>>(m_instance, size, options);
      case Method::bicgstab: return std::make_unique<CsrKrylovOn<Exec, BiCgStab>>(m_instance, size, options);
      case Method::fgmres: return std::make_unique<CsrKrylovOn<Exec, Fgmres>>(m_instance, size, options);
      case Method::fgcrodr: return std::make_unique<CsrKrylovOn<Exec, Fgcrodr>>(m_instance, size, options);
    }
    throw Error("there is no such Krylov method");
  }

 private:
  std::unique_ptr<TypedCsrPlan<Exec>> make_plan(const CsrMatrixOn<Exec>& matrix,
                                                const CsrPreconditionerSettings& settings) const {
    auto const make = [exec = m_instance.exec, n = matrix.shape().block_size, a = matrix.arrays(),
                       settings](StorageKind storage) { return make_csr_plan(exec, n, a, settings, storage); };
    if (!settings.storage_fraction) return make(settings.storage);
    // Solves with factors of 8 bits are not faster everywhere.
    auto const try_to_make = [make](StorageKind storage) -> std::unique_ptr<TypedCsrPlan<Exec>> {
      if (storage == StorageKind::quarter) return nullptr;
      return make(storage);
    };
    return std::make_unique<ChosenCsrStorage<Exec>>(matrix.shape().rows(), *settings.storage_fraction, try_to_make);
  }

  Instance<Exec> m_instance;
};

}  // namespace

template <ExecutionSpace Exec>
std::unique_ptr<CsrSolvers> make_csr_solvers(const Instance<Exec>& instance) {
  return std::make_unique<CsrSolversOn<Exec>>(instance);
}

#ifdef KOKKOS_ENABLE_SERIAL
template std::unique_ptr<CsrSolvers> make_csr_solvers(const Instance<Kokkos::Serial>&);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template std::unique_ptr<CsrSolvers> make_csr_solvers(const Instance<Kokkos::OpenMP>&);
#endif
#ifdef KOKKOS_ENABLE_CUDA
template std::unique_ptr<CsrSolvers> make_csr_solvers(const Instance<Kokkos::Cuda>&);
#endif

}  // namespace hyperplane::run_time
