// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/storage_kind.hpp>
#include <hyperplane/sweep/choose_storage_options.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "c_library.hpp"
#include "table_option.hpp"

/// What factors are stored in, as options of preconditioners of grids and of compressed rows.
namespace hyperplane::c {

inline double checked_fraction(double fraction) {
  if (fraction >= 0) return fraction;
  throw Failure(HYPERPLANE_INVALID_ARGUMENT,
                "storage_fraction is " + run_time::OptionText<double>::write(fraction) + ", expected at least 0");
}

/// Of the struct of options.
template <class Settings, class Options>
void set_storage(Settings& settings, const Options& options) {
  auto const storage = enumerator<int>(options.storage, HYPERPLANE_STORAGE_AUTOMATIC, "storage");
  if (storage == HYPERPLANE_STORAGE_AUTOMATIC) {
    settings.storage_fraction = checked_fraction(options.storage_fraction);
  } else {
    settings.storage = static_cast<StorageKind>(storage);
  }
}

/// Takes storage and storage_fraction out of the texts.
template <class Settings>
void take_storage(run_time::OptionTexts& texts, Settings& settings) {
  auto const take = [&](const std::string& option) {
    std::optional<std::string> text;
    std::erase_if(texts, [&](const auto& given) {
      if (given.first == option) text = given.second;
      return given.first == option;
    });
    return text;
  };
  auto const storage = take("storage"), fraction = take("storage_fraction");
  if (storage == run_time::automatic_storage) {
    settings.storage_fraction =
        fraction ? checked_fraction(run_time::OptionText<double>::read("storage_fraction", *fraction))
                 : ChooseStorageOptions{}.fraction;
    return;
  }
  if (fraction) {
    throw Failure(HYPERPLANE_INVALID_ARGUMENT, "storage_fraction is '" + *fraction + "', and storage is not automatic");
  }
  if (!storage) return;
  auto const named =
      std::ranges::find(storage_kinds, *storage, [](StorageKind each) { return std::string(name(each)); });
  if (named == storage_kinds.end()) {
    run_time::refuse_value("storage", *storage,
                           "one of " + run_time::choice_names<StorageKind>() + '|' + run_time::automatic_storage);
  }
  settings.storage = *named;
}

}  // namespace hyperplane::c
