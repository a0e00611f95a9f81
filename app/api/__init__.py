"""What `import fabriscope` offers: scenarios as objects, results with documented fields, and pictures."""

from app import __version__
from app.api.failure_curves import FailureCurves, resilience_curves
from app.api.functions import compare, evaluate, measured, metrics, optimise, routes
from app.api.loads import Loads
from app.api.picture import Picture
from app.api.scenario import Optimised, Scenario
from app.api.study import StudyTable, study
from app.cli.compare import Compared
from app.cli.diff import Diff
from app.cli.explain import Explained
from core.figures.added_cables import CableFigures
from core.figures.evaluation import Evaluation
from core.figures.measured import MeasuredFigures
from core.figures.network import Measures
from core.figures.resilience import CurvePoint, FailureCurve, Resilience
from core.figures.routes import RouteFigures
from core.figures.timeline import TimelineFigures
from core.load.evaluate import ClassFigures
from core.spec import SpecError

Error = SpecError

__all__ = [
    "CableFigures",
    "ClassFigures",
    "Compared",
    "CurvePoint",
    "Diff",
    "Error",
    "Evaluation",
    "Explained",
    "FailureCurve",
    "FailureCurves",
    "Loads",
    "MeasuredFigures",
    "Measures",
    "Optimised",
    "Picture",
    "Resilience",
    "RouteFigures",
    "Scenario",
    "SpecError",
    "StudyTable",
    "TimelineFigures",
    "__version__",
    "compare",
    "evaluate",
    "measured",
    "metrics",
    "optimise",
    "resilience_curves",
    "routes",
    "study",
]
