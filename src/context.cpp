// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>

#include <Kokkos_Core.hpp>

#include <span>
#include <type_traits>
#include <utility>

#include "backends.hpp"
#include "chosen_storage.hpp"
#include "context_objects.hpp"
#include "context_solvers.hpp"
#include "csr_solvers.hpp"
#include "errors.hpp"
#include "find_size.hpp"
#include "primitives.hpp"
#include "typed_csr.hpp"
#include "typed_objects.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cuda/stream.hpp>
#endif

namespace hyperplane::run_time {

namespace {

/// What an instance of a context's own refers to, and the instance.
template <class Exec>
std::pair<std::shared_ptr<void>, Exec> make_instance() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (CudaExecutionSpace<Exec>) {
    make_current(Exec());
    auto stream = std::make_shared<cuda::Stream>();
    Exec const exec(stream->get());
    return {std::move(stream), exec};
  }
#endif
#ifdef KOKKOS_ENABLE_SERIAL
  if constexpr (std::is_same_v<Exec, Kokkos::Serial>) return {nullptr, Kokkos::Serial(Kokkos::NewInstance{})};
#endif
  return {nullptr, Exec()};
}

using Groups = std::make_integer_sequence<int, HYPERPLANE_GROUPS>;

template <class Exec>
const SizedFactory<Exec>& sized_factory_of(int n) {
  require_block_size(n, "block size");
  return sized_factory<HYPERPLANE_GROUPS, Exec>(n);
}

template <class Exec>
const SizedLineFactory<Exec>& sized_line_factory_of(int n) {
  require_block_size(n, "block size");
  return *find_in_groups([&]<int group>() { return find_sized_line_factory<group, Exec>(n); }, Groups{});
}

template <class Exec>
class ContextOn final : public Context {
 public:
  /// `owned`: what the instance refers to.
  ContextOn(const Exec& exec, std::string backend, std::shared_ptr<void> owned = nullptr)
      : m_owned(std::move(owned)),
        m_instance{exec, this},
        m_backend(std::move(backend)),
        m_primitives(make_primitives(exec)),
        m_csr(make_csr_solvers(m_instance)) {}

  const char* backend() const override { return m_backend.c_str(); }
  const void* instance() const override { return &m_instance; }
  void activate() const override { make_current(m_instance.exec); }
  int concurrency() const override { return hyperplane::detail::concurrency_of(m_instance.exec); }
  void fence() const override { m_instance.exec.fence("Hyperplane::Context"); }

  const Primitives& primitives() const override { return *m_primitives; }
  const CsrSolvers& csr() const override { return *m_csr; }

  std::unique_ptr<Vector> make_vector(const Shape& shape) const override {
    return std::make_unique<VectorOn<Exec>>(m_instance, shape, factory(shape));
  }
  std::unique_ptr<Matrix> make_matrix(const Shape& shape, StorageKind storage) const override {
    return std::make_unique<MatrixOn<Exec>>(m_instance, shape, storage,
                                            factory(shape).make_matrix(m_instance.exec, shape.grid, storage));
  }
  std::unique_ptr<Vector> wrap_vector(const Shape& shape, const void* values) const override {
    return std::make_unique<VectorOn<Exec>>(m_instance, factory(shape), ShapedVector<Exec>(shape, flat(values)));
  }
  std::unique_ptr<Matrix> wrap_matrix(const Shape& shape, const void* values) const override {
    return std::make_unique<MatrixOn<Exec>>(m_instance, shape, StorageKind::double_precision,
                                            factory(shape).wrap_matrix(shape.grid, flat(values)));
  }
  std::unique_ptr<Preconditioner> make_preconditioner(const Shape& shape,
                                                      const PreconditionerSettings& settings) const override {
    return std::make_unique<PreconditionerOn<Exec>>(m_instance, shape, settings, factory(shape),
                                                    make_typed_preconditioner(shape, settings));
  }
  std::unique_ptr<LineSolver> make_line_solver(const LineSet& lines, int n,
                                               const LineSolverSettings& settings) const override {
    return std::make_unique<LineSolverOn<Exec>>(m_instance, lines, n, settings, line_factory(n));
  }
  std::unique_ptr<Krylov> make_krylov(const Shape& shape, Method method, const KrylovOptions& options) const override {
    auto const& sized = factory(shape);
    switch (method) {
      case Method::richardson: return std::make_unique<KrylovOn<Exec, Richardson>>(m_instance, shape, sized, options);
      case Method::bicgstab: return std::make_unique<KrylovOn<Exec, BiCgStab>>(m_instance, shape, sized, options);
      case Method::fgmres: return std::make_unique<KrylovOn<Exec, Fgmres>>(m_instance, shape, sized, options);
      case Method::fgcrodr: return std::make_unique<KrylovOn<Exec, Fgcrodr>>(m_instance, shape, sized, options);
    }
    throw Error("there is no such Krylov method");
  }

