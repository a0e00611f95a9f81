"""The main window and its parts: menus, tool bar, status bar, command palette, banners."""
