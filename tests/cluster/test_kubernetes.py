"""The profile for Kubernetes: its real executor, with pods that are processes here and share nothing but storage."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lethe.schemas import TRIALS
from tests.cluster.kubernetes import running_cluster
from tests.cluster.plugins import plugins
from tests.cluster.s3 import KEYS, running_s3
from tests.support.jobs import copy_project
from tests.support.paths import ROOT
from tests.workflow.conftest import SUITES_ALONE, write_cases

pytestmark = pytest.mark.slow
DOCKERFILE = (ROOT / "profiles" / "kubernetes" / "Dockerfile").read_text(encoding="utf-8")


def test_pods_build_what_they_need_and_leave_results_in_storage(tmp_path: Path) -> None:
    project, pods, bin_folder = copy_project(tmp_path / "project"), tmp_path / "pods", tmp_path / "bin"
    pods.mkdir()
    bin_folder.mkdir()
    # As in the image: pods install nothing.
    assert "ln -sf /bin/true /venv/bin/pip" in DOCKERFILE
    (bin_folder / "pip").symlink_to("/bin/true")
    write_cases(project / "mine.jsonl", 4)
    config = {"output_dir": "out", "suites": {"mine": {"source": "mine.jsonl"}}, "run": SUITES_ALONE}
    (project / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    # What git knows is what pods get.
    for command in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *command], cwd=project, check=True)
    environment = os.environ | {
        "PATH": os.pathsep.join([str(bin_folder), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(plugins("kubernetes")),
    }
    with running_s3(tmp_path) as s3, running_cluster(pods, environment) as cluster:
        target = "out/results/runs/mine/qdrant.parquet"
        options = ["--profile", str(ROOT / "profiles" / "kubernetes"), "--container-image", "registry.test/lethe:1"]
        quick = ["--seconds-between-status-checks", "1", "--latency-wait", "5", "--restart-times", "0"]
        command = [sys.executable, "-m", "snakemake", target, "--configfile", "mine.yaml"]
        said = subprocess.run(
            [*command, *options, *quick, *s3.options("s3://bucket/stored")],
            cwd=project, env=s3.environment(project) | {"KUBECONFIG": str(cluster.kubeconfig)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        logs = "".join(path.read_text(encoding="utf-8") for path in pods.glob("*.log"))
        assert said.returncode == 0, said.stdout + said.stderr + logs
        trials = s3.read(f"bucket/stored/{target}")

    assert trials.startswith(b"PAR1") and TRIALS.path.format(suite="mine", system="qdrant") in target
    assert len(cluster.jobs) == 2, "vectors and a run"
    asked = [job["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"] for job in cluster.jobs.values()]
    assert sorted(each["cpu"] for each in asked) == ["1900m", "950m"], "two threads embed"
    for job in cluster.jobs.values():
        (container,) = job["spec"]["template"]["spec"]["containers"]
        assert container["image"] == "registry.test/lethe:1" and container["workingDir"] == "/workdir"
        assert container["resources"]["requests"] | {"cpu": ""} == {
            "cpu": "",
            "memory": "2000M",
            "ephemeral-storage": "8000M",
        }
        assert {variable["name"] for variable in container["env"]} >= set(KEYS)
        assert not any(secret in str(job) for secret in KEYS.values())
    built = [folder for folder in pods.iterdir() if (folder / ".environments" / "qdrant" / "bin" / "python").exists()]
    assert len(built) == 1, "the pod of the run"
    assert not any(secret in said.stdout + said.stderr + logs for secret in KEYS.values())
