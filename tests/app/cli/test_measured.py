"""`measured`: counters compared with predicted loads, from a known prediction and with differences planted."""

import json

import numpy as np
import pytest

from app.cli.main import main
from core.figures.measured import NO_WAITS
from core.network import Edges
from tests.core.load.test_measured import CASES
from tests.core.routing.tables.test_scheme import TREE

SCALE, SECONDS = 0.25, 20
TORUS = ["--network", "torus:dims=4x4", "--job", "halo:rows=4,cols=4", "--mapping", "random:seed=3"]
TORUS += ["--routing", "dimension-order"]


def figures(capsys, *arguments):
    assert main(["measured", *map(str, arguments), "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def loads(capsys, folder):
    assert main(["evaluate", *TORUS, "--links", str(folder / "links.csv")]) == 0
    capsys.readouterr()
    rows = [line.split(",") for line in (folder / "links.csv").read_text().splitlines()]
    at = rows[0].index("load")
    return [(int(row[0]), int(row[1]), float(row[at])) for row in rows[1:]]


def counters(folder, rows, name="after.csv"):
    lines = [f"{src},{dst},{gb * 1e9:.0f},{wait}" for src, dst, gb, wait in rows]
    (folder / name).write_text("\n".join(["src,dst,bytes,wait", *lines, ""]))
    return f"after={folder / name},seconds={SECONDS}"


def predicted(capsys, folder):
    return [[src, dst, SCALE * SECONDS * load, 5] for src, dst, load in loads(capsys, folder)]


def test_counters_of_a_prediction_agree(capsys, tmp_path):
    printed = figures(capsys, *TORUS, "--measured", counters(tmp_path, predicted(capsys, tmp_path)))
    assert printed["correlation"] == pytest.approx(1)
    assert printed["scale"] == pytest.approx(SCALE)
    assert (printed["links"], printed["without_value"], printed["seconds"]) == (64, 0, SECONDS)
    assert [printed[name] for name in ("hot", "slow", "disagree", "notes")] == [[], [], [], []]
    for link_class in printed["classes"].values():
        assert link_class["measured_gbs"] == pytest.approx(link_class["predicted_gbs"])


def test_a_slow_link_and_other_traffic_are_listed_and_nothing_else(capsys, tmp_path):
    rows = predicted(capsys, tmp_path)
    slow, hot = sorted(range(len(rows)), key=lambda k: -rows[k][2])[:2]
    rows[slow][2:] = rows[slow][2] / 2, 10**9
    rows[hot][2] += 3 * SECONDS
    given = ["--measured", counters(tmp_path, rows)]
    printed = figures(capsys, *TORUS, *given)
    ends = lambda row: {"src": f"({row[0] // 4},{row[0] % 4})", "dst": f"({row[1] // 4},{row[1] % 4})"}  # noqa: E731
    (first,), (second,) = printed["hot"], printed["slow"]
    assert first["residual_gbs"] == pytest.approx(3)
    assert first["measured_gbs"] - first["predicted_gbs"] == pytest.approx(first["residual_gbs"])
    assert {name: first[name] for name in ("src", "dst")} == ends(rows[hot])
    assert {name: second[name] for name in ("src", "dst")} == ends(rows[slow])
    assert (printed["more"], printed["slower"], printed["disagreeing"]) == (1, 1, 0)
    assert printed["scale"] == pytest.approx(SCALE)
    none = figures(capsys, *TORUS, *given, "--top", 0)
    assert (none["hot"], none["slow"], none["more"]) == ([], [], 1)


def test_text(capsys, tmp_path):
    rows = predicted(capsys, tmp_path)[:60]
    rows[0][2] += 3 * SECONDS
    assert main(["-v", "measured", *TORUS, "--measured", counters(tmp_path, rows)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "read: after.csv: a table of counters, 60 links of 64, over an interval of 20 s"
    words = {line[:13].strip(): line[13:] for line in lines}
    assert words["counters of"] == "60 links of 64, over 20 s"
    assert words["scale"] == "0.2500 GB/s per unit"
    at = lines.index("carries more than predicted (other traffic): 1 link")
    assert lines[at + 1].split() == ["link", "measured", "GB/s", "predicted", "GB/s", "difference", "wait", "per", "GB"]
    assert "slow (carries less than predicted, and data waits): none" in lines


def test_a_given_scale_in_the_unit_of_the_job(capsys, tmp_path):
    job = ["--job", "halo:rows=4,cols=4,message_bytes=1000000"]
    given = counters(tmp_path, predicted(capsys, tmp_path))
    fitted = figures(capsys, *TORUS, *job, "--measured", given)
    again = figures(capsys, *TORUS, *job, "--measured", f"{given},scale={fitted['scale'] / 2}")
    assert again["scale"] == pytest.approx(fitted["scale"] / 2)
    assert again["more"] > 0 == fitted["more"]
    for name, link_class in again["classes"].items():
        assert link_class["predicted_gbs"] == pytest.approx(fitted["classes"][name]["predicted_gbs"] / 2)
    assert main(["measured", *TORUS, *job, "--measured", f"{given},scale=0.5"]) == 0
    assert "0.5000 GB/s per MB, as given" in capsys.readouterr().out


def test_a_port_that_sent_4000_bytes_in_a_second(capsys, tmp_path):
    network = Edges(file=str(TREE / "ibnetdiscover.txt")).build()
    leaf = np.flatnonzero(network.src >= network.nodes)[0]
    lid, port = int(network.src_ports.lid[leaf]), int(network.src_ports.number[leaf])
    for name, sent in (("before", 1000), ("after", 2000)):
        head = f"# Port extended counters: Lid {lid} port {port} (CapMask: 0x5300)\n"
        (tmp_path / name).write_text(f"{head}PortXmitData:....................{sent}\n")
    printed = figures(
        capsys, "--network", f"edges:file={TREE / 'ibnetdiscover.txt'}", "--job", "all-to-all", "--routing",
        "minimal:spread=equal", "--measured", f"after={tmp_path / 'after'},before={tmp_path / 'before'},seconds=1",
    )  # fmt: skip
    given = [link_class for link_class in printed["classes"].values() if link_class["measured_gbs"] is not None]
    assert [link_class["measured_gbs"] for link_class in given] == [4000 / 1e9]
    assert printed["links"] - printed["without_value"] == 1


def test_bad_input_is_refused_in_one_line(capsys, tmp_path):
    (tmp_path / "bad.csv").write_text("src,dst,bytes\n0,1,x\n")
    for given, message in (
        ([], 'measured: is missing; give counters, such as {"after": "counters.csv", "seconds": 60}'),
        (["--measured", "after=none.csv"], "measured.after: no such file"),
        (
            ["--measured", "nothing"],
            "--measured: measured has no field 'nothing'; fields: before, between, after, seconds",
        ),
        (["--measured", f"after={tmp_path / 'bad.csv'},seconds=0"], "--measured: seconds must be a number above 0"),
        (["--measured", f"after={tmp_path / 'bad.csv'}"], "measured.after: bad.csv, line 2: 'x' is not a counter"),
    ):
        assert main(["measured", *TORUS, *given]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line


def test_the_figures_in_python(capsys, tmp_path):
    import msgspec

    from app import fabriscope
    from core.files import encode
    from core.load.scenario import Scenario

    (tmp_path / "c.csv").write_text("src,dst,bytes\n0,1,5e9\n1,0,5e9\n1,2,0\n")
    raw = json.loads(encode(Scenario(*CASES["torus"]))) | {"measured": {"after": "c.csv"}}
    path = tmp_path / "s.fabriscope.json"
    path.write_text(json.dumps(raw))
    computed = fabriscope.measured(path, top=1)
    assert msgspec.to_builtins(computed) == figures(capsys, path, "--top", 1)
    assert computed.notes == [
        "the length of the interval is unknown: bandwidths are GB in the entire interval; give seconds",
        NO_WAITS,
    ]
    with pytest.raises(fabriscope.SpecError, match="top: must be a whole number from 0"):
        fabriscope.measured(path, top=-1)


def test_the_background_is_written_and_searches_avoid_it(capsys, tmp_path):
    rows = predicted(capsys, tmp_path)
    hot = max(range(len(rows)), key=lambda k: rows[k][2])
    rows[hot][2] += 3 * SECONDS
    out, better = tmp_path / "with.fabriscope.json", tmp_path / "better.fabriscope.json"
    counters(tmp_path, rows, "c.csv")
    assert main(["measured", *TORUS, "--measured", f"after={tmp_path / 'c.csv'},seconds={SECONDS}", "--background",
                 str(out)]) == 0  # fmt: skip
    assert capsys.readouterr().out.endswith(f"written: {out}\n")
    (entry,) = json.loads(out.read_text())["background"]
    assert (entry["src"], entry["dst"], entry["load"]) == (rows[hot][0], rows[hot][1], pytest.approx(3 / SCALE))
    assert figures(capsys, out)["hot"] == []
    throughput = []
    for command in (["evaluate", out], ["optimise", out, "--steps", "2000", "--out", better], ["evaluate", better]):
        assert main([*map(str, command), "--json"]) == 0
        throughput.append(json.loads(capsys.readouterr().out)["throughput_gbs"])
    assert throughput[2] == throughput[1] > 2 * throughput[0]
    assert json.loads(better.read_text())["background"] == [entry]


def test_exports_of_loads_have_counters(capsys, tmp_path):
    rows = predicted(capsys, tmp_path)
    given = ["--measured", counters(tmp_path, rows[1:])]
    out = tmp_path / "links.csv"
    assert main(["export", *TORUS, *given, "--to", "links-csv", "--out", str(out)]) == 0
    head, first, second, *_ = (line.split(",") for line in out.read_text().splitlines())
    assert head == ["src", "dst", "class", "bandwidth", "load", "utilisation", "measured_gbs", "predicted_gbs", "wait"]
    assert (first[-3], first[-1]) == ("", "")
    assert float(second[-3]) == pytest.approx(rows[1][2] / SECONDS)
    assert [float(cell) for cell in second[-2:]] == pytest.approx([float(second[-3]), 5])
    assert main(["evaluate", *TORUS, *given, "--links", str(out)]) == 0
    assert out.read_text().startswith("src,dst,class,load,utilisation,measured_gbs,predicted_gbs,wait\n")
    archive, table = tmp_path / "links.npz", tmp_path / "links.parquet"
    assert main(["export", *TORUS, *given, "--to", "links-npz", "--out", str(archive)]) == 0
    assert np.isnan(np.load(archive)["measured_gbs"]).tolist() == [True] + [False] * 63
    parquet = pytest.importorskip("pyarrow.parquet")
    assert main(["export", *TORUS, *given, "--to", "links-parquet", "--out", str(table)]) == 0
    assert parquet.read_table(table).column("measured_gbs").null_count == 1


def test_a_report_lists_counters(capsys, tmp_path):
    rows = predicted(capsys, tmp_path)
    rows[2][2] += 3 * SECONDS
    out = tmp_path / "r.html"
    assert main(["report", *TORUS, "--measured", counters(tmp_path, rows), "--out", str(out)]) == 0
    page = out.read_text()
    assert "Measured loads" in page
    assert "64 links of 64 have counters over 20 s." in page
    assert "Links that carry more than predicted: traffic of other jobs; 1 of 1." in page
    capsys.readouterr()
    assert main(["report", *TORUS, "--out", str(out)]) == 0
    assert "Measured loads" not in out.read_text()


def test_readings_in_between_are_listed_and_exported(capsys, tmp_path):
    rows = predicted(capsys, tmp_path)
    for number, share in enumerate((0, 0.25, 1)):
        counters(tmp_path, [[src, dst, share * gb, wait] for src, dst, gb, wait in rows], f"{number}.csv")
    files = [tmp_path / f"{number}.csv" for number in range(3)]
    given = ["--measured", f"before={files[0]},between={files[1]},after={files[2]},seconds={SECONDS}"]
    printed = figures(capsys, *TORUS, *given)
    assert [(part["start"], part["seconds"]) for part in printed["intervals"]] == [(0, 10), (10, 10)]
    first, second = printed["intervals"]
    assert first["correlation"] == pytest.approx(1)
    assert second["mean_gbs"] == pytest.approx(3 * first["mean_gbs"])
    assert main(["measured", *TORUS, *given]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-3].split()[:2] == ["start", "seconds"]
    path = tmp_path / "links.csv"
    assert main(["export", *TORUS, *given, "--to", "links-csv", "--out", str(path)]) == 0
    head, first, *_ = (line.split(",") for line in path.read_text().splitlines())
    assert head[-5:] == ["measured_gbs", "predicted_gbs", "wait", "measured_gbs_1", "measured_gbs_2"]
    assert float(first[-1]) + float(first[-2]) == pytest.approx(2 * float(first[-5]))


def test_files_written_elsewhere_need_the_files_of_counters(capsys, tmp_path):
    from core.counters.measured import Measured
    from core.files import decode, encode
    from core.load.scenario import Scenario

    names = [str(tmp_path / f"{number}.csv") for number in range(3)]
    measured = Measured(before=names[0], between=(names[1],), after=names[2])
    raw = json.loads(encode(Scenario(*CASES["torus"], measured=measured), tmp_path))
    assert raw["measured"] == {"after": "2.csv", "before": "0.csv", "between": ["1.csv"], "format": "auto"}
    raw["measured"]["between"] = names[1:2]
    with pytest.raises(ValueError, match=r"measured\.between\[0\]: .* is outside the scenario's folder"):
        decode(json.dumps(raw).encode(), tmp_path)
