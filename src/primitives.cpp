// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "primitives.hpp"

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/box_packer.hpp>
#include <hyperplane/array/reductions.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/array/updates.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "typed_arrays.hpp"
#include "typed_objects.hpp"

namespace hyperplane::run_time {

namespace {

template <class T, class Exec>
class TypedPacker final : public Packer {
 public:
  TypedPacker(const Exec& exec, const std::vector<PackedBox<T>>& packed_boxes)
      : m_exec(exec), m_packer(exec, packed_boxes) {}

  std::int64_t size() const override { return m_packer.size(); }
  ScalarKind scalar() const override {
    return std::is_same_v<T, int>     ? ScalarKind::integer
           : std::is_same_v<T, float> ? ScalarKind::single_precision
                                      : ScalarKind::double_precision;
  }
  void pack(void* buffer) const override {
    check_buffer(buffer);
    m_packer.pack(m_exec, static_cast<T*>(buffer));
    finish(m_exec);
  }
  void unpack(const void* buffer) const override {
    check_buffer(buffer);
    m_packer.unpack(m_exec, static_cast<const T*>(buffer));
    finish(m_exec);
  }

 private:
  void check_buffer([[maybe_unused]] const void* buffer) const {
    if constexpr (!HostExecutionSpace<Exec>) {
      if (size() > 0) check_device_memory(m_exec, buffer);
    }
  }

  Exec m_exec;
  BoxPacker<T, Exec> m_packer;
};

template <class Exec>
class PrimitivesOn final : public Primitives {
 public:
  explicit PrimitivesOn(const Exec& exec)
      : m_exec(exec), m_reductions(exec), m_dots(Kokkos::view_alloc(exec, "Hyperplane::dots"), 4) {}

  double reduce(Reduction reduction, const Box& box, const Array& x) const override {
    return with_scalar([&]<class T>() { return reduce_typed<T>(reduction, box, typed_array<T>(m_exec, box, x)); },
                       x.scalar);
  }
  double dot(const Box& box, const Array& x, const Array& y) const override {
    require_same_scalar(x, y);
    return with_scalar(
        [&]<class T>() {
          return static_cast<double>(
              m_reductions.dot(m_exec, box, typed_array<T>(m_exec, box, x), typed_array<T>(m_exec, box, y)));
        },
        x.scalar);
  }
  void dots(const Box& box, std::span<const Array> x, std::span<const Array> y, double* results) const override {
    for (std::size_t p = 0; p < x.size(); ++p) require_same_scalar(x[0], x[p], y[p]);
    with_scalar(
        [&]<class T>() {
          switch (x.size()) {
            case 1: return typed_dots<T, 1>(box, x, y, results);
            case 2: return typed_dots<T, 2>(box, x, y, results);
            case 3: return typed_dots<T, 3>(box, x, y, results);
            default: return typed_dots<T, 4>(box, x, y, results);
          }
        },
        x[0].scalar);
  }
  double axpy_dot(const Box& box, double alpha, const Array& x, const Array& y, const Array& z) const override {
    require_same_scalar(x, y, z);
    return with_real(
        "axpy_dot",
        [&]<class T>() {
          return m_reductions.axpy_dot(m_exec, box, static_cast<T>(alpha), typed_array<T>(m_exec, box, x),
                                       typed_array<T>(m_exec, box, y), typed_array<T>(m_exec, box, z));
        },
        x.scalar);
  }
  double update_dot(const Box& box, double alpha, const Array& p, const Array& q, const Array& x,
                    const Array& r) const override {
    require_same_scalar(p, q, x, r);
    return with_real(
        "update_dot",
        [&]<class T>() {
          return m_reductions.update_dot(m_exec, box, static_cast<T>(alpha), typed_array<T>(m_exec, box, p),
                                         typed_array<T>(m_exec, box, q), typed_array<T>(m_exec, box, x),
                                         typed_array<T>(m_exec, box, r));
        },
        p.scalar);
  }
  void fill(const Box& box, double value, const Array& x) const override {
    run(
        [&]<class T>() {
          hyperplane::fill(m_exec, box, coefficient<T>("value", value), typed_array<T>(m_exec, box, x));
        },
        x);
  }
  void scale(const Box& box, double alpha, const Array& x) const override {
    run(
        [&]<class T>() {
          hyperplane::scale(m_exec, box, coefficient<T>("alpha", alpha), typed_array<T>(m_exec, box, x));
        },
        x);
  }
  void copy(const Box& box, const Array& x, const Array& y) const override {
    run(
        [&]<class T>() {
          hyperplane::copy(m_exec, box, typed_array<T>(m_exec, box, x), typed_array<T>(m_exec, box, y));
        },
        x, y);
  }
  void transposed_copy(const Box& box, const Array& x, const std::array<int, 3>& order, const Point& begin,
                       const Array& y) const override {
    run(
        [&]<class T>() {
          hyperplane::transposed_copy(m_exec, box, typed_array<T>(m_exec, box, x), order, begin,
                                      typed_array<T>(m_exec, box, y));
        },
        x, y);
  }
  void axpby(const Box& box, double alpha, const Array& x, double beta, const Array& y) const override {
    run(
        [&]<class T>() {
          auto const a = coefficient<T>("alpha", alpha);
          auto const xs = typed_array<T>(m_exec, box, x), ys = typed_array<T>(m_exec, box, y);
          if (beta == 1.0) return hyperplane::axpy(m_exec, box, a, xs, ys);
          hyperplane::axpby(m_exec, box, a, xs, coefficient<T>("beta", beta), ys);
        },
        x, y);
  }
  void apply(const Box& box, const Stencil& a, const Array& x, const Array& y) const override {
    require_same_scalar(x, y);
    if (!a.arrays.empty()) require_same_scalar(x, a.arrays.front());
    with_real(
        "stencil_apply",
        [&]<class T>() {
          ArrayRef<const T> const from = typed_array<T>(m_exec, box, x);
          auto const to = typed_array<T>(m_exec, box, y);
          if (a.arrays.empty()) return hyperplane::apply(m_exec, box, constant_stencil<T>(a), from, to);
          hyperplane::apply(m_exec, box, variable_stencil<T>(m_exec, box, a), from, to);
        },
        x.scalar);
    finish(m_exec);
  }
  std::unique_ptr<Relaxation> make_relaxation(const Grid& grid, const Stencil& a,
                                              const RelaxationSettings& settings) const override {
    return run_time::make_relaxation(m_exec, grid, a, settings);
  }
  std::unique_ptr<Packer> make_packer(const std::vector<PackedArrayBox>& packed_boxes) const override {
    if (packed_boxes.empty()) throw Error("there is no packed box");
    return with_scalar([&]<class T>() { return make_typed_packer<T>(packed_boxes); },
                       packed_boxes.front().array.scalar);
  }

