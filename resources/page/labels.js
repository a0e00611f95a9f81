// Names, frames, marks and highlights above the drawing.

const FONT_PX = 11, NUMBER_PX = 19, HEAD_PX = 84, MAX_MARKS = 200, TILE_PX = 40, MAX_TEXTS = 4000, MAX_NAMES = 400, MAX_AVOIDED = 5000, ARROW_PX = 44, RING_PX = 6;
const font = (pixels) => `${pixels}px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif`;

/** Draws names, frames, marks and highlights on a 2-D canvas. */
class Overlay {
  constructor(context, projection, values, colours) {
    Object.assign(this, { context, projection, values, colours, taken: [] });
    Object.assign(this, { machine: projection.machine, scene: projection.scene, size: projection.size, scale: projection.camera.scale });
  }

  draw(selected, hovered) {
    const { context, machine, size } = this;
    context.clearRect(0, 0, ...size);
    context.textBaseline = "middle";
    context.textAlign = "center";
    if (machine.groups) this.frames();
    else this.arrows();
    for (const [item, strong] of [[selected, true], [hovered, false]]) if (item) this.highlight(item, strong);
    this.bottlenecks();
    if (machine.groups) this.groupNames();
    this.captions();
    if (machine.axes.length && !machine.rows) this.axes();
    this.vertexNames();
    for (const [item, strong] of [[selected, true], [hovered, false]]) if (item) this.outline(item, strong);
  }

  isFree([left, top, right, bottom]) {
    if (left < 2 || top < 2 || right > this.size[0] - 2 || bottom > this.size[1] - 2) return false;
    return !this.taken.some(([x0, y0, x1, y1]) => x0 < right && x1 > left && y0 < bottom && y1 > top);
  }

  /** Write a text around a point if the place is free, over a veil. */
  write(text, x, y, colour, pixels = FONT_PX, veiled = true) {
    const { context } = this;
    context.font = font(pixels);
    const half = context.measureText(text).width / 2 + 2, place = [x - half, y - pixels / 2 - 2, x + half, y + pixels / 2 + 2];
    if (!this.isFree(place)) return false;
    this.taken.push(place);
    if (veiled) {
      context.fillStyle = `${this.colours.panel}d8`;
      context.fillRect(place[0], place[1], place[2] - place[0], place[3] - place[1]);
    }
    context.fillStyle = colour;
    context.fillText(text, x, y + 0.5);
    return true;
  }

  frames() {
    const { context, machine, scene, projection, colours } = this;
    context.strokeStyle = colours.border;
    context.lineWidth = 1;
    scene.open.forEach((open, group) => {
      if (!open) return;
      const [left, top, width, height] = projection.box(group);
      context.strokeRect(left - 3, top - 3, width + 6, height + 6);
    });
    if (scene.anyOpen && machine.inner.length) this.innerFrames();
  }

  innerFrames() {
    const { context, machine, scene, projection, colours, scale } = this, frames = new Map(), reach = machine.frameReach * scale;
    for (let node = 0; node < machine.nodes; node++) {
      if (!scene.open[machine.groupOf[node]]) continue;
      const [x, y] = [projection.at[3 * node], projection.at[3 * node + 1]], inner = machine.inner[node];
      const frame = frames.get(inner) ?? [Infinity, Infinity, -Infinity, -Infinity];
      frames.set(inner, [Math.min(frame[0], x), Math.min(frame[1], y), Math.max(frame[2], x), Math.max(frame[3], y)]);
    }
    for (const [inner, [left, top, right, bottom]] of frames) {
      if (!machine.rows) context.strokeRect(left - reach, top - reach, right - left + 2 * reach, bottom - top + 2 * reach);
      const label = machine.innerLabels[inner];
      context.font = font(FONT_PX);
      const room = context.measureText(label).width / 2 + 8;
      const [edge] = projection.box(machine.groupOf[machine.inner.indexOf(inner)]);
      if (bottom - top + 2 * reach > 20 && !machine.rows) this.write(label, edge - 3 - room, (top + bottom) / 2, colours.dim);
    }
  }

