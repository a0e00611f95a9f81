// The table of the hottest links, or of the links that changed most.

const MAX_ROWS = 12;

class LinkTable {
  constructor(page) {
    this.page = page;
  }

  get rows() {
    return Array.from(document.querySelectorAll(`#panel-${this.page.view.panel} .links tr[data-link]`));
  }

  show() {
    const { page } = this, place = document.querySelector(`#panel-${page.view.panel} .links`);
    if (!place) return;
    const values = page.values[page.values.length - 1], { look, state, step } = page;
    const ids = values.strongest(MAX_ROWS, step < 0 && !look.unit ? state.own : null), write = this.columns(values, ids);
    const cell = (tag, k, content) => element(tag, { className: k > 1 ? "number" : "" }, content);
    const head = ["Class", "From \u2192 to", ...write.heads].map((text, k) => Object.assign(cell("th", k, text), { scope: "col" }));
    const rows = ids.map((link) => {
      const row = element("tr", {}, ...[...this.namesOf(link), ...write.figures(link)].map((content, k) => cell("td", k, content)));
      row.dataset.link = link;
      return row;
    });
    if (!rows.length) {
      const text = values.signed ? "No link changes." : "No link carries anything.";
      rows.push(element("tr", {}, element("td", { colSpan: 4, textContent: text })));
    }
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
    place.replaceChildren(element("h3", { textContent: this.heading }), element("div", { className: "scrolled" }, table));
    place.hidden = false;
    this.mark();
  }

  get heading() {
    const { look, view } = this.page;
    if (look.unit) return look.heading.split(",")[0];
    return { alone: "Hottest links", side: "Hottest links of B", difference: "Most changed links" }[view.mode];
  }

  namesOf(link) {
    const { page } = this, { machine } = page, name = machine.endsOf(link).join(" \u2192 ");
    const onclick = () => page.select({ kind: "link", index: link });
    return [machine.classes[machine.classOf[link]].name.replace(/ link$/, ""), element("button", { type: "button", textContent: name, onclick })];
  }

  /** The headings and figures of the last columns: a volume or counter and, unless that is a percentage, its share. */
  columns(values, ids) {
    const { look, state, view, loads, states } = this.page, heat = (link) => values.link[link];
    const signed = (value, write) => withSign(value, write, "0"), number = (text) => text.replace(" %", "");
    if (look.unit) {
      const value = (link) => valueText(look, heat(link), values.signed, false);
      if (look.unit === "%") return { heads: [look.unit], figures: (link) => [value(link)] };
      const share = (link) => number(values.signed ? signed(heat(link), percent) : percent(heat(link)));
      return { heads: [look.unit, "%"], figures: (link) => [value(link), share(link)] };
    }
    const before = values.signed ? states[view.reference].load : null, volume = (link) => (loads?.[link] ?? 0) - (before?.[link] ?? 0);
    const measure = suited(state.measures, Math.max(0, ...ids.map((link) => Math.abs(volume(link)))));
    const heads = [values.signed ? `change, ${measure.many}` : measure.many, "%"];
    const write = (value) => (values.signed ? signed(value, figure) : figure(value));
    return { heads, figures: (link) => [write(volume(link) * measure.perVolume), number(values.signed ? signed(heat(link), percent) : percent(heat(link)))] };
  }

  /** Mark the row of the selected link. */
  mark() {
    const { selected } = this.page;
    this.rows.forEach((row) => row.classList.toggle("strong", selected?.kind === "link" && Number(row.dataset.link) === selected.index));
  }

  /** Select the link of the next row. */
  selectNext() {
    const { page } = this, links = this.rows.map((row) => Number(row.dataset.link));
    if (!links.length) return;
    const place = page.selected?.kind === "link" ? links.indexOf(page.selected.index) : -1;
    page.select({ kind: "link", index: links[(place + 1) % links.length] });
  }
}
