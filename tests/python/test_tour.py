"""docs/tour.ipynb runs from its first cell to its last."""

import os
from pathlib import Path

import nbformat
import pytest

pytestmark = [
    pytest.mark.skipif("WARPFOLD" not in os.environ, reason="no CPU machine to run on"),
    pytest.mark.filterwarnings("ignore"),  # of Jupyter's own
]

TOUR = Path(__file__).parents[2] / "docs" / "tour.ipynb"


def shown(cell):
    return [out for out in cell.outputs if out.output_type != "stream"]


def test_the_tour(tmp_path, monkeypatch):
    from nbclient import NotebookClient  # noqa: PLC0415  # warns, as some Jupyter packages do

    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    tour = nbformat.read(TOUR, as_version=4)
    assert all(not cell.get("outputs") for cell in tour.cells)  # they would grow old
    NotebookClient(tour, timeout=None, startup_timeout=600, kernel_name="python3").execute()
    pictures = [out for cell in tour.cells if cell.cell_type == "code" for out in shown(cell)]
    assert sum("image/svg+xml" in out.data for out in pictures) == 5
    assert sum("text/html" in out.data for out in pictures) >= 3
