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
# make 4.3 does not show here which -j its environment has.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))$(findstring j,$(firstword $(shell echo "$$MAKEFLAGS"))),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
endif
ifndef V
.SILENT:
endif

WARN  := -Wall -Wextra -Wshadow -Wconversion -Werror=switch
# Apple's compilers for its own processors know -mcpu=native, and have learned -march=native late.
MACHINE := $(if $(ARCH),-m$(if $(filter Darwin-arm64,$(shell uname -sm | tr ' ' -)),cpu,arch)=$(ARCH))
# Windows: GCC does not align its stack for vectors of 32 bytes (GCC's bug 54412).
WINDOWS := $(findstring mingw,$(shell $(CXX) -dumpmachine 2>/dev/null))
EXE   := $(if $(WINDOWS),.exe)
BASE  := $(if $(WINDOWS),-Wa$(comma)-muse-unaligned-vector-move) -std=c++20 $(OPT) $(WARN) -I. $(if $(findstring em++,$(CXX)),,-pthread) -MMD -MP \
         -ffp-contract=off -fno-math-errno -fno-trapping-math -DGRADUS_REAL=$(REAL) $(EXTRA) \
         $(if $(SAN),-g1 -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
FLAGS := $(BASE) $(MACHINE)
# CPPFLAGS and CXXFLAGS of whoever builds come last, so that they are stronger.
OF_USER = $(CPPFLAGS) $(CXXFLAGS)
LINK    = $(CXX) $(FLAGS) $(OF_USER) $^ -o $@ $(if $(WINDOWS),-static) $(OF_PROGRAM) $(LDFLAGS)
# Where everything is built; without O=DIR in .build, with a copy of gradus here.
O     ?= .build
ifneq ($(words $O),1)
$(error O=$O: has a space, which make cannot have in the name of a file)
endif
# The build of REAL and OPT.
build_of = $O/$(call name_of,$(notdir $(CXX)))-$(ARCH)-$(1)$(if $(filter-out -O3,$(2)),-$(call name_of,$(2)))$(if $(SAN),-$(firstword $(subst $(comma), ,$(SAN))))$(call name_of,$(EXTRA))$(if $(filter-out 0,$(MPI)),-mpi)
B     := $(call build_of,$(REAL),$(OPT))

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
OTHERS  := $(PROCESSES)$(if $(MPI_FLAGS),,_mpi).cpp $(foreach file,engine/base/cpu model/base/system train/system/console,$(file)_$(if $(WINDOWS),posix,windows).cpp)
SOURCES := $(filter-out train/main.cpp $(wildcard train/page/*.cpp) $(OTHERS),$(call find,engine nn model train))
# Each of these folders is compiled as one file, for which headers are read and templates made once;
# make lint compiles every file by itself. COLD ones do no arithmetic worth optimizing. The double build is
# for proofs: nobody edits in it.
COLD    := model/exchange train/cli train/exchange train/program train/record train/report train/run train/system
UNITS   ?= $(COLD) model/base model/format model/generate model/gpt model/tokenizer model/tokenizer/bpe nn train/loop \
           train/text tests/gradient tests/exercises/grader \
           $(if $(filter double,$(REAL)),engine engine/kernels engine/ops engine/random)
COMMIT  := $B/train/cli/version.o
# Those that are compiled by themselves: with what make says of the commit, with MPI's flags.
ALONE   := train/cli/version.cpp $(wildcard $(PROCESSES)*.cpp)
files_of = $(filter-out $(ALONE) $(OTHERS),$(wildcard $(1)/*.cpp))
APART   := $(filter-out $(foreach unit,$(UNITS),$(call files_of,$(unit))),$(SOURCES))
# The files of gradus report's page, as strings.
PAGE_FILES := $(addprefix train/report/,report.html chart.css report.css chart.js report.js)
OBJECTS := $(APART:%.cpp=$B/%.o) $(filter-out $B/tests/%,$(UNITS:%=$B/%.o)) $B/train/report/page_files.o
# Of the files $(2), which are all of the folder $(1): their objects, or that of the folder.
objects = $(if $(filter $(1),$(UNITS)),$B/$(1).o,$(patsubst %.cpp,$B/%.o,$(2)))
# The objects of whole folders.
in = $(filter $(foreach folder,$(1),$B/$(folder).o $B/$(folder)/%),$(OBJECTS))
RUN     := $(if $(filter /%,$O),,./)
PROGRAM := $(if $(filter .build,$O),gradus,$O/gradus)$(EXE)

.DEFAULT_GOAL := all
all: $(PROGRAM)  ## build ./gradus, optimized for this machine

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
# g++ 12 warns of std::string's own code when its header is precompiled. It collects garbage
# from 128 MiB on, a tenth of its time; from 600 MiB on, its largest units take a sixth more memory.
QUIET := $(if $(findstring clang,$(CXX)),,-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow \
           -Wno-stringop-overread --param ggc-min-heapsize=600000)
$(filter-out $(COMMIT),$(APART:%.cpp=$B/%.o)): $B/%.o: %.cpp $B/flags $(PCH:=.gch)
	$(call compile,$(FLAGS) $(PCH:%=-include %) $(OF_FILE))
$(foreach unit,$(UNITS),$(eval $B/$(unit).o: $(call files_of,$(unit))))
$(UNITS:%=$B/%.o): $B/%.o: $B/flags $(PCH:=.gch)
	$(make_directory)
	echo "  $(notdir $(CXX))  $*/*.cpp"
	printf '#include "%s"\n' $(call files_of,$*) | $(CXX) $(FLAGS) $(if $(filter $(COLD) tests/%,$*),$(patsubst -O3,-O1,$(OPT))) $(OF_USER) $(PCH:%=-include % $(QUIET)) -x c++ -c - -o $@
$B/std.h.gch: Makefile $B/flags
	echo "$B: everything is compiled once, in one to three minutes on two cores; later only what changed"
	printf '#include <%s>\n' $(HEADERS) >$B/std.h
	printf '#if defined(__x86_64__)\n#include <immintrin.h>\n#endif\n' >>$B/std.h
	$(CXX) $(FLAGS) $(OF_USER) -x c++-header $B/std.h -o $@

# A source that was renamed: what was compiled of its folder before still names it, and is made again.
engine/%.cpp nn/%.cpp model/%.cpp train/%.cpp: ;

# Written only when make was given other flags: then all is compiled again.
$B/flags: always
	$(make_directory)
	echo $(call quoted,$(FLAGS) $(OF_USER) $(LDFLAGS)) >$@.new
	cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# The version and the commit, for gradus --version: written only when they are others.
$B/commit.h: always
	$(make_directory)
	printf '#define GRADUS_VERSION "%s"\n#define GRADUS_COMMIT "%s"\n' '$(VERSION)' \
	  "$$(git --git-dir=.git --work-tree=. describe --always --dirty --exclude '*' 2>/dev/null || echo unknown)" >$@.new
	cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(COMMIT): train/cli/version.cpp $B/commit.h $B/flags $(PCH:=.gch)
	$(call compile,$(FLAGS) $(PCH:%=-include %) -include $B/commit.h)

# Each file is a raw string, which ends where no HTML, CSS or JavaScript would.
$B/train/report/page_files.o: $(PAGE_FILES) $B/flags
	$(make_directory)
	echo "  $(notdir $(CXX))  $(PAGE_FILES)"
	{ echo '#include "train/report/page_files.h"'; \
	  for file in $(PAGE_FILES); do \
	    printf 'const std::string_view train::%s = R"of_page(' "$$(basename $$file | tr . _)"; \
	    cat $$file; echo ')of_page";'; done; } | $(CXX) $(FLAGS) $(OF_USER) -x c++ -c - -o $@

# Compiled for the base instruction set: it finds out whether this CPU can run the rest.
$B/train/main.o: train/main.cpp $B/flags
	$(call compile,$(BASE))

$B/gradus$(EXE): $(OBJECTS) $B/train/main.o
	$(LINK)
# Always the build of the last make. Replaced by renaming: the old one may be running.
$(PROGRAM): $B/gradus$(EXE)
	cmp -s $< $@ || { cp $< $@.new && mv $@.new $@ && echo "built $(RUN)$@; $(RUN)$@ --help says what it does"; }

# What tests and the programs to learn from are made of, and what proves, measures and builds for other systems.
include tests/Makefile

LIBRARY := $(if $(filter .build,$O),libgradus.a,$O/libgradus.a)
lib: $(LIBRARY)  ## libgradus.a: engine, nn and model, for programs of your own; EXTRA=-fPIC for plug-ins
	echo "$(RUN)$< has engine, nn and model: $(CXX) -std=c++20 -O2 $(MACHINE) -DGRADUS_REAL=$(REAL) -I. prog.cpp $< -pthread"
	$(if $(findstring -fPIC,$(FLAGS) $(OF_USER)),,echo "for a plug-in or a Python module: make lib EXTRA=-fPIC")
$B/libgradus.a: $(call in,engine nn model)
	rm -f $@
	ar rcs $@ $^
$(LIBRARY): $B/libgradus.a
	cmp -s $< $@ || { cp $< $@.new && mv $@.new $@; }

DEMO := $(if $(filter .build,$O),out,$O/out)/demo
demo: $(PROGRAM)  ## build, train on data/fables.txt for a minute, then write a sample (three minutes)
	$(RUN)$(PROGRAM) train data/fables.txt --minutes 1 --out_dir $(DEMO) --force
	$(RUN)$(PROGRAM) sample $(DEMO)

test: $B/gradus$(EXE) $B/gradus-tests$(EXE) $(TOUR) $B/gradcheck$(EXE) build-double  ## every test; TIMES=1: what took longest
	GRADUS=$B/gradus$(EXE) TOUR=$B/tests/tour EXERCISES=$(DOUBLE)/tests/exercises GAP=$(GAP) \
	  $(if $(findstring thread,$(SAN)),,PINNED=1) $(LIMITED) tests/shards.sh $B/gradus-tests$(EXE) $(NOT_HERE)
	$(LIMITED) $(DOUBLE)/reference-tests$(EXE)
	$(MAKE) gradcheck >$B/gradcheck.log || { cat $B/gradcheck.log; false; }
	sed -n '/worst error/,/ s$$/p' $B/gradcheck.log
	$(if $(TIMED),tests/timed.sh)
check: test  ## the same

# The double build checks against central differences and leaves its gradients to the float build.
gradcheck:  ## every gradient against central differences, and float against double
	$(MAKE) $(IN_DOUBLE) run-gradcheck
	$(MAKE) REAL=float run-gradcheck

way:  ## the book (tests/book/) in numbers: lines of prose and code by chapter, the hours they take
	tests/way.py
book:  ## out/book/index.html, the engine told in order, each listing its own source (needs pandoc and libclang)
	echo "looking up where each name of the sources is declared (half a minute, the first time)"
	$(needs_book)
	tests/book/make.py

TOURED = $(or $(if $N,$(filter $B/tests/tour/$N_%,$(TOUR)),$(TOUR)),$(error there is no program $N: there are 0 to $(words $(wordlist 2,99,$(TOUR)))))
tour:  ## nine small programs that show the engine in use, in order (a minute after make); N=3: that one
	$(MAKE) $(TOURED)
	for program in $(TOURED); do echo "==== tests/tour/$${program##*/}.cpp"; \
	  case $$program in *graph) $$program $B/graph.dot ;; *) $$program ;; esac || exit 1; echo; done

exercise:  ## the first unfinished one of tests/exercises/, graded (the first compiles the engine: a minute); N=3: that one, HINT=1: its hint
	BUILD_COMMAND='$(MAKE) $(IN_DOUBLE)' tests/exercises/grade.sh $(DOUBLE) '$N' '$(filter-out 0,$(HINT))' $(CHOSEN)

ARTICLE ?= thomas soloshun self-attention raschka book book-124M rotary scale heads reversal without
articles: $B/gradus-tests  ## the tutorials' code and experiments, with their numbers; ARTICLE=scale: one
	for article in $(ARTICLE); do \
	  GRADUS_WALKTHROUGH=1 $(LIMITED) $B/gradus-tests "[$$article]" || exit 1; done

PREFIX ?= /usr/local
PLACE   = "$(DESTDIR)$(PREFIX)"
INSTALLED := bin/gradus share/man/man1/gradus.1 share/bash-completion/completions/gradus share/gradus/nanogpt.py lib/libgradus.a lib/pkgconfig/gradus.pc include/gradus share/doc/gradus
# Pages for users of the library, and the programs of the tour that need nothing else (6 needs the bench).
DOCUMENTS := tests/tour/own_operation.md $(filter-out %/6_gemm.cpp,$(TOUR:$B/%=%.cpp))
absolute_prefix = $(if $(filter /%,$(firstword $(PREFIX))),,$(error PREFIX=$(PREFIX): expected a directory's whole path, from / on))
# All that can fail without a directory to write to is done first.
install: $(PROGRAM) $(LIBRARY)  ## gradus, man page, completion for bash, nanogpt.py, library with headers and examples, to PREFIX (/usr/local)
	$(absolute_prefix)
	mkdir -p $B/share
	$(RUN)$(PROGRAM) --man >$B/share/gradus.1
	$(RUN)$(PROGRAM) --bash_completion >$B/share/gradus
	sed 's/@VERSION@/$(VERSION)/' tests/tour/installed.md >$B/share/README.md
	printf '%s\n' 'prefix=$(subst $(space),\ ,$(PREFIX))' 'Name: gradus' 'Description: reverse-mode autograd and GPTs' \
	  'Version: $(VERSION)' 'Cflags: -std=c++20 $(MACHINE) -pthread -DGRADUS_REAL=$(REAL) -I$${prefix}/include/gradus' \
	  'Libs: -L$${prefix}/lib -lgradus -pthread' >$B/share/gradus.pc
	umask 022 && mkdir -p $(foreach file,$(INSTALLED),$(PLACE)/$(dir $(file))) $(PLACE)/share/doc/gradus
	install -m 755 $(PROGRAM) $(PLACE)/bin/gradus
	install -m 644 $B/share/gradus.1 $(PLACE)/share/man/man1
	install -m 644 $B/share/gradus $(PLACE)/share/bash-completion/completions
	install -m 644 train/exchange/nanogpt.py $(PLACE)/share/gradus
	install -m 644 $(LIBRARY) $(PLACE)/lib/libgradus.a
	install -m 644 $B/share/gradus.pc $(PLACE)/lib/pkgconfig
	install -m 644 $(DOCUMENTS) $B/share/README.md $(PLACE)/share/doc/gradus
	umask 022 && find engine nn model -name '*.h' | while read header; do \
	  mkdir -p $(PLACE)/include/gradus/$${header%/*} && install -m 644 $$header $(PLACE)/include/gradus/$$header || exit 1; done
	echo "installed in "$(PLACE)": $(INSTALLED)"
# Directories left empty go too, but not those of /usr and /usr/local that every system has.
LEFT_EMPTY = share/man/man1 share/bash-completion/completions share/bash-completion share/gradus lib/pkgconfig \
  $(if $(filter /usr /usr/local,$(DESTDIR)$(PREFIX)),,share/doc share/man share lib include bin)
uninstall:  ## remove what make install with the same PREFIX put there
	$(absolute_prefix)
	rm -rf $(INSTALLED:%=$(PLACE)/%)
	rmdir $(LEFT_EMPTY:%=$(PLACE)/%) 2>/dev/null; rmdir $(if $(DESTDIR),-p) $(PLACE) 2>/dev/null; \
	echo "no longer in "$(PLACE)": $(INSTALLED)"

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
	awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "%-19s%s\n", $$1, $$2}' Makefile tests/Makefile
	echo "Settings: CXX=g++|clang++  REAL=float|double  ARCH=native|x86-64-v3|...  OPT=-O3  O=DIR (build there)"
	echo "  V=1 (show commands)  CPPFLAGS=, CXXFLAGS=, LDFLAGS= (added to ours)  EXTRA= (flags of a build of their own)"
	echo "  SAN=address,undefined  PREFIX=/usr/local  DESTDIR=  TIME_LIMIT=2h (of a test program)  and those of the targets above"

-include $(shell find $B -type f -name '*.d' ! -name std.h.d ! -name 'tests_O[01].d' 2>/dev/null)
.PHONY: all $(PROGRAM) lib $(LIBRARY) demo test gradcheck way book tour exercise articles \
         install uninstall check shakespeare clean distclean help always
