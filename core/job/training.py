"""One training step of a transformer on t d p ranks: tensor, pipeline, data and expert parallelism.

Rank ``i_t + t (i_d + d i_p)``: the default order of Megatron-LM (tp-cp-ep-dp-pp, without context parallelism); with e
groups of experts i_d is ``i_e + e i_ed``. Groups: tensor, with equal i_d and i_p; pipeline, with equal i_t and i_d;
data, with equal i_t and i_p; expert, with equal i_t, i_p and i_ed. Each kind of traffic is a phase, whose flows load
the network at the same time.

With A = b s h act_bytes, the activations between layers of a micro-batch:
- tensor: four all-reduces of A for each layer and micro-batch, two forward, two backward (the same bytes with
  sequence_parallel, in all-gathers and reduce-scatters);
- pipeline: A for each micro-batch and border between stages, and as much back; with v chunks per stage (interleaved)
  v times, and v - 1 times from the last stage back to the first; A / t with sequence_parallel;
- data: an all-reduce of the gradients, or sharded (distributed optimiser) a reduce-scatter of gradients and an
  all-gather of parameters;
- all-to-all: tokens to their experts and back, forward and backward, routed evenly;
- expert-data: like data, for the experts' parameters, among the ranks that hold the same experts.

In an all-reduce of B bytes among n ranks, each rank sends 2 (n - 1) / n B: in a ring to the next rank, or directly in
equal parts to every other rank. Simplified: nothing is recomputed, biases and norms are split like all other
parameters, and the shared embedding is not reduced. Sources: Shoeybi et al., "Megatron-LM: training multi-billion
parameter language models using model parallelism", 2019; Narayanan et al., "Efficient large-scale language model
training on GPU clusters using Megatron-LM", 2021; Korthikanti et al., "Reducing activation recomputation in large
transformer models", 2022; Lepikhin et al., "GShard", 2020.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.collectives.steps import Blocks, MessageStep, Partners, empty_phase
from core.job.job import Job, Phase, TaskGroups, Tasks, check_tasks
from core.job.measure import MEASURES
from core.job.message import BYTES_PER_GB
from core.job.ranks import RankedJob
from core.job.simultaneous import SimultaneousSteps
from core.spec import SpecError, declare

Degree = Annotated[int, declare("", "", ge=1, le=1 << 16)]
Size = Annotated[int, declare("", "", ge=1, le=1 << 24)]
NumberBytes = Annotated[int, declare("", "", ge=1, le=8)]

GROUP_NAMES = {
    "tensor": "tensor group",
    "pipeline": "pipeline stage",
    "data": "data group",
    "all-to-all": "expert group",
}
GPT3 = {"layers": 96, "hidden": 12288, "sequence": 2048, "vocabulary": 51200}


class ParallelAxis(NamedTuple):
    """A kind of parallelism. Ranks that differ only along its axis form a group."""

    stride: int
    size: int

    def place(self, ranks: Tasks) -> NDArray[np.int64]:
        """Return the index of ranks in their group."""
        return np.asarray(ranks // self.stride % self.size, np.int64)

    def groups(self, ranks: Tasks) -> Tasks:
        """Return the number of the group of ranks, from 0."""
        return np.asarray(ranks // (self.stride * self.size) * self.stride + ranks % self.stride, np.int32)

    def moved(self, ranks: Tasks, by: int) -> Tasks:
        """Return the ranks `by` places further in their group, cyclically."""
        place = self.place(ranks)
        return np.asarray(ranks + ((place + by) % self.size - place) * self.stride, np.int32)


class Training(RankedJob, frozen=True, tag="training"):
    """Training: one step of a transformer, with a phase for each kind of parallelism."""

    title: ClassVar[str] = "Training step"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "GPT-3, 1,024 ranks": GPT3 | {"tensor": 8, "data": 8, "pipeline": 16, "micro_batch": 1, "micro_batches": 24},
        "Llama 2 70B size, 512 ranks": {
            "tensor": 8,
            "data": 16,
            "pipeline": 4,
            "layers": 80,
            "hidden": 8192,
            "sequence": 4096,
            "vocabulary": 32000,
            "micro_batches": 16,
            "sequence_parallel": True,
            "sharded": True,
        },
        "Mixtral 8x7B size, 128 ranks": {
            "tensor": 1,
            "data": 32,
            "pipeline": 4,
            "expert": 8,
            "layers": 32,
            "hidden": 4096,
            "sequence": 4096,
            "vocabulary": 32000,
            "micro_batches": 16,
            "experts": 8,
            "top_k": 2,
            "moe_layers": 32,
            "sharded": True,
        },
    }
    preset_notes: ClassVar[dict[str, str]] = {
        "GPT-3, 1,024 ranks": "175 billion parameters; sizes from Narayanan et al., 2021",
        "Llama 2 70B size, 512 ranks": "layers, width and vocabulary of the model in GPT blocks; degrees are assumed",
        "Mixtral 8x7B size, 128 ranks": "layers, width and experts of the model in GPT blocks; degrees are assumed",
    }

    tensor: Annotated[Degree, declare("Tensor degree", "ranks that share each layer (t)")] = 8
    data: Annotated[Degree, declare("Data degree", "copies of the model (d)")] = 8
    pipeline: Annotated[Degree, declare("Pipeline degree", "stages of layers (p)")] = 16
    expert: Annotated[Degree, declare("Expert degree", "groups of experts (e), a divisor of the data degree")] = 1
    layers: Annotated[Size, declare("Layers", "number of layers (L)")] = 96
    hidden: Annotated[Size, declare("Hidden size", "width of a layer (h)")] = 12288
    sequence: Annotated[Size, declare("Sequence length", "tokens per sequence (s)")] = 2048
    micro_batch: Annotated[Size, declare("Micro-batch size", "sequences per micro-batch (b)")] = 1
    micro_batches: Annotated[Size, declare("Micro-batches", "micro-batches per copy of the model and step (m)")] = 24
    vocabulary: Annotated[
        int, declare("Vocabulary", "size of the vocabulary for the embeddings (V)", zero="none", ge=0, le=1 << 24)
    ] = 0
    act_bytes: Annotated[NumberBytes, declare("Activation size", "size of an activation", unit="bytes")] = 2
    grad_bytes: Annotated[NumberBytes, declare("Gradient size", "size of a gradient", unit="bytes")] = 4
    param_bytes: Annotated[NumberBytes, declare("Parameter size", "size of a parameter", unit="bytes")] = 2
    algorithm: Annotated[
        Literal["ring", "direct"],
        declare("Reductions", "ring (to the next rank of the group) or direct (to every other rank of the group)"),
    ] = "ring"
    sharded: Annotated[
        bool, declare("Sharded optimiser", "distributed optimiser, with gradients scattered and parameters gathered")
    ] = False
    sequence_parallel: Annotated[
        bool, declare("Sequence parallel", "activations outside tensor parallelism split along the sequence")
    ] = False
    chunks: Annotated[Size, declare("Chunks", "interleaved chunks of layers per stage (v)")] = 1
    experts: Annotated[
        int, declare("Experts", "experts per layer (E), a multiple of the expert degree", zero="none", ge=0, le=1 << 16)
    ] = 0
    top_k: Annotated[Size, declare("Top k", "experts per token")] = 1
    moe_layers: Annotated[int, declare("Expert layers", "layers with experts (M)", ge=0, le=1 << 24)] = 0

    @property
    def unused(self) -> frozenset[str]:
        """Return the fields about experts, if there are none, and about chunks, if there is one stage."""
        without = {"top_k", "moe_layers", "expert"} if not self.experts else set()
        return frozenset(without | ({"chunks"} if self.pipeline == 1 else set()))

    @property
    def tasks(self) -> int:
        """Return the number of ranks."""
        return self.tensor * self.data * self.pipeline

    def axes(self) -> dict[str, ParallelAxis]:
        """Return the axes by kind of parallelism."""
        t, d, e = self.tensor, self.data, self.expert
        return {
            "tensor": ParallelAxis(1, t),
            "pipeline": ParallelAxis(t * d, self.pipeline),
            "data": ParallelAxis(t, d),
            "all-to-all": ParallelAxis(t, e),
            "expert-data": ParallelAxis(t * e, d // e),
        }

    def task_groups(self) -> tuple[TaskGroups, ...]:
        """Return the groups of each kind of parallelism; for the pipeline, its stages."""
        ranks, groups = np.arange(self.tasks, dtype=np.int32), []
        for kind in self.sent():
            if kind in GROUP_NAMES:
                axis, stages = self.axes()[kind], kind == "pipeline"
                group = axis.place(ranks).astype(np.int32) if stages else axis.groups(ranks)
                groups.append(TaskGroups(GROUP_NAMES[kind], group, axis.size if stages else self.tasks // axis.size))
        return tuple(groups)

    def summary(self) -> str:
        """Return the largest volumes that a rank sends, by kind."""
        measure = MEASURES["GB"]
        sent = ", ".join(f"{measure.suited_amount(most / BYTES_PER_GB)} {kind}" for kind, most in self.sent().items())
        return f"{self.tasks:,} tasks, each sends {sent or 'nothing'}"

    def resized(self, slots: int) -> "Training":
        """Return the job with as many copies of the model as fill the slots; stages and parts shrink if necessary."""
        spec = self
        while spec.tensor * spec.pipeline * spec.expert > slots:
            name = "pipeline" if spec.pipeline > 1 else "expert" if spec.expert > 1 else "tensor"
            spec = replace(spec, **{name: getattr(spec, name) // 2 or 1})
        each = spec.tensor * spec.pipeline * spec.expert
        experts = spec.experts - spec.experts % spec.expert
        return replace(spec, data=min(slots // each, (1 << 16) // spec.expert) * spec.expert, experts=experts)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each kind of traffic.

        Raises SpecError: if groups do not divide the ranks, or beyond the limits on tasks and flows.
        """
        self._check()
        check_tasks("job.data", self.tasks, self.tasks * 2 * max(axis.size for axis in self.axes().values()))
        phases = tuple(self._phases()) or (empty_phase(self.tasks),)
        return Job(self, self.tasks, phases, None, unit=False, measure=MEASURES["GB"])

    def _check(self) -> None:
        if self.data % self.expert:
            raise SpecError("job.expert", f"is {self.expert:,}; it must divide the data degree, {self.data:,}")
        if self.experts % self.expert:
            raise SpecError(
                "job.experts", f"is {self.experts:,}; it must be a multiple of the expert degree, {self.expert:,}"
            )
        if self.moe_layers > self.layers:
            raise SpecError("job.moe_layers", f"is {self.moe_layers:,}, more than the {self.layers:,} layers")

    def parameters(self, stage: int) -> float:
        """Return the parameters on a rank of a stage, without experts."""
        h, parts = self.hidden, self.pipeline * self.tensor
        weights = self.layers * (12 * h**2 + 13 * h) - self.moe_layers * (8 * h**2 + 5 * h)
        gates = self.moe_layers * self.experts * h
        embeddings = (self.vocabulary + self.sequence) * h / self.tensor if self.vocabulary and stage == 0 else 0.0
        return (weights + gates) / parts + embeddings

    @property
    def expert_parameters(self) -> float:
        """Return the parameters of a rank's experts."""
        each = 8 * self.hidden**2 + 5 * self.hidden
        return self.moe_layers * self.experts / self.expert * each / (self.pipeline * self.tensor)

    def reduced(self, parameters: float, ranks: int) -> float:
        """Return the bytes that each rank of a group sends to sum gradients and distribute parameters."""
        each = self.grad_bytes + self.param_bytes if self.sharded else 2 * self.grad_bytes
        return (ranks - 1) / ranks * each * parameters

    @property
    def activations(self) -> float:
        """Return A, the bytes between two layers for a micro-batch."""
        return float(self.micro_batch * self.sequence * self.hidden * self.act_bytes)

    def sent(self) -> dict[str, float]:
        """Return the bytes sent by the rank that sends most, by kind; kinds that do not occur are omitted."""
        t, p, v, m = self.tensor, self.pipeline, self.chunks, self.micro_batches
        border = m * self.activations / (t if self.sequence_parallel else 1)
        # In both directions. The first and the last stage have one border and, with chunks, the wrap-around.
        stages = 0 if p == 1 else border * (2 * v if p > 2 else v + (v - 1))
        most_sent = {
            "tensor": 8 * self.activations * (t - 1) / t * m * self.layers / p,
            "pipeline": stages,
            "data": self.reduced(self.parameters(0), self.data),
            "all-to-all": self._tokens() * (self.expert - 1) if self.experts else 0.0,
            "expert-data": self.reduced(self.expert_parameters, self.data // self.expert) if self.experts else 0.0,
        }
        return {kind: most for kind, most in most_sent.items() if most > 0}

    def _tokens(self) -> float:
        # Bytes of tokens sent to each of the other ranks with experts, in all four exchanges.
        tokens = self.micro_batch * self.sequence / (self.tensor if self.sequence_parallel else 1)
        each = tokens * self.top_k * self.hidden * self.act_bytes / self.expert
        return 4 * self.micro_batches * self.moe_layers / self.pipeline * each

    def _phases(self) -> Iterator[Phase]:
        for kind in self.sent():
            yield SimultaneousSteps(self.tasks, list(self._steps(kind, self.axes()[kind])), kind)

    def _steps(self, kind: str, axis: ParallelAxis) -> Iterator[MessageStep]:
        if kind == "pipeline":
            yield from self._borders(axis)
        elif kind == "all-to-all":
            for by in range(1, axis.size):
                yield self._round(axis, by, self._tokens())
        else:
            distances = [1] if self.algorithm == "ring" else list(range(1, axis.size))
            for by in distances:
                if kind == "data":
                    yield self._round(axis, by, 1.0, self._data_bytes(len(distances)))
                else:
                    yield self._round(axis, by, self.sent()[kind] / len(distances))

    def _data_bytes(self, parts: int) -> Blocks:
        first, others = (self.reduced(self.parameters(stage), self.data) / parts for stage in range(2))
        stages = self.axes()["pipeline"]
        return lambda ranks: np.where(stages.place(ranks) == 0, first, others)

    def _borders(self, axis: ParallelAxis) -> Iterator[MessageStep]:
        border = self.micro_batches * self.activations / (self.tensor if self.sequence_parallel else 1)
        last = axis.size - 1
        for by in (1, -1):
            for times, inside in ((self.chunks, True), (self.chunks - 1, False)):
                if times:
                    ends = self._ends(axis, by, last, inside), self._ends(axis, -by, last, inside)
                    yield MessageStep("", self.tasks, *ends, times * border / BYTES_PER_GB)

    def _ends(self, axis: ParallelAxis, by: int, last: int, inside: bool) -> Partners:
        # To the next stage in one direction: inside, or from the last round to the first.
        def _partners(ranks: Tasks) -> Tasks:
            place = axis.place(ranks)
            round_ = place == (last if by > 0 else 0)
            partners: Tasks = np.where(~round_ if inside else round_, axis.moved(ranks, by), -1).astype(np.int32)
            return partners

        return _partners

    def _round(self, axis: ParallelAxis, by: int, sent: float, blocks: Blocks | None = None) -> MessageStep:
        ends = (lambda ranks: axis.moved(ranks, by)), (lambda ranks: axis.moved(ranks, -by))
        return MessageStep("", self.tasks, *ends, sent / BYTES_PER_GB, blocks)
