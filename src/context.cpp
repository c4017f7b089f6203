// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/pencil_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

#include "backends.hpp"
#include "errors.hpp"
#include "memory.hpp"
#include "primitives.hpp"
#include "typed_objects.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cuda/stream.hpp>
#endif

namespace hyperplane::run_time {

namespace {

/// What objects of a context share.
template <class Exec>
struct Instance {
  Exec exec;
  const void* context;  ///< to tell contexts apart
};

[[noreturn]] void refuse(const std::string& function, const std::string& argument, const std::string& why) {
  throw Error(function + ": " + argument + " " + why);
}

template <class Typed, class Exec, class Object>
const Typed& typed(const char* function, const char* argument, const Object& object, const Instance<Exec>& instance) {
  auto const* const found = dynamic_cast<const Typed*>(&object);
  if (found == nullptr || found->instance().context != instance.context) {
    refuse(function, argument, "belongs to another context");
  }
  return *found;
}

template <class Object>
void check_shape(const char* function, const char* argument, const Object& object, const Shape& expected) {
  if (object.shape() == expected) return;
  throw SizeMismatch(std::string(function) + ": " + argument + " is " + to_string(object.shape()) + ", expected " +
                     to_string(expected));
}

/// Calls `use(pointer)` with `values` in memory that kernels of Exec read, or write for `is_output`. Waits where the
/// caller's memory is the host's.
template <bool is_output, class Exec, class T, class Use>
void in_memory_of(const Exec& exec, T* values, std::int64_t count, MemorySpace space, const Use& use) {
  if (space == MemorySpace::device) check_device_memory(exec, values);
  if constexpr (HostExecutionSpace<Exec>) {
    use(values);
    exec.fence("Hyperplane: host memory");
  } else {
    if (space == MemorySpace::device) return use(values);
    using Host = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::View<double*, typename Exec::memory_space> const staged(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::staged"), count);
    Host const host(values, count);
    if constexpr (!is_output) Kokkos::deep_copy(exec, staged, host);
    use(staged.data());
    if constexpr (is_output) Kokkos::deep_copy(exec, host, staged);
    exec.fence("Hyperplane: host memory");
  }
}

/// Sets what belongs to points; padding stays zero.
template <int vector_length>
struct Fill {
  PencilMap<vector_length> m_map;
  double* m_values;
  int m_block_size;
  double m_value;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    Point p;
    auto const pack = e / (vector_length * m_block_size);
    if (m_map.find_point(pack, static_cast<int>(e % vector_length), p)) m_values[e] = m_value;
  }
};

template <class Exec>
class VectorOn final : public Vector {
 public:
  VectorOn(const Instance<Exec>& instance, const Shape& shape, const SizedFactory<Exec>& factory)
      : m_instance(instance), m_factory(factory), m_vector(instance.exec, shape) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const ShapedVector<Exec>& typed_vector() const { return m_vector; }
  const Shape& shape() const override { return m_vector.grid(); }

  void set(const double* values, MemorySpace space) override {
    in_memory_of<false>(m_instance.exec, values, shape().rows(), space, [&](const double* rows) {
      m_factory.pack_rows(m_instance.exec, Rows<const double>(rows, shape().rows()), m_vector);
    });
  }
  void get(double* values, MemorySpace space) const override {
    in_memory_of<true>(m_instance.exec, values, shape().rows(), space, [&](double* rows) {
      m_factory.unpack_rows(m_instance.exec, m_vector, Rows<double>(rows, shape().rows()));
    });
  }
  void fill(double value) override {
    constexpr int vector_length = ShapedVector<Exec>::vector_length;
    auto const& values = m_vector.flat();
    Kokkos::parallel_for(
        "Hyperplane::Vector::fill",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(m_instance.exec, 0, values.size()),
        Fill<vector_length>{PencilMap<vector_length>(shape().grid), values.data(), shape().block_size, value});
  }

 private:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;

  Instance<Exec> m_instance;
  const SizedFactory<Exec>& m_factory;
  ShapedVector<Exec> m_vector;
};

template <class Exec>
class MatrixOn final : public Matrix {
 public:
  MatrixOn(const Instance<Exec>& instance, const Shape& shape, StorageKind storage, const SizedFactory<Exec>& factory)
      : m_instance(instance),
        m_shape(shape),
        m_storage(storage),
        m_matrix(factory.make_matrix(instance.exec, shape.grid, storage)) {}

  const Instance<Exec>& instance() const { return m_instance; }
  const TypedMatrix<Exec>& typed_matrix() const { return *m_matrix; }
  const Shape& shape() const override { return m_shape; }
  StorageKind storage() const override { return m_storage; }

