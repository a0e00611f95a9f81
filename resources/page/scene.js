// What to draw: the camera, and the links, bundles and cells of a view at its level of detail.
// As app/views/machine/camera.py and app/views/machine/scene.py; `rules` are the constants of these modules.

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Linear interpolation between two points of a function, constant beyond. */
function between(value, [from, to], [low, high]) {
  return low + (high - low) * clamp((value - from) / (to - from), 0, 1);
}

class Camera {
  constructor(machine, rules) {
    const [low, high] = machine.bounds;
    this.pivot = low.map((value, axis) => (value + high[axis]) / 2);
    this.radius = machine.solid ? Math.hypot(...low.map((value, axis) => high[axis] - value)) / 2 : 0;
    this.rules = rules;
    Object.assign(this, { scale: 1, fitted: 1, shift: [0, 0], azimuth: 0, elevation: 0 });
    if (machine.solid) Object.assign(this, { azimuth: rules.azimuth, elevation: rules.elevation });
  }

  /** The scale in steps, so that slight zooming does not change what depends on it. */
  get step() {
    return 2 ** (Math.round(2 * Math.log2(this.scale)) / 2);
  }

  copy() {
    return Object.assign(Object.create(Camera.prototype), this, { shift: [...this.shift] });
  }

  /** The matrix, row by row, that maps world row vectors to homogeneous pixels and depth. */
  matrix([width, height]) {
    const a = (this.azimuth * Math.PI) / 180, e = (this.elevation * Math.PI) / 180;
    const [ca, sa, ce, se] = [Math.cos(a), Math.sin(a), Math.cos(e), Math.sin(e)];
    const turn = [[ca, sa * se, -sa * ce], [0, ce, se], [sa, -ca * se, ca * ce]];
    const moved = [0, 1, 2].map((axis) => -turn.reduce((sum, row, k) => sum + this.pivot[k] * row[axis], 0));
    const vanish = this.radius ? 1 / (this.rules.eye * this.radius) : 0, depth = this.radius ? 0.5 / this.radius : 1;
    const x0 = width / 2 - this.scale * this.shift[0], y0 = height / 2 + this.scale * this.shift[1];
    const rows = [...turn.map((row) => [...row, 0]), [...moved, 1]];
    return rows.flatMap(([x, y, z, w]) => [
      this.scale * x - vanish * x0 * z + x0 * w, -this.scale * y - vanish * y0 * z + y0 * w, -depth * z, w - vanish * z,
    ]);
  }

  panned(dx, dy) {
    this.shift = [this.shift[0] - dx / this.scale, this.shift[1] + dy / this.scale];
  }

  turned(dx, dy) {
    this.azimuth = ((this.azimuth + 0.4 * dx + 540) % 360) - 180;
    this.elevation = clamp(this.elevation + 0.4 * dy, -90, 90);
  }

  zoomed(factor, x, y, [width, height]) {
    const [low, high] = this.rules.zoomLimits, before = this.scale;
    this.scale = clamp(before * factor, low * this.fitted, high * this.fitted);
    const kept = 1 / before - 1 / this.scale;
    this.shift = [this.shift[0] + (x - width / 2) * kept, this.shift[1] - (y - height / 2) * kept];
  }

  /** Fill a picture with points, inside margins (left, top, right, bottom). */
  frame(points, size, [left, top, right, bottom], limit = Infinity) {
    Object.assign(this, { scale: 1, shift: [0, 0] });
    const matrix = this.matrix([0, 0]), seen = points.map((point) => projected(matrix, ...point));
    const [x, y] = [0, 1].map((axis) => seen.map((at) => at[axis]));
    const [low, high] = [[Math.min(...x), Math.min(...y)], [Math.max(...x), Math.max(...y)]];
    const room = [size[0] - left - right, size[1] - top - bottom];
    const fits = room.map((length, axis) => length / Math.max(high[axis] - low[axis], 1e-6));
    this.scale = Math.max(Math.min(...fits, limit), 1e-3);
    this.shift = [
      (low[0] + high[0]) / 2 - (left - right) / 2 / this.scale, -(low[1] + high[1]) / 2 + (top - bottom) / 2 / this.scale,
    ];
  }

  /** Show the whole machine. */
  fit(machine, size, margins) {
    const [low, high] = machine.bounds, ends = [low, high];
    if (machine.solid) Object.assign(this, { azimuth: this.rules.azimuth, elevation: this.rules.elevation });
    this.frame([0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => ends[(k >> axis) & 1][axis])), size, margins);
    this.fitted = this.scale;
  }
}

/** The pixel and the depth of a world point. */
function projected(m, x, y, z) {
  const w = x * m[3] + y * m[7] + z * m[11] + m[15];
  return [0, 1, 2].map((k) => (x * m[k] + y * m[4 + k] + z * m[8 + k] + m[12 + k]) / w);
}

