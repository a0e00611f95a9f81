// A picture of a machine with the loads of one state, and its pointer.

const MARGINS = [34, 28, 34, 34], LETTER_PX = 8, MAX_NAME_PX = 64, CLICK_PX = 4, LOG_DECADES = 3, NARROW_PX = 560;
/** `NARROW_PX` is the width below which captions are above their rows instead of to their left. */

/** The values of links on a colour scale, and their reductions to what is drawn. */
class Values {
  constructor(machine, link, look, log, shown, { other = null, used = null, limits = true, beyond = 1 } = {}) {
    Object.assign(this, { machine, link, shown, span: look.span, log, signed: look.span > 0 });
    // NaN, a missing value, is never among the strongest; infinite values are somewhat stronger than all others.
    const most = link.reduce((sofar, value) => (Number.isFinite(value) ? Math.max(sofar, Math.abs(value)) : sofar), 0);
    const infinite = beyond * most || 1, given = (value) => (Number.isFinite(value) ? value : value ? Math.sign(value) * infinite : 0);
    this.strength = (values) => values.map((value) => (this.signed ? Math.abs(given(value)) : given(value)));
    this.rank = this.strength(link);
    if (other) this.rank = this.rank.map((value, k) => Math.max(value, other[k]));
    this.vertex = machine.strongestAtVertices(link, shown);
    const { strongest, sizes } = machine.groups ? machine.strongestOfBundles(link, shown) : { strongest: [], sizes: [] };
    this.sizes = sizes;
    this.bundle = new Float32Array(strongest.length / 2).map((_, k) => {
      const [there, back] = [strongest[2 * k], strongest[2 * k + 1]];
      return Math.abs(back) > Math.abs(there) ? back : there;
    });
    this.bundleRank = this.strength(this.bundle);
    if (other && machine.groups) {
      const rival = machine.strongestOfBundles(other, shown).strongest;
      this.bundleRank = this.bundleRank.map((value, k) => Math.max(value, rival[2 * k], rival[2 * k + 1]));
    }
    this.top = 0;
    if (!limits) return;
    machine.each(shown, (id) => {
      if ((!used || used[id] > 0) && link[id] > this.top) this.top = link[id];
    });
  }

  /** The place of a value on the colour scale, from 0 to 1, or BEYOND. */
  coordinate(value) {
    if (Number.isNaN(value)) return MISSING;
    if (this.signed) return Math.abs(value) > this.span * 1.00001 ? BEYOND : clamp(value / (2 * this.span) + 0.5, 0, 1);
    if (value > 1.00001) return BEYOND;
    return clamp(this.log ? 1 + Math.log10(value) / LOG_DECADES : value, 0, 1);
  }

  /** Whether a value is that of a bottleneck. */
  isHot(value) {
    return value > 0 && Math.abs(value - this.top) <= this.top * 1e-6;
  }

  /** The groups with a bottleneck inside. */
  get limitingGroups() {
    if (this.groups) return this.groups;
    const { machine, link } = this, { src, dst } = machine.links;
    this.groups = new Set();
    machine.each(this.shown, (id) => {
      const group = machine.groupOf[src[id]];
      if (this.isHot(link[id]) && group >= 0 && group === machine.groupOf[dst[id]]) this.groups.add(group);
    });
    return this.groups;
  }

  /** The strongest shown links that are used, strongest first. */
  strongest(count, used) {
    const ids = [];
    this.machine.each(this.shown, (id) => {
      if (this.signed ? this.link[id] : !used || used[id] > 0) ids.push(id);
    });
    const strength = this.strength(this.link), rounded = (id) => Math.round(Math.abs(strength[id]) * 1e6);
    const some = ids.length > count ? strongest(Int32Array.from(ids), strength, count, true) : ids;
    return Array.from(some).sort((a, b) => rounded(b) - rounded(a) || a - b).filter((id) => this.link[id]);
  }
}

