"""The lines of the command palette, from the declarations of commands, families, presets, tours and formats."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from app.actions.action_set import ActionSet
from app.actions.file_commands import FileCommands
from app.actions.tour_commands import TourCommands
from app.panels.build.panel import BuildPanel
from app.panels.build.section import ChoiceSection
from app.storage.presets import preset, preset_names, preset_title
from app.storage.tours import START, tour_names
from app.views.view import View
from app.widgets.forms import first_line
from app.window.palette import PaletteEntry

Sections = Mapping[str, ChoiceSection]


def palette_entries(
    actions: ActionSet, files: FileCommands, tours: TourCommands, build: BuildPanel, views: Iterable[View]
) -> list[PaletteEntry]:
    """Return every entry available now."""
    sections = build.current_sections()
    return [
        *_commands(actions),
        *_families(sections),
        *_family_presets(sections),
        *_settings(sections, build),
        *_files(files, tours),
        *_exports(files, views),
    ]


def _commands(actions: ActionSet) -> Iterator[PaletteEntry]:
    for spec in actions.specs:
        action = actions[spec.id]
        if action.isEnabled():
            text, menu = action.text().rstrip(" …"), spec.menu.replace("/", " › ")
            yield PaletteEntry(text, "Command", action.trigger, menu, action.shortcut().toString(), spec.tip)


def _families(sections: Sections) -> Iterator[PaletteEntry]:
    for choice, section in sections.items():
        for family in section.families:
            run, refusal = partial(section.choose_family, family), section.refusals.get(family.tag(), "")
            name, _, about = first_line(family).partition(": ")
            yield PaletteEntry(
                family.title, choice.capitalize(), run, about, more=f"{name} {family.tag()}", refusal=refusal
            )


def _family_presets(sections: Sections) -> Iterator[PaletteEntry]:
    # Presets of networks are machines if a note gives their source.
    for choice, section in sections.items():
        for family in section.families:
            for name in family.presets:
                run, note = partial(section.choose_preset, family, name), family.preset_notes.get(name, "")
                if note and choice == "network":
                    yield PaletteEntry(name, "Machine", run, family.title, more=note)
                else:
                    yield PaletteEntry(f"{family.title}: {name}", choice.capitalize(), run, note)


def _settings(sections: Sections, build: BuildPanel) -> Iterator[PaletteEntry]:
    for choice, section in sections.items():
        where = f"{choice.capitalize()} › {section.family.title}"
        for editor in section.form.visible_editors:
            field = editor.field
            more = f"{field.description} {f'unit {field.unit}' if field.unit else ''}"
            yield PaletteEntry(field.title, "Setting", partial(build.edit, choice, field.name), where, more=more)


def _files(files: FileCommands, tours: TourCommands) -> Iterator[PaletteEntry]:
    for name in preset_names():
        scenario = preset(name)
        what = f"{scenario.job.title} on {scenario.network.title}"
        yield PaletteEntry(preset_title(name), "Preset", partial(files.open_preset, name), what, more=scenario.note)
    for name in tour_names():
        if name != START:  # a command opens it
            yield PaletteEntry(preset_title(name), "Tour", partial(tours.open_shipped, name))
    for path in files.recent:
        yield PaletteEntry(path.name, "Recent file", partial(files.open, path), str(path.parent))


def _exports(files: FileCommands, views: Iterable[View]) -> Iterator[PaletteEntry]:
    for offer in files.exchange.offers():
        ask = partial(files.exchange.ask_export, offer.kind, offer.part)
        yield PaletteEntry(f"Export {offer.part}: {offer.kind}", "Export", ask, offer.line)
    for view in views:
        yield PaletteEntry(f"Export picture: {view.title}", "Export", partial(files.ask_picture, view))
