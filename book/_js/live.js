// Runs the live figures of a page: drawing, dragging, keys, clock, reset, links with a state, reduced motion, print.
// A figure itself is a file of figures/, which knows nothing of the page; its script has put it into rbnotesFigures.
import { format, frameOf, svgOf } from "./figures/drawing.js";
import { grips } from "./figures/handles.js";

const SVG = "http://www.w3.org/2000/svg";
const STEP = 0.02; // s, of a simulation whose state has no step of its own
const LONGEST = 30; // s, after which one stops
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const reduced = matchMedia("(prefers-reduced-motion: reduce)");
let running = null;

function create(tag, attributes = {}, ...children) {
  const element = tag === "g" || tag === "circle" ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class Live {
  constructor(root, figure) {
    Object.assign(this, { root, figure, name: root.dataset.live, trace: [], time: 0, ended: "" });
    this.views = figure.views.map((view) => this.prepare(view));
    const box = root.querySelector(".views");
    box.setAttribute("role", "group");
    this.box = box;
    this.addControls();
    this.addGrips();
    this.reset();
    this.readAddress();
    addEventListener("hashchange", () => this.readAddress());
    addEventListener("beforeprint", () => this.pause());
    document.addEventListener("animation", ({ detail }) => detail === this || this.pause());
    new IntersectionObserver(([entry]) => entry.isIntersecting || this.pause()).observe(root);
    root.classList.add("ready");
  }

  prepare(view) {
    const svg = this.root.querySelector(`[data-view="${view.name}"]`);
    const drawn = create("g"), above = create("g", { class: "grips" });
    svg.replaceChildren(drawn, above);
    return { ...view, svg, drawn, above, frame: frameOf(view) };
  }

  // --- controls ---------------------------------------------------------------------------------------------

  addControls() {
    const { figure, name } = this;
    const bar = create("div", { class: "controls" });
    const choice = create("fieldset", { class: "modes" }, create("legend", { class: "visually-hidden" }, "form"));
    for (const [mode, { label }] of Object.entries(figure.modes)) {
      const input = create("input", { type: "radio", name: `live-${name}-mode`, value: mode });
      input.addEventListener("change", () => this.setMode(mode, true));
      choice.append(create("label", { "data-mode": mode }, input, label));
    }
    bar.append(choice);
    const button = (text, act, hint) => {
      const element = create("button", { type: "button", title: hint }, text);
      element.addEventListener("click", act);
      bar.append(element);
      return element;
    };
    if (figure.step) {
      this.runButton = button("Run", () => (running === this ? this.pause() : this.run()), "simulate from here");
    }
    button("Reset", () => this.reset(true), "back to the start");
    button("Link", () => this.copyLink(), "copy a link to this state");
    this.message = create("output", { class: "message", "aria-live": "polite" });
    bar.append(this.message);
    const sliders = create("div", { class: "sliders" });
    this.sliders = Object.values(figure.handles).filter(({ kind }) => kind === "Parameter").map((handle) => {
      const [least, most] = handle.range[0];
      const input = create("input", { type: "range", min: least, max: most, step: handle.step[0], "aria-label": handle.label });
      const value = create("output");
      input.addEventListener("input", () => this.change(handle.set(this.state, [+input.value])));
      sliders.append(create("label", {}, create("span", {}, handle.label), input, value));
      return { handle, input, value };
    });
    this.root.querySelector(".views").after(sliders);
    this.root.querySelector(".forms").before(bar);
  }

  addGrips() {
    this.grips = Object.values(this.figure.handles).flatMap((handle) =>
      grips(handle).map((grip) => {
        const view = this.views.find(({ name }) => name === (handle.view ?? this.views[0].name));
        const what = grip.turns && handle.kind === "Body" ? `${handle.label}, angle` : handle.label;
        const element = create("g", {
          class: `grip ${grip.turns ? "turns" : ""}`, role: "slider", tabindex: 0, "aria-label": what,
        });
        element.append(create("circle", { r: 20, class: "touch" }), create("circle", { r: grip.turns ? 6 : 9, class: "knob" }));
        view.above.append(element);
        this.listen(element, view, grip);
        return { element, view, grip, handle };
      }),
    );
  }

  listen(element, view, grip) {
    let offset = null;
    const at = (event) => {
      const { left, top, width, height } = view.svg.getBoundingClientRect();
      const { width: wide, height: tall } = view.svg.viewBox.baseVal;
      return view.frame.fromPixels([((event.clientX - left) * wide) / width, ((event.clientY - top) * tall) / height]);
    };
    element.addEventListener("pointerdown", (event) => {
      const position = grip.place(this.state), point = at(event);
      offset = [position[0] - point[0], position[1] - point[1]];
      element.setPointerCapture(event.pointerId);
      element.focus({ preventScroll: true });
      event.preventDefault();
    });
    element.addEventListener("pointermove", (event) => {
      if (!offset) return;
      const point = at(event);
      this.change(grip.drag(this.state, [point[0] + offset[0], point[1] + offset[1]]));
    });
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, () => (offset = null));
    element.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key], far = event.shiftKey ? 5 : 1;
      if (!arrow) return;
      event.preventDefault();
      this.change(grip.nudge(this.state, arrow.map((each) => far * each)));
    });
  }

  // --- state ------------------------------------------------------------------------------------------------

  reset(byReader = false) {
    const { state, mode } = this.figure.poster;
    this.pause();
    this.state = this.start = state;
    this.clear();
    this.setMode(mode);
    if (byReader) history.replaceState(null, "", location.pathname + location.search);
  }

  clear() {
    Object.assign(this, { trace: [], time: 0, ended: "" });
    this.message.textContent = "";
  }

  change(state) {
    this.pause();
    this.state = this.start = state;
    this.clear();
    this.draw();
    this.writeAddress();
  }

  setMode(mode, byReader = false) {
    this.mode = mode;
    this.state = this.start;
    this.clear();
    for (const form of this.root.querySelectorAll(".form")) form.hidden = form.dataset.mode !== mode;
    for (const input of this.root.querySelectorAll(".modes input")) input.checked = input.value === mode;
    this.root.dataset.mode = mode;
    this.draw();
    if (byReader) this.writeAddress();
    dispatchEvent(new Event("resize")); // the formula that appears is fitted to its place
  }

  address() {
    const parts = Object.entries(this.figure.handles).map(([name, handle]) => `${name}=${handle.get(this.start).join(",")}`);
    return `#live-${this.name}:mode=${this.mode};${parts.join(";")}`;
  }

  writeAddress() {
    history.replaceState(null, "", this.address());
  }

  readAddress() {
    const [id, parts] = decodeURIComponent(location.hash).split(":");
    if (id !== `#live-${this.name}` || !parts) return;
    let state = this.figure.poster.state, mode = this.mode;
    for (const [name, value] of parts.split(";").map((part) => part.split("="))) {
      const handle = Object.hasOwn(this.figure.handles, name) && this.figure.handles[name];
      const values = (value ?? "").split(",").map(Number);
      if (handle && values.length === handle.range.length && values.every(Number.isFinite)) state = handle.set(state, values);
      if (name === "mode" && Object.hasOwn(this.figure.modes, value)) mode = value;
    }
    this.pause();
    this.state = this.start = state;
    this.setMode(mode);
    this.root.scrollIntoView({ block: "center" });
  }

  async copyLink() {
    this.writeAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      this.message.textContent = "link copied";
    } catch {
      this.message.textContent = "the link is in the address bar";
    }
  }

  // --- clock ------------------------------------------------------------------------------------------------

  run() {
    running?.pause();
    if (this.ended) this.state = this.start;
    if (this.ended) this.clear();
    running = this;
    this.root.classList.add("running");
    document.dispatchEvent(new CustomEvent("animation", { detail: this })); // scenes pause
    this.runButton.textContent = "Pause";
    this.advance(0);
    if (reduced.matches) {
      while (running === this) this.advance(this.step());
      this.draw();
      return;
    }
    let before = null, owed = 0;
    const tick = (now) => {
      if (running !== this) return;
      const h = this.step();
      owed = Math.min(owed + (now - (before ?? now)) / 1000, Math.max(h, 0.1));
      before = now;
      for (; owed >= h && running === this; owed -= h) this.advance(h);
      this.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  step() {
    return this.state.h ?? STEP;
  }

  // One step; the figure says when the motion has come to an end.
  advance(h) {
    if (h > 0) this.state = this.figure.step(this.state, this.mode, h);
    this.time += h;
    const e = this.figure.evaluate(this.state, this.mode, true);
    const status = this.figure.status(this.state, e) || (this.time > LONGEST ? "stopped" : "");
    this.trace.push({ time: this.time, state: this.state, e });
    if (h > 0 && status) {
      this.pause();
      this.ended = status;
      this.message.textContent = `${status} after ${this.time.toFixed(1)} s`;
    }
  }

  pause() {
    if (running !== this) return;
    running = null;
    this.root.classList.remove("running");
    this.runButton.textContent = "Run";
  }

  // --- drawing ----------------------------------------------------------------------------------------------

  draw() {
    const { figure, state, mode, trace } = this;
    const e = figure.evaluate(state, mode, trace.length > 1);
    for (const view of this.views) view.drawn.innerHTML = svgOf(view, view.draw(state, mode, e, trace));
    for (const [name, { key, unit }] of Object.entries(figure.terms)) {
      const term = document.getElementById(`live-${this.name}-${mode}-${name}`);
      if (term) term.textContent = `${format(e[key])} ${unit}`;
    }
    for (const { key, unit = "", digits } of figure.numbers) {
      this.root.querySelector(`[data-key="${key}"]`).textContent = `${format(e[key], digits)} ${unit}`;
    }
    for (const { element, view, grip, handle } of this.grips) {
      const [x, y] = view.frame.toPixels(grip.place(state)), value = handle.get(state);
      element.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)})`);
      element.setAttribute("aria-valuenow", value[grip.turns ? value.length - 1 : 0].toFixed(2));
      element.setAttribute("aria-valuetext", value.map((each, i) => `${format(each)} ${handle.unit[i] ?? ""}`).join(", "));
    }
    for (const { handle, input, value } of this.sliders) {
      const [number] = handle.get(state), text = `${format(number)} ${handle.unit[0]}`;
      input.value = number;
      input.setAttribute("aria-valuetext", text);
      value.textContent = text;
    }
    this.box.setAttribute("aria-label", figure.describe(state, mode, e));
  }
}

for (const root of document.querySelectorAll("figure.live")) {
  root.live = new Live(root, globalThis.rbnotesFigures[root.dataset.live]);
}
