"""Every command as data: menus, shortcuts, the toolbar and the palette read this one table."""

from dataclasses import replace
from functools import partial
from typing import Any

from app.actions.context import ActionContext
from app.actions.edit import EDITS, JOBS, MARKS, ROUTES, TOOL_ACTIONS
from app.actions.optimise import OPTIMISING
from app.actions.panel_commands import PANEL_ACTIONS
from app.actions.spec import ActionSpec, Toggle
from app.actions.time import TIMING
from app.actions.tour_commands import SCENE_COMMANDS, SceneCommand
from app.model.measured_text import TIPS
from app.model.measurement import LinkSource
from app.model.pointing import Item, flow_item
from app.model.routes import Drawn
from app.model.state import State
from app.model.state_groups import ComparisonMode, SearchPhase
from app.model.view_table import VIEWS
from app.storage.tours import START
from app.style.colour import MAPS
from app.style.theme import FONT_SCALES
from app.wording import keys
from app.wording.names import in_sentence

MENUS = ("File", "Edit", "View", "Select", "Tools", "Optimise", "Study", "Tour", "Help")


def _loaded(state: State) -> bool:
    return state.report.time > 0


def _several_classes(state: State) -> bool:
    return len(state.evaluation.case.network.classes) > 1


def _on_desk(state: State) -> bool:
    # A presented scene is not the user's work.
    return not state.presenting


def _timed(state: State) -> bool:
    if state.intervals:
        return state.series is not None
    timeline = state.time.timeline
    return timeline is not None and timeline.case is state.evaluation.case and timeline.seconds > 0


def _animated(state: State) -> bool:
    return state.steps > 1 and state.compared_pair is None and state.search.phase is not SearchPhase.RUNNING


def _set_scale(context: ActionContext, **values: Any) -> None:
    context.session.set_scale(replace(context.session.state.style.scale, **values))


def _set_frozen(context: ActionContext, frozen: bool) -> None:
    _set_scale(context, frozen_time=(context.session.state.full_scale_time or None) if frozen else None)


LOG = Toggle(lambda s: s.style.scale.log, lambda c, log: _set_scale(c, log=log), on=True, off=False)
FROZEN = Toggle(lambda s: s.style.scale.frozen_time is not None, _set_frozen, on=True, off=False)


UNUSED_LINKS = Toggle(
    lambda s: s.routes.drawn, lambda c, drawn: c.session.routes.draw(drawn), Drawn.UNUSED, off=Drawn.NOTHING
)
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


def _flow_to_show(state: State) -> Item | None:
    """Return the flow between two selected tasks, or else the largest cause of the selected link's load."""
    if state.marked.size == 2:
        return flow_item(*state.marked.tolist())
    return state.largest_cause


def _pin(context: ActionContext) -> None:
    state = context.session.state
    mode = state.comparison.mode
    kept = mode if mode not in (ComparisonMode.OFF, ComparisonMode.REFERENCE) else ComparisonMode.SIDE
    context.session.set_reference(state.evaluation, kept)


def _mode(comparison: ComparisonMode) -> Toggle[ComparisonMode]:
    return Toggle(
        lambda s: s.comparison.mode, lambda c, chosen: c.session.compare(chosen), comparison, ComparisonMode.OFF
    )


def _has_reference(state: State) -> bool:
    return state.comparison.reference is not None


def _can_differ(state: State) -> bool:
    return _has_reference(state) and (state.same_links or state.comparison.mode is ComparisonMode.DIFFERENCE)


def _has_channels(state: State) -> bool:
    return state.evaluation.case.job.channels is not None


def _draws_channels(state: State) -> bool:
    return state.channels.on_machine and _has_channels(state)


def _draw_channels(context: ActionContext, drawn: bool) -> None:
    context.session.channels.draw(drawn)
    if drawn:
        context.shell.show_page("channels")


