// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/core/error.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <type_traits>
#include <utility>

#include "backends.hpp"
#include "context_objects.hpp"
#include "errors.hpp"
#include "memory.hpp"
#include "primitives.hpp"
#include "typed_objects.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cuda/stream.hpp>
#endif

namespace hyperplane::run_time {

namespace {

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

template <class Exec>
class LineSolverOn final : public LineSolver {
 public:
  LineSolverOn(const Instance<Exec>& instance, const LineSet& lines, int n, const LineSolverSettings& settings,
               const SizedLineFactory<Exec>& factory)
      : m_instance(instance),
        m_grid(lines.grid()),
        m_points(lines.point_count()),
        m_covers_all(lines.size() == lines.point_count()),
        m_block_size(n),
        m_settings(settings),
        m_solver(factory.make_line_solver(instance.exec, lines, settings)) {}

  int block_size() const override { return m_block_size; }
  int columns() const override { return m_settings.columns; }
  std::int64_t points() const override { return m_points; }

  void factor(const double* values, BlockOrder order, MemorySpace space) override {
    auto const n = static_cast<std::size_t>(m_block_size);
    auto const points = static_cast<std::size_t>(m_points);
    bool const by_rows = order == BlockOrder::row_major;
    Kokkos::LayoutStride const layout(points, line_blocks * n * n, line_blocks, n * n, n, by_rows ? n : 1, n,
                                      by_rows ? 1 : n);
    auto const count = m_points * line_blocks * m_block_size * m_block_size;
    in_memory_of<false>(m_instance.exec, values, count, space,
                        [&](const double* data) { m_solver->factor(m_instance.exec, Values(data, layout)); });
  }
  void factor(const Matrix& a) override {
    auto const& found = typed<MatrixOn<Exec>>("factor", "A", a, m_instance);
    check_shape("factor", "A", a, shape());
    if (a.storage() != m_settings.storage) refuse("factor", "A", "is stored in another type than the factors");
    m_solver->factor(m_instance.exec, found.typed_matrix());
  }
  std::string singular_pivot() const override { return m_solver->singular_pivot(m_instance.exec); }
  void solve(const double* rhs, double* x, MemorySpace space) const override {
    auto const count = m_points * m_block_size * m_settings.columns;
    in_memory_of<false>(m_instance.exec, rhs, count, space, [&](const double* from) {
      auto const solve_to = [&](double* to) { m_solver->solve(m_instance.exec, from, to); };
      if (m_covers_all) {
        in_memory_of<true>(m_instance.exec, x, count, space, solve_to);
      } else {
        // What is on no line stays as it is: x is read too.
        in_memory_of<true, true>(m_instance.exec, x, count, space, solve_to);
      }
    });
  }
  void solve(const Vector& rhs, Vector& x) const override {
    auto const& from = typed<VectorOn<Exec>>("solve", "the right-hand side", rhs, m_instance);
    auto const& to = typed<VectorOn<Exec>>("solve", "x", x, m_instance);
    check_shape("solve", "the right-hand side", rhs, shape());
    check_shape("solve", "x", x, shape());
    m_solver->solve(m_instance.exec, from.typed_vector(), to.typed_vector());
  }

 private:
  using Values = typename TypedLineSolver<Exec>::template Values<const double>;

  Shape shape() const {
    if (!m_grid) throw Error("matrices and vectors are of grids, the lines of this solver are not");
    return {*m_grid, m_block_size};
  }

  Instance<Exec> m_instance;
  std::optional<Grid> m_grid;
  std::int64_t m_points;
  bool m_covers_all;  ///< whether every point is on a line
  int m_block_size;
  LineSolverSettings m_settings;
  std::unique_ptr<TypedLineSolver<Exec>> m_solver;
};

/// What `find<group>()` finds in the first group that has it, of a block size that there is.
template <class Find, int... groups>
auto& find_in_groups(int n, const Find& find, std::integer_sequence<int, groups...>) {
  require_block_size(n, "block size");
  decltype(find.template operator()<0>()) found = nullptr;
  ((found = found != nullptr ? found : find.template operator()<groups>()), ...);
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
  std::unique_ptr<LineSolver> make_line_solver(const LineSet& lines, int n,
                                               const LineSolverSettings& settings) const override {
    return std::make_unique<LineSolverOn<Exec>>(m_instance, lines, n, settings, line_factory(n));
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
  using Groups = std::make_integer_sequence<int, HYPERPLANE_GROUPS>;

  static const SizedFactory<Exec>& factory(const Shape& shape) {
    int const n = shape.block_size;
    return find_in_groups(n, [&]<int group>() { return find_sized_factory<group, Exec>(n); }, Groups{});
  }
  static const SizedLineFactory<Exec>& line_factory(int n) {
    return find_in_groups(n, [&]<int group>() { return find_sized_line_factory<group, Exec>(n); }, Groups{});
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
