# What a newcomer types. VENV names the environment, PYTHON the interpreter (3.11 or newer) that it is made with.
VENV ?= .venv
# Make takes a name with a space in it for two.
ifneq ($(words $(VENV)),1)
$(error VENV must name one folder, without a space: $(VENV))
endif
SITE_VENV := $(VENV)-site
FRAMEWORKS_VENV := $(VENV)-frameworks
CREWAI_VENV := $(VENV)-crewai
PYTHON ?= python3
CORES ?= 4
RESULTS ?= .
# Not abspath, which takes a folder with a space in its name for two; recipes quote these for the shell.
ABSOLUTE_VENV := $(if $(filter /%,$(VENV)),$(VENV),$(CURDIR)/$(VENV))
BIN := $(ABSOLUTE_VENV)/bin
# uv knows neither pip's variable for the package index nor the machine's certificates by itself.
UV := UV_SYSTEM_CERTS=true $(if $(PIP_INDEX_URL),UV_DEFAULT_INDEX="$(PIP_INDEX_URL)") $(if $(SSL_CERT_FILE),,$(if $(PIP_CERT),SSL_CERT_FILE="$(PIP_CERT)")) \
	VIRTUAL_ENV="$(ABSOLUTE_VENV)" "$(BIN)/uv" pip
STAMP := $(VENV)/.made-from-lock
# Extras on top: the matcher, endpoints of chat models, embedders from the model hub, workbooks, tests and checks.
EXTRAS := $(wildcard envs/extras/*.lock)
ALL_STAMP := $(VENV)/.made-with-extras

# A new environment in a folder of its own; what else stands there, or another project's environment outside of this
# folder, is nobody's to clear.
define new_environment
@if [ -L "$(1)" ]; then echo "$(1): a link; name the folder that it leads to by VENV, or remove it" >&2; exit 1; fi; \
case "$$(CDPATH= cd "$(1)" 2>/dev/null && pwd -P)" in "$$(pwd -P)"/*) marked=pyvenv.cfg;; *) marked='.made-*';; esac; \
if [ -n "$$(ls -A "$(1)" 2>/dev/null)" ] && ! ls "$(1)"/$$marked >/dev/null 2>&1; then \
	echo "$(1): holds something else than an environment of this project; name another folder by VENV, or remove it" >&2; exit 1; fi
$(PYTHON) -m venv --clear "$(1)"
@touch "$(1)/.made-by-make"
endef

# Some containers set it; the tests start thousands of interpreters, and each would compile anew what it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: env env-all paper_tables test test-all frameworks site release same

paper_tables: $(STAMP)
	PATH="$(BIN):$$PATH" snakemake --cores $(CORES) paper_tables

test: $(ALL_STAMP)
	PATH="$(BIN):$$PATH" pytest --numprocesses logical -m "not slow"

# All tests, and every property of a parser on two thousand inputs. What fails beside others runs once more by itself; what
# fails again fails. One process more than processors, since many tests wait.
test-all: $(ALL_STAMP)
	PATH="$(BIN):$$PATH" pytest --numprocesses logical --hypothesis-profile=fuzz tests/faults -k "whatever or every_text or each_character"
	PATH="$(BIN):$$PATH" pytest --numprocesses $$(($$(nproc) + 1)) || PATH="$(BIN):$$PATH" pytest --last-failed --last-failed-no-failures none

# The judges of the store's adapters (docs/agents.md), in environments of their own: they need other versions than the rest,
# and CrewAI other ones again. Of its own tests, which are run where its sources were unpacked, one stores 50,000 records.
JUDGED := -m pytest -p no:cacheprovider --noconftest -c pyproject.toml --rootdir . -o asyncio_mode=auto tests/docs/test_agents_page.py
CREWAI_TESTS := $(addprefix $(CREWAI_VENV)/sources/crewai-*/tests/memory/test_,dimension_mismatch.py lancedb_*.py memory_root_scope.py unified_memory.py)
frameworks: $(FRAMEWORKS_VENV)/.made-from-lock $(CREWAI_VENV)/packages.txt
	PYTHONPATH="$(CURDIR)" $(FRAMEWORKS_VENV)/bin/python $(JUDGED) tests/store/frameworks
	PYTHONPATH="$(CURDIR)" CREWAI_DISABLE_TELEMETRY=true CREWAI_TRACING_ENABLED=false OTEL_SDK_DISABLED=true \
		$(CREWAI_VENV)/bin/python $(JUDGED) -p tests.support.crewai_storage --import-mode=importlib -W ignore \
		-k "not exceeding_scan_cap" $(CREWAI_TESTS) tests/store/frameworks/test_crewai.py \
		tests/store/frameworks/test_benchmark.py tests/store/test_importing.py

$(CREWAI_VENV)/packages.txt: $(wildcard envs/crewai.*) $(STAMP)
	"$(BIN)/python" -c "from pathlib import Path as P; from lethe.environments.build import build_environment as build; build(P('envs/crewai.lock'), P('$(CREWAI_VENV)'), P('$@'))"

$(FRAMEWORKS_VENV)/.made-from-lock: envs/frameworks.lock $(STAMP)
	$(call new_environment,$(FRAMEWORKS_VENV))
	$(UV) sync --quiet --python $(FRAMEWORKS_VENV) --require-hashes --only-binary :all: envs/frameworks.lock
	@touch $@

# The documentation, in build/site.
site: $(SITE_VENV)/.made-from-lock
	NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/mkdocs build --strict --quiet --config-file site/mkdocs.yml

# A release of what is committed, with the finished run in RESULTS, in dist; docs/releasing.md.
release: site $(ALL_STAMP)
	"$(BIN)/python" -m release.build --results "$(RESULTS)" --site build/site --out dist
	"$(BIN)/python" -m release.verify dist

# Whether the finished run in RESULTS has the rows of the one in REF, times aside; docs/releasing.md.
same: $(STAMP)
	"$(BIN)/python" -m release.same --results "$(RESULTS)" $(if $(REF),"$(REF)")

$(SITE_VENV)/.made-from-lock: envs/site.lock $(STAMP)
	$(call new_environment,$(SITE_VENV))
	$(UV) sync --quiet --python $(SITE_VENV) --require-hashes --only-binary :all: envs/site.lock
	@touch $@

# What the default command needs, and everything.
env: $(STAMP)

env-all: $(ALL_STAMP)

$(STAMP): envs/pipeline.lock envs/build.lock envs/extras/wheels.lock pyproject.toml lethe/pyproject.toml lethe/store/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(call new_environment,$(VENV))
	@sed -n '/^uv==/,/# via/p' envs/pipeline.lock > $(VENV)/uv.lock
	"$(BIN)/python" -m pip install --quiet --require-hashes --no-deps -r $(VENV)/uv.lock
	$(UV) sync --quiet --compile-bytecode --require-hashes --only-binary :all: --no-binary connection-pool --build-constraints envs/build.lock envs/pipeline.lock
	$(UV) install --quiet --no-deps --build-constraints envs/extras/wheels.lock --editable . --editable ./lethe/store --editable ./lethe
	"$(BIN)/python" -m compileall -q forgeteval lethe
	@touch $(STAMP)

$(ALL_STAMP): $(STAMP) $(EXTRAS)
	$(UV) install --quiet --compile-bytecode --no-deps --require-hashes --only-binary :all: $(EXTRAS:%=--requirements %)
	@touch $@
