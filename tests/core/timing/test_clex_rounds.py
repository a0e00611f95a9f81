"""CLEX's algorithm, message by message: against an oracle with the same draws, closed forms, and its tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from core.spec import Cancelled
from core.timing import clex_rounds
from core.timing.clex_rounds import Algorithm, ClexRounds, LevelRounds, Recorder, by_clique, rounds_of
from tests.oracle.clex_rounds import Play


def played(algorithm, pairs):
    source, target = np.array(pairs, np.int32).T
    return rounds_of(algorithm, by_clique(algorithm, source, target))


def drawn(k, levels, messages, seed=1):
    """`messages` messages from each node and to each, as source and target."""
    random, nodes = np.random.default_rng(seed), k**levels
    target = np.stack([random.permutation(nodes) for _ in range(messages)], axis=1).ravel()
    return np.stack([np.repeat(np.arange(nodes), messages), target], axis=1)


@given(st.data(), st.sampled_from([(2, 1), (5, 1), (3, 2), (2, 3), (3, 3), (2, 4)]), st.booleans(), st.booleans())
def test_every_count_matches_the_oracle(data, size, asks, fat):
    nodes = st.integers(0, size[0] ** size[1] - 1)
    pairs = data.draw(st.lists(st.tuples(nodes, nodes), min_size=1, max_size=40))
    copies, seed = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 99))
    rounds_played = played(Algorithm(*size, copies, asks, fat, seed), pairs)
    slow = Play(*size, pairs, copies, asks, fat, seed)
    assert (rounds_played.rounds, rounds_played.arrived) == (slow.rounds, len(pairs))
    assert [astuple(level) for level in rounds_played.levels] == slow.figures()
    assert {rounds: count for rounds, count in enumerate(rounds_played.calls) if count} == slow.calls


@given(st.data(), st.sampled_from([(2, 1), (5, 1), (3, 2), (2, 3), (3, 3), (2, 4)]), st.booleans(), st.booleans())
def test_every_hop_matches_the_oracle(data, size, asks, fat):
    nodes = st.integers(0, size[0] ** size[1] - 1)
    pairs = data.draw(st.lists(st.tuples(nodes, nodes), min_size=1, max_size=40))
    algorithm = Algorithm(*size, data.draw(st.integers(1, 4)), asks, fat, data.draw(st.integers(0, 99)))
    source, target = np.array(pairs, np.int32).T
    recorder = Recorder(algorithm)
    rounds_played = rounds_of(algorithm, by_clique(algorithm, source, target), hops=recorder)
    slow = Play(*size, pairs, algorithm.copies, asks, fat, algorithm.seed)
    hops = recorder.hops(rounds_played.rounds)
    number = np.repeat(np.arange(rounds_played.rounds), np.diff(hops.start))
    assert sorted(zip(number.tolist(), hops.level.tolist(), hops.link.tolist(), strict=True)) == sorted(slow.hops)
    assert rounds_played == played(algorithm, pairs)


@pytest.mark.parametrize("messages", [1, 4, 9])
@pytest.mark.parametrize("size", [(4, 2), (3, 3), (6, 2), (3, 4)])
def test_counts_of_crowded_cliques_match_the_oracle(size, messages):
    pairs = drawn(*size, messages)
    slow = Play(*size, pairs, 2, True, False, 7)
    rounds_played = played(Algorithm(*size, seed=7), pairs)
    assert [astuple(level) for level in rounds_played.levels] == slow.figures()
    assert (rounds_played.rounds, rounds_played.arrived) == (slow.rounds, slow.arrived)
    # Above the cliques the paths are as long as the algorithm states, for any random draws.
    assert [level.mean_hops for level in rounds_played.levels[1:]] == [
        2 ** (size[1] - level.level) for level in rounds_played.levels[1:]
    ]


def test_random_draws_do_not_depend_on_the_ranges_of_cliques(monkeypatch):
    algorithm, pairs = Algorithm(4, 3, seed=3), drawn(4, 3, 5)
    undivided = played(algorithm, pairs)
    monkeypatch.setattr(clex_rounds, "AT_ONCE", 16)
    assert played(algorithm, pairs) == undivided
    assert played(algorithm._replace(seed=4), pairs) != undivided


@pytest.mark.parametrize("seed", range(8))
def test_any_seed_is_accepted(seed):
    pairs = drawn(3, 2, 4)
    slow = Play(3, 2, pairs, 2, True, False, seed)
    assert [astuple(level) for level in played(Algorithm(3, 2, seed=seed), pairs).levels] == slow.figures()


def test_messages_come_in_any_order_of_their_sources():
    algorithm, pairs = Algorithm(3, 3), drawn(3, 3, 2)
    shuffled = np.concatenate([pairs[clique::3] for clique in range(3)])
    rounds_played = played(algorithm, shuffled)
    slow = Play(3, 3, shuffled, 2, True, False, 0)
    assert [astuple(level) for level in rounds_played.levels] == slow.figures()


def test_one_message_from_each_node_to_each_of_its_clique_takes_a_round():
    pairs = [(u, v) for u in range(5) for v in range(5)]
    rounds_played = played(Algorithm(5, 1), pairs)
    assert (rounds_played.rounds, rounds_played.arrived) == (1, 25)
    assert rounds_played.levels == (LevelRounds(1, 1, 1.0, 5.0, 1.0),)


@pytest.mark.parametrize(("asks", "rounds", "hops"), [(True, 5, 2.0), (False, 3, 2.0)])
def test_one_of_two_messages_on_a_link_uses_a_relay(asks, rounds, hops):
    rounds_played = played(Algorithm(7, 1, copies=1, asks=asks), [(2, 5), (2, 5)])
    assert rounds_played.levels == (LevelRounds(1, rounds, (1 + 3) / 2, 2 / 7, (1 + hops) / 2),)


def test_all_copies_count_where_relays_are_not_asked():
    rounds_played = played(Algorithm(7, 1, copies=3, asks=False), [(2, 5), (2, 5)])
    assert rounds_played.levels[0].mean_hops == (1 + 3 + 3) / 2


def test_more_messages_than_a_link_carries_wait_their_turn():
    # Seven to the same place of another copy meet at its gate, with links for three per round.
    rounds_played = played(Algorithm(3, 2), [(0, 4)] * 7)
    assert (rounds_played.levels[1].max_rounds, rounds_played.levels[1].mean_rounds) == (3, (3 * 1 + 3 * 2 + 3) / 7)


def test_a_light_run_has_the_published_figures():
    # Table IV: 64^3, five messages, as an independent simulator has it.
    algorithm = Algorithm(64, 3, copies=4, asks=False, seed=1)
    first, two, three = played(algorithm, drawn(64, 3, 5)).levels
    # The paper prints 5 for the first.
    assert (first.max_rounds, two.max_rounds, three.max_rounds) == (3, 1, 1)
    assert (first.mean_rounds, first.mean_hops) == (pytest.approx(4.27, abs=0.02), pytest.approx(4.95, abs=0.02))
    assert first.max_mean_load == pytest.approx(6.12, abs=0.15)
    assert (three.mean_rounds, three.max_mean_load) == (1, 5)


def test_no_messages_take_no_time():
    none = np.zeros(0, np.int32)
    algorithm = Algorithm(3, 2)
    rounds_played = rounds_of(algorithm, by_clique(algorithm, none, none))
    assert (rounds_played.rounds, rounds_played.arrived, rounds_played.levels[0]) == (
        0,
        0,
        LevelRounds(1, 0, 0.0, 0.0, 0.0),
    )


def test_progress_rises_to_all_of_it_and_may_stop():
    algorithm, pairs = Algorithm(3, 3), drawn(3, 3, 2)
    heard = []
    rounds_of(algorithm, by_clique(algorithm, *np.array(pairs, np.int32).T), heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0

    def stop(done):
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        rounds_of(algorithm, by_clique(algorithm, *np.array(pairs, np.int32).T), stop)


def test_rounds_of_one_after_the_other_add_up():
    first, second = played(Algorithm(3, 2), drawn(3, 2, 1)), played(Algorithm(3, 2, seed=5), drawn(3, 2, 3))
    both = ClexRounds.joined([first, second])
    assert (both.rounds, both.arrived) == (first.rounds + second.rounds, 9 + 27)
    for level, a, b in zip(both.levels, first.levels, second.levels, strict=True):
        assert level.mean_rounds == pytest.approx((9 * a.mean_rounds + 27 * b.mean_rounds) / 36)
        assert (level.max_rounds, level.max_mean_load) == (max(a.max_rounds, b.max_rounds), b.max_mean_load)
    calls = [
        sum(rounds_played.calls[rounds] for rounds_played in (first, second) if rounds < len(rounds_played.calls))
        for rounds in range(20)
    ]
    assert (list(both.calls), sum(both.calls)) == (calls[: len(both.calls)], 2 * 2 * 3)
    assert ClexRounds.joined([first]) is first