CHANNELS = (
    ActionSpec(
        "channels.draw", "Rings and trees", "View",
        Toggle(_draws_channels, _draw_channels, on=True, off=False), "", _has_channels,
        "Draw the rings or trees of the collective on the machine, in a colour for each channel",
    ),
    ActionSpec(
        "channels.textbook", "Compare with the textbook algorithm", "View/Compare",
        lambda c: c.session.compare_with_textbook(), "", _has_channels,
        "Pin as A the same collective by a textbook algorithm in the order of ranks", apart=True,
    ),
)  # fmt: skip
COMPARING = (
    ActionSpec(
        "compare.pin", "Pin state as A", "View/Compare", _pin, "P",
        lambda s: not s.edit.gesture, tip="Compare all later changes, B, with this state", apart=True,
    ),
    ActionSpec(
        "compare.reference", "Show A only", "View/Compare", _mode(ComparisonMode.REFERENCE), "Shift+A",
        lambda s: _has_reference(s) and not s.edit.gesture, "Show the pinned state instead of B; an edit shows B again",
    ),
    ActionSpec(
        "compare.side", "Compare side by side", "View/Compare", _mode(ComparisonMode.SIDE), "C", _has_reference,
        "Show A and B in one colour scale",
    ),
    ActionSpec(
        "compare.difference", "Show difference", "View/Compare", _mode(ComparisonMode.DIFFERENCE),
        "Shift+C", _can_differ,
        "Show B − A, link by link; A and B must have the same network",
    ),
    ActionSpec(
        "compare.swap", "Swap A and B", "View/Compare", lambda c: c.session.swap_pinned(), "Shift+P",
        lambda s: _has_reference(s) and not s.edit.gesture, tip="Go to A, and pin the state on screen",
    ),
    ActionSpec(
        "compare.stop", "Stop comparing", "View/Compare", lambda c: c.session.set_reference(None), "",
        _has_reference, tip="Unpin A",
    ),
)  # fmt: skip


def _source(source: LinkSource) -> Toggle[LinkSource]:
    return Toggle(lambda s: s.source, lambda c, chosen: c.session.set_source(chosen), source)


def _has_counters(state: State) -> bool:
    return state.measurement is not None and state.compared_pair is None


def _has_waits(state: State) -> bool:
    return _has_counters(state) and state.measurement is not None and state.measurement.has_waits


SOURCES = (
    ActionSpec("view.load", "Loads", "View/Link values", _source(LinkSource.LOAD), "",
               lambda s: s.compared_pair is None, TIPS[LinkSource.LOAD]),
    ActionSpec("view.predicted", "Predicted bandwidths", "View/Link values", _source(LinkSource.PREDICTED), "",
               _has_counters, TIPS[LinkSource.PREDICTED]),
    ActionSpec("view.measured", "Measured bandwidths", "View/Link values", _source(LinkSource.MEASURED), "",
               _has_counters, TIPS[LinkSource.MEASURED]),
    ActionSpec("view.residual", "Measured minus predicted", "View/Link values", _source(LinkSource.DIFFERENCE), "",
               _has_counters, TIPS[LinkSource.DIFFERENCE]),
    ActionSpec("view.wait", "Measured wait per GB", "View/Link values", _source(LinkSource.WAIT), "",
               _has_waits, TIPS[LinkSource.WAIT]),
    ActionSpec("view.harm", "Harm if a link fails", "View/Link values", _source(LinkSource.HARM), "",
               lambda s: s.compared_pair is None, TIPS[LinkSource.HARM]),
    ActionSpec("view.counters", "Show links that differ", "View/Link values", partial(_show, "measured"), "",
               lambda s: s.measurement is not None, "Links that differ from their prediction or are slow", apart=True),
)  # fmt: skip

STUDIES = (
    ActionSpec("network.choose", "Choose network …", "Study", lambda c: c.shell.open("networks"), keys.CHOOSE_NETWORK,
               tip="All network families at about the same size, with pictures and metrics"),
    ActionSpec("network.compare", "Compare networks …", "Study", lambda c: c.shell.open("network-table"),
               "Ctrl+Shift+N",
               tip="Distances, cables, cost and throughput of networks of equal size or degree"),
    ActionSpec("study.open", "Studies …", "Study", lambda c: c.shell.open("studies"), "Ctrl+Shift+D", apart=True,
               tip="Vary fields of the scenario on screen, with the results as a table and a plot"),
)  # fmt: skip


