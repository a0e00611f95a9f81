"""CLEX's algorithm A(t), recursive as in the paper, message by message in plain Python.

Nodes are lists [v1, ..., vt] of coordinates from 0. It draws the same numbers as `core.timing.clex_rounds`: for each
clique and each call of A(1), a sequence in the order of the clique's messages.
"""

from collections import Counter
from itertools import product

import numpy as np

MASK = (1 << 64) - 1


class Draws:
    """Random numbers in sequence: seeded by splitmix64, continued by xorshift64."""

    def __init__(self, seed, number):
        state = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
        x = (state >> 1) + number * 0x9E3779B97F4A7C15 & MASK
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
        self.x = x ^ x >> 31 | 1

    def below(self, limit):
        """An integer from 0 to `limit` - 1."""
        self.x ^= self.x << 13 & MASK
        self.x ^= self.x >> 7
        self.x ^= self.x << 17 & MASK
        return (self.x >> 32) * limit >> 32


class Turns:
    """The links of a node in turn: each is used once before any is used again."""

    def __init__(self, k, draws):
        self.free, self.taken, self.draws = list(range(k)), [], draws

    def next(self):
        if not self.free:
            self.free, self.taken = self.taken, []
        some = self.draws.below(len(self.free))
        turn, self.free[some] = self.free[some], self.free[0]
        self.free = self.free[1:]
        self.taken.append(turn)
        return turn


class Message:
    def __init__(self, source, target):
        self.at, self.target = list(source), list(target)
        self.rounds, self.hops = {}, {}

    def spend(self, level, rounds, hops):
        self.rounds[level] = self.rounds.get(level, 0) + rounds
        self.hops[level] = self.hops.get(level, 0) + hops


