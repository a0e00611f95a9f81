"""The objects that a command may use: the session, the window, the file and edit commands, the player."""

from dataclasses import dataclass

from app.actions.edit_commands import EditCommands
from app.actions.file_commands import FileCommands
from app.actions.shell import Shell
from app.actions.tour_commands import TourCommands
from app.session.session import Session
from app.views.charts.player import Player


@dataclass(frozen=True, slots=True)
class ActionContext:
    """The objects that a command may use."""

    session: Session
    shell: Shell
    files: FileCommands
    edits: EditCommands
    player: Player
    tours: TourCommands
