# What every table and figure shares: the suites of the paper, and the names that stand in tables.
TEMPLATE_SUITE = config["paper"]["template_suite"]
ADVERSARIAL_SUITE = config["paper"]["adversarial_suite"]
HELD_OUT_SUITE = config["paper"]["held_out_suite"]
SCORES = out("results/analysis/scores/{suite}.parquet")
EMPTY_SUITES = reasons_suite_empty(config)
LABELS = {
    "systems": CONFIGURATIONS,
    "not_run": {suite: reasons_not_run(config, suite) for suite in SUITES},
    "suites": {
        name: options.get("label", name) for name, options in config["suites"].items()
    },
    "empty": EMPTY_SUITES,
    "seen_by": {
        name: options.get("seen_by", []) for name, options in config["suites"].items()
    },
    "scorer": config["paper"]["scorer"],
    "reference": config["systems"][config["paper"]["reference_system"]]["label"],
}