/** The number of the hottest `percent`, at least one unless there are none. */
const share = (total, percentage) => Math.min(total, Math.max(1, Math.ceil((total * percentage) / 100 - 1e-9)));

/** The `count` strongest of some ids, ascending; of equal ones at the threshold an even sample, or the `first`. */
function strongest(ids, strength, count, first = false) {
  if (count >= ids.length) return ids;
  if (count <= 0) return ids.slice(0, 0);
  const sorted = Float32Array.from(ids, (id) => strength[id]).sort();
  const border = sorted[sorted.length - count], slack = Math.abs(border) * 1e-6;
  const above = ids.filter((id) => strength[id] > border + slack);
  const equal = ids.filter((id) => Math.abs(strength[id] - border) <= slack), room = count - above.length;
  const sampled = (k) => Math.floor((k * room) / equal.length) < Math.floor(((k + 1) * room) / equal.length);
  const some = first ? equal.slice(0, room) : equal.filter((_, k) => sampled(k));
  return Int32Array.from([...above, ...some]).sort();
}

/** Composes what to draw of a machine: links or bundles with their widths, and the sizes of cells. */
class Composer {
  constructor(machine, values, camera, size, percentage, shown, rules) {
    Object.assign(this, { machine, values, camera, size, percentage, shown, rules });
    const [low, high] = machine.bounds;
    // The length of lines, a pixel wide, that cover the picture.
    this.room = (high[0] - low[0]) * (high[1] - low[1]) * camera.step;
  }

  compose() {
    const { machine } = this, boxed = machine.groups > 0, nothing = { ids: new Int32Array(0), width: new Float32Array(0) };
    this.open = boxed ? this.openBoxes() : new Uint8Array(0);
    this.anyOpen = this.open.includes(1);
    let links = nothing, bundles = nothing;
    if (!boxed) links = this.latticeLinks();
    else if (this.anyOpen) links = machine.rows ? this.gridLinks() : this.openLinks();
    if (boxed) bundles = this.bundlesShown();
    const clarity = boxed && !machine.rows && this.anyOpen ? this.clarity(links) : 0;
    const cells = boxed ? (machine.rows ? this.gridCells(links) : this.boxCells()) : this.latticeCells(links);
    return { links, bundles, open: this.open, anyOpen: this.anyOpen, clarity, cells };
  }

  /** The boxes that are visible and large enough to show their links. */
  openBoxes() {
    const { machine, camera, size, rules } = this, open = new Uint8Array(machine.groups), matrix = camera.matrix(size);
    for (let group = 0; group < machine.groups; group++) {
      const [x, y, width, height] = machine.box(group), at = projected(matrix, x, y, 0);
      const seen = [width, height].every((length, axis) => Math.abs(at[axis] - size[axis] / 2) < (size[axis] + length * camera.scale) / 2);
      const large = machine.rows ? camera.scale >= rules.openStepPx : width * camera.scale >= rules.openPx;
      open[group] = seen && large ? 1 : 0;
    }
    return open;
  }

  /** The links of shown classes. */
  shownLinks() {
    const ids = new Int32Array(this.machine.links.count);
    let count = 0;
    this.machine.each(this.shown, (link) => (ids[count++] = link));
    return ids.subarray(0, count);
  }

  /** The hottest of some ids; idle ones only if all are requested and they are few. */
  hot(ids, strength, limit, idle) {
    const chosen = strongest(ids, strength, Math.min(share(ids.length, this.percentage), limit));
    return chosen.length === ids.length && ids.length <= idle ? chosen : chosen.filter((id) => strength[id] > 0);
  }

  batch(curves, ids, width, among) {
    const widths = typeof width === "number" ? new Float32Array(ids.length).fill(width) : width;
    return { curves, ids, width: widths, total: among };
  }

  latticeLinks() {
    const { machine, rules } = this, all = this.shownLinks(), strength = this.values.rank;
    const limit = machine.near ? rules.straightLimit : machine.circle ? this.circleLimit(all) : rules.crossingLimit;
    const some = share(all.length, this.percentage) > limit;
    const ids = some ? this.hottestOfEach(this.visible(all), limit) : this.hot(all, strength, limit, limit);
    const links = this.batch(machine.links, ids, this.linkWidth(), all.length);
    if (!machine.straight && !machine.solid) this.fade(links, strength, "link");
    return links;
  }

  /** The number of chords of a circle that are distinguishable: of long ones fewer. */
  circleLimit(ids) {
    const curve = new Float32Array(9), step = Math.max(1, Math.floor(ids.length / this.rules.sampledLinks));
    let length = 0, count = 0;
    for (let k = 0; k < ids.length; k += step, count++) {
      this.machine.links.write(curve, 0, ids[k]);
      length += lengthOf(curve, 0);
    }
    return Math.min(this.rules.crossingLimit, Math.floor((this.rules.maxCoverage * this.room * count) / Math.max(length, 1e-9)));
  }

