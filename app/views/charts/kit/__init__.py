"""Parts that charts are made of, on pyqtgraph.

A chart is a `Chart` with one or more `Area`, each between `Axis`, with `Caption` and `Legend` around it, and with
`Drawing` in it. To add one:

1. Subclass `Chart` in a module of its own. In ``__init__`` make the parts: ``self.add_plot(...)`` returns an area with
   its axes and captions in a grid; for another layout override `Chart.arrange` and set the parts' geometry there.
2. Subclass `Drawing` for the content of the area: `Drawing.draw` draws in pixels, with ``self.area.x_of(value)`` and
   ``y_of`` for figures or arrays, and ``self.look`` for colours and fonts. `cached=True` keeps its picture while
   something on top of it moves. Items of pyqtgraph can be added by ``area.addItem`` if they do not paint by `QPicture`.
3. Give the chart a method that takes the content: it calls ``area.set_home(x, y)`` with the whole range and ``update``
   of the drawings. `Chart.dress` sets theme and font, and returns at once if they are the same.
4. The view is a `ChartHost`, any other widget a `ChartHolder`: ``make_chart`` imports the module, never at the top of
   the view's own, as pyqtgraph is imported after the first frame; ``fill`` gives a chart the content. It shows a chart,
   and draws another one into files. Charts are widgets: only the GUI thread may make them.
5. `Chart.hovered`, `Chart.pointer_left`, `Chart.clicked`, `Area.pressed`, `Area.dragged` and `Area.released` report
   the pointer. Keys go to the host.
"""
