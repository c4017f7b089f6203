// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tuple>
#include <utility>

namespace hyperplane::run_time {

/// The Factory<n, Exec>, if n is among the sizes.
template <class Base, template <int, class> class Factory, class Exec, int... sizes>
const Base* find_of_size(int n, std::integer_sequence<int, sizes...>) {
  static std::tuple<Factory<sizes, Exec>...> const factories;
  const Base* found = nullptr;
  std::apply([&](const auto&... factory) { ((n == sizes ? void(found = &factory) : void()), ...); }, factories);
  return found;
}

/// What `find<group>()` finds in the first group that has it; null where none has.
template <class Find, int... groups>
auto* find_in_groups(const Find& find, std::integer_sequence<int, groups...>) {
  decltype(find.template operator()<0>()) found = nullptr;
  ((found = found != nullptr ? found : find.template operator()<groups>()), ...);
  return found;
}

}  // namespace hyperplane::run_time