  void set(const double* values, BlockOrder order, MemorySpace space) override {
    in_memory_of<false>(m_instance.exec, values, count(), space, [&](const double* data) {
      m_matrix->pack_values(m_instance.exec, Values<const double>(data, layout(order)));
    });
  }
  void get(double* values, BlockOrder order, MemorySpace space) const override {
    in_memory_of<true>(m_instance.exec, values, count(), space, [&](double* data) {
      m_matrix->unpack_values(m_instance.exec, Values<double>(data, layout(order)));
    });
  }
  void multiply(const Vector& x, Vector& y) const override {
    m_matrix->multiply(m_instance.exec, operand("apply", "x", x), operand("apply", "y", y));
  }
  void residual(const Vector& b, const Vector& x, Vector& r) const override {
    m_matrix->compute_residual(m_instance.exec, operand("residual", "b", b), operand("residual", "x", x),
                               operand("residual", "r", r));
  }

 private:
  template <class T>
  using Values = typename TypedMatrix<Exec>::template Values<T>;

  std::int64_t count() const { return m_shape.rows() * m_shape.block_size * stencil7_size; }
  Kokkos::LayoutStride layout(BlockOrder order) const {
    auto const n = static_cast<std::size_t>(m_shape.block_size);
    auto const points = static_cast<std::size_t>(m_shape.grid.size());
    bool const by_rows = order == BlockOrder::row_major;
    return Kokkos::LayoutStride(points, stencil7_size * n * n, stencil7_size, n * n, n, by_rows ? n : 1, n,
                                by_rows ? 1 : n);
  }
  const ShapedVector<Exec>& operand(const char* function, const char* argument, const Vector& vector) const {
    auto const& found = typed<VectorOn<Exec>>(function, argument, vector, m_instance);
    check_shape(function, argument, vector, m_shape);
    return found.typed_vector();
  }

  Instance<Exec> m_instance;
  Shape m_shape;
  StorageKind m_storage;
  std::unique_ptr<TypedMatrix<Exec>> m_matrix;
};

/// No preconditioning.
template <class Exec>
class TypedIdentity final : public TypedPreconditioner<Exec> {
 public:
  void factor(const Exec&, const TypedMatrix<Exec>&) override {}
  void solve(const Exec& exec, const ShapedVector<Exec>& rhs, const ShapedVector<Exec>& x) const override {
    IdentityPreconditioner{}.solve(exec, rhs, x);
  }
  std::string singular_pivot(const Exec&) const override { return {}; }
};

template <class Exec>
class PreconditionerOn final : public Preconditioner {
 public:
  PreconditionerOn(const Instance<Exec>& instance, const Shape& shape, const PreconditionerSettings& settings,
                   const SizedFactory<Exec>& factory)
      : m_instance(instance), m_shape(shape), m_storage(settings.storage) {
    if (settings.kind == PreconditionerKind::none) {
      m_preconditioner = std::make_unique<TypedIdentity<Exec>>();
    } else {
      m_preconditioner = factory.make_preconditioner(instance.exec, shape.grid, settings);
    }
  }

  const Instance<Exec>& instance() const { return m_instance; }
  const Shape& shape() const override { return m_shape; }

  void factor(const Matrix& a) override {
    auto const& found = typed<MatrixOn<Exec>>("factor", "A", a, m_instance);
    check_shape("factor", "A", a, m_shape);
    if (a.storage() != m_storage) refuse("factor", "A", "is stored in another type than the preconditioner's factors");
    m_preconditioner->factor(m_instance.exec, found.typed_matrix());
  }
  void solve(const Vector& rhs, Vector& x) const override {
    auto const& from = typed<VectorOn<Exec>>("solve", "the right-hand side", rhs, m_instance);
    auto const& to = typed<VectorOn<Exec>>("solve", "x", x, m_instance);
    check_shape("solve", "the right-hand side", rhs, m_shape);
    check_shape("solve", "x", x, m_shape);
    solve(m_instance.exec, from.typed_vector(), to.typed_vector());
  }
  std::string singular_pivot() const override { return m_preconditioner->singular_pivot(m_instance.exec); }
  void measure() override { m_measured = true; }
  const std::vector<double>& seconds() const override { return m_seconds; }

