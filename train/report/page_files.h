// The files of a page; the Makefile compiles them into the program.
#pragma once

#include <string_view>

namespace train {

extern const std::string_view report_html, chart_css, report_css, chart_js, report_js;

}  // namespace train
