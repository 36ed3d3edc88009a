// Cases in the form of a terminal's output, in the files *.t beside this one:
//
//     == title [tag]                 a test, called by the file's name, a colon and the title
//     uses NAME                      begins with the files of the case NAME of fixtures.t
//     $ gradus train a.txt $small    a command, in the words of a shell, without one; $small stands for
//                                    what `small = ...` above the cases says, {a|b} for one command
//                                    with a and one with b; < FILE and > FILE as in a shell
//     | text                         a line of its standard input
//     signal INT after iter 3:       sent when standard error has the text
//     c.py| n_layer = 2 *            what the file c.py holds, as printf writes it; with several of
//                                    these lines, the command is run with each
//     ! 1                            its exit status, else 0
//     ! 1 gradus train: ...          the same; standard error is exactly this line, and no file has
//                                    changed
//     gradus train a --bias x  ! 2 --bias
//                                    a command as after $, and its refusal in one line: the status,
//                                    and standard error is one line, `gradus train: --bias: *`; no
//                                    file has changed
//     1> text                        standard output line by line, 2> standard error. `*` is any text
//                                    within a line, alone on it any lines; {1.85 ~ 0.01} a number;
//                                    nothing after >: the stream is empty
//     2! *text*                      no line is like this
//     unchanged run a.txt            files that are as they were before the command; none named: all
//
// A stream that a case does not mention is not checked, except for standard output of a failed
// command: that is empty. Any other line is an error. Other commands than gradus are in
// transcript_commands.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace program {

struct Block {  // a command and its expected results
  int line;     // of the file, from 1
  std::vector<std::string> lines;
};

struct Case {
  std::string title, tags;
  int line;
  std::vector<std::string> head;  // before the first command
  std::vector<Block> blocks;
};

struct Transcript {
  std::string path;
  std::vector<std::string> head;
  std::map<std::string, std::string> variables;
  std::vector<Case> cases;
};

Transcript read_transcript(const std::filesystem::path& path);
void write_transcript(const Transcript& transcript);

// The lines of an output: control characters as \xHH; without a last line feed, the line ends in \c.
std::vector<std::string> lines_of_output(std::string_view output);
bool matches(std::string_view pattern, std::string_view line);
bool matches(const std::vector<std::string>& patterns, const std::vector<std::string>& lines);
// The lines as patterns, with those parts of the old patterns that still match.
std::vector<std::string> mended(const std::vector<std::string>& patterns,
                                const std::vector<std::string>& lines);

// A command and how it is refused, if this is such a line.
struct Refusal {
  std::string command, status, name;
};
std::optional<Refusal> refusal_in(const std::string& line);
// "c.py| text" is the name of a file and what it holds.
std::optional<std::pair<std::string, std::string>> file_in(const std::string& line);
// Whether a line of a case, not its command, means something.
bool is_known(const std::string& line);

// The command lines that one with {a|b} stands for.
std::vector<std::string> alternatives(const std::string& line);

}  // namespace program