class Pane {
  constructor(page) {
    this.page = page;
    this.element = document.createElement("figure");
    this.element.className = "pane";
    this.element.innerHTML =
      '<figcaption></figcaption><div class="room"><canvas aria-hidden="true"></canvas><canvas class="top" tabindex="0" role="application"></canvas>' +
      '<div class="tip" hidden></div><p class="error" hidden></p></div>';
    [this.canvas, this.top] = this.element.querySelectorAll("canvas");
    [this.title, this.tip, this.error] = ["figcaption", ".tip", ".error"].map((name) => this.element.querySelector(name));
    this.renderer = new Renderer(this.canvas);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      Object.assign(this, { renderer: new Renderer(this.canvas), key: "", table: null });
      page.redraw();
    });
    this.context = this.top.getContext("2d");
    this.pointers = new Map();
    this.key = "";
    this.listen();
    new ResizeObserver(() => this.resized()).observe(this.element.querySelector(".room"));
  }

  get size() {
    return [this.top.clientWidth || 1, this.top.clientHeight || 1];
  }

  /** Show values of a machine; `camera` may be another pane's. */
  show(machine, values, camera) {
    if (this.machine !== machine) this.key = "";
    Object.assign(this, { machine, values, camera, key: "" });
    this.top.setAttribute("aria-label", `Machine of ${plural(machine.nodes, "node")} and ${plural(machine.links.count, "link")}. Arrow keys pan, plus and minus zoom, 0 shows everything, H selects the next of the hottest links.`);
  }

  get margins() {
    const [left, top, right, bottom] = MARGINS, { machine } = this;
    if (machine.groups) return [left, top, right, bottom];
    const name = Math.min(LETTER_PX * (machine.names[machine.nodes - 1].length + 1), MAX_NAME_PX);
    const captions = this.size[0] < NARROW_PX ? [] : machine.captions.map(([text]) => LETTER_PX * text.length);
    return [Math.max(left, name, ...captions), top, Math.max(right, name), bottom];
  }

  fit() {
    this.camera.fit(this.machine, this.size, this.margins);
    this.camera.fits = true;
  }

  /** Set the camera of a scene. */
  aim(goal) {
    this.fit();
    if (!goal) return;
    const { camera, machine } = this, { fitted } = camera;
    camera.fits = false;
    if (machine.solid && goal.azimuth !== null) camera.azimuth = goal.azimuth;
    if (machine.solid && goal.elevation !== null) camera.elevation = goal.elevation;
    if (goal.corners) {
      const limit = Math.min(fitted * camera.rules.zoomLimits[1], Math.min(...this.size) / (camera.rules.focusCells * Math.max(...machine.cell)));
      const points = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => goal.corners[(k >> axis) & 1][axis]));
      camera.frame(points, this.size, this.margins, limit);
    } else {
      camera.scale = fitted * goal.zoom;
      if (goal.shift) camera.shift = [...goal.shift];
    }
    camera.fitted = fitted;
  }

  resized() {
    if (!this.top.clientWidth) return; // hidden
    const ratio = window.devicePixelRatio || 1, before = this.was, [width, height] = this.size;
    for (const canvas of [this.canvas, this.top]) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.was = [width, height];
    if (!this.machine) return;
    if (this.goal !== undefined && !before) this.aim(this.goal);
    else if (this.camera.fits) this.fit();
    else if (before && this === this.page.panes[0]) {
      const zoom = Math.min(width / before[0], height / before[1]);
      this.camera.scale *= zoom;
      this.camera.fitted *= zoom;
    }
    this.page.redraw();
  }

  /** What determines the scene: while it is equal, so is the scene. */
  sceneKey(composer) {
    const { camera, machine, page } = this, key = [camera.step, composer.linkWidth(), page.percent];
    if (machine.groups) key.push(composer.openBoxes().join(""));
    if (!machine.solid && machine.links.count > camera.rules.crossingLimit) {
      const [x, y] = composer.world(0, 0), [right] = composer.world(this.size[0], 0), step = 2 ** Math.ceil(Math.log2(right - x)) / 4;
      key.push(Math.floor(x / step), Math.ceil(right / step), Math.floor(y / step), step);
    }
    return key.join(" ");
  }

  draw(colours) {
    const { machine, values, camera, size, page } = this, ratio = window.devicePixelRatio || 1;
    if (!machine || !values) return;
    const composer = new Composer(machine, values, camera, size, page.percent, page.shown, camera.rules), key = this.sceneKey(composer);
    if (key !== this.key) {
      this.key = key;
      this.scene = composer.compose();
      this.renderer.setScene(machine, this.scene, values, (value) => values.coordinate(value));
    }
    if (this.table !== colours.table) this.renderer.setTable((this.table = colours.table));
    const selected = page.selected !== null, { solid } = machine, { passing, clearest } = camera.rules;
    const links = selected ? (solid ? 0.5 : 0.25) : 1;
    this.renderer.draw(camera, size, ratio, {
      panel: channels(colours.panel), field: channels(colours.field), beyond: channels(colours.beyond), missing: channels(colours.missing),
      clear: this.scene.clarity / clearest, thinnest: camera.rules.thinnestOpacity, links,
      bundles: links * (this.scene.anyOpen ? passing : 1), cells: selected ? 0.6 : 1,
    });
    this.projection = new Projection(machine, this.scene, camera, size);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    new Overlay(this.context, this.projection, values, colours).draw(page.selected, page.hovered);
  }

  listen() {
    const { top, pointers } = this;
    top.onwheel = (event) => {
      event.preventDefault();
      const amount = event.deltaY * (event.deltaMode ? 16 : 1);
      this.zoom(2 ** (-clamp(amount, -300, 300) / 200), ...this.at(event));
    };
    top.onpointerdown = (event) => {
      top.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, this.at(event));
      if (pointers.size === 1) this.pressed = this.at(event);
      else this.pressed = null;
    };
    top.onpointermove = (event) => (pointers.has(event.pointerId) ? this.drag(event) : this.hover(...this.at(event)));
    top.onpointerup = (event) => {
      pointers.delete(event.pointerId);
      if (this.pressed) this.click(...this.at(event));
    };
    top.onpointercancel = (event) => pointers.delete(event.pointerId);
    top.onpointerleave = () => this.hover();
    top.ondblclick = () => this.fitAll();
    top.onkeydown = (event) => this.press(event);
  }

  at(event) {
    const area = this.top.getBoundingClientRect();
    return [event.clientX - area.left, event.clientY - area.top];
  }

  moved() {
    this.camera.fits = false;
    this.page.redraw();
  }

  fitAll() {
    this.fit();
    this.hideTip();
    this.page.redraw();
  }

  zoom(factor, x = this.size[0] / 2, y = this.size[1] / 2) {
    this.camera.zoomed(factor, x, y, this.size);
    this.hideTip();
    this.moved();
  }

  drag(event) {
    const { pointers, camera } = this, before = pointers.get(event.pointerId), now = this.at(event);
    if (this.pressed && Math.hypot(now[0] - this.pressed[0], now[1] - this.pressed[1]) <= CLICK_PX) return;
    this.pressed = null;
    this.hideTip();
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const [was, is] = [before, now].map((place) => Math.hypot(place[0] - other[0], place[1] - other[1]));
      camera.zoomed(is / Math.max(was, 1), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2, this.size);
      camera.panned((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    } else if (this.machine.solid && !event.shiftKey) {
      camera.turned(now[0] - before[0], now[1] - before[1]);
    } else {
      camera.panned(now[0] - before[0], now[1] - before[1]);
    }
    pointers.set(event.pointerId, now);
    this.moved();
  }

  itemAt(x, y) {
    return this.projection ? this.projection.itemAt(x, y, this.values) : null;
  }

  hover(x, y) {
    const item = x === undefined ? null : this.itemAt(x, y);
    this.page.hover(item);
    if (!item) return this.hideTip();
    this.showTip(this.page.texts.describe(item, this), x, y);
  }

  click(x, y) {
    this.page.select(this.itemAt(x, y));
    this.hover(x, y);
  }

  showTip([name, ...lines], x, y) {
    const { tip } = this, [width, height] = this.size;
    tip.replaceChildren();
    tip.append(Object.assign(document.createElement("b"), { textContent: name }), ...lines.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
    tip.hidden = false;
    tip.style.left = `${clamp(x + 14, 4, Math.max(width - tip.offsetWidth - 4, 4))}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > height ? Math.max(y - tip.offsetHeight - 10, 4) : y + 18}px`;
  }

  hideTip() {
    this.tip.hidden = true;
  }

  press(event) {
    const step = 40, moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.ctrlKey || event.metaKey || event.altKey || !moves[event.key]) return;
    event.preventDefault();
    const [dx, dy] = moves[event.key];
    if (this.machine.solid && !event.shiftKey) this.camera.turned(dx / 2, dy / 2);
    else this.camera.panned(dx, dy);
    this.moved();
  }
}
