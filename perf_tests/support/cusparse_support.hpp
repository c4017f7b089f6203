// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cusparse.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace hyperplane::perf {

/// Throws where a function of cuSPARSE reports an error.
inline void check_cusparse(cusparseStatus_t code, std::source_location where = std::source_location::current()) {
  if (code == CUSPARSE_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("cuSPARSE: ") + cusparseGetErrorString(code) + " [" + where.file_name() + ":" +
                           std::to_string(where.line()) + "]");
}

template <class T>
using DeviceArray = Kokkos::View<T*, Kokkos::CudaSpace>;

template <class T>
DeviceArray<T> device_array(const Kokkos::Cuda& exec, const std::string& label, std::size_t size) {
  return DeviceArray<T>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), size);
}

/// Something of cuSPARSE's that is destroyed by one of its functions.
template <class Handle, auto destroy>
class CusparseObject {
 public:
  template <class Create>
  explicit CusparseObject(Create&& create) {
    Handle handle = nullptr;
    check_cusparse(create(&handle));
    m_handle.reset(handle, [](Handle h) { (void)destroy(h); });
  }
  Handle get() const { return m_handle.get(); }

 private:
  std::shared_ptr<std::remove_pointer_t<Handle>> m_handle;
};

inline std::string cusparse_version() {
  std::string version;
  for (auto const part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check_cusparse(cusparseGetProperty(part, &number));
    version += (version.empty() ? "" : ".") + std::to_string(number);
  }
  return version;
}

}  // namespace hyperplane::perf
