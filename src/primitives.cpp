// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "primitives.hpp"

#include <hyperplane/cfd/array_ref.hpp>
#include <hyperplane/cfd/reductions.hpp>
#include <hyperplane/cfd/slab_packer.hpp>
#include <hyperplane/cfd/updates.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

#include "memory.hpp"
#include "typed_objects.hpp"

namespace hyperplane::run_time {

namespace {

/// Calls `f.operator()<T>()` for the scalar type of all arrays.
template <class F, class... Arrays>
decltype(auto) with_scalar(const F& f, const Array& x, const Arrays&... others) {
  if (((others.scalar != x.scalar) || ...)) throw Error("arrays have different scalar types");
  switch (x.scalar) {
    case ScalarKind::integer: return f.template operator()<int>();
    case ScalarKind::single_precision: return f.template operator()<float>();
    case ScalarKind::double_precision: break;
  }
  return f.template operator()<double>();
}

/// An array of which nothing is used may be nowhere.
template <class Exec>
void check_memory(const Exec& exec, const Box& box, const Array& array) {
  if (array.space == MemorySpace::host) {
    if constexpr (HostExecutionSpace<Exec>) return;
    throw Error(std::string("primitives on ") + Exec::name() + " take arrays in device memory");
  }
  if (HostExecutionSpace<Exec> || !box.empty()) check_device_memory(exec, array.data);
}

template <class T, class Exec>
class TypedPacker final : public Packer {
 public:
  TypedPacker(const Exec& exec, const std::vector<Slab<T>>& slabs) : m_exec(exec), m_packer(exec, slabs) {}

  std::int64_t size() const override { return m_packer.size(); }
  void pack(void* buffer) const override {
    check_buffer(buffer);
    m_packer.pack(m_exec, static_cast<T*>(buffer));
    finish();
  }
  void unpack(const void* buffer) const override {
    check_buffer(buffer);
    m_packer.unpack(m_exec, static_cast<const T*>(buffer));
    finish();
  }

 private:
  void check_buffer([[maybe_unused]] const void* buffer) const {
    if constexpr (!HostExecutionSpace<Exec>) {
      if (size() > 0) check_device_memory(m_exec, buffer);
    }
  }
  void finish() const {
    if constexpr (HostExecutionSpace<Exec>) m_exec.fence("Hyperplane: host memory");
  }

  Exec m_exec;
  SlabPacker<T, Exec> m_packer;
};

template <class Exec>
class PrimitivesOn final : public Primitives {
 public:
  explicit PrimitivesOn(const Exec& exec) : m_exec(exec), m_reductions(exec) {}

  double reduce(Reduction reduction, const Box& box, const Array& x) const override {
    return with_scalar([&]<class T>() { return reduce_typed<T>(reduction, box, typed<T>(box, x)); }, x);
  }
  double dot(const Box& box, const Array& x, const Array& y) const override {
    return with_scalar(
        [&]<class T>() {
          return static_cast<double>(m_reductions.dot(m_exec, box, typed<T>(box, x), typed<T>(box, y)));
        },
        x, y);
  }
  void fill(const Box& box, double value, const Array& x) const override {
    run([&]<class T>() { hyperplane::fill(m_exec, box, coefficient<T>("value", value), typed<T>(box, x)); }, x);
  }
  void scale(const Box& box, double alpha, const Array& x) const override {
    run([&]<class T>() { hyperplane::scale(m_exec, box, coefficient<T>("alpha", alpha), typed<T>(box, x)); }, x);
  }
  void copy(const Box& box, const Array& x, const Array& y) const override {
    run([&]<class T>() { hyperplane::copy(m_exec, box, typed<T>(box, x), typed<T>(box, y)); }, x, y);
  }
  void transposed_copy(const Box& box, const Array& x, const std::array<int, 3>& order, const Point& begin,
                       const Array& y) const override {
    run([&]<class T>() { hyperplane::transposed_copy(m_exec, box, typed<T>(box, x), order, begin, typed<T>(box, y)); },
        x, y);
  }
  void axpby(const Box& box, double alpha, const Array& x, double beta, const Array& y) const override {
    run(
        [&]<class T>() {
          auto const a = coefficient<T>("alpha", alpha);
          auto const xs = typed<T>(box, x), ys = typed<T>(box, y);
          if (beta == 1.0) return hyperplane::axpy(m_exec, box, a, xs, ys);
          hyperplane::axpby(m_exec, box, a, xs, coefficient<T>("beta", beta), ys);
        },
        x, y);
  }
  std::unique_ptr<Packer> make_packer(const std::vector<ArraySlab>& slabs) const override {
    if (slabs.empty()) throw Error("there is no slab");
    return with_scalar([&]<class T>() { return make_typed_packer<T>(slabs); }, slabs.front().array);
  }

 private:
  template <class T>
  ArrayRef<T> typed(const Box& box, const Array& array) const {
    check_memory(m_exec, box, array);
    return ArrayRef<T>(static_cast<T*>(array.data), array.extents, array.strides, array.components,
                       array.component_stride);
  }

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
  std::unique_ptr<Packer> make_typed_packer(const std::vector<ArraySlab>& slabs) const {
    std::vector<Slab<T>> typed_slabs;
    for (auto const& slab : slabs) {
      if (slab.array.scalar != slabs.front().array.scalar) throw Error("arrays have different scalar types");
      typed_slabs.push_back({typed<T>(slab.box, slab.array), slab.box, slab.order});
    }
    return std::make_unique<TypedPacker<T, Exec>>(m_exec, typed_slabs);
  }

  /// What is in host memory is ready when it returns.
  template <class F, class... Arrays>
  void run(const F& f, const Arrays&... arrays) const {
    with_scalar(f, arrays...);
    if constexpr (HostExecutionSpace<Exec>) m_exec.fence("Hyperplane: host memory");
  }

  Exec m_exec;
  Reductions<Exec> m_reductions;
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
