"""Phrases that no text, docstring or comment holds, each with an example and a better form."""

import re
from typing import NamedTuple


class Phrase(NamedTuple):
    """A phrase as a regular expression, a sentence that holds it, and a better sentence."""

    pattern: str
    example: str
    better: str

    def within(self, words: str) -> str | None:
        """Return the part of a text that is the phrase, or None if the text is free of it."""
        match = re.search(self.pattern, " ".join(words.split()), re.IGNORECASE)
        return match[0] if match else None


PHRASES = (
    # Bounds and bottlenecks
    Phrase(r"no mapping[^.:;]* (passes|pass|gets)\b", "the 213.3 GB/s no mapping passes", "upper bound 213.3 GB/s"),
    Phrase(r"\b(LL|LR|D|links?|rails?) limits?\b", "LR and D limit", "limited by LR and D links"),
    Phrase(r"\bwithin a factor of\b", "This one is within a factor of 3.3", "bound ÷ best: 3.3×"),
    Phrase(r"\d\}? times (faster|slower|more|as|the)\b", "33.9 times faster", "33.9× faster"),
    # Pronouns instead of nouns
    Phrase(r"\bso many\b", "a torus of so many nodes", "a torus with `nodes` nodes"),
    Phrase(r"\bthose (that|which|of|who|with)\b", "those that lost theirs", "flows whose bottleneck disappeared"),
    Phrase(r"\bthat of\b", "later than that of the first step", "later than the first step"),
    Phrase(r"\bthe ones? (of|that|with|in|on|beside)\b", "the one with the lowest rate", "the slowest flow"),
    Phrase(r"\b(whatever|whichever|likewise)\b", "whatever the size", "for any size"),
    Phrase(r"\bwhat (is|was|are|it|they|a|the|no|nothing)\b(?!.*\?)", "what is chosen in one view", "the selection"),
    # Inversion and negation of a noun
    Phrase(r"(?<!\bthere )\b(is|are|was) no (?!longer\b)[a-z]", "'x' is no file", "no such file: 'x'; not a file"),
    Phrase(r"\bof [a-z ]+ no \w+ (is|are)\b", "Of messages no time is told", "No time is given for message counts"),
    Phrase(r"\bnone (is|are)\b", "none is known", "no bound is known"),
    # Words with another meaning in the field, or none
    Phrase(r"\bbeside\b", "the jobs beside", "background jobs; compared with; in the scenario's folder"),
    Phrase(r"\b(all|shortest|minimal|other|few|many|these|two) ways\b", "all shortest ways", "all shortest paths"),
    Phrase(r"\b(tells?|told)\b", "no time is told", "no time is given"),
    Phrase(r"\bsaid\b", "what is said of it", "a note on it"),
    Phrase(r"\bputs? (all|it|them|everything) back\b", "Esc puts all back", "Esc cancels"),
    Phrase(r"\bgives? up\b", "Esc gives up", "Esc cancels"),
    Phrase(r"\blet go\b", "Let go", "Deselect"),
    Phrase(r"\banew\b", "deal the selection anew", "re-map the selection"),
    Phrase(r"\blook(s|ed)? at\b", "468,987 mappings looked at", "468,987 mappings evaluated"),
    Phrase(r"\bin place of\b", "in place of FILE", "instead of FILE"),
    Phrase(r"\bwould do\b", "sequential would do", "try sequential"),
    Phrase(r"\b(called|named|spelled) so\b", "no command is called so", "no such command"),
    Phrase(r"\bbut for\b", "all but for the first", "all except the first"),
    Phrase(r"\bleft out\b", "left out: automatic", "default: automatic"),
    Phrase(r"\bare alike\b", "these are alike", "these are equal"),
    Phrase(r"\bchanges? places\b", "tasks change places", "tasks are swapped"),
    Phrase(r"\bgo(es)? on\b", "the search goes on", "the search continues"),
    Phrase(r"\bfor one, ", "no path is left, for one, from 1 to 2", "no path from 1 to 2, among others"),
    # Units and numbers
    Phrase(r"\b\d[\d,]* a (unit|node|link|second|pair|group|switch)\b", "12 a unit", "12 per unit"),
    Phrase(r"\b(links|ports|nodes|tasks|GB|slots|cables|units) a (unit|node|link|second|pair|group|switch)\b",
           "4 slots a node", "4 slots per node"),
    Phrase(r"\d\}? × (slower|faster|,)", "slowed 2 × slower", "2× slower"),
    Phrase(r"/s each way\b", "12.5 GB/s each way", "12.5 GB/s per direction"),
    # Fields
    Phrase(r"; default\b", "size of each message; default: one unit", "size of each message (default: one unit)"),
    Phrase(r"\b(kept|stored) as bundles\b", "is kept as bundles only", "is aggregated"),
    # JSON in the window and on the terminal
    Phrase(r"\bis missing; \w+\.\w+\b", "src is missing; job.src", "choose a trace file"),
)  # fmt: skip
"""The better form is one of several."""
