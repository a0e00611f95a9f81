// The legend below the pictures, and how many links are drawn.

class Legend {
  constructor(page) {
    this.page = page;
  }

  draw() {
    const { look, colours, machine } = this.page;
    find("legend").hidden = !look;
    find("kinds").hidden = !machine || machine.vertices === machine.nodes;
    if (!look) return;
    const image = new ImageData(256, 1);
    image.data.set(colours.table.subarray(0, 1024));
    find("colours").getContext("2d").putImageData(image, 0, 0);
    find("heading").textContent = look.heading;
    const { ticks } = this, marks = ticks.map((text) => element("span", { textContent: text }));
    marks.forEach((mark, k) => (mark.style.left = `${(100 * k) / (ticks.length - 1)}%`));
    find("ticks").replaceChildren(...marks);
    const mark = look.unit ? "\u25a0 " : look.beyond || look.span ? "" : "\u25c6 ";
    find("side").textContent = look.side && mark + look.side;
    find("side").className = look.beyond ? "beyond" : "";
  }

  /** The texts of the scale, which is linear or logarithmic as the reader chooses. */
  get ticks() {
    const { look, log } = this.page, end = look.ticks[look.ticks.length - 1];
    if (look.span || log === look.log) return look.ticks;
    const shares = log ? [0.001, 0.01, 0.1] : [0, 0.5];
    return [...shares.map((share) => (look.unit ? figure(share * look.top, 3) : `${100 * share || 0} %`.replace(/^0 %/, "0"))), end];
  }

  /** Say how many of the links or bundles are drawn. */
  showReadout() {
    const { panes: [pane], state, machine } = this.page, scene = pane?.scene;
    find("readout").textContent = scene && state ? this.drawn(scene, machine) : "";
  }

  drawn({ links, bundles, anyOpen }, machine) {
    if (machine.groups && !anyOpen && !machine.rows) {
      const [drawn, loaded, total] = [bundles.ids.length, bundles.loaded ?? 0, plural(bundles.total ?? 0, "bundle")];
      const some = drawn < loaded ? `the hottest ${grouped(drawn)} of ${total}` : `${grouped(loaded)} of ${total} in use`;
      return `${some} \u00b7 zoom in to open a ${machine.groupNames[0].split(" ")[0]}`;
    }
    if (links.ids.length >= (links.total ?? 0)) return "";
    return `${grouped(links.ids.length)} of ${plural(links.total, "link")}, the hottest${links.ids.length > 1000 ? " \u00b7 zoom in to see more" : ""}`;
  }
}
