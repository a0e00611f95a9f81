"""The commands of panels: visibility, maximising, and the available layouts."""

from functools import partial

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec, Toggle
from app.model.panel_layout import LAYOUTS, PANELS
from app.model.state import State

LAYOUT_TIPS = {
    "map": "Machine and job large, without charts and heatmaps",
    "diagnose": "Machine, bottleneck and heatmaps large, without Build",
    "time": "Timeline large, below the machine",
    "reset": "All panels, in sizes that suit the window",
}
assert LAYOUT_TIPS.keys() == LAYOUTS.keys()


def _visible(name: str) -> Toggle[bool]:
    return Toggle(
        lambda s: s.panels.shows(name),
        lambda c, visible: c.session.set_panel_visible(name, visible),
        on=True,
        off=False,
    )


def _can_toggle(name: str, state: State) -> bool:
    # The last visible panel stays.
    hidden = state.panels.hidden_panels
    return name in hidden or bool(state.panels.maximised) or len(PANELS) - len(hidden) > 1


def _arrange(name: str, context: ActionContext) -> None:
    context.shell.arrange(name)


def _layout_title(name: str) -> str:
    return "Reset layout" if name == "reset" else f"{name.capitalize()} layout"


def _maximise_title(state: State) -> str:
    return "Restore all panels" if state.panels.maximised else "Maximise panel"


PANEL_ACTIONS = (
    ActionSpec(
        "panel.maximise", "Maximise panel", "View/Panels", lambda c: c.shell.maximise(), "Ctrl+Alt+M",
        tip="Show only the panel with the keyboard focus, or all panels again; also a double-click on its title",
        text=_maximise_title,
    ),
    *(
        ActionSpec(
            f"panel.{name}", f"{title} panel", "View/Panels", _visible(name), "", partial(_can_toggle, name),
            f"Show or hide the {title} panel", apart=not index,
        )
        for index, (name, title) in enumerate(PANELS.items())
    ),
    *(
        ActionSpec(
            f"layout.{name}", _layout_title(name), "View/Layout", partial(_arrange, name), f"Ctrl+Alt+{key}",
            tip=LAYOUT_TIPS[name], apart=name == "reset",
        )
        for key, name in enumerate(LAYOUTS, start=1)
    ),
)  # fmt: skip
