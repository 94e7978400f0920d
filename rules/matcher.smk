# The matcher: what each kind of evidence is worth, and the weights that it learns from written cases.


rule train_matcher:
    input:
        cases=[
            here(str(path))
            for folder in (
                "adversarial",
                "development",
                "development_house",
                "development_twins",
            )
            for path in sorted(Path("suites", folder).rglob("*.*"))
        ],
        embedder=rules.prepare_embedder.output.description,
    output:
        expand(
            out("results/matcher/weights/{decision}.json"),
            decision=["asked", "superseded", "sure", "absent"],
        ),
    log:
        out("results/logs/matcher/train.log"),
    params:
        suites="suites",
        fingerprint=script_fingerprint("train_matcher.py"),
    script:
        "../workflow_scripts/train_matcher.py"
