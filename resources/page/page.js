// The page: its states and views, controls, legend, tables and keys.

const MAX_ROWS = 12, FRAME_MS = 50, PLAY_MS = 10000, LANE_PX = 22, KEPT_STEPS = 8;
const find = (name) => document.getElementById(name);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** An evaluated scenario: bandwidths of its links, and the loads of it and of its steps. */
class LoadState {
  static async of(data, machines) {
    const state = Object.assign(new LoadState(), await unpacked(data));
    state.machine = machines[data.machine];
    if (data.steps) state.steps = { ...(await unpacked(data.steps)), loads: data.steps.loads };
    state.bandwidth = new Float32Array(state.machine.links.count);
    state.machine.classes.forEach((kind, number) => state.bandwidth.fill(state.gbs[number], kind.first, kind.end));
    state.slow.forEach(([link, gbs]) => (state.bandwidth[link] = gbs));
    state.kept = new Map();
    return state;
  }

  /** The loads of a step, or of the entire job if it is -1; null if they are not in the page. */
  async loads(step) {
    if (step < 0) return this.load;
    const run = this.steps.run[step], blob = this.steps.loads[run];
    if (blob && !this.kept.has(run)) {
      if (this.kept.size >= KEPT_STEPS) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(run, await decoded(blob));
    }
    return this.kept.get(run) ?? null;
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

class Page {
  static async start(data) {
    const page = new Page();
    page.data = data;
    page.rules = data.rules;
    page.machines = await Promise.all(data.machines.map((machine) => Machine.of(machine)));
    page.states = await Promise.all(data.states.map((state) => LoadState.of(state, page.machines)));
    const names = Object.keys(data.tables), tables = await Promise.all(names.map((name) => decoded(data.tables[name])));
    page.tables = Object.fromEntries(names.map((name, k) => [name, tables[k]]));
    document.documentElement.classList.add("interactive");
    page.prepare();
    await page.show(0);
    return page;
  }

  prepare() {
    Object.assign(this, { panes: [], number: -1, step: -1, percent: 100, log: false, selected: null, hovered: null });
    this.hidden = this.machines.map(() => new Set());
    this.prepareViews();
    find("percent").onchange = (event) => this.set({ percent: Number(event.target.value) });
    find("log").onchange = (event) => this.set({ log: event.target.checked });
    find("theme").onchange = (event) => {
      document.documentElement.dataset.theme = event.target.value;
      this.redraw();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    const panes = () => this.panes.filter((pane, k) => !pane.element.hidden && (k === 0 || pane.camera !== this.panes[0].camera));
    find("zoom-in").onclick = () => panes().forEach((pane) => pane.zoom(1.5));
    find("zoom-out").onclick = () => panes().forEach((pane) => pane.zoom(1 / 1.5));
    find("fit").onclick = () => panes().forEach((pane) => pane.fitAll());
    this.prepareSteps();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  prepareViews() {
    const { views, kind } = this.data;
    find("views").hidden = kind !== "pair";
    find("scenes").hidden = kind !== "tour";
    views.forEach((view, number) => {
      const input = element("input", { type: "radio", name: "view", value: number, onchange: () => this.show(number) });
      if (kind === "pair") find("views").append(element("label", {}, input, view.label));
      find("scene").append(element("option", { value: number, textContent: `${number + 1} / ${views.length}  ${view.label}` }));
    });
    find("scene").onchange = (event) => this.show(Number(event.target.value));
    find("previous").onclick = () => this.show(this.number - 1);
    find("next").onclick = () => this.show(this.number + 1);
  }

  prepareSteps() {
    find("all-steps").onchange = (event) => this.goTo(event.target.checked ? -1 : Number(find("step").value));
    find("step").oninput = (event) => this.goTo(Number(event.target.value));
    find("play").onclick = () => this.play();
    find("lanes").onclick = (event) => {
      const { start, seconds } = this.state.steps, last = start.length - 1;
      const time = (event.offsetX / event.target.clientWidth) * (start[last] + seconds[last]);
      const step = start.findLastIndex((begin, k) => begin <= time && (seconds[k] > 0 || k === 0));
      this.goTo(Math.max(step, 0));
    };
    new ResizeObserver(() => this.drawLanes()).observe(find("lanes").parentElement);
    const measure = () => document.documentElement.style.setProperty("--above", `${document.querySelector(".stage").parentElement.offsetTop}px`);
    new ResizeObserver(measure).observe(document.querySelector("header"));
    measure();
  }

  get view() {
    return this.data.views[this.number];
  }

  get state() {
    return this.states[this.view?.state];
  }

  get machine() {
    return this.state?.machine;
  }

  /** For each link class of the machine, whether it is shown. */
  get shown() {
    const hidden = this.hidden[this.state.machineNumber ?? this.data.states[this.view.state].machine];
    return this.machine.classes.map((_, number) => !hidden.has(number));
  }

  /** The colour scale of what is shown. */
  get look() {
    const { view, state, step } = this;
    if (step < 0 || step === view.step) return view.look;
    const run = state.steps.run[step];
    const [time, top] = [state.steps.times[run], state.steps.tops[run]];
    const ticks = view.look.log ? ["0.1 %", "1 %", "10 %", top] : ["0", "50 %", top];
    return { ...view.look, heading: state.steps.heading, ticks, time, side: time > 0 ? "bottleneck" : "", beyond: false, top: 0, unit: "" };
  }

  async set(changes) {
    Object.assign(this, changes);
    await this.update();
  }

  /** Show a view. */
  async show(number) {
    if (number < 0 || number >= this.data.views.length) return;
    const before = this.state?.machine, view = this.data.views[number];
    this.stop();
    this.number = number;
    this.hovered = null;
    if (this.data.kind === "tour" || before === undefined) {
      const selection = view.selection && this.itemOf(view.selection);
      Object.assign(this, { percent: view.percent, log: Boolean(view.look?.log), selected: selection, step: view.step });
    } else {
      this.step = -1;
      if (before !== this.state?.machine) this.selected = null;
    }
    this.showNames();
    const kept = this.data.kind === "pair" && before === this.machine;
    this.arrange(kept);
    await this.update();
  }

  /** A selected part as the page numbers it: bundles by their index instead of their ends. */
  itemOf({ kind, index }) {
    if (kind !== "bundle") return { kind, index };
    const { groups, bundles } = this.machine, ends = [Math.floor(index / groups), index % groups].sort((a, b) => a - b);
    const bundle = bundles.src.findIndex((a, k) => a === ends[0] && bundles.dst[k] === ends[1]);
    return bundle < 0 ? null : { kind, index: bundle };
  }

  showNames() {
    const { view, number } = this, { views } = this.data;
    find("scene").value = number;
    find("previous").disabled = number === 0;
    find("next").disabled = number === views.length - 1;
    find("caption").innerHTML = view.caption;
    const heading = document.querySelector(`#panel-${view.panel} h2`);
    if (heading && this.data.kind === "tour") heading.textContent = view.label;
    document.querySelectorAll("#views input").forEach((input, k) => (input.checked = k === number));
    for (const kind of [".panel", ".more"]) document.querySelectorAll(kind).forEach((panel, k) => (panel.hidden = k !== view.panel));
    const options = find("percent").options;
    if (![...options].some((option) => Number(option.value) === this.percent)) options.add(element("option", { value: this.percent, textContent: `${this.percent}` }));
    find("percent").value = String(this.percent);
    find("log").checked = this.log;
    this.showClasses();
  }

  showClasses() {
    const fieldset = find("classes"), classes = this.machine?.classes ?? [];
    fieldset.hidden = classes.length < 2;
    fieldset.replaceChildren(fieldset.querySelector("legend"));
    const hidden = this.machine && this.hidden[this.data.states[this.view.state].machine];
    classes.forEach((kind, number) => {
      const change = (event) => {
        hidden[event.target.checked ? "delete" : "add"](number);
        this.update();
      };
      const input = element("input", { type: "checkbox", checked: !hidden.has(number), onchange: change });
      fieldset.append(element("label", {}, input, kind.name));
    });
  }

  /** Make as many pictures as the view has. */
  arrange(keepCamera) {
    const { view } = this, count = view.mode === "side" ? 2 : 1, camera = keepCamera ? this.panes[0]?.camera : null;
    while (this.panes.length < count) {
      this.panes.push(new Pane(this));
      find("panes").append(this.panes[this.panes.length - 1].element);
    }
    find("panes").className = count === 2 ? "two" : "";
    this.panes.forEach((pane, k) => {
      pane.element.hidden = k >= count;
      pane.title.textContent = view.titles[k] ?? "";
      pane.title.hidden = !view.titles.length;
      pane.error.textContent = view.error;
      pane.error.hidden = !view.error;
      pane.hideTip();
    });
    if (!this.machine) return;
    const machines = this.shownStates().map((state) => state.machine), alike = machines.every((machine) => machine === machines[0]);
    this.panes.slice(0, count).forEach((pane, k) => {
      pane.machine = machines[k];
      if (k > 0 && alike) pane.camera = this.panes[0].camera;
      else if (!(camera && k === 0)) {
        pane.camera = new Camera(machines[k], this.rules);
        pane.goal = view.camera;
        pane.aim(view.camera);
      }
      if (camera && k === 0) pane.camera.fits && pane.fit();
    });
  }

  shownStates() {
    const { view } = this;
    return view.mode === "side" ? [this.states[view.reference], this.state] : [this.state];
  }

  /** Compute the values of all pictures, and redraw everything. */
  async update() {
    const { view, state, step } = this;
    if (!state) return this.redraw();
    const [loads, counters] = await Promise.all([state.loads(step), step === view.step && view.values ? decoded(view.values) : null]);
    if (state !== this.state || step !== this.step || view !== this.view) return;
    const { machine, look, shown, log } = this, a = view.reference >= 0 ? this.states[view.reference] : null;
    this.missing = loads === null;
    const own = state.relative(loads ?? new Float32Array(machine.links.count), look.time);
    if (counters) {
      this.values = [new Values(machine, counters, look, log, shown, { limits: false })];
    } else if (view.mode === "difference") {
      const before = a.relative(a.load, look.time), change = own.map((value, link) => (Math.abs(value - before[link]) > 1e-6 ? value - before[link] : 0));
      this.values = [new Values(machine, change, look, log, shown)];
    } else if (view.mode === "side") {
      const rival = a.relative(a.load, look.time), alike = a.machine === machine;
      const shownOfA = alike ? shown : a.machine.classes.map(() => true);
      this.values = [
        new Values(a.machine, rival, look, log, shownOfA, { other: alike ? own : null, used: a.own }),
        new Values(machine, own, look, log, shown, { other: alike ? rival : null, used: state.own }),
      ];
    } else {
      this.values = [new Values(machine, own, look, log, shown, { used: step < 0 ? state.own : null })];
    }
    this.loads = loads;
    this.shownStates().forEach((each, k) => this.panes[k].show(each.machine, this.values[k], this.panes[k].camera));
    this.showLinks();
    this.showSelection();
    this.showStep();
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    this.colours = this.coloursNow();
    this.drawLegend();
    const count = this.state ? this.shownStates().length : 0;
    this.panes.slice(0, count).forEach((pane) => pane.draw(this.colours));
    this.drawLanes();
    this.showReadout();
    document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn ?? 0) + 1);
  }

  /** The colours of the theme and of the scale. */
  coloursNow() {
    const style = getComputedStyle(document.documentElement), roles = ["panel", "field", "border", "text", "dim", "accent", "beyond", "missing"];
    const colours = Object.fromEntries(roles.map((role) => [role, style.getPropertyValue(`--${role}`).trim()]));
    const theme = style.colorScheme, solid = this.machine?.solid ? "solid" : "flat";
    colours.table = this.tables[`${this.view.look?.map ?? "heat"} ${theme} ${solid}`] ?? Object.values(this.tables)[0];
    const rgb = (at) => {
      const place = 4 * Math.round(at * 255);
      return at > 1 ? channels(at > 2 ? colours.missing : colours.beyond).map((part) => 255 * part) : [...colours.table.subarray(place, place + 3)];
    };
    colours.of = (at) => `rgb(${rgb(at).join(" ")})`;
    colours.inkOn = (at) => {
      const [red, green, blue] = rgb(at);
      return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#14171c" : "#f5f6f9";
    };
    return colours;
  }

  drawLegend() {
    const { look } = this, { table } = this.colours;
    find("legend").hidden = !look;
    if (!look) return;
    const image = new ImageData(256, 1);
    image.data.set(table.subarray(0, 1024));
    find("colours").getContext("2d").putImageData(image, 0, 0);
    find("heading").textContent = look.heading;
    const end = look.ticks[look.ticks.length - 1], other = this.log ? ["0.1 %", "1 %", "10 %", end] : ["0", "50 %", end];
    const ticks = look.span || look.unit || this.log === look.log ? look.ticks : other;
    const last = ticks.length - 1, marks = ticks.map((text) => element("span", { textContent: text }));
    marks.forEach((mark, k) => (mark.style.left = `${(100 * k) / last}%`));
    find("ticks").replaceChildren(...marks);
    const mark = look.unit ? "\u25a0 " : look.beyond || look.span ? "" : "\u25c6 ";
    find("side").textContent = look.side && mark + look.side;
    find("side").className = look.beyond ? "beyond" : "";
  }

  showReadout() {
    const [pane] = this.panes, scene = pane?.scene;
    if (!scene || !this.state) return (find("readout").textContent = "");
    const { links, bundles, anyOpen } = scene, { machine } = this;
    let text = "";
    if (machine.groups && !anyOpen && !machine.rows) {
      const [drawn, loaded, total] = [bundles.ids.length, bundles.loaded ?? 0, plural(bundles.total ?? 0, "bundle")];
      const some = drawn < loaded ? `the hottest ${grouped(drawn)} of ${total}` : `${grouped(loaded)} of ${total} in use`;
      text = `${some} \u00b7 zoom in to open a ${machine.groupNames[0].split(" ")[0]}`;
    } else if (links.ids.length < (links.total ?? 0)) {
      text = `${grouped(links.ids.length)} of ${plural(links.total, "link")}, the hottest${links.ids.length > 1000 ? " \u00b7 zoom in to see more" : ""}`;
    }
    find("readout").textContent = text;
  }

  // Tables and texts.

  /** The table of the hottest links, or of those that changed most. */
  showLinks() {
    const values = this.values[this.values.length - 1], { machine, state, step } = this, place = document.querySelector(`#panel-${this.view.panel} .links`);
    if (!place) return;
    const { look } = this, ids = values.strongest(MAX_ROWS, step < 0 && !look.unit ? state.own : null);
    const headings = { alone: "Hottest links", side: "Hottest links of B", difference: "Most changed links" };
    const heading = look.unit ? look.heading.split(" \u00b7 ")[0] : headings[this.view.mode];
    const unit = look.unit || (values.signed ? "change" : state.measures[0].many);
    const head = element("tr", {}, ...["Class", "From \u2192 to", unit, "%"].map((text, k) => element("th", { scope: "col", textContent: text, className: k > 1 ? "number" : "" })));
    const rows = ids.map((link) => {
      const [from, to] = machine.endsOf(link), name = element("button", { type: "button", textContent: `${from} \u2192 ${to}`, onclick: () => this.select({ kind: "link", index: link }) });
      const cells = [machine.classes[machine.classOf[link]].name.replace(/ link$/, ""), name, ...this.figuresOf(values, link)];
      const row = element("tr", {}, ...cells.map((cell, k) => element("td", { className: k > 1 ? "number" : "" }, cell)));
      row.dataset.link = link;
      return row;
    });
    const body = rows.length ? element("tbody", {}, ...rows) : element("tbody", {}, element("tr", {}, element("td", { colSpan: 4, textContent: values.signed ? "No link changes." : "No link carries anything." })));
    place.replaceChildren(element("h3", { textContent: heading }), element("div", { className: "scrolled" }, element("table", {}, element("thead", {}, head), body)));
    place.hidden = false;
    this.markRow();
  }

  figuresOf(values, link) {
    const { state, loads, view } = this, measure = state.measures[0];
    if (this.look.unit) return [withSign(values.link[link] * this.look.top, figure, "0").replace("+", values.signed ? "+" : ""), withSign(values.link[link], percent, "0").replace(/[+]| %/g, "")];
    if (!values.signed) return [figure((loads?.[link] ?? 0) * measure.perVolume), percent(values.link[link]).replace(" %", "")];
    const change = state.load[link] - this.states[view.reference].load[link];
    return [withSign(change * measure.perVolume, figure, "0"), withSign(values.link[link], percent, "0").replace(" %", "")];
  }

  markRow() {
    document.querySelectorAll(".links tr[data-link]").forEach((row) => {
      row.classList.toggle("strong", this.selected?.kind === "link" && Number(row.dataset.link) === this.selected.index);
    });
  }

  select(item) {
    const same = item && this.selected && item.kind === this.selected.kind && item.index === this.selected.index;
    this.selected = same ? null : item;
    this.markRow();
    this.showSelection();
    this.redraw();
  }

  hover(item) {
    if (item?.kind === this.hovered?.kind && item?.index === this.hovered?.index) return;
    this.hovered = item;
    this.redraw();
  }

  /** The selected part, and the causes of its load if it is a link. */
  showSelection() {
    const { selected, state, view } = this, place = find("selected");
    place.hidden = !selected;
    document.querySelector(`#panel-${view.panel} .causes`)?.before(place);
    const link = selected?.kind === "link" ? selected.index : -1, explained = state?.explained.includes(link);
    document.querySelectorAll(".causes [data-link]").forEach((part) => {
      const own = part.closest(".panel").id === `panel-${view.panel}`;
      part.hidden = !(own && Number(part.dataset.link) === link && view.mode === "alone" && this.step < 0);
    });
    if (!selected) return;
    const [name, ...lines] = this.describe(selected, this.panes[this.values.length - 1]);
    const close = element("button", { type: "button", textContent: "Clear", onclick: () => this.select(null) });
    const notes = link < 0 || view.mode !== "alone" || explained ? [] : [element("p", { className: "dim", textContent: "Causes are listed for the hottest links only." })];
    if (explained && this.step >= 0) notes.push(element("p", { className: "dim", textContent: "Causes are listed for all steps together." }));
    place.replaceChildren(element("h3", {}, name, close), ...lines.map((line) => element("p", { textContent: line })), ...notes);
  }

  /** The name of a part, and facts about it. */
  describe({ kind, index }, pane) {
    const { machine, values } = pane, describe = { link: "aboutLink", vertex: "aboutVertex", group: "aboutGroup", bundle: "aboutBundle" }[kind];
    return this[describe](machine, values, index);
  }

  /** Where 100 % is: the hottest link, or what else the legend says. */
  get whole() {
    return this.look.heading.split("relative to ")[1] ?? "the hottest link of A and B";
  }

  aboutLink(machine, values, link) {
    const { view, state } = this, facts = [machine.linkName(link)], a = this.states[view.reference];
    if (a && a.machine === machine && view.mode !== "alone") {
      const shares = [a, state].map((each) => each.load[link] / each.bandwidth[link] / (this.look.time || 1) || 0);
      [a, state].forEach((each, k) => facts.push(`${"AB"[k]}: ${amount(each.measures, each.load[link])}, ${loadPercent(shares[k])}`));
      facts.push(`B ${MINUS} A: ${withSign(Math.abs(shares[1] - shares[0]) > 1e-6 ? shares[1] - shares[0] : 0, loadPercent)}`);
      return facts;
    }
    const shown = values === this.values[this.values.length - 1] ? state : a, loads = shown === state ? this.loads : shown.load;
    if (!shown.bandwidth[link]) return [...facts, "failed, carries no load"];
    const own = shown.own && this.step < 0 ? ` (${amount(shown.measures, shown.own[link], false)} of this job)` : "";
    const mark = values.link[link] > 0 && values.link[link] >= values.top * (1 - 1e-6) && (!shown.own || shown.own[link] > 0) ? ": bottleneck" : "";
    if (this.look.unit) {
      const value = values.link[link] * this.look.top;
      facts.push(`${this.look.heading.split(",")[0].toLowerCase()}: ${Number.isNaN(value) ? "no counter" : `${value < 0 ? MINUS : ""}${figure(Math.abs(value))} ${this.look.unit}`}`);
      return [...facts, `load ${amount(shown.measures, shown.load[link])}`, `${figure(shown.bandwidth[link])} GB/s`];
    }
    facts.push(`load ${amount(shown.measures, loads?.[link] ?? 0)}${own}, ${loadPercent(values.link[link])} of ${this.whole}${mark}`);
    facts.push(`${figure(shown.bandwidth[link])} GB/s`);
    return facts;
  }

  aboutVertex(machine, values, vertex) {
    const facts = [machine.vertexName(vertex)], { src, dst } = machine.links;
    const shown = values === this.values[this.values.length - 1] ? this.state : this.states[this.view.reference];
    if (vertex < machine.nodes && shown.nodes.length) {
      const tasks = shown.tasksOf.get(vertex) ?? [], some = tasks.slice(0, 8).map((task) => grouped(task)).join(", ");
      facts.push(tasks.length ? `task${tasks.length > 1 ? "s" : ""} ${some}${tasks.length > 8 ? " \u2026" : ""}` : "no tasks");
    }
    const hottest = this.hottestOf(values, machine, (link) => src[link] === vertex || dst[link] === vertex);
    return hottest < 0 ? facts : [...facts, `${values.signed ? "most changed link" : "hottest link"}: ${machine.linkName(hottest)}, ${this.heatText(values, values.link[hottest])}`];
  }

  heatText(values, heat) {
    if (this.look.unit) return Number.isNaN(heat) ? "no counter" : `${withSign(heat * this.look.top, figure, "0").replace("+", values.signed ? "+" : "")} ${this.look.unit}`;
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

  // Steps.

  /** Show a step of the job, or the entire job if it is -1. */
  async goTo(step) {
    if (!this.state?.steps || this.view.mode !== "alone") return;
    await this.set({ step: clamp(step, -1, this.state.steps.run.length - 1) });
  }

  showStep() {
    const { state, step, view } = this, steps = view.mode === "alone" ? state.steps : null;
    find("steps").hidden = !steps;
    this.showClassBars(steps);
    if (!steps) return;
    find("step").max = steps.run.length - 1;
    find("all-steps").checked = step < 0;
    if (step >= 0) find("step").value = step;
    find("step-text").textContent = step < 0 ? steps.summary : `${steps.titles[step]} \u00b7 ${steps.facts[step]}`;
    find("step").setAttribute("aria-valuetext", find("step-text").textContent);
    const omitted = steps.loads.filter((blob) => !blob).length;
    find("step-note").textContent = this.missing ? "The loads of this step are not in the page, because of its size."
      : omitted ? `The page has the loads of ${grouped(steps.loads.length - omitted)} of ${grouped(steps.loads.length)} different steps.` : "";
  }

  /** The bars of the link classes: of the entire job as printed, or of a step. */
  showClassBars(steps) {
    const { step, view } = this, rows = document.querySelectorAll(`#panel-${view.panel} .classes tbody tr`);
    rows.forEach((row, number) => {
      const bar = row.querySelector(".length"), [share, rate] = [row.querySelector(".share"), row.querySelector(".rate")];
      row.kept ??= { width: bar.style.width, share: share.textContent, rate: rate.textContent };
      const busy = steps && step >= 0 ? steps.busy[number * steps.run.length + step] : null;
      bar.style.width = busy === null ? row.kept.width : `${100 * busy}%`;
      bar.style.background = busy === null ? "" : this.coloursNow().of(clamp(busy, 0, 1));
      share.textContent = busy === null ? row.kept.share : percent(busy);
      rate.textContent = busy === null ? row.kept.rate : "";
      row.querySelector(".mark")?.toggleAttribute("hidden", busy !== null);
    });
  }

  drawLanes() {
    const steps = this.state && this.view.mode === "alone" ? this.state.steps : null, canvas = find("lanes");
    if (!steps || !this.colours) return;
    const { classes } = this.machine, width = canvas.clientWidth, height = LANE_PX * classes.length, ratio = window.devicePixelRatio || 1;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    canvas.style.height = `${height}px`;
    const context = canvas.getContext("2d"), count = steps.run.length, total = steps.start[count - 1] + steps.seconds[count - 1] || 1;
    context.scale(ratio, ratio);
    context.font = font(FONT_PX);
    context.textBaseline = "middle";
    classes.forEach((kind, number) => {
      const bottom = LANE_PX * (number + 1) - 2;
      context.fillStyle = this.colours.field;
      context.fillRect(0, bottom - LANE_PX + 4, width, LANE_PX - 4);
      for (let k = 0; k < count; k++) {
        const busy = steps.busy[number * count + k], high = (LANE_PX - 4) * busy, left = (steps.start[k] / total) * width;
        context.fillStyle = this.colours.of(clamp(busy, 0, 1));
        context.fillRect(left, bottom - high, Math.max((steps.seconds[k] / total) * width - (width / count > 4 ? 0.5 : 0), 0.5), high);
      }
    });
    if (this.step >= 0) {
      context.strokeStyle = this.colours.accent;
      context.lineWidth = 2;
      const left = (steps.start[this.step] / total) * width;
      context.strokeRect(left, 1, Math.max((steps.seconds[this.step] / total) * width, 2), height - 2);
    }
    this.nameLanes(context, classes);
  }

  nameLanes(context, classes) {
    classes.forEach((kind, number) => {
      const middle = LANE_PX * (number + 0.5);
      context.fillStyle = `${this.colours.panel}c0`;
      context.fillRect(2, middle - 7, context.measureText(kind.name).width + 6, 14);
      context.fillStyle = this.colours.text;
      context.fillText(kind.name, 5, middle + 0.5);
    });
  }

  play() {
    if (this.timer) return this.stop();
    const count = this.state.steps.run.length, wait = clamp(PLAY_MS / count, FRAME_MS, 1000), last = performance.now();
    find("play").textContent = "Pause";
    const each = Math.max(1, Math.round((FRAME_MS * count) / PLAY_MS));
    let step = this.step >= count - 1 ? -1 : this.step;
    this.timer = setInterval(() => {
      step += each;
      if (step >= count) return this.stop();
      this.goTo(step);
    }, wait, last);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    find("play").textContent = "Play";
  }

  // Keys.

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const inStage = event.target === document.body || event.target.closest(".stage"), pane = this.panes[0];
    const commands = {
      "+": () => pane.zoom(1.5), "=": () => pane.zoom(1.5), "-": () => pane.zoom(1 / 1.5), "0": () => pane.fitAll(),
      h: () => this.selectNext(), H: () => this.selectNext(), Escape: () => this.select(null),
      ",": () => this.goTo(this.step - 1), ".": () => this.goTo(this.step + 1),
      PageUp: () => inStage && this.show(this.number - 1), PageDown: () => inStage && this.show(this.number + 1),
    };
    const command = commands[event.key];
    if (!command || !this.state || (event.key.startsWith("Page") && (!inStage || this.data.views.length < 2))) return;
    event.preventDefault();
    command();
  }

  /** Select the next link of the table. */
  selectNext() {
    const links = Array.from(document.querySelectorAll(`#panel-${this.view.panel} .links tr[data-link]`), (row) => Number(row.dataset.link));
    if (!links.length) return;
    const place = this.selected?.kind === "link" ? links.indexOf(this.selected.index) : -1;
    this.select({ kind: "link", index: links[(place + 1) % links.length] });
  }
}

async function begin() {
  const root = document.documentElement;
  root.dataset.state = "busy";
  try {
    window.fabriscope = await Page.start(JSON.parse(find("data").textContent));
    root.dataset.state = "ready";
  } catch (error) {
    // An old browser shows the pictures and all figures.
    root.classList.remove("interactive");
    root.dataset.state = "still";
    find("still-note").textContent = `The pictures do not move, because this browser lacks WebGL 2 or a newer function (${error.message}).`;
    find("still-note").hidden = false;
    document.querySelectorAll(".panel, .more, .causes [data-link]").forEach((part) => (part.hidden = false));
  }
}

begin();
