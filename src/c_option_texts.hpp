// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "c_library.hpp"

namespace hyperplane::c {

/// Of "relaxation=1.2,storage=float".
inline run_time::OptionTexts option_texts(std::string_view options) {
  run_time::OptionTexts texts;
  while (!options.empty()) {
    auto const length = std::min(options.find(','), options.size());
    std::string const option(options.substr(0, length));
    options.remove_prefix(std::min(length + 1, options.size()));
    auto const sign = option.find('=');
    if (sign == std::string::npos) {
      throw Failure(HYPERPLANE_INVALID_ARGUMENT, "'" + option + "' is not of the form option=value");
    }
    texts.emplace_back(option.substr(0, sign), option.substr(sign + 1));
  }
  return texts;
}

}  // namespace hyperplane::c