 private:
  /// What is not exact as a T is no coefficient of an integer array.
  template <class T>
  static T coefficient(const char* name, double value) {
    if constexpr (std::is_same_v<T, int>) {
      if (!(value >= -2147483648.0 && value <= 2147483647.0) || value != static_cast<int>(value)) {
        throw Error(std::string(name) + " is " + std::to_string(value) + ", expected an integer");
      }
    }
    return static_cast<T>(value);
  }

  template <class T, std::size_t count>
  void typed_dots(const Box& box, std::span<const Array> x, std::span<const Array> y, double* results) const {
    auto const pairs = [&]<std::size_t... p>(std::index_sequence<p...>) {
      return std::array<DotPair<T>, count>{
          DotPair<T>{typed_array<T>(m_exec, box, x[p]), typed_array<T>(m_exec, box, y[p])}...};
    }(std::make_index_sequence<count>{});
    auto const place = reinterpret_cast<sum_t<T>*>(m_dots.data());
    m_reductions.dots(m_exec, box, pairs, Kokkos::View<sum_t<T>*, typename Exec::memory_space>(place, count));
    sum_t<T> found[count];
    Kokkos::deep_copy(m_exec, Kokkos::View<sum_t<T>*, Kokkos::HostSpace>(found, count),
                      Kokkos::View<sum_t<T>*, typename Exec::memory_space>(place, count));
    m_exec.fence("Hyperplane: dot products");
    for (std::size_t p = 0; p < count; ++p) results[p] = static_cast<double>(found[p]);
  }

  template <class T>
  double reduce_typed(Reduction reduction, const Box& box, const ArrayRef<T>& x) const {
    switch (reduction) {
      case Reduction::sum: return static_cast<double>(m_reductions.sum(m_exec, box, x));
      case Reduction::min: return static_cast<double>(m_reductions.min(m_exec, box, x));
      case Reduction::max: return static_cast<double>(m_reductions.max(m_exec, box, x));
      case Reduction::norm_1: return static_cast<double>(m_reductions.norm_1(m_exec, box, x));
      case Reduction::norm_2:
        if constexpr (Real<T>) return m_reductions.norm_2(m_exec, box, x);
        throw Error("norm_2 is of float and double arrays");
      case Reduction::norm_inf: break;
    }
    return static_cast<double>(m_reductions.norm_inf(m_exec, box, x));
  }

  template <class T>
  std::unique_ptr<Packer> make_typed_packer(const std::vector<PackedArrayBox>& packed_boxes) const {
    std::vector<PackedBox<T>> typed_boxes;
    for (auto const& packed_box : packed_boxes) {
      require_same_scalar(packed_boxes.front().array, packed_box.array);
      typed_boxes.push_back(
          {typed_array<T>(m_exec, packed_box.box, packed_box.array), packed_box.box, packed_box.order});
    }
    return std::make_unique<TypedPacker<T, Exec>>(m_exec, typed_boxes);
  }

  template <class F, class... Arrays>
  void run(const F& f, const Array& x, const Arrays&... others) const {
    require_same_scalar(x, others...);
    with_scalar(f, x.scalar);
    finish(m_exec);
  }

  Exec m_exec;
  Reductions<Exec> m_reductions;
  Kokkos::View<double*, typename Exec::memory_space> m_dots;
};

}  // namespace

template <ExecutionSpace Exec>
std::unique_ptr<Primitives> make_primitives(const Exec& exec) {
  return std::make_unique<PrimitivesOn<Exec>>(exec);
}

#ifdef KOKKOS_ENABLE_SERIAL
template std::unique_ptr<Primitives> make_primitives(const Kokkos::Serial&);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template std::unique_ptr<Primitives> make_primitives(const Kokkos::OpenMP&);
#endif
#ifdef KOKKOS_ENABLE_CUDA
template std::unique_ptr<Primitives> make_primitives(const Kokkos::Cuda&);
#endif

}  // namespace hyperplane::run_time
