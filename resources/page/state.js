// Evaluated scenarios: the loads of their links and steps.

const KEPT_STEPS = 8;
const find = (name) => document.getElementById(name);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** The steps of a job, or the intervals between readings of counters: see app/page/states.py. */
class Steps {
  static async of(data) {
    const steps = Object.assign(new Steps(), await unpacked(data));
    steps.count = steps.run.length;
    steps.total = steps.start[steps.count - 1] + steps.seconds[steps.count - 1] || 1;
    steps.kept = new Map();
    return steps;
  }

  /** The values of the links in a step; null if they are not in the page. */
  async valuesOf(step) {
    const run = this.run[step], blob = this.loads[run], { kept } = this;
    if (blob && !kept.has(run)) {
      if (kept.size >= KEPT_STEPS) kept.delete(kept.keys().next().value);
      kept.set(run, await decoded(blob));
    }
    return kept.get(run) ?? null;
  }

  /** The step at a time. */
  at(time) {
    return Math.max(this.start.findLastIndex((begin, k) => begin <= time && (this.seconds[k] > 0 || k === 0)), 0);
  }

  /** The share of a step in which the busiest link of a class is busy. */
  busyOf(number, step) {
    return this.busy[number * this.count + step];
  }
}

/** An evaluated scenario: bandwidths of its links, and the loads of it and of its steps. */
class LoadState {
  static async of(data, machines) {
    const state = Object.assign(new LoadState(), await unpacked(data));
    state.machineNumber = data.machine;
    state.machine = machines[data.machine];
    state.steps = data.steps && (await Steps.of(data.steps));
    state.bandwidth = new Float32Array(state.machine.links.count);
    state.machine.classes.forEach((kind, number) => state.bandwidth.fill(state.gbs[number], kind.first, kind.end));
    state.slow.forEach(([link, gbs]) => (state.bandwidth[link] = gbs));
    return state;
  }

  /** The loads of a step, or of the entire job if it is -1; null if they are not in the page. */
  async loads(step) {
    return step < 0 ? this.load : this.steps.valuesOf(step);
  }

  /** The loads divided by bandwidth and a time. */
  relative(loads, time) {
    // A failed link has no bandwidth and carries nothing.
    return loads.map((load, link) => (load ? load / this.bandwidth[link] / (time || 1) : 0));
  }

  get tasksOf() {
    if (!this.tasks) {
      this.tasks = new Map();
      this.nodes.forEach((node, task) => (this.tasks.has(node) ? this.tasks.get(node).push(task) : this.tasks.set(node, [task])));
    }
    return this.tasks;
  }
}
