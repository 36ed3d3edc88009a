// The files that a page is made of: the Makefile compiles them in.
#pragma once

#include <string_view>

namespace train {

extern const std::string_view report_html, chart_css, report_css, chart_js, report_js;

}  // namespace train
