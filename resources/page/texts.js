// Texts on parts of the machine, for the pointer and the selected part.

class Texts {
  constructor(page) {
    this.page = page;
  }

  /** The name of a part, and facts about it. */
  describe({ kind, index }, pane) {
    const { machine, values } = pane, describe = { link: "aboutLink", vertex: "aboutVertex", group: "aboutGroup", bundle: "aboutBundle" }[kind];
    return this[describe](machine, values, index);
  }

  /** Where 100 % is: the hottest link, or what else the legend says. */
  get whole() {
    return this.page.look.heading.split("relative to ")[1] ?? "the hottest link of A and B";
  }

  aboutLink(machine, values, link) {
    const { view, state, look, step, loads, states } = this.page, last = this.page.values.length - 1;
    const facts = [machine.linkName(link)], a = states[view.reference];
    if (a && a.machine === machine && view.mode !== "alone") {
      const shares = [a, state].map((each) => each.load[link] / each.bandwidth[link] / (look.time || 1) || 0);
      [a, state].forEach((each, k) => facts.push(`${"AB"[k]}: ${amount(each.measures, each.load[link])}, ${loadPercent(shares[k])}`));
      facts.push(`B ${MINUS} A: ${withSign(Math.abs(shares[1] - shares[0]) > 1e-6 ? shares[1] - shares[0] : 0, loadPercent)}`);
      return facts;
    }
    const shown = values === this.page.values[last] ? state : a, carried = shown === state ? loads : shown.load;
    if (!shown.bandwidth[link]) return [...facts, "failed, carries no load"];
    const own = shown.own && step < 0 ? ` (${amount(shown.measures, shown.own[link], false)} of this job)` : "";
    const mark = values.link[link] > 0 && values.link[link] >= values.top * (1 - 1e-6) && (!shown.own || shown.own[link] > 0) ? ": bottleneck" : "";
    if (look.unit) {
      facts.push(`${look.heading.split(",")[0].toLowerCase()}: ${this.heatText(values, values.link[link])}`);
      return [...facts, `load ${amount(shown.measures, shown.load[link])}`, `${figure(shown.bandwidth[link])} GB/s`];
    }
    facts.push(`load ${amount(shown.measures, carried?.[link] ?? 0)}${own}, ${loadPercent(values.link[link])} of ${this.whole}${mark}`);
    facts.push(`${figure(shown.bandwidth[link])} GB/s`);
    return facts;
  }

  aboutVertex(machine, values, vertex) {
    const facts = [machine.vertexName(vertex)], { src, dst } = machine.links;
    const { page } = this, shown = values === page.values[page.values.length - 1] ? page.state : page.states[page.view.reference];
    if (vertex < machine.nodes && shown.nodes.length) {
      const tasks = shown.tasksOf.get(vertex) ?? [], some = tasks.slice(0, 8).map((task) => grouped(task)).join(", ");
      facts.push(tasks.length ? `task${tasks.length > 1 ? "s" : ""} ${some}${tasks.length > 8 ? " \u2026" : ""}` : "no tasks");
    }
    const hottest = this.hottestOf(values, machine, (link) => src[link] === vertex || dst[link] === vertex);
    return hottest < 0 ? facts : [...facts, `${values.signed ? "most changed link" : "hottest link"}: ${machine.linkName(hottest)}, ${this.heatText(values, values.link[hottest])}`];
  }

  heatText(values, heat) {
    const { look } = this.page;
    if (look.unit) return valueText(look, heat, values.signed);
    return values.signed ? withSign(heat, loadPercent) : loadPercent(heat);
  }

  hottestOf(values, machine, test) {
    let hottest = -1;
    machine.each(values.shown, (link) => {
      if (test(link) && (hottest < 0 || Math.abs(values.link[link]) > Math.abs(values.link[hottest]))) hottest = link;
    });
    return hottest;
  }

  aboutGroup(machine, values, group) {
    const { src, dst } = machine.links, { groupOf } = machine, nodes = groupOf.subarray(0, machine.nodes).filter((each) => each === group).length;
    const [inner, outer] = [(a, b) => a === group && b === group, (a, b) => (a === group) !== (b === group)].map((test) =>
      this.hottestOf(values, machine, (link) => test(groupOf[src[link]], groupOf[dst[link]])));
    const facts = [`${machine.groupNames[group]} \u00b7 ${nodes ? plural(nodes, "node") : plural(groupOf.filter((each) => each === group).length, "switch")}`];
    if (inner >= 0) facts.push(`inner links: up to ${this.heatText(values, values.link[inner])} of ${this.whole}`);
    if (outer >= 0) facts.push(`links to other groups: up to ${this.heatText(values, values.link[outer])}`);
    return facts;
  }

  aboutBundle(machine, values, bundle) {
    const a = machine.bundles.src[bundle], b = machine.bundles.dst[bundle], [there, back] = [values.sizes[2 * bundle], values.sizes[2 * bundle + 1]];
    const facts = [`${machine.bundleName(a, b)}: ${plural(Math.max(there, back), "link")} each way`];
    [[a, b], [b, a]].forEach(([from, to], k) => {
      const hottest = this.hottestOf(values, machine, (link) => machine.direction[link] === 2 * bundle + k);
      if (hottest >= 0) facts.push(`${machine.groupLabels[from]} \u2192 ${machine.groupLabels[to]}: up to ${this.heatText(values, values.link[hottest])}`);
    });
    return facts;
  }
}
