"""Ladders, steps and pages, by the program that WARPFOLD names."""

import json
import os
from xml.dom import minidom

import pandas as pd
import pytest
import warpfold as wf

pytestmark = pytest.mark.skipif("WARPFOLD" not in os.environ, reason="no program to call")


@pytest.fixture(scope="module")
def table():
    return wf.ladder.reduce(2**10, rungs=(11, "sequential"), backend="simt")


def test_a_ladder_is_a_table(table):
    assert [row["rung"] for row in table][-2:] == ["11 strided", "12 sequential"]
    conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
    assert table[11][conflicts] > table["sequential"][conflicts] == 0
    assert all(row["right"] for row in table)
    frame = table.to_pandas()
    assert frame.loc["12 sequential", "us"] == table["12 sequential"]["us"] > 0
    assert isinstance(frame, pd.DataFrame) and len(frame) == len(table) == len(pd.DataFrame(table))
    with pytest.raises(KeyError, match="no rung 5"):
        table[5]
    assert "12 sequential" in repr(table) and "<table>" in table._repr_html_()
    bars = minidom.parseString(table.plot(conflicts)._repr_svg_())
    assert len(bars.getElementsByTagName("rect")) == 2
    with pytest.raises(ValueError, match="gigabytes_per_second"):
        table.plot("banana")


def test_the_other_ladders():
    assert "blelloch" in repr(wf.ladder.scan(64, rungs="blelloch", backend="simt"))
    assert wf.ladder.streams(1 << 16, backend="simt")["pinned"]["us"] > 0
    assert wf.ladder.sort(64, rungs=[1], backend="simt")[1]["right"]
    with pytest.raises(ValueError, match="no such rung"):
        wf.ladder.reduce(64, rungs=[99])
    with pytest.raises(ValueError, match="--type f16"):
        wf.ladder.scan(64, type="f16")


def test_steps_draw_themselves():
    shown = wf.steps("scan/blelloch", [3, 1, 7, 0])
    assert "step 2 · stride 2" in str(shown)
    picture = minidom.parseString(shown._repr_svg_())
    assert "blelloch" in picture.getElementsByTagName("title")[0].firstChild.data
    assert shown.document["result"] == "11"
    assert wf.steps("reduce/12", [1, 2, 3], op="product").document["result"] == "6"
    assert wf.steps("reduce/12", [0.5, 1]).document["result"] == "1.5"
    with pytest.raises(ValueError, match="scan/blelloch"):
        wf.steps("blelloch")
    with pytest.raises(ValueError, match="banana"):
        wf.steps("scan/banana")


def test_a_page_of_all(table, tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(table.document))
    page = wf.report(tmp_path / "t.json", wf.steps("scan/blelloch", [3, 1]), height=300)
    assert "12 sequential" in str(page) and "blelloch" in str(page)
    assert "height='300'" in page._repr_html_() and "&lt;html" in page._repr_html_()
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == str(page)
    with pytest.raises(OSError, match="missing"):
        wf.report(tmp_path / "missing.json")
    with pytest.raises(ValueError, match="no such ladder"):
        wf.report(ladders=["banana"])
