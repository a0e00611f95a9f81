// The page: its states and views, controls and keys.

const LINK_ROW = 1024;
/** The place of the colours of links in a table, whose rows have 256 colours. */

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
    document.querySelectorAll(".causes").forEach((causes) => (causes.open = true));
    this.prepareViews();
    find("percent").onchange = (event) => this.set({ percent: Number(event.target.value) });
    find("log").onchange = (event) => this.set({ log: event.target.checked });
    find("theme").onchange = (event) => {
      document.documentElement.dataset.theme = event.target.value;
      this.redraw();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    find("zoom-in").onclick = () => this.zoom(1.5);
    find("zoom-out").onclick = () => this.zoom(1 / 1.5);
    find("fit").onclick = () => this.fit();
    this.texts = new Texts(this);
    this.table = new LinkTable(this);
    this.legend = new Legend(this);
    this.stepBar = new StepBar(this);
    const measure = () => document.documentElement.style.setProperty("--above", `${document.querySelector("main").offsetTop}px`);
    new ResizeObserver(measure).observe(document.querySelector("header"));
    measure();
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** The pictures whose cameras differ. */
  get cameras() {
    return this.panes.filter((pane, k) => !pane.element.hidden && pane.machine && (k === 0 || pane.camera !== this.panes[0].camera));
  }

  zoom(factor) {
    this.cameras.forEach((pane) => pane.zoom(factor));
  }

  fit() {
    this.cameras.forEach((pane) => pane.fitAll());
  }

  prepareViews() {
    const { views, kind } = this.data;
    find("views").hidden = kind === "tour" || views.length < 2;
    find("scenes").hidden = kind !== "tour";
    views.forEach((view, number) => {
      const input = element("input", { type: "radio", name: "view", value: number, onchange: () => this.show(number) });
      if (kind !== "tour") find("views").append(element("label", {}, input, view.label));
      find("scene").append(element("option", { value: number, textContent: `${number + 1} / ${views.length}  ${view.label}` }));
    });
    find("scene").onchange = (event) => this.show(Number(event.target.value));
    find("previous").onclick = () => this.show(this.number - 1);
    find("next").onclick = () => this.show(this.number + 1);
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
    const hidden = this.hidden[this.state.machineNumber];
    return this.machine.classes.map((_, number) => !hidden.has(number));
  }

  /** The colour scale of what is shown. */
  get look() {
    const { view, steps, step } = this;
    if (view.values) return step < 0 ? view.look : steps.look;
    if (step < 0 || step === view.step) return view.look;
    const run = steps.run[step], [time, top] = [steps.times[run], steps.tops[run]];
    const ticks = view.look.log ? ["0.1 %", "1 %", "10 %", top] : ["0", "50 %", top];
    return { ...view.look, heading: steps.heading, ticks, time, side: time > 0 ? "bottleneck" : "", beyond: false, top: 0, unit: "" };
  }

  /** The steps that can be shown alone: of the job, or intervals of counters; null for none. */
  get steps() {
    const { view } = this;
    return view.mode !== "alone" ? null : view.values ? this.intervals : this.state?.steps;
  }

  /** Show a step alone, or all together if it is -1. */
  async goTo(step) {
    if (this.steps) await this.set({ step: clamp(step, -1, this.steps.count - 1) });
  }

  async set(changes) {
    Object.assign(this, changes);
    await this.update();
  }

  /** Show a view. */
  async show(number) {
    if (number < 0 || number >= this.data.views.length) return;
    const before = this.state?.machine, view = this.data.views[number];
    this.stepBar.stop();
    const intervals = view.intervals && (await Steps.of(view.intervals));
    Object.assign(this, { number, intervals, hovered: null });
    if (this.data.kind === "tour" || before === undefined) {
      const selection = view.selection && this.itemOf(view.selection);
      Object.assign(this, { percent: view.percent, log: Boolean(view.look?.log), selected: selection, step: view.step });
    } else {
      this.step = -1;
      if (before !== this.state?.machine) this.selected = null;
    }
    this.showNames();
    this.arrange(this.data.kind !== "tour" && before === this.machine);
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
    find("log").disabled = Boolean(view.look?.span);
    this.showClasses();
  }

  showClasses() {
    const fieldset = find("classes"), classes = this.machine?.classes ?? [];
    fieldset.hidden = classes.length < 2;
    fieldset.replaceChildren(fieldset.querySelector("legend"));
    const hidden = this.hidden[this.state?.machineNumber];
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
    const counters = view.values && (step < 0 ? await decoded(view.values) : await this.intervals.valuesOf(step));
    const loads = await state.loads(view.values ? -1 : step);
    if (state !== this.state || step !== this.step || view !== this.view) return;
    const { machine, look, shown, log } = this, a = view.reference >= 0 ? this.states[view.reference] : null;
    this.missing = loads === null || (view.values && counters === null);
    const own = state.relative(loads ?? new Float32Array(machine.links.count), look.time);
    if (view.values) {
      this.values = [new Values(machine, counters ?? new Float32Array(machine.links.count).fill(NaN), look, log, shown, { limits: false, beyond: this.rules.beyond })];
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
    this.table.show();
    this.showSelection();
    this.stepBar.show();
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
    this.legend.draw();
    const count = this.state ? this.shownStates().length : 0;
    this.panes.slice(0, count).forEach((pane) => pane.draw(this.colours));
    this.stepBar.draw();
    this.legend.showReadout();
    if (!performance.getEntriesByName("first frame").length) performance.mark("first frame");
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
    colours.ofLink = (at) => {
      if (at > 1) return colours.of(at);
      const [red, green, blue, alpha] = colours.table.subarray(LINK_ROW + 4 * Math.round(at * 255));
      return `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
    };
    colours.inkOn = (at) => {
      const [red, green, blue] = rgb(at);
      return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#14171c" : "#f5f6f9";
    };
    return colours;
  }

  select(item) {
    const same = item && this.selected && item.kind === this.selected.kind && item.index === this.selected.index;
    this.selected = same ? null : item;
    this.table.mark();
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
    document.querySelector(`#panel-${view.panel} .links`)?.after(place);
    const link = selected?.kind === "link" ? selected.index : -1, explained = state?.explained.includes(link);
    document.querySelectorAll(".causes [data-link]").forEach((part) => {
      const own = part.closest(".panel").id === `panel-${view.panel}`;
      part.hidden = !(own && Number(part.dataset.link) === link && view.mode === "alone" && this.step < 0);
    });
    if (!selected) return;
    const [name, ...lines] = this.texts.describe(selected, this.panes[this.values.length - 1]);
    const close = element("button", { type: "button", textContent: "Clear", onclick: () => this.select(null) });
    const notes = link < 0 || view.mode !== "alone" || explained || view.values ? [] : [element("p", { className: "dim", textContent: "Causes are listed for the hottest links only." })];
    if (explained && this.step >= 0 && !view.values) notes.push(element("p", { className: "dim", textContent: "Causes are listed for all steps together." }));
    place.replaceChildren(element("h3", {}, name, close), ...lines.map((line) => element("p", { textContent: line })), ...notes);
  }

  press(event) {
    const { key, target } = event, inStage = target === document.body || target.closest(".stage"), turns = key.startsWith("Page");
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT" || (target.type === "range" && turns)) return;
    const commands = {
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), "0": () => this.fit(),
      h: () => this.table.selectNext(), H: () => this.table.selectNext(), Escape: () => this.clear(),
      ",": () => this.goTo(this.step - 1), ".": () => this.goTo(this.step + 1),
      PageUp: () => this.show(this.number - 1), PageDown: () => this.show(this.number + 1),
    };
    if (!commands[key] || !this.state || (turns && (!inStage || this.data.views.length < 2))) return;
    event.preventDefault();
    commands[key]();
  }

  /** Close the list of keys if it is open, else select nothing. */
  clear() {
    const keys = document.querySelector(".keys");
    if (keys.open) keys.open = false;
    else this.select(null);
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
    find("still-note").textContent = `This browser shows still pictures and all figures: it lacks WebGL 2 or another function of the interactive machine (${error.message}).`;
    find("still-note").hidden = false;
    document.querySelectorAll(".panel, .more, .causes [data-link]").forEach((part) => (part.hidden = false));
  }
}

begin();