  /** Directions of the links of a lattice in the plane. */
  arrows() {
    const { context, machine, scene, projection, values } = this, { links } = scene;
    if (machine.solid || this.scale < ARROW_PX || links.ids.length > MAX_TEXTS) return;
    links.ids.forEach((id, k) => {
      const [a, b, c] = projection.curve(machine.links, id), t = 0.64;
      const [x, y] = [0, 1].map((axis) => (1 - t) ** 2 * a[axis] + 2 * t * (1 - t) * b[axis] + t * t * c[axis]);
      const [sx, sy] = [0, 1].map((axis) => (1 - t) * (b[axis] - a[axis]) + t * (c[axis] - b[axis]));
      const length = Math.max(Math.hypot(sx, sy), 1e-9), reach = links.width[k] * 0.8 + 2, [ux, uy] = [(sx / length) * reach, (sy / length) * reach];
      context.fillStyle = this.colours.ofLink(values.coordinate(values.link[id]));
      context.beginPath();
      context.moveTo(x + 1.4 * ux, y + 1.4 * uy);
      context.lineTo(x - uy, y + ux);
      context.lineTo(x + uy, y - ux);
      context.fill();
    });
  }

  diamond(x, y, reach) {
    const { context } = this;
    context.beginPath();
    [[0, -1], [1, 0], [0, 1], [-1, 0]].forEach(([dx, dy]) => context.lineTo(x + dx * reach, y + dy * reach));
    context.closePath();
    context.fill();
    context.stroke();
  }

  /** Diamonds on bottlenecks: on each if there are few, else on one in each square; on closed boxes with one inside. */
  bottlenecks() {
    const { context, scene, projection, values, colours, machine } = this;
    if (values.signed) return;
    const isHot = (value) => values.isHot(value);
    const batches = scene.anyOpen ? [[scene.links, values.link]] : [[scene.links, values.link], [scene.bundles, values.bundle]];
    let marks = [];
    for (const [batch, heat] of batches) {
      batch.ids.forEach((id, k) => {
        if (!isHot(heat[id])) return;
        const [a, b, c] = projection.curve(batch.curves, id), [x, y] = [0, 1].map((axis) => (a[axis] + 2 * b[axis] + c[axis]) / 4);
        if (x > 0 && y > 0 && x < this.size[0] && y < this.size[1]) marks.push([x, y, Math.min(batch.width[k] / 2 + 2.5, 5)]);
      });
    }
    if (marks.length > MAX_MARKS) marks = [];
    if (marks.length > 20) {
      const squares = new Map(marks.map((mark) => [`${Math.floor(mark[0] / TILE_PX)} ${Math.floor(mark[1] / TILE_PX)}`, mark]));
      marks = [...squares.values()];
    }
    context.fillStyle = colours.text;
    context.strokeStyle = colours.panel;
    context.lineWidth = 1;
    marks.forEach((mark) => this.diamond(...mark));
    if (!machine.groups) return;
    values.limitingGroups.forEach((group) => {
      const [left, top, width] = projection.box(group);
      if (!scene.open[group] && width >= 20) this.diamond(left + width - 1, top + 1, width >= 30 ? 4 : 3);
    });
  }

  groupNames() {
    const { context, machine, projection, scene, colours } = this, [, , wide] = projection.box(0);
    for (let group = 0; group < machine.groups; group++) {
      if (!scene.open[group] || machine.rows) this.taken.push(...[projection.box(group)].map(([x, y, w, h]) => [x, y, x + w, y + h]));
    }
    if (wide < HEAD_PX && !machine.rows) return this.namesOutside();
    for (let group = 0; group < machine.groups; group++) {
      const [left, top, width, height] = projection.box(group);
      if (!projection.sees([left, top, width, height])) continue;
      context.font = font(FONT_PX);
      const [long, short] = [machine.groupNames[group], machine.groupLabels[group]];
      const name = context.measureText(long).width > width ? short : long, half = context.measureText(name).width / 2;
      const y = top - 5 - FONT_PX / 2;
      this.write(name, clamp(left + half, half + 6, this.size[0] - half - 6), Math.max(y, 10), colours.text, FONT_PX, scene.anyOpen);
    }
  }

