// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace hyperplane::perf {

/// Keeps the last object that was made, whatever its type: benchmarks that run one after the other share what is
/// expensive to set up, and memory never holds two of them.
class Cache {
 public:
  /// The object made for `key`, by `make()` unless it is the one kept.
  template <class T, class Make>
  T& get(const std::string& key, Make&& make) {
    if (!m_value || m_key != key) {
      clear();
      m_value = std::shared_ptr<T>(std::forward<Make>(make)());
      m_key = key;
    }
    return *static_cast<T*>(m_value.get());
  }

  void clear() {
    m_value.reset();
    m_key.clear();
  }

 private:
  std::string m_key;
  std::shared_ptr<void> m_value;
};

}  // namespace hyperplane::perf
