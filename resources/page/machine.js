// The machine: places, curves, groups and names of its parts, and reductions of values of its links.

/** Quadratic curves between places, whose coordinates are `places`, all x before all y (before all z). */
class Curves {
  constructor(data, places, dimensions) {
    Object.assign(this, data);
    this.places = places;
    this.dimensions = dimensions;
    this.count = this.src.length;
    this.room = places.length / dimensions;
  }

  /** Write start, control and end of a curve, nine numbers, at an offset. */
  write(into, offset, id) {
    const { src, dst, places, bends, step, room, count, dimensions } = this;
    for (let axis = 0; axis < 3; axis++) {
      if (axis >= dimensions) {
        into[offset + axis] = into[offset + 3 + axis] = into[offset + 6 + axis] = 0;
        continue;
      }
      const start = places[axis * room + src[id]], end = places[axis * room + dst[id]];
      into[offset + axis] = start + step * bends[axis * count + id];
      into[offset + 3 + axis] = (start + end) / 2 + step * bends[(dimensions + axis) * count + id];
      into[offset + 6 + axis] = end + step * bends[(2 * dimensions + axis) * count + id];
    }
  }
}

function withKind(kind, label) {
  const kinds = kind === "switch" ? ["switch", "router"] : [kind];
  return kinds.some((word) => label.toLowerCase().includes(word)) ? label : `${kind} ${label}`;
}

/** The distance from the start over the control to the end of a curve in an array of nine numbers each. */
function lengthOf(curves, offset) {
  let length = 0;
  for (let point = offset; point < offset + 6; point += 3) {
    length += Math.hypot(curves[point + 3] - curves[point], curves[point + 4] - curves[point + 1], curves[point + 5] - curves[point + 2]);
  }
  return length;
}

class Machine {
  static async of(data) {
    const machine = new Machine();
    Object.assign(machine, await unpacked(data));
    const [links, bundles] = await Promise.all([unpacked(data.links), unpacked(data.bundles)]);
    machine.groups = machine.boxes.length / 4;
    machine.solid = machine.dimensions === 3;
    machine.links = new Curves(links, machine.positions, machine.dimensions);
    machine.bundles = new Curves(bundles, machine.boxes.slice(0, 2 * machine.groups), 2);
    machine.prepare();
    return machine;
  }

  prepare() {
    this.classOf = new Uint8Array(this.links.count);
    this.classes.forEach((kind, number) => this.classOf.fill(number, kind.first, kind.end));
    if (!this.groups) return;
    // (links,) twice the bundle of each link, plus 1 if it leads from b to a; -1 for links within a group.
    const bundleOf = new Map(), { src, dst } = this.bundles;
    src.forEach((a, bundle) => bundleOf.set(a * this.groups + dst[bundle], bundle));
    this.direction = new Int32Array(this.links.count).fill(-1);
    for (let link = 0; link < this.links.count; link++) {
      const a = this.groupOf[this.links.src[link]], b = this.groupOf[this.links.dst[link]];
      if (a < 0 || b < 0 || a === b) continue;
      const bundle = bundleOf.get(Math.min(a, b) * this.groups + Math.max(a, b));
      if (bundle !== undefined) this.direction[link] = 2 * bundle + (a > b ? 1 : 0);
    }
  }

  place(vertex) {
    return [0, 1, 2].map((axis) => (axis < this.dimensions ? this.positions[axis * this.vertices + vertex] : 0));
  }

  box(group) {
    return [0, 1, 2, 3].map((part) => this.boxes[part * this.groups + group]);
  }

  vertexName(vertex) {
    return withKind(vertex < this.nodes ? "node" : "switch", this.names[vertex]);
  }

  endsOf(link) {
    const [tail, head] = this.ends ? this.ends[link].split("\t") : ["", ""];
    return [this.names[this.links.src[link]] + tail, this.names[this.links.dst[link]] + head];
  }

  linkName(link) {
    return `${this.classes[this.classOf[link]].name} ${this.endsOf(link).join(" \u2192 ")}`;
  }

  bundleName(a, b) {
    const kind = this.groupNames[a].split(" ")[0];
    return `${this.groupNames[a]} \u2194 ${this.groupNames[b].replace(`${kind} `, "")}`;
  }

  /** Whether the curves of links are straight lines. */
  get straight() {
    this.isStraight ??= this.hasStraightLinks();
    return this.isStraight;
  }

  hasStraightLinks() {
    // The control is in the middle of start and end.
    const { bends, count, dimensions } = this.links;
    for (let axis = 0; axis < dimensions; axis++) {
      for (let id = 0; id < count; id++) {
        const ends = bends[axis * count + id] + bends[(2 * dimensions + axis) * count + id];
        if (Math.abs(2 * bends[(dimensions + axis) * count + id] - ends) > 3) return false;
      }
    }
    return true;
  }

  /** The strongest value among the links of shown classes at each vertex. */
  strongestAtVertices(values, shown) {
    const strongest = new Float32Array(this.vertices), { src, dst } = this.links;
    this.each(shown, (link) => {
      const value = values[link], size = Math.abs(value);
      if (size > Math.abs(strongest[src[link]])) strongest[src[link]] = value;
      if (size > Math.abs(strongest[dst[link]])) strongest[dst[link]] = value;
    });
    return strongest;
  }

  /** The strongest value and the number of links of each direction of each bundle. */
  strongestOfBundles(values, shown) {
    const strongest = new Float32Array(2 * this.bundles.count), sizes = new Int32Array(2 * this.bundles.count);
    this.each(shown, (link) => {
      const direction = this.direction[link];
      if (direction < 0) return;
      sizes[direction]++;
      if (Math.abs(values[link]) > Math.abs(strongest[direction])) strongest[direction] = values[link];
    });
    return { strongest, sizes };
  }

  /** Call a function with each link of the shown classes. */
  each(shown, visit) {
    this.classes.forEach((kind, number) => {
      if (shown[number]) for (let link = kind.first; link < kind.end; link++) visit(link);
    });
  }
}
