"""Importing this module runs each command once without output, so that the kernels of all commands are loaded."""

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from app.cli.main import main
from app.session.evaluation import evaluate_for_editing
from app.storage.presets import preset
from app.views.machine.geometry import LinkShading, MachineGeometry
from core.files import write_scenario
from core.spec import no_progress

with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
    path = Path(folder) / "example.fabriscope.json"
    write_scenario(path, preset("power775-smallest"))
    for command in ("evaluate", "timeline", "optimise --steps 10"):
        name, *options = command.split()
        assert main([name, str(path), *options]) == 0
    assert main(["compare", "circulant:nodes=8,jumps=1,2", "torus:dims=4x4"]) == 0
    # The modules of pictures, without a picture, since Qt's application does not survive a fork.
    evaluation = evaluate_for_editing(preset("power775-smallest"), None, no_progress).evaluation
    LinkShading(MachineGeometry(evaluation.case.network), evaluation.report.utilisation)