  /** Names around a ring of boxes, as many as fit, in a step that is a power of two. */
  namesOutside() {
    const { context, machine, projection, colours } = this, count = machine.groups;
    context.font = font(FONT_PX);
    const room = [Math.max(...machine.groupLabels.map((name) => context.measureText(name).width)) + 4, FONT_PX + 4];
    const places = machine.groupLabels.map((_, group) => {
      const x = machine.boxLabels[group], y = machine.boxLabels[count + group], length = Math.hypot(x, y) || 1;
      const [px, py] = projected(projection.matrix, x, y, 0), [ux, uy] = [x / length, -y / length];
      const off = 6 + (Math.abs(ux) * room[0] + Math.abs(uy) * room[1]) / 2;
      return [px + ux * off, py + uy * off];
    });
    const fits = (step) => places.every(([x, y], k) => {
      if (k % step || k + step >= count) return true;
      const [nx, ny] = places[k + step];
      return Math.abs(nx - x) >= room[0] || Math.abs(ny - y) >= room[1];
    });
    let step = 1;
    while (step < count && !fits(step)) step *= 2;
    for (let group = 0; group < count; group += step) this.write(machine.groupLabels[group], ...places[group], colours.dim, FONT_PX, false);
  }

  captions() {
    const { context, machine, projection, colours } = this;
    context.font = font(FONT_PX);
    for (const [text, x, y] of machine.captions) {
      const [end, middle] = projected(projection.matrix, x, y, 0), half = context.measureText(text).width / 2;
      const above = this.size[0] < NARROW_PX ? (machine.switch[1] * this.scale) / 2 + FONT_PX : 0;
      if (middle > 0 && middle < this.size[1]) this.write(text, Math.max(end - half - 8, half + 6), middle - above, colours.dim);
    }
  }

  /** The coordinates along the sides of a plane, or the names of the dimensions of a solid. */
  axes() {
    const { machine, projection, colours } = this, { matrix } = projection, [low, high] = machine.bounds;
    for (const [name, step, size] of machine.axes) {
      const [first, last] = [machine.place(0), machine.place(step * (size - 1))];
      if (machine.solid) {
        const [a, b] = [projected(matrix, ...first), projected(matrix, ...last)], length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
        this.write(name, b[0] + ((b[0] - a[0]) / length) * 26, b[1] + ((b[1] - a[1]) / length) * 26, colours.text, 14);
        continue;
      }
      if (machine.axes.length !== 2) continue;
      const across = Math.abs(last[0] - first[0]) > Math.abs(last[1] - first[1]), corner = projected(matrix, low[0], high[1], 0);
      const edge = across ? Math.max(corner[1] - 6, 10) : Math.max(corner[0] - 8, 12), places = [];
      for (let k = 0; k < size; k++) places.push(projected(matrix, ...machine.place(step * k))[across ? 0 : 1]);
      const end = projected(matrix, high[0], low[1], 0)[across ? 0 : 1] + 14;
      this.write(name + (across ? " \u2192" : " \u2193"), ...(across ? [end, edge] : [edge, end]), colours.text, 13);
      const pitch = Math.abs(places[size - 1] - places[0]) / Math.max(size - 1, 1);
      const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((n) => n * pitch >= 24) ?? size;
      for (let k = 0; k < size; k += every) this.write(String(k), ...(across ? [places[k], edge] : [edge, places[k]]), colours.dim);
    }
  }

