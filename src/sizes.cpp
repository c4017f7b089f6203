// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hyperplane/hyperplane.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

#include "find_size.hpp"
#include "sized_matrix.hpp"
#include "typed_objects.hpp"

// Compiled several times, each time for the block sizes of a group.
namespace hyperplane::run_time {

namespace {

template <int n, class Exec, class Storage, class Held>
class HeldPreconditioner final : public TypedPreconditioner<Exec> {
 public:
  using Vector = ShapedVector<Exec>;
  template <class... Options>
  HeldPreconditioner(const Exec& exec, const Grid& grid, const Options&... options) : m_held(exec, grid, options...) {}

  void factor(const Exec& exec, const TypedMatrix<Exec>& a) override {
    m_held.factor(exec, dynamic_cast<const StencilMatrix<n, Exec, Storage>&>(a).stencil());
  }
  void solve(const Exec& exec, const Vector& rhs, const Vector& x) const override {
    m_held.solve(exec, rhs.template as<n>(), x.template as<n>());
  }
  std::string singular_pivot(const Exec& exec) const override {
    auto const status = m_held.status(exec);
    return status.ok() ? "" : status.message();
  }

 private:
  Held m_held;
};

template <int n, class Exec>
class Factory final : public SizedFactory<Exec> {
 public:
  template <class T>
  using Rows = typename SizedFactory<Exec>::template Rows<T>;
  using Matrix = std::unique_ptr<TypedMatrix<Exec>>;
  using Preconditioner = std::unique_ptr<TypedPreconditioner<Exec>>;

  void pack_rows(const Exec& exec, const Rows<const double>& rows, const ShapedVector<Exec>& vector) const override {
    pack(exec, rows, vector.template as<n>());
  }
  void unpack_rows(const Exec& exec, const ShapedVector<Exec>& vector, const Rows<double>& rows) const override {
    unpack(exec, vector.template as<n>(), rows);
  }
  Matrix make_matrix(const Exec& exec, const Grid& grid, StorageKind storage) const override {
    if (storage == StorageKind::double_precision) return std::make_unique<StencilMatrix<n, Exec, double>>(exec, grid);
    return std::make_unique<StencilMatrix<n, Exec, float>>(exec, grid);
  }
  Preconditioner make_preconditioner(const Exec& exec, const Grid& grid,
                                     const PreconditionerSettings& settings) const override {
    return settings.storage == StorageKind::double_precision ? make<double>(exec, grid, settings)
                                                             : make<float>(exec, grid, settings);
  }

 private:
  template <class Storage>
  static Preconditioner make(const Exec& exec, const Grid& grid, const PreconditionerSettings& settings) {
    switch (settings.kind) {
      case PreconditionerKind::bilu0:
        return hold<Storage, BlockIlu0<double, n, Exec, Storage>>(exec, grid, BlockIlu0Options{.path = settings.path});
      case PreconditionerKind::ssor:
        return hold<Storage, Ssor<double, n, Exec, Storage>>(
            exec, grid, SsorOptions{.relaxation = settings.relaxation, .path = settings.path});
      case PreconditionerKind::sip:
        if constexpr (n == 1) {
          return hold<Storage, Sip<double, Exec, Storage>>(exec, grid,
                                                           SipOptions{.alpha = settings.alpha, .path = settings.path});
        }
        break;
      case PreconditionerKind::lines:
        return hold<Storage, LineImplicit<double, n, Exec, Storage>>(exec, grid, line_options(settings));
      case PreconditionerKind::jacobi: return hold<Storage, BlockJacobi<double, n, Exec, Storage>>(exec, grid);
      case PreconditionerKind::none: break;
    }
    throw Error("SIP is for one unknown a point, not for " + std::to_string(n));
  }

  template <class Storage, class Held, class... Options>
  static Preconditioner hold(const Exec& exec, const Grid& grid, const Options&... options) {
    return std::make_unique<HeldPreconditioner<n, Exec, Storage, Held>>(exec, grid, options...);
  }

  static LineImplicitOptions line_options(const PreconditionerSettings& settings) {
    LineImplicitOptions options{.directions = {}, .sweeps = settings.line_sweeps, .relaxation = settings.relaxation};
    for (int const direction : settings.line_directions) {
      options.directions.push_back(static_cast<LineDirection>(direction));
    }
    return options;
  }
};

using Sizes = std::integer_sequence<int, HYPERPLANE_SIZES>;

}  // namespace

#ifdef KOKKOS_ENABLE_SERIAL
template <>
const SizedFactory<Kokkos::Serial>* find_sized_factory<HYPERPLANE_GROUP, Kokkos::Serial>(int n) {
  return find_of_size<SizedFactory<Kokkos::Serial>, Factory, Kokkos::Serial>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
const SizedFactory<Kokkos::OpenMP>* find_sized_factory<HYPERPLANE_GROUP, Kokkos::OpenMP>(int n) {
  return find_of_size<SizedFactory<Kokkos::OpenMP>, Factory, Kokkos::OpenMP>(n, Sizes{});
}
#endif
#ifdef KOKKOS_ENABLE_CUDA
template <>
const SizedFactory<Kokkos::Cuda>* find_sized_factory<HYPERPLANE_GROUP, Kokkos::Cuda>(int n) {
  return find_of_size<SizedFactory<Kokkos::Cuda>, Factory, Kokkos::Cuda>(n, Sizes{});
}
#endif

}  // namespace hyperplane::run_time