class Play:
    """A(t) on C(k, levels) for messages, each a pair of nodes; `arrived`, `rounds` and `figures` have the results."""

    def __init__(self, k, levels, pairs, copies, asks, fat, seed):
        self.k, self.levels, self.copies, self.asks, self.fat, self.seed = k, levels, copies, asks, fat, seed
        self.draws = {}
        self.most, self.load = [0] * (levels + 1), [0.0] * (levels + 1)
        self.calls = Counter()
        self.hops = []
        """For each hop its round, from 0, its level, and the number of its link within the level."""
        self.cliques = {tuple(reversed(high)): [] for high in product(range(k), repeat=levels - 1)}
        self.number = {high: number for number, high in enumerate(self.cliques)}
        self.messages = [Message(self.node(u), self.node(v)) for u, v in pairs]
        for message in sorted(self.messages, key=lambda message: self.number[tuple(message.at[1:])]):
            self.cliques[tuple(message.at[1:])].append(message)
        goals = {message: message.target for message in self.messages}
        self.rounds = self.algorithm(levels, (), goals, 0, 0)
        self.arrived = sum(message.at == message.target for message in self.messages)

    def node(self, number):
        return [number // self.k**place % self.k for place in range(self.levels)]

    def inside(self, level, high):
        """The cliques of a copy, whose coordinates from `level` + 1 on are `high`."""
        return [clique for clique in self.cliques if clique[level - 1 :] == high]

    def algorithm(self, level, high, goals, call, start):
        """Run A(level) in a copy and return its rounds; goals have None for free coordinates."""
        here = [message for clique in self.inside(level, high) for message in self.cliques[clique]]
        self.load[level] = max(self.load[level], len(here) / self.k**level)
        if level == 1:
            rounds = self.clique(high, goals, call, start)
            self.most[1] = max(self.most[1], rounds)
            self.calls[rounds] += 1
            return rounds
        gates = {message: [None] * (level - 2) + [goals[message][level - 1]] for message in here}
        before = max(self.algorithm(level - 1, (i, *high), gates, call, start) for i in range(self.k))
        over = self.cross(level, high, call + (1 << (level - 2)) - 1, start + before)
        self.most[level] = max(self.most[level], over)
        then, at = call + (1 << (level - 2)), start + before + over
        after = max(self.algorithm(level - 1, (i, *high), goals, then, at) for i in range(self.k))
        return before + over + after

    def hop(self, number, high, src, dst):
        """Cross the link from a place of a clique to another, unless they are equal."""
        if src != dst:
            first = (self.number[high] * self.k + src) * (self.k - 1)
            self.hops.append((number, 1, first + dst - (dst > src)))

    def clique(self, high, goals, call, start):
        draws = self.draws[call, high] = Draws(self.seed, call * len(self.cliques) + self.number[high])
        here, left = self.cliques[high], []
        want = {message: draws.below(self.k) if goals[message][0] is None else goals[message][0] for message in here}
        straight = set()
        for message in here:
            link = message.at[0], want[message]
            if link in straight:
                left.append(message)
            else:
                straight.add(link)
                self.hop(start, high, *link)
                message.spend(1, 1, 1)
        phase = 1 if here else 0
        while left:
            phase += 1
            left = self.relay(left, want, draws, phase, high, start)
        for message in here:
            message.at[0] = want[message]
        return 2 * phase - 1 + (2 if self.asks and phase > 1 else 0) if phase else 0

    def relay(self, left, want, draws, phase, high, start):
        turns, handed, asked, winner, sent = {}, {}, {}, {}, {}
        for message in left:
            sender = message.at[0]
            turn, sent[message] = turns.setdefault(sender, Turns(self.k, draws)), 0
            while sent[message] < self.copies and handed.get(sender, 0) < self.k:
                link = turn.next(), want[message]
                if not self.asks:
                    self.hop(start + 2 * phase - 3, high, sender, link[0])
                handed[sender] = handed.get(sender, 0) + 1
                sent[message] += 1
                asked[link] = asked.get(link, 0) + 1
                if asked[link] == 1 or draws.below(asked[link]) == 0:
                    winner[link] = message
        first = start + 2 * phase - (1 if self.asks else 3)
        handed_on = set()
        for (relay, goal), message in winner.items():
            if message not in handed_on or not self.asks:
                self.hop(first + 1, high, relay, goal)
            if message not in handed_on and self.asks:
                self.hop(first, high, message.at[0], relay)
            handed_on.add(message)
        still = []
        for message in left:
            won = list(winner.values()).count(message)
            if won:
                message.spend(1, 2 * phase - 1, 2 if self.asks else sent[message] + won)
            else:
                message.spend(1, 0, 0 if self.asks else sent[message])
                still.append(message)
        return still

    def cross(self, level, high, call, start):
        coming, most = {}, 0
        for clique in self.inside(level, high):
            turns, count = {}, {}
            for message in self.cliques[clique]:
                place, own = message.at[0], message.at[level - 1]
                turn = turns.setdefault(place, Turns(self.k, self.draws[call, clique]))
                count[place] = count.get(place, 0) + 1
                rounds = -(-count[place] // self.k)
                node, chosen = self.number[clique] * self.k + place, own if self.fat else turn.next()
                self.hops.append((start + rounds - 1, level, node if self.fat else node * self.k + chosen))
                message.at[level - 1], message.at[level - 2] = message.at[level - 2], chosen
                message.spend(level, rounds, 1)
                most = max(most, rounds)
                coming.setdefault(tuple(message.at[1:]), []).append(message)
        for clique in self.inside(level, high):
            self.cliques[clique] = coming.get(clique, [])
        return most

    def figures(self):
        """For each level its number, maximum rounds, mean rounds, maximum load, mean hops."""
        count = len(self.messages)
        return [
            (
                level,
                self.most[level],
                sum(message.rounds.get(level, 0) for message in self.messages) / count,
                self.load[level],
                sum(message.hops.get(level, 0) for message in self.messages) / count,
            )
            for level in range(1, self.levels + 1)
        ]