  vertexNames() {
    const { machine, projection } = this;
    const few = machine.scattered || machine.circle || !(machine.groups || machine.axes.length > 1);
    if (machine.solid || (!few && projection.largestCell < NUMBER_PX)) return;
    const seen = projection.inSight, wide = seen.filter((vertex) => projection.cell(vertex)[2] >= NUMBER_PX), outside = [];
    if (wide.length <= MAX_TEXTS) wide.forEach((vertex) => this.nameInside(vertex) || outside.push(vertex));
    if (!few || seen.length > MAX_AVOIDED || (!machine.scattered && projection.largestCell >= NUMBER_PX)) return;
    if (machine.circle) return this.namesAround();
    const small = seen.filter((vertex) => projection.cell(vertex)[2] < NUMBER_PX);
    for (const vertex of seen) this.taken.push(this.rectOf(vertex));
    // Of an ordered picture a few names imply the others. Switches first, then names spread evenly.
    const named = machine.scattered ? [...outside, ...small] : this.corners();
    named.sort((a, b) => (b >= machine.nodes) - (a >= machine.nodes) || spread(a) - spread(b));
    named.slice(0, MAX_NAMES).forEach((vertex) => this.nameBeside(vertex));
  }

  /** Names of the nodes on a circle, in round steps. */
  namesAround() {
    const { context, machine, projection, colours } = this, { nodes, names } = machine, { at } = projection;
    context.font = font(FONT_PX);
    const room = [context.measureText(names[nodes - 1]).width, FONT_PX + 4], [cx, cy] = projected(projection.matrix, 0, 0, 0);
    const chord = Math.hypot(at[3] - at[0], at[4] - at[1]), step = roundNumber(Math.max((2 * Math.max(...room)) / chord, 1), nodes);
    for (let node = 0; node < nodes; node += step) {
      if (node && (nodes - node) * chord < Math.max(...room)) break;
      const [x, y] = [at[3 * node], at[3 * node + 1]], length = Math.hypot(x - cx, y - cy) || 1, ux = (x - cx) / length, uy = (y - cy) / length;
      const off = projection.cell(node)[2] / 2 + RING_PX + (Math.abs(ux) * room[0] + Math.abs(uy) * room[1]) / 2;
      this.write(names[node], x + ux * off, y + uy * off, colours.dim, FONT_PX, false);
    }
  }

  /** The nodes at the corners of the picture. */
  corners() {
    const { nodes, vertices, positions } = this.machine;
    const farthest = ([sx, sy]) => {
      let node = 0, most = -Infinity;
      for (let k = 0; k < nodes; k++) {
        const value = sx * positions[k] + sy * positions[vertices + k];
        if (value > most + 1e-6) [node, most] = [k, value];
      }
      return node;
    };
    return [...new Set([[-1, 1.01], [1, 1.01], [-1, -1.01], [1, -1.01]].map(farthest))];
  }

  rectOf(vertex) {
    const [left, top, width, height] = this.projection.cell(vertex);
    return [left, top, left + width, top + height];
  }

  nameInside(vertex) {
    const { context, machine, projection, values, colours } = this, [left, top, width, height] = projection.cell(vertex);
    const name = machine.names[vertex].split(" ").pop().replace(/[()]/g, "");
    for (let pixels = Math.round(clamp(width * 0.42, 9, 14)); pixels >= 9; pixels--) {
      context.font = font(pixels);
      if (context.measureText(name).width > width - 2) continue;
      context.fillStyle = colours.inkOn(values.coordinate(values.vertex[vertex]));
      context.fillText(name, left + width / 2, top + height / 2 + 0.5);
      return true;
    }
    return false;
  }

  nameBeside(vertex) {
    const { context, machine, projection, colours } = this, [left, top, width, height] = projection.cell(vertex);
    const name = machine.names[vertex], [x, y] = [left + width / 2, top + height / 2];
    context.font = font(FONT_PX);
    const half = context.measureText(name).width / 2 + 3;
    let places = [[left + width + half, y], [left - half, y], [x, top - FONT_PX / 2 - 3], [x, top + height + FONT_PX / 2 + 3]];
    if (vertex < machine.nodes && machine.captions.length) places = places.slice(3);
    places.some(([px, py]) => this.write(name, px, py, colours.dim));
  }

