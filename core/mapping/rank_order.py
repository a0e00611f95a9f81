"""Orders of the ranks of a training job, which decide which of its parallel groups stay together.

tp, dp and pp are tensor, data and pipeline parallelism; ranks in a group of the first kind are neighbours. The ranks
themselves are in order tp-dp-pp, Megatron-LM's default; its option is called --use-tp-pp-dp-mapping.
"""

from itertools import permutations
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from core.job.job import Job
from core.job.training import Training
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network
from core.spec import SpecError, declare

KINDS = {"tp": "tensor", "dp": "data", "pp": "pipeline"}


class RankOrder(MappingSpec, frozen=True, tag="rank-order"):
    """Rank order: ranks of a training job, ordered by tensor, then pipeline, then data groups, for example."""

    title: ClassVar[str] = "Rank order"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "-".join(order): {"order": "-".join(order)} for order in permutations(KINDS)
    }

    order: Annotated[
        Literal["tp-dp-pp", "tp-pp-dp", "dp-tp-pp", "dp-pp-tp", "pp-tp-dp", "pp-dp-tp"],
        declare("Order", "order of tensor (tp), data (dp) and pipeline (pp) groups, fastest-varying first"),
    ] = "tp-pp-dp"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the ranks in this order.

        Raises SpecError: if the job is not a training step.
        """
        spec = job.spec
        if not isinstance(spec, Training):
            raise SpecError("mapping.type", "rank-order needs a training job; try sequential")
        axes, place, weight = spec.axes(), np.zeros(job.tasks, np.int64), 1
        rank = np.arange(job.tasks, dtype=np.int32)
        for name in self.order.split("-"):
            axis = axes[KINDS[name]]
            place += axis.place(rank) * weight
            weight *= axis.size
        return place.astype(np.int32)
