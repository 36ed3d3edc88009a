// Files and paths, on top of model/base/files.h: what commands ask before they read and write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/files.h"
#include "model/base/path.h"

namespace train {

using model::file_exists;
using model::inside;
using model::is_directory;
using model::last_separator;
using model::read_file;
using model::write_file;

// Identifies a file under all its names: device and inode number.
using FileIdentity = std::pair<std::uint64_t, std::uint64_t>;
FileIdentity file_identity(const std::string& path);

// All regular files in a directory and in the directories below it, and the links to directories,
// which are not followed; sorted by the bytes of their paths. Hidden files and directories (names
// that begin with a dot) are left out.
std::vector<std::string> files_in(const std::string& directory);

// Throws now what write_file(path) would throw later, except for lack of space; also throws if the
// existing file may not be written.
void probe_output(const std::string& path);

// Adds bytes to the end of a file of `size` bytes; returns when they are on the disk. If that
// fails, the file has its old size again. False, and nothing is written, if no plain file of this
// size is at the path itself (a link is not followed), or if it cannot be opened.
bool append_to_file(const std::string& path, std::int64_t size, std::string_view bytes);

// Throws Error if a command would write one of the files that it reads, under any name.
void check_apart(std::span<const std::string> inputs, std::span<const std::string> outputs);

bool is_empty_directory(const std::string& path);
std::string absolute_path(const std::string& path);
std::string last_name(const std::string& path);  // of the absolute path, so "." has one, too

}  // namespace train
