"""What lets releases through elsewhere: the pre-commit hook, the GitHub action, the image of the command line."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from anonduck.cli.audited_files import audit_files

ROOT = Path(__file__).parents[1]
HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))[0]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
IMAGE = [
    line
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two releases, one of which has k = 2."""
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"job": ["a", "b"] * 5, "class": list("xy") * 5}).to_csv("good.csv", index=False)
    pd.DataFrame({"job": ["a"] * 8 + ["b"] * 2, "class": list("xy") * 5}).to_csv("bad.csv", index=False)
    (tmp_path / "policy.yml").write_text("audiences: {partner: {k: 5}}", encoding="utf-8")
    return tmp_path


# -- several files -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--class", "class", "--require", "k=5", "good.csv"], 0),
        (["--class", "class", "--policy", "policy.yml", "--audience", "partner", "good.csv", "bad.csv"], 1),
        (["--class", "class", "--require", "k=5", "good.csv", "bad.csv"], 1),
        (["--class", "class", "--require", "k=5", "bad.csv", "good.csv"], 1),
        (["--class", "class", "--require", "k=2", "--", "bad.csv", "good.csv"], 0),
        (["--class=class", "--require", "k=5", "bad.csv", "absent.csv"], 2),
        (["--class", "class", "--require", "k=5"], 0),
        (["--class", "class", "good.csv"], 2),
        (["good.csv", "--require", "k=5"], 2),
        (["--no-such-option", "--require", "k=5", "good.csv"], 2),
    ],
)
def test_several_files_are_audited_and_the_worst_counts(folder, capsys, arguments, code):
    assert audit_files(arguments) == code
    printed = capsys.readouterr()
    if code < 2 and len(arguments) > 4:
        assert all(f"{name}:" in printed.out for name in arguments if name.endswith(".csv"))


# -- pre-commit --------------------------------------------------------------------------------------------------------


def test_the_hook_runs_a_script_of_the_package():
    from test_packaging import PROJECT

    assert HOOK["entry"] in PROJECT["project"]["scripts"]
    assert HOOK["language"] == "python"


@pytest.mark.slow
def test_the_hook_refuses_a_commit_of_a_release_under_its_k(folder):
    """By pre-commit itself, with the anonduck of this environment in the place of a new one."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed: pip install -e '.[dev]'")
    scripts = folder / "scripts"
    scripts.mkdir()
    script = scripts / HOOK["entry"]
    script.write_text(f"#!{sys.executable}\nfrom anonduck.cli.audited_files import main\nmain()\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    local = {**HOOK, "language": "system", "files": r"^releases/.*\.csv$"}
    local["args"] = ["--class", "class", "--require", "k=5"]
    config = {"repos": [{"repo": "local", "hooks": [local]}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (folder / "releases").mkdir()
    shutil.copy("good.csv", "releases/good.csv")
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment |= {"PRE_COMMIT_HOME": str(folder / "cache"), "HOME": str(folder)}

    def told(*command):
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

    told("git", "init", "--quiet")
    told("git", "add", "releases", ".pre-commit-config.yaml")
    passed = told(sys.executable, "-m", "pre_commit", "run")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "Passed" in passed.stdout
    shutil.copy("bad.csv", "releases/bad.csv")
    told("git", "add", "releases")
    refused = told(sys.executable, "-m", "pre_commit", "run")
    assert refused.returncode == 1
    assert "releases/bad.csv:" in refused.stdout
    assert "k >= 5: NOT met (2)" in refused.stdout
    assert "releases/good.csv:" in refused.stdout


# -- the action --------------------------------------------------------------------------------------------------------


def acted(folder, **inputs):
    """The action's last step, run as a runner does: inputs are in the environment, by default as it says."""
    step = ACTION["runs"]["steps"][-1]
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    names = {key: value.removeprefix("${{ inputs.").removesuffix(" }}") for key, value in step["env"].items()}
    scripts = folder / "scripts"
    scripts.mkdir(exist_ok=True)
    script = scripts / "anonduck"
    script.write_text(f"#!{sys.executable}\nfrom anonduck.__main__ import main\nmain()\n")
    script.chmod(0o755)
    environment = {**os.environ, **{key: given[name] for key, name in names.items()}, "PYTHONPATH": str(ROOT)}
    environment["PATH"] = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.some(2)
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"file": "good.csv", "require": "k=5\n", "class": "class"}, 0),
        ({"file": "bad.csv", "require": "  k=2\n\n  t=1\n", "sensitive": "class"}, 0),
        ({"file": "bad.csv", "require": "k=5", "class": "class", "sarif": "out.sarif"}, 1),
        ({"file": "good.csv", "require": "k=5; touch planted $(touch planted)", "class": "class"}, 2),
        ({"file": "good.csv", "require": " \n"}, 2),
        ({"file": "good.csv", "policy": "policy.yml", "audience": "partner", "class": "class"}, 0),
        ({"file": "bad.csv", "policy": "policy.yml", "audience": "partner", "class": "class"}, 1),
        ({"file": "good.csv", "policy": "policy.yml", "audience": "partner", "require": "k=4"}, 2),
        ({"file": "absent.csv", "require": "k=5", "sarif": "out.sarif"}, 2),
    ],
    ids=["met", "trimmed", "under", "no command", "nothing", "policy met", "policy missed", "under policy", "absent"],
)
def test_the_action_fails_as_the_audit_does(folder, inputs, code):
    done = acted(folder, **inputs)
    assert done.returncode == code, done.stdout + done.stderr
    assert not (folder / "planted").exists()
    if inputs.get("sarif") and code == 1:
        assert '"kind": "fail"' in (folder / "out.sarif").read_text()
    else:
        assert not list(folder.glob("out.sarif*")), "a result that is none would be uploaded"


