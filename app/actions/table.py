"""Every command as data: menus, shortcuts, the toolbar and the palette read this one table."""

from dataclasses import replace
from functools import partial
from typing import Any

from app.actions.compare import COMPARING
from app.actions.context import ActionContext
from app.actions.edit import EDITS, MARKS, TOOL_ACTIONS
from app.actions.jobs import JOBS
from app.actions.optimise import OPTIMISING
from app.actions.spec import ActionSpec, Toggle
from app.actions.study import STUDIES
from app.actions.time import TIMING
from app.actions.tour import TOURING
from app.model.pointing import Item
from app.model.state import SearchPhase, State
from app.model.view_table import VIEWS
from app.style.colour import MAPS
from app.style.theme import FONT_SCALES
from app.wording import keys

MENUS = ("File", "Edit", "View", "Select", "Tools", "Optimise", "Study", "Tour", "Help")


def _loaded(state: State) -> bool:
    return state.report.time > 0


def _on_desk(state: State) -> bool:
    # A presented scene is not the user's work.
    return not state.presenting


def _timed(state: State) -> bool:
    found = state.time.timeline
    return found is not None and found.case is state.evaluation.case and found.seconds > 0


def _animated(state: State) -> bool:
    return state.steps > 1 and state.compared_pair is None and state.search.phase is not SearchPhase.RUNNING


def _set_scale(context: ActionContext, **values: Any) -> None:
    context.session.set_scale(replace(context.session.state.style.scale, **values))


def _set_frozen(context: ActionContext, frozen: bool) -> None:
    _set_scale(context, frozen_time=(context.session.state.full_scale_time or None) if frozen else None)


LOG = Toggle(lambda s: s.style.scale.log, lambda c, log: _set_scale(c, log=log), on=True, off=False)
FROZEN = Toggle(lambda s: s.style.scale.frozen_time is not None, _set_frozen, on=True, off=False)


RECORD = Toggle(
    lambda s: s.tour.recording,
    lambda c, on: c.session.recorder.begin() if on else c.session.recorder.end(),
    on=True,
    off=False,
)


def _map(name: str) -> Toggle[str]:
    return Toggle(lambda s: s.style.scale.map, lambda c, chosen: _set_scale(c, map=chosen), name)


def _hottest(percent: float) -> Toggle[float]:
    return Toggle(lambda s: s.style.hottest_percent, lambda c, chosen: c.session.set_hottest_percent(chosen), percent)


def _show(view: str, context: ActionContext) -> None:
    context.shell.show_page(view)


def _theme(name: str, context: ActionContext) -> None:
    context.shell.set_theme(name)


def _scale_type(steps: int, context: ActionContext) -> None:
    now = context.session.state.style.theme.scale
    following = [scale for scale in FONT_SCALES[::steps] if (scale - now) * steps > 0]
    if following:
        context.shell.set_font_scale(following[0])


