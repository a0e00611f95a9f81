"""The context menu: actions on the item under the pointer, and faults to try."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QWidget

from app.model.changes import ChangeSet
from app.model.places import tasks_at
from app.model.pointing import Hit, Item, exists, nodes_of, title, vertices_of
from app.session.added_cables import cable_of, remove_cable
from app.session.jobs import switch_to_job
from app.session.session import Session
from app.tools.swap import SwapTool
from app.views.heatmaps.bundle_matrix import MatrixView
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.view import MachineView
from app.views.view import View
from app.widgets.menu_parts import MenuPart, asked_widget, fill_from_parts, widgets_around
from core.load.scenario import Case
from core.mapping.targets import Target
from core.network.faults import (
    AnyFault,
    BundleFault,
    LinkFault,
    NodeFault,
    fault_text,
    fitting_faults,
    with_fault,
    without_fault,
)
from core.text import plural

SLOWED_SPEED = 0.5
"""Fraction of the bandwidth left to links that are slowed down."""
MAX_LISTED = 12
"""Maximum number of faults, the latest, that can be repaired one by one from the menu."""


CanvasCommand = tuple[str, Callable[[View], object], Callable[[View], bool]]
"""Title, effect on a view, and the views that have it."""


@runtime_checkable
class ItemHolder(Protocol):
    """A widget with items of the scenario in rows."""

    def menu_item(self, at: QPoint) -> Item | None:
        """Return the item at a point of the widget."""

    def mapFromGlobal(self, at: QPoint) -> QPoint:
        """Return a point of the screen as a point of the widget."""


class ContextMenus(QObject):
    """Opens the menu over the views, and runs the chosen action."""

    def __init__(self, session: Session, swap: SwapTool, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._swap, self._parent = session, swap, parent
        self.canvas: tuple[CanvasCommand, ...] = ()
        """The commands of views, offered where no item is."""
        self.show_page: Callable[[str], object] = lambda page: None
        """Brings a page of the window to the front."""
        self.menu: QMenu | None = None
        """The menu opened last."""
        self._explained: Item | None = None
        """The link whose largest cause is shown once it is known."""
        session.changed.connect(self._on_explained)

    def watch_machine(self, view: MachineView) -> None:
        """Open on the machine view."""
        view.menu_requested.connect(partial(self.open, over=view))

    def watch_grid(self, view: JobGridView) -> None:
        """Open on the task grid."""
        self._watch(view.surface, view.hit_at)

    def watch_matrix(self, view: MatrixView) -> None:
        """Open on a matrix of links."""
        self._watch(view.surface, lambda at: self.hit(view.item_at(at)))

    def open_over(self, window: QWidget, event: QContextMenuEvent) -> bool:
        """Open on any other widget of a window; return whether anything is offered there."""
        widget, at = asked_widget(window, event)
        holder = next((each for each in widgets_around(widget) if isinstance(each, ItemHolder)), None)
        item = None if holder is None else holder.menu_item(holder.mapFromGlobal(at))
        if not any(isinstance(each, MenuPart | View) for each in widgets_around(widget)):
            return False
        self.open(at, self.hit(item), widget)
        return self.menu is not None

    def hit(self, item: Item | None) -> Hit:
        """Return an item as a hit."""
        if item is None:
            return Hit()
        nodes = nodes_of(item, self._session.state.evaluation.case)
        return Hit(item, nodes[0] if len(nodes) == 1 else None, item.index if item.kind == "task" else None)

    def open(self, at: QPoint, hit: Hit, over: QWidget | None = None) -> None:
        """Open the menu for a hit over a widget, at a point of the screen."""
        # During a gesture the right button cancels it first: the menu refers to the resulting screen.
        if not self._session.editing.persistent:
            self._session.editing.cancel()
        self.menu = QMenu(self._parent)
        self.menu.setToolTipsVisible(True)
        self._fill(self.menu, hit, self._session.state.evaluation.case)
        fill_from_parts(self.menu, over, at)
        view = next((each for each in widgets_around(over) if isinstance(each, View)), None)
        if view is not None and hit.item is None:
            self.menu.addSeparator()
            for title_of, run, applies in self.canvas:
                if applies(view):
                    self.menu.addAction(title_of, partial(run, view))
        if self.menu.isEmpty():
            self.menu.deleteLater()
            self.menu = None
            return
        self.menu.aboutToHide.connect(self.menu.deleteLater)
        self.menu.popup(at)

    def _watch(self, area: QWidget, hit_at: Callable[[QPointF], Hit]) -> None:
        def on_requested(at: QPoint) -> None:
            self.open(inside.mapToGlobal(at), hit_at(QPointF(at)), area)

        inside = area.viewport() if isinstance(area, QAbstractScrollArea) else area
        area.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        area.customContextMenuRequested.connect(on_requested)

    def _fill(self, menu: QMenu, hit: Hit, case: Case) -> None:
        item = hit.item
        if item is not None and exists(item, case):
            _add_title(menu, title(item, case))
            # The paths of a flow are shown while it is selected.
            verb = "Show path" if item.kind == "flow" else "Select"
            select = menu.addAction(verb, partial(self._session.select, item))
            select.setEnabled(item != self._session.state.selection)
            if item.kind == "link":
                cause = menu.addAction("Show path of largest cause", partial(self._show_cause, item))
                cause.setEnabled(bool(self._session.state.report.load[item.index] > 0))
            if self._session.state.steps > 1:
                self._add_pin(menu, item)
            self._add_path(menu, item, case)
            self._add_focus(menu, hit, case)
            self._add_edits(menu, places(hit, case), case)
            menu.addSeparator()
            self._add_faults(menu, hit, case)
            self._add_removal(menu, item)
        self._add_repairs(menu, case)

    def _show_cause(self, link: Item) -> None:
        """Select the flow that loads a link most, once it is known."""
        self._session.select(link)
        self._explained = link
        self._on_explained(ChangeSet.EXPLANATION)

    def _on_explained(self, changes: ChangeSet) -> None:
        state = self._session.state
        if state.selection != self._explained:
            self._explained = None
        elif ChangeSet.EXPLANATION in changes and self._explained is not None and state.largest_cause is not None:
            self._explained = None
            self._session.select(state.largest_cause)

    def _add_path(self, menu: QMenu, item: Item, case: Case) -> None:
        nodes, routes = nodes_of(item, case), self._session.routes
        if item.kind in ("node", "task") and nodes:
            for words, use in (("Path from here", routes.begin_path), ("Path to here", routes.end_path)):
                menu.addAction(words, partial(self._show_path, use, nodes[0]))

    def _show_path(self, use: Callable[[int], object], node: int) -> None:
        use(node)
        self.show_page("routes")

    def _add_focus(self, menu: QMenu, hit: Hit, case: Case) -> None:
        for number, (name, nodes) in enumerate(case.allocation.others if case.allocation is not None else ()):
            if hit.node is not None and hit.node in nodes:
                menu.addAction(f"Switch to {name}", partial(switch_to_job, self._session, number))

    def _add_pin(self, menu: QMenu, item: Item) -> None:
        watcher, pinned = self._session.watcher, item in self._session.state.time.pinned_items
        text = "Remove from the timeline" if pinned else "Add to the timeline"
        menu.addAction(text, partial(watcher.unpin if pinned else watcher.pin, item))

    def _add_edits(self, menu: QMenu, targets: list[Target], case: Case) -> None:
        if not targets:
            return
        network, held = case.network, {target: tasks_at(target, case) for target in targets}

        def tasks(target: Target) -> str:
            return f"{plural(held[target].size, 'task')} of {target.name(network)}"

        def name(target: Target) -> str:
            return target.name(network)

        _add(menu, "Select {}", "Select tasks", targets, tasks, lambda target: self._session.mark(held[target]))
        _add(menu, "Swap {} with …", "Swap with …", targets, name, self._swap.pick_place)
        _add(menu, "Pick {} as target", "Pick as target", targets, name, self._take_target)

    def _add_faults(self, menu: QMenu, hit: Hit, case: Case) -> None:
        for fault, what in faults_offered(hit, case):
            same = next((declared for declared in _declared(case) if without_fault([declared], fault) == ()), None)
            slow = msgspec.structs.replace(fault, speed=SLOWED_SPEED)
            speed = 1.0 if same is None else same.speed
            menu.addAction(f"Fail {what}", partial(self._break, fault)).setEnabled(speed > 0)
            half = menu.addAction(f"Run {what} at half speed", partial(self._break, slow))
            half.setEnabled(speed != SLOWED_SPEED)
            menu.addAction(f"Repair {what}", partial(self._repair, same or fault)).setEnabled(same is not None)

    def _add_removal(self, menu: QMenu, item: Item) -> None:
        cable = cable_of(self._session, item.index) if item.kind == "link" else None
        if cable is not None:
            menu.addAction("Remove this added cable", partial(remove_cable, self._session, cable))

    def _add_repairs(self, menu: QMenu, case: Case) -> None:
        declared = _declared(case)
        if not declared:
            return
        if len(declared) > 1:
            inner = menu.addMenu("Repair")
            for fault in declared[-MAX_LISTED:]:
                inner.addAction(fault_text(fault, case.network), partial(self._repair, fault))
        menu.addAction("Repair everything", partial(self._propose, (), "Repair everything"))

    def _take_target(self, target: Target) -> None:
        self._session.set_target(target)
        if self._session.state.targeted is None:
            self._session.set_tool("paint")

    def _break(self, fault: AnyFault) -> None:
        faults = with_fault(self._wanted(), fault)
        self._propose(faults, f"{'Slow' if fault.speed else 'Fail'} {self._what(fault)}")

    def _repair(self, fault: AnyFault) -> None:
        self._propose(without_fault(self._wanted(), fault), f"Repair {self._what(fault)}")

    def _wanted(self) -> tuple[AnyFault, ...]:
        # Normalised to vertex numbers, so that faults of the same component compare equal.
        network = self._session.state.evaluation.case.network
        return tuple(fault.numbered(network) for fault in fitting_faults(network, self._session.state.wanted.faults))

    def _what(self, fault: AnyFault) -> str:
        return fault.what(self._session.state.evaluation.case.network)

    def _propose(self, faults: tuple[AnyFault, ...], name: str) -> None:
        self._session.propose(replace(self._session.state.wanted, faults=faults), name=name)


def _declared(case: Case) -> tuple[AnyFault, ...]:
    return () if case.faults is None else case.faults.declared


def _add(
    menu: QMenu,
    action: str,
    submenu: str,
    targets: list[Target],
    name: Callable[[Target], str],
    act: Callable[[Target], object],
) -> None:
    """Add an action for one place, whose name replaces ``{}``, or a submenu for several."""
    if len(targets) == 1:
        menu.addAction(action.format(name(targets[0])), partial(act, targets[0]))
        return
    inner = menu.addMenu(submenu)
    for target in targets:
        inner.addAction(name(target), partial(act, target))


def _add_title(menu: QMenu, text: str) -> None:
    head = menu.addAction(text)
    font = head.font()
    font.setBold(True)
    head.setFont(font)
    head.setEnabled(False)
    menu.addSeparator()


def places(hit: Hit, case: Case) -> list[Target]:
    """Return the places of a hit, finest first: for a node all places that contain it, for a box only the box."""
    item, network = hit.item, case.network
    if item is None or item.kind in ("link", "bundle", "switch", "flow"):
        return []
    if item.kind == "group":
        # A group of switches only has no place for tasks.
        return [Target(0, item.index)] if item.index < network.levels[0].count else []
    node = nodes_of(item, case)[0]
    return [Target.containing(node, level, network) for level in range(len(network.levels), -1, -1)]


def faults_offered(hit: Hit, case: Case) -> list[tuple[AnyFault, str]]:
    """Return the possible faults at a hit, each with its title in the menu."""
    item, network = hit.item, case.network
    if item is None:
        return []
    if item.kind == "link":
        link = LinkFault.of(network, item.index)
        both = "both directions" if link.links(network).size > 1 else "one direction"
        return [(link, f"this link ({both})"), *_bundle_of(item.index, case)]
    faults: Iterable[AnyFault] = map(NodeFault, vertices_of(item, case))
    if item.kind == "bundle":
        faults = [BundleFault(*sorted(divmod(item.index, network.groups)))]
    return [(fault, fault.what(network)) for fault in faults]


def _bundle_of(link: int, case: Case) -> list[tuple[AnyFault, str]]:
    network = case.network
    ends = np.array([network.src[link], network.dst[link]])
    if not network.levels:
        return []
    a, b = sorted(network.group_of[ends].tolist())
    if a == b or a < 0:
        return []
    fault = BundleFault(a, b)
    return [(fault, fault.what(network))] if fault.links(network).size > 2 else []