def test_the_action_puts_no_input_into_a_script():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert step.get("shell") == "bash" or "uses" in step
    used = str(ACTION["runs"])
    assert all(f"inputs.{name} " in used for name in ACTION["inputs"])


# -- the image ---------------------------------------------------------------------------------------------------------


def test_the_image_is_made_in_two_stages_and_runs_as_nobody_in_particular():
    words = [line.split()[0] for line in IMAGE]
    assert words.count("FROM") == 2
    last = IMAGE[max(number for number, word in enumerate(words) if word == "FROM") :]
    user = next(line.split()[1] for line in last if line.startswith("USER "))
    assert int(user) > 0
    assert f"--uid {user}" in next(line for line in last if "useradd" in line)
    assert last[words[::-1].index("FROM") - len(words) :][-2:] == ['ENTRYPOINT ["anonduck"]', 'CMD ["--help"]']
    assert not any("pip install" in line or "apt-get" in line for line in last)
    assert all(
        line.split()[0] in {"FROM", "WORKDIR", "RUN", "COPY", "ENV", "USER", "ENTRYPOINT", "CMD"} for line in IMAGE
    )


def test_the_image_copies_what_is_there_and_what_is_not_left_out():
    copied = [line.split()[1:-1] for line in IMAGE if line.startswith("COPY") and "--from" not in line]
    named = {name for names in copied for name in names}
    assert all((ROOT / name).exists() for name in named)
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert named == let_in
    assert {"pyproject.toml", "setup.py", "README.md", "LICENSE", "anonduck", "sql", "taxonomies"} == named


def docker(*arguments, **options):
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
def test_the_image_is_built_and_audits_as_nobody_in_particular(folder):
    if shutil.which("docker") is None or docker("info").returncode:
        pytest.skip("no Docker engine answers, so that the image cannot be built")
    name = "anonduck-of-its-tests"
    built = docker("build", "--tag", name, ".", cwd=ROOT)
    assert built.returncode == 0, built.stderr
    try:
        run = ("run", "--rm", "--network", "none")
        assert docker(*run, "--entrypoint", "id", name, "-u").stdout.strip() == "10001"
        folder.chmod(0o755)
        (folder / "good.csv").chmod(0o644)
        audit = ("audit", "good.csv", "--class", "class", "--require", "k=5")
        audited = docker(*run, "--volume", f"{folder}:/work:ro", name, *audit)
        assert audited.returncode == 0, audited.stderr
    finally:
        docker("image", "rm", "--force", name)
