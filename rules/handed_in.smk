# What others handed in (`forgeteval admit`): taken up from its folder, scored, and shown in a table of its own.
HANDED_IN = Path(CONFIG.handed_in)


wildcard_constraints:
    by="[^/]+",


rule take_up_handed_in:
    input:
        record=lambda wildcards: here(
            HANDED_IN / wildcards.by / wildcards.system / "submission.json"
        ),
        trials=lambda wildcards: here(
            HANDED_IN
            / wildcards.by
            / wildcards.system
            / "trials"
            / f"{wildcards.suite}.parquet"
        ),
        cases=rules.build_suite.output.cases,
    output:
        trials=out(plan.HANDED_TRIALS),
    log:
        out("results/logs/handed_in/{by}/{system}/{suite}.log"),
    params:
        fingerprint=script_fingerprint("take_up_handed_in.py"),
    script:
        "../workflow_scripts/take_up_handed_in.py"