  strokeCurve(curves, id, colour, width) {
    const { context, projection } = this, [a, b, c] = projection.curve(curves, id);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(a[0], a[1]);
    context.quadraticCurveTo(b[0], b[1], c[0], c[1]);
    context.stroke();
  }

  /** Draw the curves of an item above the others. */
  highlight(item, strong) {
    const { machine, values, colours } = this, ids = this.curvesOf(item);
    for (const [curves, heat, id, outlined] of ids) {
      const width = curves === machine.links ? 2.5 : 3;
      if (outlined) this.strokeCurve(curves, id, colours.accent + (strong ? "" : "aa"), width + 5);
      this.strokeCurve(curves, id, colours.of(values.coordinate(heat[id])), width);
    }
  }

  curvesOf({ kind, index }) {
    const { machine, scene, values } = this, { src, dst } = machine.links, { groupOf, groups } = machine, some = [];
    const isShown = (link) => !groups || scene.anyOpen || groupOf[src[link]] === groupOf[dst[link]];
    if (kind === "bundle" && !scene.anyOpen) return [[machine.bundles, values.bundle, index, true]];
    if (kind === "link" && !isShown(index)) return [[machine.bundles, values.bundle, machine.direction[index] >> 1, true]];
    if (kind === "link") return [[machine.links, values.link, index, true]];
    const belongs = {
      vertex: (link) => src[link] === index || dst[link] === index,
      group: (link) => groupOf[src[link]] === index || groupOf[dst[link]] === index,
      bundle: (link) => machine.direction[link] >> 1 === index && machine.direction[link] >= 0,
    }[kind];
    if (kind === "group" && scene.anyOpen) return [];
    const bundles = new Set();
    machine.each(values.shown, (link) => {
      if (!belongs(link) || !values.link[link]) return;
      if (isShown(link)) some.push([machine.links, values.link, link, kind === "bundle"]);
      else if (machine.direction[link] >= 0) bundles.add(machine.direction[link] >> 1);
    });
    const kept = kind === "group" ? [] : some;
    kept.sort((a, b) => Math.abs(a[1][a[2]]) - Math.abs(b[1][b[2]]));
    return [...Array.from(bundles, (bundle) => [machine.bundles, values.bundle, bundle, false]), ...kept.slice(-MAX_TEXTS)];
  }

  outline({ kind, index }, strong) {
    const { context, machine, projection, colours, scene } = this, { src, dst } = machine.links, rects = [];
    const vertices = kind === "vertex" ? [index] : kind === "link" ? [src[index], dst[index]] : [];
    vertices.forEach((vertex) => {
      rects.push([...projection.cell(vertex), vertex >= machine.nodes]);
      const group = machine.groups ? machine.groupOf[vertex] : -1;
      if (group >= 0 && !scene.open[group]) rects.push([...projection.box(group), false]);
    });
    if (kind === "group") rects.push([...projection.box(index), false]);
    if (kind === "bundle") rects.push(...[machine.bundles.src[index], machine.bundles.dst[index]].map((group) => [...projection.box(group), false]));
    context.strokeStyle = colours.accent + (strong ? "" : "aa");
    context.lineWidth = strong ? 2 : 1.5;
    for (const [left, top, width, height, isRound] of rects) {
      context.beginPath();
      const radius = isRound ? Math.min(width, height) / 2 + 2 : 2.5;
      context.roundRect(left - 2, top - 2, width + 4, height + 4, radius);
      context.stroke();
    }
  }
}

/** The step of at least `least` in which to name `count` items: a power of two if they are a multiple of 8. */
const roundNumber = (least, count) => (count % 8 ? roundStep(Math.ceil(least)) : 2 ** Math.ceil(Math.log2(least)));

/** A number that scatters consecutive integers, for choosing names spread over a picture. */
const spread = (number) => (number * 0.618034) % 1;