def _tour_open(state: State) -> bool:
    return state.tour.tour is not None


def _at_scene(state: State) -> bool:
    return state.tour.tour is not None and state.tour.scene is not None


def _of_current(command: SceneCommand) -> ActionSpec:
    def run(context: ActionContext) -> None:
        number = context.session.state.tour.scene
        if number is not None:
            command.run(context.tours, number)

    def enabled(state: State) -> bool:
        tour, number = state.tour.tour, state.tour.scene
        return tour is not None and number is not None and command.enabled(number, len(tour.scenes))

    return ActionSpec(command.id, command.title, "Tour", run, command.shortcut, enabled, command.tip)


def _tour_text(verb: str, name: str) -> str:
    return f"{verb} {in_sentence(name)}"


TOURING = (
    ActionSpec("view.present-first", "Present from first scene", "Tour",
               lambda c: c.shell.present(full=True, first=True), "F5",
               tip="Show the tour, or the state on screen, full screen in large type"),
    ActionSpec("view.present", "Present", "Tour", lambda c: c.shell.present(full=True),
               "F11; Shift+F5", tip="Show the tour, or the state on screen, full screen in large type"),
    ActionSpec("view.present-window", "Present in separate window", "Tour", lambda c: c.shell.present(full=False),
               "Shift+F11", tip="The main window then shows notes, next scene and clock"),
    ActionSpec("tour.open", "Open tour …", "Tour", lambda c: c.tours.ask_open(), "Ctrl+Shift+O", apart=True),
    ActionSpec("tour.save", "Save tour", "Tour", lambda c: c.tours.save(), "", _tour_open),
    ActionSpec("tour.save-as", "Save tour as …", "Tour", lambda c: c.tours.ask_save(), "", _tour_open),
    ActionSpec("tour.close", "Close tour", "Tour", lambda c: c.tours.close(), "", _tour_open),
    ActionSpec("tour.add", "Add scene", "Tour", lambda c: c.tours.add(), "Ctrl+Shift+F11", apart=True,
               tip="Add the state on screen as a scene: scenario, views, camera, selection, colours and step"),
    ActionSpec("tour.update", "Update scene", "Tour", lambda c: c.tours.update(), "", _at_scene,
               tip="Replace the current scene with the state on screen; its texts stay"),
    *(_of_current(command) for command in SCENE_COMMANDS if command.id != "tour.present"),
    ActionSpec("tour.undo", "Undo tour change", "Tour", lambda c: c.tours.undo(), "Ctrl+Alt+Z",
               lambda s: bool(s.tour.tour_undo), text=lambda s: _tour_text("Undo", s.tour.tour_undo or "tour change")),
    ActionSpec("tour.redo", "Redo tour change", "Tour", lambda c: c.tours.redo(), "Ctrl+Alt+Y",
               lambda s: bool(s.tour.tour_redo), text=lambda s: _tour_text("Redo", s.tour.tour_redo or "tour change")),
    ActionSpec("tour.next", "Next scene", "Tour", lambda c: c.tours.step(1), "Ctrl+PgDown", _tour_open, apart=True),
    ActionSpec("tour.previous", "Previous scene", "Tour", lambda c: c.tours.step(-1), "Ctrl+PgUp", _tour_open),
    ActionSpec("film.tour", "Export tour as film …", "Tour", lambda c: c.shell.open("film-tour"), "", _tour_open,
               apart=True, tip="MP4 or GIF, written in the background"),
    ActionSpec("film.document", "Export tour as PDF …", "Tour", lambda c: c.shell.open("document"), "", _tour_open,
               tip="One scene per page"),
)  # fmt: skip