 private:
  std::unique_ptr<TypedPreconditioner<Exec>> make_typed_preconditioner(const Shape& shape,
                                                                       const PreconditionerSettings& settings) const {
    int const n = shape.block_size;
    auto const& made_for = preconditioners()[detail::as_size(settings.kind)];
    require_block_size(n, "block size");
    if (n > made_for.largest_block_size) {
      throw Error(made_for.name + " is for " +
                  (made_for.largest_block_size == 1
                       ? "one unknown"
                       : "at most " + std::to_string(made_for.largest_block_size) + " unknowns") +
                  " per point, not for " + std::to_string(n));
    }
    require_storage(preconditioners(), settings.kind, settings.storage, settings.storage_fraction);
    if (!settings.storage_fraction) return make_stored(shape, settings, is_short(settings.storage));
    auto const make = [this, shape, settings](StorageKind storage) {
      auto stored = settings;
      stored.storage = storage;
      return make_stored(shape, stored, storage != StorageKind::double_precision);
    };
    return std::make_unique<ChosenStorage<Exec>>(shape, *settings.storage_fraction, make);
  }
  /// `is_narrowed`: whether factors are narrower than the matrix.
  std::unique_ptr<TypedPreconditioner<Exec>> make_stored(const Shape& shape, const PreconditionerSettings& settings,
                                                         bool is_narrowed) const {
    auto const& exec = m_instance.exec;
    int const n = shape.block_size;
    if (is_narrowed) return short_factory(n).make_preconditioner(exec, shape.grid, settings);
    auto made = factory(shape).make_preconditioner(exec, shape.grid, settings);
    return made ? std::move(made) : line_factory(n).make_preconditioner(exec, shape.grid, settings);
  }

  static const auto& flat(const void* values) { return *static_cast<const typename ShapedVector<Exec>::Flat*>(values); }
  static const SizedFactory<Exec>& factory(const Shape& shape) { return sized_factory_of<Exec>(shape.block_size); }
  static const SizedLineFactory<Exec>& line_factory(int n) { return sized_line_factory_of<Exec>(n); }
  /// Of a size that there is.
  static const SizedShortFactory<Exec>& short_factory(int n) {
    return *find_in_groups([&]<int group>() { return find_sized_short_factory<group, Exec>(n); }, Groups{});
  }

  std::shared_ptr<void> m_owned;
  Instance<Exec> m_instance;
  std::string m_backend;
  std::unique_ptr<Primitives> m_primitives;
  std::unique_ptr<CsrSolvers> m_csr;
};

}  // namespace

std::shared_ptr<const Context> make_context(const std::string& backend, void* stream) {
  std::shared_ptr<const Context> context;
  for_each_backend([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    if (name != backend) return;
    if (stream == nullptr) {
      auto [owned, exec] = make_instance<Exec>();
      context = std::make_shared<ContextOn<Exec>>(exec, name, std::move(owned));
    } else if constexpr (CudaExecutionSpace<Exec>) {
      using Stream = decltype(Exec().cuda_stream());
      Exec const exec(static_cast<Stream>(stream));
      make_current(exec);
      context = std::make_shared<ContextOn<Exec>>(exec, name);
    } else {
      throw Error("backend " + name + " has no streams");
    }
  });
  if (!context) throw NotAvailable("backend '" + backend + "' is not in this build, which has: " + backend_list());
  return context;
}

const void* find_factory(const std::string& backend, int n, Part part) {
  const void* found = nullptr;
  for_each_backend([&]<class Exec>(std::type_identity<Exec>, const std::string& name) {
    if (name != backend) return;
    switch (part) {
      case Part::points: found = &sized_factory_of<Exec>(n); break;
      case Part::lines: found = &sized_line_factory_of<Exec>(n); break;
    }
  });
  return found;
}

std::span<const int> block_sizes() noexcept {
  static constexpr int sizes[] = {HYPERPLANE_ALL_SIZES};
  return sizes;
}

void require_block_size(int n, const std::string& source) {
  std::string list;
  for (int const size : block_sizes()) {
    if (size == n) return;
    list += (list.empty() ? "" : ", ") + std::to_string(size);
  }
  throw NotAvailable(source + ": " + std::to_string(n) + " is not in this build, which has: " + list);
}

}  // namespace hyperplane::run_time