def _select_hottest(context: ActionContext) -> None:
    report = context.session.state.report
    if report.bottleneck_links.size:
        context.session.select(Item("link", int(report.bottleneck_links[0])))


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.open", "Open scenario …", "File", lambda c: c.files.ask_open(), "Ctrl+O"),
    ActionSpec(
        "file.import", "Import …", "File", lambda c: c.files.exchange.ask_import(),
        tip="the network, job or mapping of another tool's file; files may also be dropped on the window",
    ),
    ActionSpec("file.save", "Save", "File", lambda c: c.files.save(), "Ctrl+S", _on_desk),
    ActionSpec("file.save-as", "Save as …", "File", lambda c: c.files.ask_save(), "Ctrl+Shift+S", _on_desk),
    ActionSpec("file.snapshot", "Take snapshot …", "", lambda c: c.shell.open("snapshot"), "", _on_desk,
               tip="keep this state under a name inside the scenario file"),
    ActionSpec(
        "file.links", "Export link loads as CSV …", "File", lambda c: c.files.ask_links(),
        tip="one row per directed link: src, dst, class, load, utilisation",
    ),
    ActionSpec(
        "file.steps", "Export timeline as CSV …", "File", lambda c: c.files.ask_steps(), "", _timed,
        "one row per step: when it runs, what it sends, how busy each row of the timeline is",
    ),
    ActionSpec("film.timeline", "Timeline as film …", "File/Film", lambda c: c.shell.open("film-timeline"), "",
               _animated, "the machine and its timeline, step after step, as MP4 or GIF; ten seconds long"),
    ActionSpec("film.recording", "Recording as film …", "File/Film", lambda c: c.shell.open("film-recording"), "",
               lambda s: s.tour.recorded, "the last recording, played as it was; its loads are computed again"),
    ActionSpec("film.save", "Save recording …", "File/Film", lambda c: c.shell.open("save-recording"), "",
               lambda s: s.tour.recorded, "as a file for the command line: fabriscope film"),
    ActionSpec("film.record", "Record the mapping", "File/Film", RECORD, "Ctrl+Shift+R",
               tip="what is done to the mapping from now on, by hand or by a search, until this is chosen again"),
    ActionSpec(
        "file.report", "Report …", "File", lambda c: c.shell.open("report"),
        tip="one page for any browser: figures, bounds, causes, pictures, history, and A where it is pinned",
    ),
    ActionSpec("file.quit", "Quit", "File", lambda c: c.shell.close_later(), "Ctrl+Q"),
    *EDITS,
    *JOBS,
    ActionSpec("view.fit", "Fit the machine to its view", "View", lambda c: c.shell.fit(), keys.FIT),
    *(
        ActionSpec(f"view.{view.id}", f"Show the {view.title.lower()}", "View", partial(_show, view.id), view.shortcut)
        for view in VIEWS if view.shortcut
    ),
    ActionSpec(
        "view.log", "Logarithmic colours", "View", LOG, "L", lambda s: not s.differing,
        "three decades below the hottest link", apart=True,
    ),
    ActionSpec(
        "view.freeze", "Freeze the colour scale", "View", FROZEN, "Z", _loaded,
        "keep 100 % where it is now, so that two states compare",
    ),
    *(
        ActionSpec(f"view.map.{name}", name.capitalize(), "View/Colours", _map(name))
        for name in MAPS
    ),
    *(
        ActionSpec(
            f"view.hottest.{percent:g}", f"Show the hottest {percent:g} %" if percent < 100 else "Show all links",
            "View/Links shown", _hottest(percent), f"Ctrl+{key}",
        )
        for key, percent in enumerate((100.0, 25.0, 10.0, 1.0), start=1)
    ),
    *(
        ActionSpec(f"view.theme.{name}", title, "View/Theme", partial(_theme, name))
        for name, title in (("system", "Follow the system"), ("dark", "Dark"), ("light", "Light"))
    ),
    ActionSpec(
        "view.larger", "Larger text", "View/Text size", partial(_scale_type, 1), "Ctrl++; Ctrl+=",
        lambda s: s.style.theme.scale < FONT_SCALES[-1], "type and marks, up to twice the desktop's size",
    ),
    ActionSpec(
        "view.smaller", "Smaller text", "View/Text size", partial(_scale_type, -1), "Ctrl+-",
        lambda s: s.style.theme.scale > FONT_SCALES[0], "type and marks, down to 80 % of the desktop's size",
    ),
    ActionSpec(
        "view.normal", "Text of normal size", "View/Text size", lambda c: c.shell.set_font_scale(1.0), "Ctrl+0",
        lambda s: s.style.theme.scale != 1, "type and marks as the desktop has them",
    ),
    *TIMING,
    *COMPARING,
    ActionSpec("select.hottest", "Select the hottest link", "Select", _select_hottest, "H", _loaded),
    ActionSpec(
        "select.none", "Let go", "Select", lambda c: c.edits.escape(), keys.ESCAPE,
        tip="put back what a tool has begun; else mark nothing; else select nothing; else show the whole machine",
    ),
    *MARKS,
    *TOOL_ACTIONS,
    *OPTIMISING,
    *STUDIES,
    *TOURING,
    ActionSpec("work.cancel", "Cancel the running evaluation", "Select", lambda c: c.session.cancel_pending(),
               keys.CANCEL_EVALUATION, lambda s: s.pending is not None and s.pending.cancellable),
    ActionSpec("help.palette", "Search commands …", "Help", lambda c: c.shell.open("palette"), "Ctrl+K"),
    ActionSpec("help.reference", "Reference", "Help", lambda c: c.shell.open("reference"), "F1"),
)  # fmt: skip