  /** The hottest links of each class, so that every class is drawn; the smallest classes first. */
  hottestOfEach(ids, limit) {
    const { machine, shown } = this, byClass = machine.classes.map(() => []);
    for (const id of ids) byClass[machine.classOf[id]].push(id);
    const classes = byClass.filter((_, number) => shown[number]).sort((a, b) => a.length - b.length);
    const wanted = Math.min(limit, share(ids.length, this.percentage));
    let left = wanted, kept = [];
    classes.forEach((few, place) => {
      const some = strongest(Int32Array.from(few), this.values.rank, Math.floor(left / (classes.length - place)));
      left -= some.length;
      kept = kept.concat(Array.from(some.filter((id) => this.values.rank[id] > 0)));
    });
    return Int32Array.from(kept).sort();
  }

  /** The links that are inside or near the visible area, which moves in steps; all in a solid. */
  visible(ids) {
    const { machine, camera, size } = this;
    if (machine.solid) return ids;
    const [left, bottom] = this.world(0, size[1]), [right, top] = this.world(size[0], 0);
    const step = 2 ** Math.ceil(Math.log2(Math.max(right - left, top - bottom))) / 4;
    const [x0, y0] = [left, bottom].map((value) => step * Math.floor(value / step));
    const [x1, y1] = [right, top].map((value) => step * Math.ceil(value / step));
    const { src, dst } = machine.links, at = machine.positions, count = machine.vertices;
    return ids.filter((id) => {
      const a = src[id], b = dst[id], ax = at[a], bx = at[b], ay = at[count + a], by = at[count + b];
      return (ax < x1 || bx < x1) && (ax > x0 || bx > x0) && (ay < y1 || by < y1) && (ay > y0 || by > y0);
    });
  }

  world(x, y) {
    const { camera, size } = this;
    return [
      camera.pivot[0] + camera.shift[0] + (x - size[0] / 2) / camera.scale,
      camera.pivot[1] + camera.shift[1] - (y - size[1] / 2) / camera.scale,
    ];
  }

  linkWidth() {
    const { machine, camera, rules } = this;
    let width;
    if (machine.groups && !machine.rows) {
      width = between(machine.boxes[2 * machine.groups] * camera.scale, [rules.openPx, 900], [1, 2.5]);
    } else {
      width = clamp(camera.scale * (machine.solid ? 0.06 : 0.1), 1, 7);
      if (!machine.near) width = Math.min(width, Math.max(3 * Math.sqrt(150 / Math.min(machine.links.count, rules.curveLimit)), 1));
    }
    return Math.round(4 * width) / 4;
  }

  openLinks() {
    const { machine, open, rules } = this, { src, dst } = machine.links, strength = this.values.rank, inner = [], outer = [];
    machine.each(this.shown, (link) => {
      const a = machine.groupOf[src[link]], b = machine.groupOf[dst[link]];
      if (open[a] || open[b]) (a === b ? inner : outer).push(link);
    });
    const opened = open.reduce((sum, value) => sum + value, 0);
    const kept = [[inner, rules.innerIdle * opened], [outer, rules.idleLimit]].map(([ids, idle]) =>
      this.hot(Int32Array.from(ids), strength, rules.openLimit, idle));
    const ids = Int32Array.from([...kept[0], ...kept[1]]).sort();
    return this.batch(machine.links, ids, this.linkWidth(), inner.length + outer.length);
  }

  /** The links of lattices in boxes; links that pass other nodes are thinner. */
  gridLinks() {
    const { machine, rules } = this, all = this.shownLinks();
    const some = share(all.length, this.percentage) > rules.straightLimit;
    const ids = this.hot(some ? this.visible(all) : all, this.values.rank, rules.straightLimit, rules.straightLimit);
    const usual = this.linkWidth(), curve = new Float32Array(9), width = new Float32Array(ids.length);
    ids.forEach((id, k) => {
      machine.links.write(curve, 0, id);
      const passing = Math.hypot(curve[6] - curve[0], curve[7] - curve[1]) > rules.passingBy;
      width[k] = passing ? Math.max(usual * rules.passingWidth, 1) : usual;
    });
    return this.batch(machine.links, ids, width, all.length);
  }

