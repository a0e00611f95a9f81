"""Every command as data: menus, shortcuts, the toolbar and the palette read this one table."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.actions.compare import COMPARING
from app.actions.edit import EDITS, MARKS, TOOL_ACTIONS
from app.actions.optimise import OPTIMISING
from app.actions.spec import ActionSpec
from app.actions.study import NETWORKS
from app.model.pointing import Item
from app.model.state import State
from app.style.colour import MAPS

__all__ = ["ACTIONS", "MENUS", "ActionSpec"]

if TYPE_CHECKING:
    from app.window.main_window import Window

MENUS = ("File", "Edit", "View", "Select", "Tools", "Optimise", "Study", "Help")


def _loaded(state: State) -> bool:
    return state.report.time > 0


def _toggle_log(window: "Window") -> None:
    scale = window.session.state.style.scale
    window.session.set_scale(replace(scale, log=not scale.log))


def _toggle_frozen(window: "Window") -> None:
    state = window.session.state
    frozen = None if state.style.scale.frozen_time is not None else state.full_scale_time or None
    window.session.set_scale(replace(state.style.scale, frozen_time=frozen))


def _set_map(name: str) -> "Callable[[Window], None]":
    return lambda window: window.session.set_scale(replace(window.session.state.style.scale, map=name))


def _has_map(name: str) -> Callable[[State], bool]:
    return lambda state: state.style.scale.map == name


def _show_hottest(percent: float) -> "Callable[[Window], None]":
    return lambda window: window.session.set_hottest_percent(percent)


def _shows(percent: float) -> Callable[[State], bool]:
    return lambda state: state.style.hottest_percent == percent


def _select_hottest(window: "Window") -> None:
    report = window.session.state.report
    if report.bottleneck_links.size:
        window.session.select(Item("link", int(report.bottleneck_links[0])))


def _theme(name: str) -> "Callable[[Window], None]":
    return lambda window: window.choose_theme(name)


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.open", "Open scenario …", "File", lambda w: w.files.ask_open(), "Ctrl+O"),
    ActionSpec("file.save", "Save", "File", lambda w: w.files.save(), "Ctrl+S"),
    ActionSpec("file.save-as", "Save as …", "File", lambda w: w.files.ask_save(), "Ctrl+Shift+S"),
    ActionSpec("file.snapshot", "Take snapshot …", "", lambda w: w.snapshots.ask_take(),
               tip="keep this state under a name inside the scenario file"),
    ActionSpec(
        "file.links", "Export link loads as CSV …", "File", lambda w: w.files.ask_links(),
        tip="one row per directed link: src, dst, class, load, utilisation",
    ),
    ActionSpec("file.quit", "Quit", "File", lambda w: w.close_soon(), "Ctrl+Q"),
    *EDITS,
    ActionSpec("view.fit", "Fit the machine to its view", "View", lambda w: w.fit(), "F"),
    ActionSpec("view.history", "Show the history", "View", lambda w: w.show_history(), "Ctrl+Alt+H"),
    ActionSpec(
        "view.log", "Logarithmic colours", "View", _toggle_log, "L", lambda s: not s.differing,
        lambda s: s.style.scale.log, "three decades below the hottest link", apart=True,
    ),
    ActionSpec(
        "view.freeze", "Freeze the colour scale", "View", _toggle_frozen, "Z", _loaded,
        lambda s: s.style.scale.frozen_time is not None, "keep 100 % where it is now, so that two states compare",
    ),
    *(
        ActionSpec(f"view.map.{name}", name.capitalize(), "View/Colours", _set_map(name), checked=_has_map(name))
        for name in MAPS
    ),
    *(
        ActionSpec(
            f"view.hottest.{percent:g}", f"Show the hottest {percent:g} %" if percent < 100 else "Show all links",
            "View/Links shown", _show_hottest(percent), f"Ctrl+{key}", checked=_shows(percent),
        )
        for key, percent in enumerate((100.0, 25.0, 10.0, 1.0), start=1)
    ),
    *(
        ActionSpec(f"view.theme.{name}", title, "View/Theme", _theme(name))
        for name, title in (("system", "Follow the system"), ("dark", "Dark"), ("light", "Light"))
    ),
    *COMPARING,
    ActionSpec("select.hottest", "Select the hottest link", "Select", _select_hottest, "H", _loaded),
    ActionSpec(
        "select.none", "Let go", "Select", lambda w: w.edits.escape(), "Esc",
        tip="put back what a tool has begun; else mark nothing; else select nothing; else show the whole machine",
    ),
    *MARKS,
    *TOOL_ACTIONS,
    *OPTIMISING,
    *NETWORKS,
    ActionSpec("work.cancel", "Cancel the running evaluation", "Select", lambda w: w.session.cancel(), "Ctrl+.",
               lambda s: s.busy is not None),
    ActionSpec("help.palette", "Search commands …", "Help", lambda w: w.open_palette(), "Ctrl+K"),
    ActionSpec("help.reference", "Reference", "Help", lambda w: w.open_help(), "F1"),
)  # fmt: skip
