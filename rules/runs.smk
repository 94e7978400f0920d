# Every configuration on every suite: a worker in the system's environment, a journal, one Parquet file.
rule run_system:
    input:
        cases=rules.build_suite.output.cases,
        vectors=rules.embed_suite.output.vectors,
        embedder=rules.prepare_embedder.output.description,
        freeze=system_environment,
        weights=weights_of_system,
        server=server_of_system,
        recorded=recorded_of_system,
    output:
        trials=out("results/runs/{suite}/{system}.parquet"),
    log:
        out("results/logs/runs/{suite}/{system}.log"),
    benchmark:
        out("results/benchmarks/runs/{suite}/{system}.tsv")
    threads: lambda wildcards: threads_of_model(CONFIGURATIONS[wildcards.system].model)
    resources:
        llm=lambda wildcards: 1 if CONFIGURATIONS[wildcards.system].model else 0,
    params:
        system=run_entry_of_system,
        settings=run_settings,
        answering_model=answering_model,
        environments=built(),
        journal=out("results/journals/{suite}/{system}.jsonl"),
        fingerprint=run_fingerprint_by("run_system.py"),
    script:
        "../workflow_scripts/run_system.py"