  bundlesShown() {
    const { machine, rules, open, values } = this, { src, dst, count } = machine.bundles, all = [];
    for (let bundle = 0; bundle < count; bundle++) {
      if (values.sizes[2 * bundle] + values.sizes[2 * bundle + 1]) all.push(bundle);
    }
    let ids = this.hot(Int32Array.from(all), values.bundleRank, rules.bundleLimit, rules.idleLimit);
    ids = ids.filter((bundle) => !open[src[bundle]] && !open[dst[bundle]]);
    const dense = clamp(Math.sqrt(150 / Math.max(ids.length, 1)), 0.5, 1.8);
    const width = Float32Array.from(ids, (bundle) => {
      const links = Math.max(values.sizes[2 * bundle], values.sizes[2 * bundle + 1], 1);
      return clamp((1 + 0.6 * Math.log2(links)) * dense, 0.5, 4);
    });
    const batch = this.batch(machine.bundles, ids, width, all.length);
    batch.loaded = all.filter((bundle) => values.bundleRank[bundle] > 0).length;
    this.fade(batch, values.bundleRank, "bundle");
    return batch;
  }

  /** Thin curves by density: each shares an ink budget with the curves at least as hot. */
  fade(batch, strength, kind) {
    const { rules } = this, { ids, width } = batch, count = ids.length, curve = new Float32Array(9);
    if (!count) return;
    const ink = Float64Array.from(ids, (id, k) => {
      batch.curves.write(curve, 0, id);
      return (lengthOf(curve, 0) * width[k]) / this.room;
    });
    const order = Uint32Array.from(ids.keys()).sort((a, b) => strength[ids[b]] - strength[ids[a]]);
    const covered = new Float64Array(count), total = ink.reduce((sum, part) => sum + part, 0);
    for (let first = 0, sum = 0; first < count; ) {
      let last = first;
      // Equal curves are equally thin.
      while (last < count && strength[ids[order[last]]] >= strength[ids[order[first]]] * (1 - 1e-6)) sum += ink[order[last++]];
      for (; first < last; first++) covered[order[first]] = sum;
    }
    const [least, most] = [rules.minInkBudget, rules.inkBudget];
    let budget = clamp(rules.calmInk / Math.max(total, 1e-9), least, most);
    budget = Math.max(budget, Math.min(covered[order[0]], rules.evenInkBudget));
    const top = Math.max(strength[ids[order[0]]], 1e-12);
    for (let k = 0; k < count; k++) {
      const bolder = Math.max(rules.boldPx - width[k], 0) * Math.min(rules.bold / Math.max(covered[k], rules.bold), 1);
      const thinner = width[k] * Math.min(budget / Math.max(covered[k], budget), 1);
      width[k] = Math.max(thinner + (bolder * strength[ids[k]]) / top, rules.thinnest[kind]);
    }
  }

  /** The least opacity of links of open boxes: higher if they cover less. */
  clarity(links) {
    const { machine, rules } = this, { src, dst } = machine.links, curve = new Float32Array(9), inside = new Set();
    let ink = 0;
    links.ids.forEach((id, k) => {
      const a = machine.groupOf[src[id]];
      if (a < 0 || a !== machine.groupOf[dst[id]]) return;
      inside.add(a);
      machine.links.write(curve, 0, id);
      ink += (lengthOf(curve, 0) * links.width[k]) / this.camera.step;
    });
    let area = 0;
    for (const group of inside) area += machine.box(group)[2] * machine.box(group)[3];
    return area ? between(ink / area, [rules.clear, rules.full], [rules.clearest, 0]) : 0;
  }

  latticeCells(links) {
    const { machine, camera, rules } = this;
    const cells = this.cellsWithLinks(links, links.ids.length === links.total || !machine.near);
    if (machine.near || machine.solid) return cells;
    for (let vertex = 0; vertex < machine.vertices; vertex++) {
      const largest = Math.max(...(vertex < machine.nodes ? machine.cell : machine.switch));
      cells[vertex] *= Math.max(1, rules.minCellPx / (largest * camera.step));
    }
    return cells;
  }

  /** Sizes of cells; those without drawn links are dots, unless all are `full`. */
  cellsWithLinks(links, full) {
    const { machine, rules } = this, cells = new Float32Array(machine.vertices).fill(full ? 1 : rules.dot);
    for (const id of links.ids) cells[machine.links.src[id]] = cells[machine.links.dst[id]] = 1;
    return cells;
  }

  gridCells(links) {
    const { machine, rules } = this;
    if (!this.anyOpen) return new Float32Array(machine.vertices).fill(rules.closedCell);
    return this.cellsWithLinks(links, links.ids.length === links.total || links.total > rules.straightLimit);
  }

  boxCells() {
    const { machine, camera, rules, open } = this, cells = new Float32Array(machine.vertices).fill(1);
    for (let vertex = 0; vertex < machine.vertices; vertex++) {
      const group = machine.groupOf[vertex];
      if (group >= 0 && open[group]) {
        cells[vertex] = Math.round(10 * between(machine.box(group)[2] * camera.scale, rules.spreadPx, [0.7, 0.5])) / 10;
      }
    }
    return cells;
  }
}
