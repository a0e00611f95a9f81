"""A training step compared with an enumeration of all groups and with closed forms, and refusals."""

from collections import Counter, defaultdict

import pytest
from hypothesis import given

from core.job import FlowBlock, Halo, Training
from core.job.message import BYTES_PER_GB
from core.spec import SpecError
from tests.core.strategies import trainings


def flows(phase):
    block = FlowBlock.joined(block for _, block in phase.blocks())
    volumes = defaultdict(float)
    for u, v, volume in zip(*(array.tolist() for array in block), strict=True):
        volumes[u, v] += volume * BYTES_PER_GB
    return volumes


def reduced(sent_from_to, group, rank, sent, algorithm):
    """Add the messages of a rank of a group in an all-reduce, a reduce-scatter or an all-gather."""
    n, place = len(group), group.index(rank)
    if algorithm == "ring":
        sent_from_to[rank, group[(place + 1) % n]] += sent
    else:
        for other in group:
            if other != rank:
                sent_from_to[rank, other] += sent / (n - 1)


def expected(spec):
    """All flows by the description, rank by rank."""
    kinds = {name: defaultdict(float) for name in ("tensor", "pipeline", "data", "all-to-all", "expert-data")}
    for i_p in range(spec.pipeline):
        for i_d in range(spec.data):
            for i_t in range(spec.tensor):
                of_tensor_and_data(kinds, spec, i_t, i_d, i_p)
                of_pipeline(kinds["pipeline"], spec, i_t, i_d, i_p)
                if spec.experts:
                    of_experts(kinds, spec, i_t, i_d, i_p)
    return {name: kind for name, kind in kinds.items() if kind}


def rank(spec, i_t, i_d, i_p):
    return i_t + spec.tensor * (i_d + spec.data * i_p)


def activations(spec):
    return spec.micro_batch * spec.sequence * spec.hidden * spec.act_bytes


def gradients(spec, parameters, n):
    each = spec.grad_bytes + spec.param_bytes if spec.sharded else 2 * spec.grad_bytes
    return each * parameters * (n - 1) / n


def of_tensor_and_data(kinds, spec, i_t, i_d, i_p):
    t, d, p, h = spec.tensor, spec.data, spec.pipeline, spec.hidden
    me = rank(spec, i_t, i_d, i_p)
    if t > 1:
        sent = 8 * activations(spec) * (t - 1) / t * spec.micro_batches * spec.layers / p
        reduced(kinds["tensor"], [rank(spec, k, i_d, i_p) for k in range(t)], me, sent, spec.algorithm)
    if d > 1:
        dense = spec.layers * (12 * h * h + 13 * h) - spec.moe_layers * (8 * h * h + 5 * h)
        common = (dense + spec.moe_layers * spec.experts * h) / (p * t)
        if i_p == 0 and spec.vocabulary:
            common += (spec.vocabulary + spec.sequence) * h / t
        group = [rank(spec, i_t, k, i_p) for k in range(d)]
        reduced(kinds["data"], group, me, gradients(spec, common, d), spec.algorithm)


def of_pipeline(sent_from_to, spec, i_t, i_d, i_p):
    border = activations(spec) * spec.micro_batches / (spec.tensor if spec.sequence_parallel else 1)
    me, last = rank(spec, i_t, i_d, i_p), spec.pipeline - 1
    if i_p < last:
        above = rank(spec, i_t, i_d, i_p + 1)
        sent_from_to[me, above] += border * spec.chunks
        sent_from_to[above, me] += border * spec.chunks
    elif last > 0 and spec.chunks > 1:
        first = rank(spec, i_t, i_d, 0)
        sent_from_to[me, first] += border * (spec.chunks - 1)
        sent_from_to[first, me] += border * (spec.chunks - 1)


def of_experts(kinds, spec, i_t, i_d, i_p):
    e, h, me = spec.expert, spec.hidden, rank(spec, i_t, i_d, i_p)
    i_e, i_ed, n = i_d % e, i_d // e, spec.data // e
    tokens = spec.micro_batch * spec.sequence / (spec.tensor if spec.sequence_parallel else 1)
    each = 4 * spec.micro_batches * spec.moe_layers / spec.pipeline * tokens * spec.top_k * h * spec.act_bytes / e
    for k in range(e):
        if k != i_e:
            kinds["all-to-all"][me, rank(spec, i_t, k + e * i_ed, i_p)] += each
    if n > 1:
        own = spec.moe_layers * spec.experts / e * (8 * h * h + 5 * h) / (spec.pipeline * spec.tensor)
        group = [rank(spec, i_t, i_e + e * k, i_p) for k in range(n)]
        reduced(kinds["expert-data"], group, me, gradients(spec, own, n), spec.algorithm)


@given(trainings())
def test_every_rank_sends_what_its_groups_need(spec):
    job, wanted = spec.build(), expected(spec)
    flows_of_phase = {phase.name: flows(phase) for phase in job.phases}
    assert job.tasks == spec.tensor * spec.data * spec.pipeline
    if not wanted:
        assert [phase.messages() for phase in job.phases] == [0]
        return
    assert list(flows_of_phase) == list(wanted)
    for name, sent in wanted.items():
        assert flows_of_phase[name] == pytest.approx(sent)
        most = max(sum(v for (u, _), v in sent.items() if u == rank) for rank in range(job.tasks))
        assert spec.sent()[name] == pytest.approx(most)


def test_impossible_sizes_are_refused():
    assert Training().resized(64).tasks == 64
    assert Training().resized(1000).tasks == 896
    small = Training(expert=4, data=8, experts=8, moe_layers=8).resized(2)
    assert small.tasks <= 2
    for fields, field, words in (
        ({"expert": 3}, "job.expert", "is 3; it must divide the data degree, 8"),
        ({"expert": 4, "experts": 6}, "job.experts", "is 6; it must be a multiple of the expert degree, 4"),
        ({"moe_layers": 97}, "job.moe_layers", "is 97, more than the 96 layers"),
        ({"tensor": 65536, "data": 65536}, "job.data", "tasks; the limit is 4,194,304"),
    ):
        with pytest.raises(SpecError, match=words) as refusal:
            Training(**fields).build()
        assert refusal.value.field == field


@pytest.mark.parametrize("name", Training.presets)
def test_presets_can_be_built(name):
    names = [phase.name for phase in Training(**Training.presets[name]).build().phases]
    experts = ["pipeline", "data", "all-to-all", "expert-data"]
    assert names == (experts if "Mixtral" in name else ["tensor", "pipeline", "data"])


@given(trainings())
def test_declared_groups_are_those_between_which_each_kind_sends(spec):
    job = spec.build()
    groups = {division.name: division for division in job.groups}
    kinds = {"tensor": "tensor group", "data": "data group", "all-to-all": "expert group", "pipeline": "pipeline stage"}
    for phase in job.phases:
        division = groups.get(kinds.get(phase.name, ""))
        if division is None:
            assert phase.name in ("expert-data", "no messages")
            continue
        assert sorted(set(division.group.tolist())) == list(range(division.count))
        assert len(set(Counter(division.group.tolist()).values())) == 1
        for u, v in flows(phase):
            away = abs(int(division.group[u]) - int(division.group[v]))
            assert away in (1, division.count - 1) if phase.name == "pipeline" else away == 0
    assert len(groups) == len({phase.name for phase in job.phases} & set(kinds))


def test_other_jobs_declare_no_groups():
    assert Halo(4, 4).build().groups == ()