  /// As the Krylov methods call it.
  void solve(const Exec& exec, const ShapedVector<Exec>& rhs, const ShapedVector<Exec>& x) const {
    if (!m_measured) return m_preconditioner->solve(exec, rhs, x);
    exec.fence("Hyperplane: time of a preconditioner");
    Kokkos::Timer const timer;
    m_preconditioner->solve(exec, rhs, x);
    exec.fence("Hyperplane: time of a preconditioner");
    m_seconds.push_back(timer.seconds());
  }

 private:
  Instance<Exec> m_instance;
  Shape m_shape;
  StorageKind m_storage;
  std::unique_ptr<TypedPreconditioner<Exec>> m_preconditioner;
  bool m_measured = false;
  mutable std::vector<double> m_seconds;
};

template <class Exec, template <class> class Method>
class KrylovOn final : public Krylov {
 public:
  KrylovOn(const Instance<Exec>& instance, const Shape& shape, const KrylovOptions& options)
      : m_instance(instance), m_shape(shape), m_method(instance.exec, shape, options) {}

  const Shape& shape() const override { return m_shape; }

  KrylovResult solve(const Matrix& a, const Preconditioner& m, const Vector& b, Vector& x) const override {
    auto const& matrix = typed<MatrixOn<Exec>>("solve", "A", a, m_instance);
    auto const& preconditioner = typed<PreconditionerOn<Exec>>("solve", "the preconditioner", m, m_instance);
    auto const& rhs = typed<VectorOn<Exec>>("solve", "b", b, m_instance);
    auto const& solution = typed<VectorOn<Exec>>("solve", "x", x, m_instance);
    check_shape("solve", "A", a, m_shape);
    check_shape("solve", "the preconditioner", m, m_shape);
    check_shape("solve", "b", b, m_shape);
    check_shape("solve", "x", x, m_shape);
    return m_method.solve(m_instance.exec, matrix.typed_matrix(), preconditioner, rhs.typed_vector(),
                          solution.typed_vector());
  }

 private:
  Instance<Exec> m_instance;
  Shape m_shape;
  Method<ShapedVector<Exec>> m_method;
};

template <class Exec, int... groups>
const SizedFactory<Exec>& find_factory(int n, std::integer_sequence<int, groups...>) {
  require_block_size(n, "block size");
  const SizedFactory<Exec>* found = nullptr;
  ((found = found != nullptr ? found : find_sized_factory<groups, Exec>(n)), ...);
  return *found;
}

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

template <class Exec>
class ContextOn final : public Context {
 public:
  /// `owned`: what the instance refers to.
  ContextOn(const Exec& exec, std::string backend, std::shared_ptr<void> owned = nullptr)
      : m_owned(std::move(owned)),
        m_instance{exec, this},
        m_backend(std::move(backend)),
        m_primitives(make_primitives(exec)) {}

  const char* backend() const override { return m_backend.c_str(); }
  void activate() const override { make_current(m_instance.exec); }
  int concurrency() const override { return m_instance.exec.concurrency(); }
  void fence() const override { m_instance.exec.fence("Hyperplane::Context"); }

  const Primitives& primitives() const override { return *m_primitives; }

  std::unique_ptr<Vector> make_vector(const Shape& shape) const override {
    return std::make_unique<VectorOn<Exec>>(m_instance, shape, factory(shape));
  }
  std::unique_ptr<Matrix> make_matrix(const Shape& shape, StorageKind storage) const override {
    return std::make_unique<MatrixOn<Exec>>(m_instance, shape, storage, factory(shape));
  }
  std::unique_ptr<Preconditioner> make_preconditioner(const Shape& shape,
                                                      const PreconditionerSettings& settings) const override {
    return std::make_unique<PreconditionerOn<Exec>>(m_instance, shape, settings, factory(shape));
  }
  std::unique_ptr<Krylov> make_krylov(const Shape& shape, Method method, const KrylovOptions& options) const override {
    require_block_size(shape.block_size, "block size");
    switch (method) {
      case Method::richardson: return std::make_unique<KrylovOn<Exec, Richardson>>(m_instance, shape, options);
      case Method::bicgstab: return std::make_unique<KrylovOn<Exec, BiCgStab>>(m_instance, shape, options);
      case Method::fgmres: return std::make_unique<KrylovOn<Exec, Fgmres>>(m_instance, shape, options);
    }
    throw Error("there is no such Krylov method");
  }

 private:
  static const SizedFactory<Exec>& factory(const Shape& shape) {
    return find_factory<Exec>(shape.block_size, std::make_integer_sequence<int, HYPERPLANE_GROUPS>{});
  }

  std::shared_ptr<void> m_owned;
  Instance<Exec> m_instance;
  std::string m_backend;
  std::unique_ptr<Primitives> m_primitives;
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
