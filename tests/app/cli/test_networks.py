"""Networks, jobs and prices in the syntax of the command line."""

import pytest

from app.cli.arguments import parse_choice
from app.cli.networks import NETWORK, entry_of, prices_help, prices_of
from app.storage.presets import preset
from core.files import write_scenario
from core.job import AllToAll, AnyJob, Permutation
from core.network import AnyNetwork, Circulant, Dragonfly, Edges, Percs, Torus
from core.network.families.clex import Clex
from core.network.metrics.cabling import Prices
from core.spec import SpecError, fields_of

LUMI = Dragonfly.presets["LUMI-G"]


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("torus", Torus()),
        ("torus:dims=4x3x2,gbs=5", Torus((4, 3, 2), gbs=5.0)),
        ("torus:dims=4,3,2,wrap=true,false,true", Torus((4, 3, 2), wrap=(True, False, True))),
        ("torus:wrap=false", Torus(wrap=False)),
        ("circulant: nodes = 16, jumps = 1, 4", Circulant(16, (1, 4))),
        ("circulant:nodes=16,jumps=3", Circulant(16, (3,))),
        ("percs:supernodes=4,d-links=2", Percs(supernodes=4, d_links=2)),
        ("clex:k=3,levels=2,fat_links=true", Clex(k=3, levels=2, fat_links=True)),
        ("edges:format=dot,hosts=h[1-2],s3", Edges(format="dot", hosts="h[1-2],s3")),
        ("Frontier", Dragonfly(**Dragonfly.presets["Frontier"])),
        ("lumi-g:slots_per_node=14, links-per-pair=3", Dragonfly(**LUMI | {"links_per_pair": 3}, slots_per_node=14)),
        ("Tofu D, 324 nodes", Torus(**Torus.presets["Tofu D, 324 nodes"])),
    ],
)
def test_a_family_and_its_fields(text, network):
    assert parse_choice(NETWORK, text, AnyNetwork) == network
    assert entry_of(text).network == network


def test_jobs_have_the_same_syntax():
    assert parse_choice("--job", "all-to-all:tasks=8", AnyJob) == AllToAll(8)
    assert parse_choice("--job", "permutation:tasks=3,targets=2,0,1", AnyJob) == Permutation(tasks=3, targets=(2, 0, 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("taurus", "no such file, family or machine: 'taurus'; did you mean torus? choices: percs, torus"),
        ("circulant:nodes=x", "circulant: nodes must be a whole number from 2 to 1,048,576, not 'x'"),
        ("circulant:nodes=8,9", "circulant: nodes must be a whole number from 2 to 1,048,576, not '8,9'"),
        ("circulant:gbs=inf", "circulant: gbs must be a number"),
        ("torus:dims=4,y", "torus: dims must be a list of whole numbers from 1 to 65,536, not '4,y'"),
        ("torus:dim=3", "torus has no field 'dim'; fields: dims, wrap, gbs, slots_per_node"),
        ("Frontiers", "no such file, family or machine: 'Frontiers'; did you mean Frontier? choices: percs, torus"),
        ("Fugaku:gbs=x", "Fugaku: gbs must be a number"),
        ("torus:8", "torus has no field '8'; fields: dims"),
        ("dragonfly:arrangement=x", "dragonfly: arrangement must be one of absolute, relative, cyclic, not 'x'"),
    ],
)
def test_errors_name_the_invalid_part(text, words):
    with pytest.raises(SpecError) as caught:
        entry_of(text)
    assert str(caught.value).startswith(f"NETWORK: {words}")


def test_a_file_is_read_and_named_after_itself(tmp_path):
    path = tmp_path / "mine.fabriscope.json"
    scenario = preset("power775-halo")
    write_scenario(path, scenario)
    entry = entry_of(str(path))
    assert (entry.name, entry.network, entry.folder, entry.scenario) == ("mine", scenario.network, tmp_path, None)
    assert entry_of(str(path), with_choices=True).scenario.job == scenario.job
    with pytest.raises(SpecError, match=r"^file: .*none\.json cannot be read: No such file"):
        entry_of(str(tmp_path / "none.json"))


def test_prices_that_are_changed():
    assert prices_of("") == Prices()
    assert prices_of("switch=1,copper_reach=3") == Prices(switch=1.0, copper_reach=3.0)
    with pytest.raises(SpecError, match=r"^--prices: switch must be a number from 0 to 1,000,000,000 \$, not '-3'$"):
        prices_of("switch=-3")
    with pytest.raises(SpecError, match=r"^--prices: prices has no field 'tax'; fields: switches_per_cabinet, "):
        prices_of("tax=3")


def test_every_price_is_in_the_help_with_its_default():
    words = prices_help()
    for field in fields_of(Prices):
        assert f"  {field.name}={field.default:g} " in words
        assert field.description in words


def test_a_file_on_the_command_line_may_be_in_any_folder(tmp_path, monkeypatch):
    (tmp_path / "g.txt").write_text("0 1\n1 2\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in ("../g.txt", str(tmp_path / "g.txt")):
        entry = entry_of(f"edges:file={name}")
        assert entry.network.build(entry.folder).nodes == 3
