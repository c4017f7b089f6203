// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <hyperplane/core/abi.hpp>
#include <type_traits>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

/// What a monitor answers.
enum class MonitorAction { proceed, stop };

/// A function of an iteration and its residual norm that watches a method. It returns nothing, or a MonitorAction:
/// after `stop` the method ends with the iterate that it has, and is not called again.
class KrylovMonitor {
 public:
  KrylovMonitor() = default;
  KrylovMonitor(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)

  /// Implicit, so that options take a lambda.
  template <class Function>
    requires(!std::same_as<std::decay_t<Function>, KrylovMonitor> &&
             (std::is_invocable_r_v<MonitorAction, std::decay_t<Function>&, int, double> ||
              std::is_void_v<std::invoke_result_t<std::decay_t<Function>&, int, double>>))
  KrylovMonitor(Function&& function) {  // NOLINT(google-explicit-constructor)
    using Given = std::decay_t<Function>;
    // Pointers to functions, and what holds a function or none.
    if constexpr (std::is_pointer_v<Given> ||
                  (std::is_constructible_v<bool, Given&> && !std::is_convertible_v<Given&, bool>)) {
      if (!static_cast<bool>(function)) return;
    }
    if constexpr (std::is_void_v<std::invoke_result_t<Given&, int, double>>) {
      m_function = [given = Given(std::forward<Function>(function))](int iteration, double residual_norm) mutable {
        given(iteration, residual_norm);
        return MonitorAction::proceed;
      };
    } else {
      m_function = std::forward<Function>(function);
    }
  }

  explicit operator bool() const { return static_cast<bool>(m_function); }
  MonitorAction operator()(int iteration, double residual_norm) const { return m_function(iteration, residual_norm); }

 private:
  std::function<MonitorAction(int iteration, double residual_norm)> m_function;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
