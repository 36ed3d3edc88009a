# gradus: `make` builds ./gradus, `make help` lists the rest.
#
#   CXX=g++|clang++   REAL=float|double   ARCH=native|x86-64|x86-64-v3|x86-64-v4|...
#   OPT=-O3           SAN=address,undefined|thread (sanitizers)
CXX  ?= g++
ifeq ($(origin CXX),default)
CXX  := g++
endif
REAL ?= float
ARCH ?= native
OPT  ?= -O3
SAN  ?=

MAKEFLAGS += --no-print-directory
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
endif
ifndef V
.SILENT:
endif

WARN  := -Wall -Wextra -Wshadow -Wconversion
BASE  := -std=c++20 $(OPT) -g1 $(WARN) -I. -pthread -MMD -MP \
         -ffp-contract=off -fno-math-errno -fno-trapping-math -DGRADUS_REAL=$(REAL) \
         $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
FLAGS := $(BASE) $(if $(ARCH),-march=$(ARCH))
B     := .build/$(notdir $(CXX))-$(ARCH)-$(REAL)$(if $(filter-out -O3,$(OPT)),-$(subst -,,$(OPT)))$(if $(SAN),-$(firstword $(subst $(comma),-,$(SAN))))
comma := ,

SOURCES := $(filter-out train/main.cpp,$(wildcard engine/*.cpp engine/*/*.cpp nn/*.cpp model/*.cpp train/*.cpp))
OBJECTS := $(SOURCES:%.cpp=$B/%.o)
TESTS   := $(wildcard tests/main.cpp tests/unit/*.cpp tests/gradient/*.cpp tests/program/*.cpp tests/articles/*.cpp)
CATCH_LIBS := $(shell pkg-config --libs catch2-with-main 2>/dev/null)

all: gradus

$B/%.o: %.cpp
	@mkdir -p $(@D)
	echo "  $(notdir $(CXX))  $<"
	$(CXX) $(FLAGS) -c $< -o $@

# Compiled for the base instruction set: it finds out whether this CPU can run the rest.
$B/train/main.o: train/main.cpp
	@mkdir -p $(@D)
	echo "  $(notdir $(CXX))  $<"
	$(CXX) $(BASE) -c $< -o $@

$B/gradus: $(OBJECTS) $B/train/main.o
	$(CXX) $(FLAGS) $^ -o $@
gradus: $B/gradus
	cp $< $@

$B/gradus-tests: $(OBJECTS) $(TESTS:%.cpp=$B/%.o)
	$(CXX) $(FLAGS) $^ -o $@ $(CATCH_LIBS)

test: $B/gradus-tests
	$B/gradus-tests

# Every float through the vector math: minutes.
$B/vector-math-all: $(OBJECTS) $B/tests/torture/vector_math_all.o
	$(CXX) $(FLAGS) $^ -o $@
torture-math: $B/vector-math-all
	$B/vector-math-all

clean:
	rm -rf .build gradus

-include $(shell find .build -name '*.d' 2>/dev/null)
.PHONY: all test torture-math clean