HELPING = (
    ActionSpec("help.start", "Start here", "Help", lambda c: c.tours.open_shipped(START),
               tip="Tour of this window in six scenes"),
    ActionSpec("help.steps", "Show first steps", "Help", lambda c: c.shell.open("first-steps"),
               tip="Show the line at the top: choose a machine, choose a job, search"),
    ActionSpec("help.palette", "Search commands …", "Help", lambda c: c.shell.open("palette"), "Ctrl+K", apart=True,
               tip="Also networks, jobs, mappings, routings, settings, presets, tours and recent files"),
    ActionSpec("help.shortcuts", "Keyboard shortcuts", "Help", lambda c: c.shell.open("shortcuts"), "Ctrl+F1",
               tip="Keys of all commands, and pointer gestures"),
    ActionSpec("help.reference", "Reference", "Help", lambda c: c.shell.open("reference"), keys.REFERENCE),
    ActionSpec("help.about", "About Fabriscope", "Help", lambda c: c.shell.open("about"), apart=True,
               tip="Versions, licence and citation"),
)  # fmt: skip

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("file.open", "Open scenario …", "File", lambda c: c.files.ask_open(), "Ctrl+O"),
    ActionSpec(
        "file.import", "Import …", "File", lambda c: c.files.exchange.ask_import(),
        tip="Read a network, job, mapping or forwarding tables of another tool; files can also be dropped here",
    ),
    ActionSpec("file.save", "Save", "File", lambda c: c.files.save(), "Ctrl+S", _on_desk),
    ActionSpec("file.save-as", "Save as …", "File", lambda c: c.files.ask_save(), "Ctrl+Shift+S", _on_desk),
    ActionSpec("file.snapshot", "Take snapshot …", "", lambda c: c.shell.open("snapshot"), "", _on_desk,
               tip="Keep this state under a name in the scenario file"),
    ActionSpec(
        "file.links", "Export link loads as CSV …", "File", lambda c: c.files.ask_links(),
        tip="One row per directed link: src, dst, class, load, utilisation; from and to for networks from files",
    ),
    ActionSpec(
        "file.steps", "Export timeline as CSV …", "File", lambda c: c.files.ask_steps(), "", _timed,
        "One row per step: start and end, volume, and utilisation of each row of the timeline",
    ),
    ActionSpec("film.timeline", "Export timeline as film …", "File/Film", lambda c: c.shell.open("film-timeline"), "",
               _animated, "The machine and its timeline, step by step, as MP4 or GIF; ten seconds long"),
    ActionSpec("film.recording", "Export recording as film …", "File/Film", lambda c: c.shell.open("film-recording"),
               "", lambda s: s.tour.recorded, "Play back the last recording; its loads are recomputed"),
    ActionSpec("film.save", "Save recording …", "File/Film", lambda c: c.shell.open("save-recording"), "",
               lambda s: s.tour.recorded, "Save a file for fabriscope film on the command line"),
    ActionSpec("film.record", "Record mapping", "File/Film", RECORD, "Ctrl+Shift+R",
               tip="Record changes of the mapping, by hand or by a search, until this command is chosen again"),
    ActionSpec(
        "file.report", "Export report …", "File", lambda c: c.shell.open("report"),
        tip="One HTML page: figures, bounds, causes, pictures and history, and A if it is pinned",
    ),
    ActionSpec("file.quit", "Quit", "File", lambda c: c.shell.close_later(), "Ctrl+Q"),
    *EDITS,
    *JOBS,
    *ROUTES,
    ActionSpec("view.fit", "Fit machine to view", "View", lambda c: c.shell.fit(), keys.FIT),
    *(
        ActionSpec(f"view.{view.id}", f"Show {in_sentence(view.title)}", "View", partial(_show, view.id), view.shortcut)
        for view in VIEWS if view.shortcut
    ),
    *PANEL_ACTIONS,
    ActionSpec(
        "view.log", "Logarithmic colours", "View", LOG, "L", lambda s: not s.shading.signed,
        "Three decades below the hottest link", apart=True,
    ),
    ActionSpec(
        "view.freeze", "Freeze colour scale", "View", FROZEN, "Z", _loaded,
        "Keep 100 % at its current load, so that states can be compared",
    ),
    *(
        ActionSpec(f"view.map.{name}", name.capitalize(), "View/Colours", _map(name))
        for name in MAPS
    ),
    *(
        ActionSpec(
            f"view.hottest.{percent:g}", f"Show hottest {percent:g} %" if percent < 100 else "Show all links",
            "View/Links shown", _hottest(percent), f"Ctrl+{key}",
        )
        for key, percent in enumerate((100.0, 25.0, 10.0, 1.0), start=1)
    ),
    ActionSpec(
        "view.link-class", "Show one link class …", "View/Links shown", lambda c: c.shell.open("link-classes"),
        "", _several_classes, "In the machine, the heatmaps, the histograms and the table of hottest links", apart=True,
    ),
    ActionSpec(
        "view.unused", "Unused under all-to-all", "View/Links shown", UNUSED_LINKS,
        tip="Highlight the links that no path of the routing crosses, if every node sends to every other",
    ),
    ActionSpec(
        "view.all-classes", "Show all link classes", "View/Links shown", lambda c: c.session.set_link_class(""),
        "", lambda s: s.shown_class is not None,
    ),
    *(
        ActionSpec(f"view.theme.{name}", title, "View/Theme", partial(_theme, name))
        for name, title in (("system", "Follow system"), ("dark", "Dark"), ("light", "Light"))
    ),
    ActionSpec(
        "view.larger", "Increase text size", "View/Text size", partial(_scale_type, 1), "Ctrl++; Ctrl+=",
        lambda s: s.style.theme.scale < FONT_SCALES[-1], "Font and symbol size, at most 200 % of the desktop's",
    ),
    ActionSpec(
        "view.smaller", "Decrease text size", "View/Text size", partial(_scale_type, -1), "Ctrl+-",
        lambda s: s.style.theme.scale > FONT_SCALES[0], "Font and symbol size, at least 80 % of the desktop's",
    ),
    ActionSpec(
        "view.normal", "Reset text size", "View/Text size", lambda c: c.shell.set_font_scale(1.0), "Ctrl+0",
        lambda s: s.style.theme.scale != 1, "Font and symbol size of the desktop",
    ),
    *TIMING,
    *COMPARING,
    *CHANNELS,
    *SOURCES,
    ActionSpec("select.hottest", "Select hottest link", "Select", _select_hottest, "H", _loaded),
    ActionSpec(
        "select.path", "Show path", "Select", lambda c: c.session.select(_flow_to_show(c.session.state)),
        enabled=lambda s: _flow_to_show(s) is not None,
        tip="Show the path between two selected tasks, or of the flow that loads the selected link most",
    ),
    ActionSpec(
        "routes.show", "Show routes", "Select", lambda c: c.shell.show_page("routes"), "Ctrl+Alt+P",
        tip="Hops, hottest and unused links, and bisection bandwidth of the routing; the path between two nodes",
    ),
    ActionSpec(
        "select.none", "Cancel or deselect", "Select", lambda c: c.edits.escape(), keys.ESCAPE,
        tip="The first that applies: cancel the gesture, restore all panels, deselect tasks, deselect the item, "
            "hide the path of the Routes panel, show all link classes, show the whole machine",
    ),
    *MARKS,
    *TOOL_ACTIONS,
    *OPTIMISING,
    *STUDIES,
    *TOURING,
    ActionSpec("work.cancel", "Cancel evaluation", "Select", lambda c: c.session.cancel_pending(),
               keys.CANCEL_EVALUATION, lambda s: s.pending is not None and s.pending.cancellable),
    *HELPING,
)  # fmt: skip
IN_WINDOWS = (
    "view.present-first", "view.present", "view.present-window", "study.open", "network.compare", "help.reference",
    "file.quit",
)  # fmt: skip
"""Commands whose shortcuts also work in the other windows."""
