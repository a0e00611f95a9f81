"""The menu bar, built from the table of actions, and the menu of link classes."""

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from app.actions.action_set import ActionSet
from app.actions.file_commands import FileCommands
from app.actions.table import MENUS
from app.actions.tour_commands import TourCommands
from app.session.session import Session
from app.storage.presets import preset_group, preset_names, preset_title
from app.storage.tours import START, tour_names
from app.views.view import View
from core.text import links_of


class Menus:
    """Fills a menu bar."""

    def __init__(
        self,
        bar: QMenuBar,
        actions: ActionSet,
        files: FileCommands,
        tours: TourCommands,
        snapshots: QMenu,
        views: Iterable[View],
    ) -> None:
        self._bar, self._files, self._tours = bar, files, tours
        self._menus: dict[str, QMenu] = {}
        for name in MENUS:
            self._menu(name)
        for spec in actions.specs:
            if spec.apart:
                self._menu(spec.menu.partition("/")[0]).addSeparator()
            if spec.menu:
                self._menu(spec.menu).addAction(actions[spec.id])
        self._recent = self._menu("File/Recent files")
        self._recent.aboutToShow.connect(self._fill_recent)
        self._add_files(actions, snapshots, views)

    def _menu(self, path: str) -> QMenu:
        if path not in self._menus:
            parent, _, name = path.rpartition("/")
            owner = self._menu(parent) if parent else self._bar
            texts = [action.text() for action in owner.actions()]
            taken = {text.partition("&")[2][0].lower() for text in texts if "&" in text}
            menu = QMenu(with_mnemonic(name, taken), self._bar.window())
            menu.setToolTipsVisible(True)
            owner.addMenu(menu)
            self._menus[path] = menu
        return self._menus[path]

    def _add_files(self, actions: ActionSet, snapshots: QMenu, views: Iterable[View]) -> None:
        presets, pictures = self._menu("File/Presets"), self._menu("File/Export picture")
        for name in sorted(preset_names(), key=preset_group):
            group = preset_group(name)
            menu = self._menu(f"File/Presets/{group}") if group else presets
            menu.addAction(preset_title(name), partial(self._files.open_preset, name))
        shipped = self._menu("Tour/More tours")
        for name in tour_names():
            if name != START:
                shipped.addAction(preset_title(name), partial(self._tours.open_shipped, name))
        tours, first = self._menu("Tour"), self._menu("Tour").actions()[0]
        tours.insertAction(first, actions["help.start"])
        tours.insertSeparator(first)
        tours.insertMenu(actions["tour.save"], shipped)
        for view in views:
            pictures.addAction(f"{view.title} …", partial(self._files.ask_picture, view))
        file, save, links = self._menu("File"), actions["file.save"], actions["file.links"]
        kinds = self._menu("File/Export")
        kinds.aboutToShow.connect(self._fill_export)
        inserted = ((presets, save), (self._recent, save), (snapshots, links), (kinds, links), (pictures, links))
        for menu, follows in inserted:
            file.insertMenu(follows, menu)
        for first in (save, kinds.menuAction(), actions["file.quit"]):
            file.insertSeparator(first)

    def _fill_export(self) -> None:
        if not self._menu("File/Export").isEmpty():
            return
        for offer in self._files.exchange.offers():
            ask = partial(self._files.exchange.ask_export, offer.kind, offer.part)
            action = self._menu(f"File/Export/{offer.part.capitalize()}").addAction(f"{offer.kind} …", ask)
            action.setToolTip(offer.line)

    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in self._files.recent:
            self._recent.addAction(str(path), partial(self._files.open, path))
        if self._recent.isEmpty():
            self._recent.addAction("No recent files").setEnabled(False)


def with_mnemonic(name: str, taken: set[str]) -> str:
    """Return a name with its first free letter as mnemonic: ``&Select``, then ``S&tudy``."""
    place = next((k for k, letter in enumerate(name) if letter.isalpha() and letter.lower() not in taken), 0)
    return f"{name[:place]}&{name[place:]}"


def ask_link_class(session: Session, below: QWidget) -> None:
    """Open the menu of the network's link classes below a widget, or over its window while it is hidden."""
    menu = QMenu(below.window())
    menu.aboutToHide.connect(menu.deleteLater)
    for name in ("", *(link_class.name for link_class in session.state.evaluation.case.network.classes)):
        action = menu.addAction(links_of(name) if name else "All links", partial(session.set_link_class, name))
        action.setCheckable(True)
        action.setChecked(name == session.state.style.link_class)
    menu.setActiveAction(menu.actions()[0])
    corner = below.mapToGlobal(QPoint(0, below.height()))
    menu.popup(corner if below.isVisible() else below.window().geometry().center())
