// The marks of a scene in pixels, and the part of the machine under the pointer.

const REACH_PX = 5, NODE_PX = 7, PIECES = 14;
/** Largest distance at which a curve is picked, smallest cell that is picked, and lines of a curve. */

/** The marks of a scene in pixels. */
class Projection {
  constructor(machine, scene, camera, size) {
    Object.assign(this, { machine, scene, camera, size, matrix: camera.matrix(size) });
  }

  /** Pixels and depth of all vertices, three numbers each, computed when first needed. */
  get at() {
    if (this.places) return this.places;
    const { vertices, positions, dimensions } = this.machine, m = this.matrix, at = new Float32Array(3 * vertices);
    for (let vertex = 0; vertex < vertices; vertex++) {
      const x = positions[vertex], y = positions[vertices + vertex], z = dimensions === 3 ? positions[2 * vertices + vertex] : 0;
      const w = x * m[3] + y * m[7] + z * m[11] + m[15];
      for (let k = 0; k < 3; k++) at[3 * vertex + k] = (x * m[k] + y * m[4 + k] + z * m[8 + k] + m[12 + k]) / w;
    }
    return (this.places = at);
  }

  /** Left, top, width and height of a vertex's mark. */
  cell(vertex) {
    const { machine, scene, camera } = this, mark = vertex < machine.nodes ? machine.cell : machine.switch;
    const size = scene.cells[vertex] * camera.scale, width = Math.max(mark[0] * size, 1), height = Math.max(mark[1] * size, 1);
    return [this.at[3 * vertex] - width / 2, this.at[3 * vertex + 1] - height / 2, width, height];
  }

  /** The width of the largest marks. */
  get largestCell() {
    const { machine, scene, camera } = this;
    let largest = 0;
    for (let vertex = 0; vertex < machine.vertices; vertex++) {
      largest = Math.max(largest, (vertex < machine.nodes ? machine.cell : machine.switch)[0] * scene.cells[vertex]);
    }
    return largest * camera.scale;
  }

  box(group) {
    const [x, y, width, height] = this.machine.box(group), [px, py] = projected(this.matrix, x, y, 0), { scale } = this.camera;
    return [px - (width * scale) / 2, py - (height * scale) / 2, width * scale, height * scale];
  }

  sees([left, top, width, height]) {
    return left < this.size[0] && top < this.size[1] && left + width > 0 && top + height > 0;
  }

  get inSight() {
    if (this.visible) return this.visible;
    const [width, height] = this.size, { at } = this, reach = this.largestCell / 2 + 2, visible = [];
    for (let vertex = 0; vertex < this.machine.vertices; vertex++) {
      const x = at[3 * vertex], y = at[3 * vertex + 1];
      if (x > -reach && y > -reach && x < width + reach && y < height + reach) visible.push(vertex);
    }
    return (this.visible = visible);
  }

  /** Start, control and end of a curve, in pixels. */
  curve(curves, id) {
    const points = new Float32Array(9);
    curves.write(points, 0, id);
    return [0, 3, 6].map((k) => projected(this.matrix, points[k], points[k + 1], points[k + 2]));
  }

  /** The drawn curves as lines through points, computed when first needed: links, then bundles. */
  get lines() {
    this.polylines ??= [this.scene.links, this.scene.bundles].map((batch) => this.linesOf(batch));
    return this.polylines;
  }

  linesOf({ curves, ids }) {
    const pieces = curves === this.machine.links && this.machine.straight ? 1 : PIECES, points = new Float32Array(2 * (pieces + 1) * ids.length);
    let place = 0;
    for (const id of ids) {
      const [a, b, c] = this.curve(curves, id);
      for (let k = 0; k <= pieces; k++) {
        const t = k / pieces, u = (1 - t) * (1 - t), v = 2 * t * (1 - t), w = t * t;
        points[place++] = u * a[0] + v * b[0] + w * c[0];
        points[place++] = u * a[1] + v * b[1] + w * c[1];
      }
    }
    return { pieces, points };
  }

  /** The part of the machine at a pixel, or null. */
  itemAt(x, y, values) {
    const { machine, scene } = this, boxed = machine.groups > 0;
    const vertex = !boxed || machine.cell[0] * this.camera.scale >= NODE_PX ? this.vertexAt(x, y) : -1;
    if (vertex >= 0) return { kind: "vertex", index: vertex };
    const group = boxed ? this.boxAt(x, y) : -1;
    if (group >= 0 && !scene.open[group]) return { kind: "group", index: group };
    return this.curveAt(x, y, values) ?? (group >= 0 ? { kind: "group", index: group } : null);
  }

  vertexAt(x, y) {
    let nearest = -1, least = Infinity;
    for (const vertex of this.inSight) {
      const [left, top, width, height] = this.cell(vertex), dx = left + width / 2 - x, dy = top + height / 2 - y;
      if (Math.abs(dx) > Math.max(width / 2, 2) || Math.abs(dy) > Math.max(height / 2, 2)) continue;
      const away = this.machine.solid ? this.at[3 * vertex + 2] : Math.hypot(dx, dy);
      if (away < least) [nearest, least] = [vertex, away];
    }
    return nearest;
  }

  boxAt(x, y) {
    for (let group = 0; group < this.machine.groups; group++) {
      const [left, top, width, height] = this.box(group);
      if (x >= left && x <= left + width && y >= top && y <= top + height) return group;
    }
    return -1;
  }

  /** The hottest curve under a pixel, which is on top, else the nearest within reach. */
  curveAt(x, y, values) {
    let best = null, most = 0;
    [["link", this.scene.links], ["bundle", this.scene.bundles]].forEach(([kind, batch], number) => {
      const { pieces, points } = this.lines[number], size = 2 * (pieces + 1);
      batch.ids.forEach((id, k) => {
        const away = distance(points, size * k, pieces, x, y);
        if (away > REACH_PX + 8) return;
        const heat = Math.abs(values[kind][id]), covered = away <= batch.width[k] / 2 + 1;
        const rank = covered ? 10 + heat / (1 + heat) : REACH_PX - away;
        if (rank > most) [best, most] = [{ kind, index: id }, rank];
      });
    });
    return best;
  }
}

/** The distance of a line through points from a pixel. */
function distance(points, offset, pieces, x, y) {
  let least = Infinity;
  for (let k = offset; k < offset + 2 * pieces; k += 2) {
    const ax = points[k], ay = points[k + 1], sx = points[k + 2] - ax, sy = points[k + 3] - ay;
    const t = clamp(((x - ax) * sx + (y - ay) * sy) / Math.max(sx * sx + sy * sy, 1e-12), 0, 1);
    const dx = x - ax - t * sx, dy = y - ay - t * sy;
    least = Math.min(least, dx * dx + dy * dy);
  }
  return Math.sqrt(least);
}
