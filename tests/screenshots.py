"""The pictures of docs/images, taken of what the demo writes: python tests/screenshots.py."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import browsers

from anonduck import Project
from anonduck.report.explorer.explorer import explorer_of
from anonduck.report.explorer.server import serving

IMAGES = Path(__file__).parents[1] / "docs" / "images"
TAKEN = {
    "report.png": ("anonduck-demo/report.html", "light", 1000, None, (0, 860)),
    "report-frontier.png": ("anonduck-demo/report.html", "light", 1000, "#trade", (0, 720)),
    "report-rule.png": ("anonduck-demo/report.html", "light", 1000, "#rule", (0, 760)),
    "report-dark-narrow.png": ("anonduck-demo/report.html", "dark", 400, None, (0, 860)),
    "certificate.png": ("certificate.html", "light", 1000, None, (0, 980)),
    "certificate-signed.png": ("certificate.html", "light", 1000, "section:last-of-type", (0, 520)),
}


def make(folder):
    """Run the demo in a folder, and certify its release."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    certify = "report -p anonduck-demo/anonduck.yml --release anonduck-demo/released.parquet -o certificate.html"
    for command in ("demo", certify):
        called = ["anonduck", *command.split()]
        subprocess.run(called, cwd=folder, env={**os.environ, "PATH": path}, check=True, stdout=subprocess.DEVNULL)


def take(folder):
    """Write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with browsers.chromium() as browser:
        for name, (page, scheme, width, beginning, (top, height)) in TAKEN.items():
            ready = "body[data-ready]" if "report" in page else "footer"
            with browsers.opened(browser, folder / page, scheme=scheme, width=width, ready=ready) as shown:
                start = shown.locator(beginning).bounding_box()["y"] if beginning else 0
                clip = {"x": 0, "y": start + top, "width": width, "height": height}
                shown.screenshot(path=IMAGES / name, clip=clip, full_page=True)


def take_explorer(folder):
    """Write the picture of the explorer, a few levels finer than the rule of the demo."""
    with (
        Project(folder / "anonduck-demo" / "anonduck.yml") as project,
        explorer_of(project.workspace) as explorer,
        serving(explorer) as server,
        browsers.chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        page.goto(server.url)
        page.wait_for_selector("body[data-ready]", state="attached")
        page.locator("#suppression").fill("2")
        page.locator("#level-0").press("ArrowLeft")
        page.wait_for_timeout(1_000)
        page.screenshot(path=IMAGES / "explore.png")


if __name__ == "__main__":
    if browsers.missing():
        sys.exit(browsers.missing())
    with tempfile.TemporaryDirectory() as made:
        make(Path(made))
        take(Path(made))
        take_explorer(Path(made))
