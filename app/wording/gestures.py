"""Pointer gestures, and keys of single views, for the list of shortcuts and the reference.

Keys of commands are in the table of commands.
"""

GESTURES: dict[str, tuple[tuple[str, str], ...]] = {
    "Pointer in the machine": (
        ("Point", "Describe the node, link or group under the pointer in all views"),
        ("Click", "Select the node, link or group; on empty space, deselect"),
        ("Double click", "Open a group; elsewhere, zoom in"),
        ("Wheel", "Zoom at the pointer"),
        ("Ctrl+click", "With the Paint tool, pick that place as the target"),
        ("Drag", "Pan; rotate a 3-D machine, which Shift+drag pans"),
        ("Right click", "Open the menu of that part; on empty space, of the view"),
    ),
    "Pointer in the job": (
        ("Click", "Select a task"),
        ("Drag", "Select the tasks in a rectangle; with the other tools, paint, drag or swap tasks"),
        ("Shift+drag, Ctrl+drag, Alt+drag", "Add to the selection, invert it, remove from it"),
        ("Double click", "Select all tasks on the same place of the machine"),
        ("Ctrl+click", "With the Paint tool, pick the place of that task as the target"),
    ),
    "Pointer in matrices and charts": (
        ("Click in a matrix", "Select that link, bundle or pair"),
        ("Ctrl+click in a matrix", "With the Paint tool, pick a node or group on the diagonal as the target"),
        ("Click in the timeline", "Show only that step in every view"),
        ("Click in the history", "Go to that step"),
        ("Ctrl+wheel", "Zoom a chart"),
        ("Double click", "Show the entire chart"),
    ),
    "Pointer in the window": (
        ("Drop a file", "Open a scenario or tour, or import a network, job, mapping or forwarding tables"),
        ("Click a bar of Bottleneck", "Show only the links of that class in every view; click again to show all links"),
        ("Click in Hottest links", "Select that link, and list the causes of its load"),
        ("Right click in a table", "Open the menu of that row, which also copies the row or the table"),
        ("Point at a row of What to move", "Preview that swap; a click applies it"),
    ),
    "Keys in the job": (
        ("Arrows", "Move the cursor"),
        ("Ctrl+arrows", "Move to the next place of the machine"),
        ("Shift+arrows", "Select a rectangle; with the Paint tool, paint a line"),
        ("Home, End", "Move to the first or last task of the row; with Ctrl, of the grid"),
        ("Space", "Click with the current tool"),
        ("Enter", "Put the selected tasks on the target"),
        ("Digits", "Choose the target by its number"),
        ("Page Up, Page Down", "Previous, next target"),
    ),
    "Keys in the machine": (
        ("Arrows", "Select the next group or node in that direction"),
        ("Enter", "Pick the selection for a swap"),
    ),
    "Keys in the scene list": (
        ("F2", "Rename the scene"),
        ("Delete", "Delete the selected scenes"),
        ("Ctrl+Left, Ctrl+Right", "Move the scene"),
    ),
}
"""Gestures or keys with their effects, by the part of the window."""
