"""Gestures of the pointer, and keys of single views, for the list of shortcuts and the reference.

Keys of commands are in the table of commands.
"""

GESTURES: dict[str, tuple[tuple[str, str], ...]] = {
    "Pointer in the machine": (
        ("Point", "Describe the node, link or group under the pointer, in all views"),
        ("Click", "Select it; on empty space, select nothing"),
        ("Double click", "Open a group; elsewhere, zoom in"),
        ("Wheel", "Zoom at the pointer"),
        ("Ctrl+click", "With the paint tool, take that place as the target"),
        ("Drag", "Move the machine; turn a solid, which Shift+drag moves"),
        ("Right click", "Open the menu of commands for that part; on empty space, for the picture"),
    ),
    "Pointer in the job": (
        ("Click", "Select a task"),
        ("Drag", "Mark the tasks in a rectangle; with the other tools, paint, drag or swap them"),
        ("Shift+drag, Ctrl+drag, Alt+drag", "Add to the marks, invert them, take away from them"),
        ("Double click", "Mark all tasks on the same place of the machine"),
        ("Ctrl+click", "With the paint tool, take the place of that task as the target"),
    ),
    "Pointer in matrices and charts": (
        ("Click in a matrix", "Select that link, bundle or pair"),
        ("Ctrl+click in a matrix", "With the paint tool, take the node or group on its diagonal as the target"),
        ("Click in the timeline", "Show that step alone in every view"),
        ("Click in the history", "Go to that step"),
        ("Ctrl+wheel", "Zoom a chart"),
        ("Double click", "Show the entire chart"),
    ),
    "Pointer in the window": (
        ("Drop a file", "Open a scenario or tour, or use a network, job or mapping of another tool"),
        ("Click a bar of Bottleneck", "Show only the links of that class in every view; again, all links"),
        ("Click in Hottest links", "Select that link, and list what causes its load"),
        ("Right click in a table", "Open the menu of that row, which also copies the row or the table"),
        ("Point at a row of What to move", "Preview that swap; a click applies it"),
    ),
    "Keys in the job": (
        ("Arrows", "Move the cursor"),
        ("Ctrl+arrows", "Move to the next place of the machine"),
        ("Shift+arrows", "Mark a rectangle; with the paint tool, paint a line"),
        ("Home, End", "Move to the ends of the row; with Ctrl, of the grid"),
        ("Space", "Act as a click with the current tool"),
        ("Enter", "Put the marked tasks on the target"),
        ("Digits", "Choose the target by its number"),
        ("Page Up, Page Down", "Previous, next target"),
    ),
    "Keys in the machine": (
        ("Arrows", "Select the next group or node in that direction"),
        ("Enter", "Pick the selection for a swap"),
    ),
    "Keys in the strip of scenes": (
        ("F2", "Rename the scene"),
        ("Delete", "Delete the selected scenes"),
        ("Ctrl+Left, Ctrl+Right", "Move the scene"),
    ),
}
"""Gestures or keys with their effects, by the part of the window."""
