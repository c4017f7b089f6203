// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/ordered_instances_cuda.hpp>
#include <hyperplane/krylov/detail/multi_dot.hpp>
#include <hyperplane/krylov/processes.hpp>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What vectors are on whose parts are on CUDA devices of one process, each with an instance of its own, as
/// GridOnDevices. A vector has `part(p)`, whose values begin at `first_value(p)` of all.
template <class Domain>
concept DomainOnDevices = CudaExecutionSpace<typename Domain::execution_space> && requires(const Domain& domain) {
  { domain.instances() } -> std::same_as<const OrderedInstances<typename Domain::execution_space>&>;
};

/// The elements of a vector over devices, for launches: each device has those of its part.
template <class Vector>
class ElementsOnDevices {
 public:
  using Exec = typename Vector::execution_space;
  using PartRange = LongIndexRange<Exec>;

  ElementsOnDevices(const Exec& exec, const Vector& v) : m_exec(exec), m_v(v) {}

  template <class Run>
  void for_parts(const Run& run) const {
    auto const& instances = m_v.grid().instances();
    instances.run(m_exec, [&](int p) {
      auto const begin = m_v.first_value(p);
      auto const size = static_cast<std::int64_t>(m_v.part(p).flat().size());
      run(PartRange(instances.exec(p), begin, begin + size));
    });
  }

 private:
  const Exec& m_exec;
  const Vector& m_v;
};

/// Joins the sums of parts in the order of the parts.
template <int count, class Join, class Finish>
struct JoinParts {
  const double* m_sums;
  int m_parts;
  Finish m_finish;
  KOKKOS_FUNCTION void operator()(int) const {
    Sums<count> sums;
    for (int v = 0; v < count; ++v) {
      double sum = m_sums[v];
      for (int p = 1; p < m_parts; ++p) sum = Join::join(sum, m_sums[p * count + v]);
      sums.m_values[v] = sum;
    }
    m_finish(sums);
  }
};

/// A Reducer over the elements of a vector on devices: each device has a Reducer for its part, and what they find is
/// joined on the device of `exec`, in the order of the parts. One launch more.
template <CudaExecutionSpace Exec>
class ReducerOnDevices {
 public:
  template <class Vector>
  ReducerOnDevices(const Exec& exec, const Vector& v)
      : m_instances(v.grid().instances()),
        m_sums(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::ReducerOnDevices::sums"),
               as_size(m_instances.count() * reduce_max_values)) {
    m_instances.for_parts([&](int p) {
      auto const size = static_cast<std::int64_t>(v.part(p).flat().size());
      m_parts.push_back({Reducer<Exec>(m_instances.exec(p), size), v.first_value(p)});
    });
  }

  /// See Reducer.
  template <int count, class Join = SumJoin, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    m_instances.run(exec, [&](int p) {
      auto const& [reducer, begin] = m_parts[as_size(p)];
      reducer.template run<count, Join>(m_instances.exec(p), label, ShiftedBody<Body>{body, begin},
                                        StoreSums<count>{m_sums.data() + p * count});
    });
    launch(label + "::devices", IndexRange<Exec>(exec, 0, 1),
           sizeof(double) * count * static_cast<double>(m_instances.count()),
           JoinParts<count, Join, Finish>{m_sums.data(), m_instances.count(), finish});
  }

  /// DotsOnDevices has joined them.
  void complete(const Exec&, double* /*sums*/, int /*count*/) const {}

 private:
  struct Part {
    Reducer<Exec> reducer;
    std::int64_t begin;
  };

  OrderedInstances<Exec> m_instances;
  Kokkos::View<double*, typename Exec::memory_space> m_sums;
  std::vector<Part> m_parts;
};

/// results[i] = sum of sums[i] of all parts, in their order.
struct JoinDots {
  const double* m_sums;
  int m_parts;
  int m_stride;
  double* m_results;
  KOKKOS_FUNCTION void operator()(int i) const {
    double sum = 0.0;
    for (int p = 0; p < m_parts; ++p) sum += m_sums[p * m_stride + i];
    m_results[i] = sum;
  }
};

/// A MultiDot over the elements of vectors on devices, as ReducerOnDevices is a Reducer.
template <class Scalar, CudaExecutionSpace Exec>
class DotsOnDevices {
 public:
  template <class Vector>
  DotsOnDevices(const Exec& exec, const Vector& v, int max_count)
      : m_instances(v.grid().instances()),
        m_max_count(max_count),
        m_sums(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::DotsOnDevices::sums"),
               as_size(m_instances.count() * max_count)) {
    m_instances.for_parts([&](int p) {
      auto const size = static_cast<std::int64_t>(v.part(p).flat().size());
      m_parts.emplace_back(m_instances.exec(p), TallLayout<1, true>{size}, max_count, v.first_value(p));
    });
  }

  /// See MultiDot.
  void run(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int count, double* results) const {
    m_instances.run(exec, [&](int p) { part(p).run(m_instances.exec(p), w, v, count, sums(p)); });
    join(exec, count, results);
  }
  void subtract_and_run(const Exec& exec, const std::string& label, const double* coefficients, Scalar* w,
                        const Address<Scalar>* v, int count, double* results) const {
    m_instances.run(
        exec, [&](int p) { part(p).subtract_and_run(m_instances.exec(p), label, coefficients, w, v, count, sums(p)); });
    join(exec, count, results);
  }

 private:
  const MultiDot<Scalar, Exec>& part(int p) const { return m_parts[as_size(p)]; }
  double* sums(int p) const { return m_sums.data() + p * m_max_count; }
  void join(const Exec& exec, int count, double* results) const {
    launch("Hyperplane::Fgmres::dots::devices", IndexRange<Exec>(exec, 0, count),
           sizeof(double) * static_cast<double>(m_instances.count()),
           JoinDots{m_sums.data(), m_instances.count(), m_max_count, results});
  }

  OrderedInstances<Exec> m_instances;
  int m_max_count;
  Kokkos::View<double*, typename Exec::memory_space> m_sums;
  std::vector<MultiDot<Scalar, Exec>> m_parts;
};

/// Krylov methods over devices of one process: each kernel runs on every device, for the elements of its part. What is
/// one for all, as scalars of a method, is on the device of the lowest part, where the others read it.
template <DomainOnDevices Domain>
struct KrylovProcesses<Domain> : KrylovInOneProcess<Domain> {
  template <class Exec>
  using ReducerOf = ReducerOnDevices<Exec>;
  template <class Scalar, class Exec>
  using DotsOf = DotsOnDevices<Scalar, Exec>;

  template <class Exec, class Vector>
  static ReducerOnDevices<Exec> reducer(const Exec& exec, const Vector& v) {
    return ReducerOnDevices<Exec>(exec, v);
  }
  template <class Exec, class Vector>
  static ElementsOnDevices<Vector> elements(const Exec& exec, const Vector& v) {
    return ElementsOnDevices<Vector>(exec, v);
  }
  template <class Scalar, class Exec, class Vector>
  static DotsOnDevices<Scalar, Exec> dots(const Exec& exec, const Vector& v, int max_count) {
    return DotsOnDevices<Scalar, Exec>(exec, v, max_count);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
