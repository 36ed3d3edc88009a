// What an error says.
#pragma once

#include <string>

#include "engine/base/check.h"

template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const engine::Error& error) {
    return error.what();
  }
  return "accepted";
}
