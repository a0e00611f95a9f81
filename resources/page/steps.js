// The steps of a job or intervals of counters: their controls, and a lane over time for each link class.

const FRAME_MS = 50, PLAY_MS = 10000, LANES_PX = 132, LANE_PX = [11, 22], AXIS_PX = 20, TICK_PX = 90, GUTTER_PX = 8;

class StepBar {
  constructor(page) {
    this.page = page;
    this.timer = null;
    find("all-steps").onchange = (event) => page.goTo(event.target.checked ? -1 : Number(find("step").value));
    find("step").oninput = (event) => page.goTo(Number(event.target.value));
    find("play").onclick = () => this.play();
    find("lanes").onpointerdown = (event) => {
      event.target.setPointerCapture(event.pointerId);
      this.scrub(event);
    };
    find("lanes").onpointermove = (event) => event.buttons && this.scrub(event);
    new ResizeObserver(() => this.draw()).observe(find("lanes").parentElement);
  }

  scrub(event) {
    const { steps } = this.page, { left, width } = this.area;
    const time = ((event.clientX - event.target.getBoundingClientRect().left - left) / width) * steps.total;
    this.page.goTo(steps.at(time));
  }

  show() {
    const { steps, step, missing } = this.page;
    find("steps").hidden = !steps;
    this.showClassBars(steps);
    if (!steps) return;
    find("step").max = steps.count - 1;
    find("all").textContent = `All ${steps.noun}s`;
    find("shares").textContent = steps.shares;
    find("all-steps").checked = step < 0;
    find("step").value = Math.max(step, 0);
    find("step-text").textContent = step < 0 ? steps.summary : `${steps.titles[step]} \u00b7 ${steps.facts[step]}`;
    find("step").setAttribute("aria-valuetext", find("step-text").textContent);
    const omitted = steps.loads.filter((blob) => !blob).length, all = steps.loads.length;
    find("step-note").textContent = missing ? "The loads of this step are not in the page, because of its size."
      : omitted ? `The page has the loads of ${grouped(all - omitted)} of ${grouped(all)} different steps.` : "";
  }

  /** The bars of the link classes: of the entire job as printed, or of a step. */
  showClassBars(steps) {
    const { step, view, look } = this.page, table = document.querySelector(`#panel-${view.panel} .classes`);
    if (!table) return;
    const alone = steps && step >= 0 && !look.unit, rows = [...table.tBodies[0].rows];
    const shares = rows.map((_, number) => (alone ? steps.busyOf(number, step) : 0)), most = Math.max(...shares);
    table.classList.toggle("of-step", Boolean(alone));
    table.kept ??= table.caption.textContent;
    table.caption.textContent = alone ? `Link classes. 100\u00a0% is the duration of this ${steps.noun}.` : table.kept;
    rows.forEach((row, number) => {
      const bar = row.querySelector(".length"), share = row.querySelector(".share");
      row.kept ??= { width: bar.style.width, share: share.textContent, limiting: row.classList.contains("limiting") };
      bar.style.width = alone ? `${100 * shares[number]}%` : row.kept.width;
      bar.style.background = alone ? this.page.coloursNow().of(clamp(shares[number], 0, 1)) : "";
      share.textContent = alone ? percent(shares[number]) : row.kept.share;
      row.classList.toggle("limiting", alone ? shares[number] > 0 && shares[number] === most : row.kept.limiting);
    });
  }

  /** Where lanes are in the canvas: their left end and width, and the height of one. */
  get area() {
    const { machine, steps } = this.page, canvas = find("lanes"), count = machine.classes.length;
    const height = clamp(Math.floor(LANES_PX / count), ...LANE_PX), context = canvas.getContext("2d");
    context.font = font(Math.min(FONT_PX, height));
    const left = Math.ceil(Math.max(...machine.classes.map(({ name }) => context.measureText(name).width)) + GUTTER_PX);
    return { left, width: Math.max(canvas.clientWidth - left - 2, 1), height, bottom: count * height, axis: steps.timed ? AXIS_PX : 0 };
  }

  draw() {
    const { steps, machine, colours, step } = this.page, canvas = find("lanes");
    if (!steps || !colours || !canvas.clientWidth) return;
    const { left, width, height, bottom, axis } = this.area, ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${bottom + axis}px`;
    Object.assign(canvas, { width: Math.round(canvas.clientWidth * ratio), height: Math.round((bottom + axis) * ratio) });
    const context = canvas.getContext("2d"), place = (time) => left + (time / steps.total) * width;
    context.scale(ratio, ratio);
    context.font = font(Math.min(FONT_PX, height));
    context.textBaseline = "middle";
    machine.classes.forEach(({ name }, number) => {
      context.fillStyle = colours.dim;
      context.fillText(name, 0, height * (number + 0.5));
      this.drawLane(context, number, place);
    });
    if (axis) this.drawAxis(context, place, bottom);
    if (step < 0) return;
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.strokeRect(place(steps.start[step]), 1, Math.max((steps.seconds[step] / steps.total) * width, 2), bottom - 2);
  }

  drawLane(context, number, place) {
    const { steps, colours, look } = this.page, { left, width, height } = this.area;
    const high = height - (height > 14 ? 4 : 2), bottom = height * (number + 1) - (height > 14 ? 2 : 1);
    context.fillStyle = colours.field;
    context.fillRect(left, bottom - high, width, high);
    for (let k = 0; k < steps.count; k++) {
      const value = steps.busyOf(number, k), busy = Math.min(Math.abs(value), 1), gap = width / steps.count > 4 ? 0.5 : 0;
      context.fillStyle = colours.of(look.span ? clamp(0.5 + value / (2 * look.span), 0, 1) : busy);
      context.fillRect(place(steps.start[k]), bottom - high * busy, Math.max((steps.seconds[k] / steps.total) * width - gap, 0.5), high * busy);
    }
  }

  /** Times at round distances, in the unit that suits the end. */
  drawAxis(context, place, top) {
    const { steps, colours } = this.page, { width } = this.area;
    const [unit, size] = [["s", 1], ["ms", 1e-3], ["\u00b5s", 1e-6], ["ns", 1e-9]].find(([, seconds]) => steps.total >= seconds) ?? ["ns", 1e-9];
    const end = steps.total / size, every = roundStep((end * TICK_PX) / width), count = Math.floor(end / every + 1e-9);
    context.fillStyle = context.strokeStyle = colours.dim;
    context.lineWidth = 1;
    context.font = font(FONT_PX);
    for (let k = 0; k <= count; k++) {
      const x = Math.round(place(k * every * size)) + 0.5, text = k ? `${figure(k * every)} ${unit}` : "0";
      const half = context.measureText(text).width / 2;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + 4);
      context.stroke();
      context.fillText(text, clamp(x - half, place(0), place(steps.total) - 2 * half), top + AXIS_PX / 2 + 3);
    }
  }

  play() {
    if (this.timer) return this.stop();
    const { page } = this, { count } = page.steps, wait = clamp(PLAY_MS / count, FRAME_MS, 1000);
    find("play").textContent = "Pause";
    const each = Math.max(1, Math.round((FRAME_MS * count) / PLAY_MS));
    let step = page.step >= count - 1 ? -1 : page.step;
    this.timer = setInterval(() => {
      step += each;
      if (step >= count) return this.stop();
      page.goTo(step);
    }, wait);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    find("play").textContent = "Play";
  }
}
