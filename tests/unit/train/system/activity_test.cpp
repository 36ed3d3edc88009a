#include "train/system/activity.h"

#include <stdexcept>
#include <string>

#include "tests/catch.h"

using train::Activity;

TEST_CASE("activity: what an exception ended is remembered, what ended by itself is not") {
  try {
    const Activity outer("reading"), inner("counting");
    throw std::runtime_error("");
  } catch (const std::runtime_error&) {
    CHECK(Activity::interrupted() == std::string("reading"));
    const Activity after("apologizing");
  }
  CHECK(Activity::interrupted() == std::string("reading"));
}
