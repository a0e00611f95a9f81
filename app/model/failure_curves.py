"""The curves of random failures on screen: of the scenario, or of A and B while they are compared. No Qt."""

from app.model.state import State
from app.model.what_if import FailureEvaluation
from core.figures.resilience import FailureCurve


def shown_curves(failures: FailureEvaluation, state: State) -> tuple[FailureCurve, ...]:
    """Return the curve of the failures, after the curve of A while A and B are compared and it is known."""
    of_a, reference = state.what_if.curve_of_a, state.comparison.reference
    if of_a is None or reference is None or not state.comparison.both:
        return (failures.curve,)
    fits = of_a.report is reference.report and of_a.curve.what == failures.curve.what
    return (of_a.curve, failures.curve) if fits else (failures.curve,)


def several_machines(state: State) -> bool:
    """Return whether throughputs of A and B can be compared only relative to the throughput without a failure."""
    reference = state.comparison.reference
    measures = {evaluation.case.job.measure for evaluation in (state.evaluation, reference) if evaluation is not None}
    return not state.same_links or len(measures) > 1
