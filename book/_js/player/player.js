// One scene: its picture, its camera and its controls.
import {
  Box3,
  DirectionalLight,
  HemisphereLight,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Quaternion,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { fit, outline } from "./camera.js";
import { decode, ghosts, make } from "./shapes.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const ICONS = {
  play: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 1.5v13l11-6.5z"/></svg>',
  pause: '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M3 1.5h3.6v13H3zM9.4 1.5H13v13H9.4z"/></svg>',
};
const TURN = 0.12; // of the camera, for one key press [rad]
const SAMPLES = 24; // times that the picture has room for
const SUN = [0.25, -0.15, 1]; // direction to the light that casts the shadows

export class Player {
  constructor(figure) {
    this.data = JSON.parse(figure.querySelector("script").textContent);
    this.times = this.data.times ? decode(this.data.times) : new Float32Array([0]);
    this.time = this.poster;
    this.speed = 1;
    this.playing = false;

    this.canvas = document.createElement("canvas");
    try {
      // a page that is printed reads the picture back
      this.renderer = new WebGLRenderer({
        canvas: this.canvas,
        antialias: true,
        alpha: true,
        preserveDrawingBuffer: true,
      });
    } catch {
      figure.insertAdjacentHTML("afterbegin", figure.querySelector("noscript").textContent);
      figure.querySelector("figcaption")?.append(" (This browser shows no 3-D graphics.)");
      return;
    }
    this.build();
    this.addStage(figure);
    this.addLegend(figure);
    if (this.times.length > 1) this.addControls(figure);
    this.resetView();
    this.show();
    document.addEventListener("animation", ({ detail }) => detail === this || this.setPlaying(false));
    // another width asks for another distance, unless the reader has chosen one
    new ResizeObserver(() => (this.turned ? this.draw() : this.resetView())).observe(this.canvas);
  }

  // --- the picture ----------------------------------------------------------------------------

  build() {
    this.scene = new Scene();
    this.items = this.data.items.map((item) => {
      const poses = decode(item.poses);
      const { object, update, anchor = object } = make(item, this.times.length);
      this.scene.add(object);
      if (item.strobe) this.scene.add(...ghosts(object, poses, item.strobe));
      return { object, update, anchor, poses, label: item.label, color: item.color, layer: item.layer };
    });
    this.camera = new PerspectiveCamera(35, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.scene.add(new HemisphereLight(0xffffff, 0x8d8d8d, 2.2), this.camera);
    const lamp = new DirectionalLight(0xffffff, 1.8);
    lamp.position.set(-0.6, 1, 0.8); // over the viewer's left shoulder
    this.camera.add(lamp);
    if (this.data.items.some(({ kind }) => kind === "ground")) this.addSun();

    this.orbit = new OrbitControls(this.camera, this.canvas);
    this.orbit.enableZoom = false; // until the reader has chosen the scene, the wheel scrolls the page
    this.canvas.style.touchAction = "pan-y"; // a finger that moves up or down scrolls it too
    this.orbit.addEventListener("start", () => (this.turned = true));
    this.orbit.addEventListener("change", () => this.draw());
  }

  /** A light from above, whose shadows on the ground show where and how high the bodies are. */
  addSun() {
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    const sun = new DirectionalLight(0xffffff, 0.6);
    const bounds = new Box3().setFromArray((this.points ??= this.extent()));
    const reach = bounds.getBoundingSphere(new Sphere()).radius || 1;
    bounds.getCenter(sun.target.position);
    sun.position.copy(sun.target.position).addScaledVector(new Vector3(...SUN), 2 * reach);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    sun.shadow.radius = 3;
    const view = { left: -reach, right: reach, bottom: -reach, top: reach, near: 0.1 * reach, far: 6 * reach };
    Object.assign(sun.shadow.camera, view);
    this.scene.add(sun, sun.target);
  }

  /** Points of everything that moves, at all times: what the camera must show. */
  extent() {
    if (this.data.extent) return decode(this.data.extent);
    const points = [];
    const steps = Math.min(this.times.length, SAMPLES);
    const kept = this.items.filter((_, k) => this.data.items[k].kind !== "ground");
    for (let i = 0; i < steps; i++) {
      this.pose(this.times[Math.floor((i * (this.times.length - 1)) / Math.max(1, steps - 1))]);
      for (const { object } of kept.length ? kept : this.items) outline(object, points);
    }
    return points;
  }

  resetView() {
    this.points ??= this.extent();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    fit(this.camera, this.orbit.target, this.points, this.data.view, width / height || 1);
    this.turned = false;
    this.orbit.update();
    this.draw();
  }

  /** Move everything to where it is at a time. */
  pose(time) {
    let next = this.times.findIndex((sample) => sample > time);
    if (next < 0) next = this.times.length - 1;
    const last = Math.max(0, next - 1);
    const gap = this.times[next] - this.times[last];
    const share = gap > 0 ? Math.min(1, Math.max(0, (time - this.times[last]) / gap)) : 0;

    const sample = (values, size) => {
      if (values.length === size) return values;
      const [a, b] = [values.subarray(last * size), values.subarray(next * size)];
      return Float32Array.from({ length: size }, (_, i) => a[i] + share * (b[i] - a[i]));
    };
    for (const { object, update, poses } of this.items) {
      object.position.fromArray(sample(poses, 7));
      const [a, b] = poses.length === 7 ? [3, 3] : [7 * last + 3, 7 * next + 3];
      object.quaternion.fromArray(poses, a).slerp(new Quaternion().fromArray(poses, b), share);
      update?.(sample);
    }
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    this.placeLabels(width, height);
  }

  /** Words stay in the picture beside their shapes, to the right or left, and do not cover each other. */
  placeLabels(width, height) {
    const placed = [];
    for (const { object, anchor, text } of this.labels ?? []) {
      const { x, y, z } = anchor.getWorldPosition(new Vector3()).project(this.camera);
      text.hidden = !object.visible || !anchor.parent.visible || z > 1;
      if (text.hidden) continue;
      const [wide, high] = [text.offsetWidth + 6, text.offsetHeight];
      const [across, down] = [((x + 1) / 2) * width, ((1 - y) / 2) * height];
      // the places, the best one first: a left side, and rows below the middle of the shape
      const edge = width - wide - 6, left = across - wide - 18;
      const rights = across <= edge ? [[across, 0], [left, 0]] : [[edge, across - edge < 0.3 * wide ? 0 : -1], [edge, -1], [edge, 1], [left, 0]];
      const sides = [...rights, ...[-1, 1, -2, 2].flatMap((row) => [[Math.min(across, edge), row], [left, row]])];
      const places = sides.map(([at, row]) => ({ left: at, top: down + row * high, wide })).filter(
        (at) => at.left >= 0 && at.left <= edge && at.top > high / 2 && at.top < height - high / 2);
      const covers = (a, b) => a.left < b.left + b.wide && b.left < a.left + a.wide && Math.abs(a.top - b.top) < high;
      const free = places.find((place) => !placed.some((other) => covers(place, other)));
      const place = free ?? places[0] ?? { left: across, top: down, wide };
      placed.push(place);
      text.style.transform = `translate(${place.left}px, ${place.top}px)`;
    }
  }

  // --- the controls ---------------------------------------------------------------------------

  addStage(figure) {
    const stage = document.createElement("div");
    stage.className = "stage";
    stage.append(this.canvas);
    figure.prepend(stage);
    this.labels = this.items.filter(({ label }) => label);
    for (const item of this.labels) {
      item.text = document.createElement("span");
      item.text.className = "label";
      item.text.textContent = item.label;
      item.text.style.setProperty("--color", item.color);
      stage.append(item.text);
    }
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute(
      "aria-label",
      `${this.data.description} Arrow keys turn the view, plus and minus zoom, space plays, R resets.`,
    );
    this.canvas.addEventListener("focus", () => (this.orbit.enableZoom = true));
    this.canvas.addEventListener("blur", () => (this.orbit.enableZoom = false));
    this.canvas.addEventListener("pointerdown", () => this.canvas.focus({ preventScroll: true }));
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** Legend of the colors, and a switch for each layer. */
  addLegend(figure) {
    const named = new Map(this.data.items.filter(({ name }) => name).map((item) => [item.name, item.color]));
    const layers = new Set(this.items.map(({ layer }) => layer).filter(Boolean));
    if (!named.size && !layers.size) return;
    const legend = document.createElement("div");
    legend.className = "legend";
    for (const [name, color] of named) {
      const entry = document.createElement("span");
      entry.className = "entry";
      entry.style.setProperty("--color", color);
      entry.textContent = name;
      legend.append(entry);
    }
    for (const layer of layers) {
      const entry = document.createElement("label");
      const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: true });
      box.addEventListener("change", () => this.switchLayer(layer, box.checked));
      entry.append(box, ` ${layer}`);
      legend.append(entry);
    }
    figure.querySelector(".stage").after(legend);
  }

  switchLayer(layer, visible) {
    for (const item of this.items) if (item.layer === layer) item.object.visible = visible;
    this.draw();
  }

  addControls(figure) {
    const controls = document.createElement("div");
    controls.className = "controls";
    controls.innerHTML = `
      <button type="button" class="play"></button>
      <input type="range" min="0" max="1000" value="0" aria-label="Time">
      <output></output>
      <select aria-label="Speed">${SPEEDS.map(
        (speed) => `<option value="${speed}"${speed === 1 ? " selected" : ""}>${speed}×</option>`,
      ).join("")}</select>
      <button type="button" class="reset">Reset</button>`;
    figure.querySelector(".stage").after(controls);
    this.button = controls.querySelector(".play");
    this.slider = controls.querySelector("input");
    this.clock = controls.querySelector("output");
    this.button.addEventListener("click", () => this.togglePlaying());
    this.slider.addEventListener("input", () => {
      this.chosen = true;
      this.setPlaying(false);
      this.time = this.start + (this.slider.value / 1000) * this.duration;
      this.show();
    });
    this.speeds = controls.querySelector("select");
    this.speeds.addEventListener("change", () => (this.speed = Number(this.speeds.value)));
    controls.querySelector(".reset").addEventListener("click", () => this.reset());
    this.setPlaying(false);
  }

  get start() {
    return this.times[0];
  }

  /** Time that the scene shows before it moves. */
  get poster() {
    return this.data.poster ?? this.start;
  }

  get duration() {
    return this.times[this.times.length - 1] - this.start;
  }

  onKey(event) {
    const actions = {
      ArrowLeft: () => this.turn(-TURN, 0),
      ArrowRight: () => this.turn(TURN, 0),
      ArrowUp: () => this.turn(0, TURN),
      ArrowDown: () => this.turn(0, -TURN),
      "+": () => this.zoom(1 / 1.1),
      "=": () => this.zoom(1 / 1.1),
      "-": () => this.zoom(1.1),
      " ": () => this.togglePlaying(),
      r: () => this.reset(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
  }

  turn(azimuth, elevation) {
    this.turned = true;
    const arm = this.camera.position.clone().sub(this.orbit.target);
    const side = new Vector3().crossVectors(arm, this.camera.up).normalize();
    const lifted = arm.clone().applyAxisAngle(side, elevation);
    if (Math.abs(lifted.clone().normalize().z) < 0.99) arm.copy(lifted);
    arm.applyAxisAngle(this.camera.up, azimuth);
    this.camera.position.copy(this.orbit.target).add(arm);
    this.orbit.update();
  }

  zoom(factor) {
    this.turned = true;
    this.camera.position.sub(this.orbit.target).multiplyScalar(factor).add(this.orbit.target);
    this.orbit.update();
  }

  reset() {
    this.chosen = true;
    this.setPlaying(false);
    this.time = this.poster;
    this.resetView();
    this.show();
  }

  /** Takes over time, motion and view of another player, in whose place it stands. */
  follow(other) {
    this.time = Math.min(other.time, this.start + this.duration);
    this.chosen = true;
    this.speed = other.speed;
    if (this.speeds) this.speeds.value = String(other.speed);
    if (other.turned) {
      this.camera.position.copy(other.camera.position);
      this.orbit.target.copy(other.orbit.target);
      this.turned = true;
      this.orbit.update();
    }
    this.setPlaying(other.playing);
    other.setPlaying(false);
    this.show();
  }

  // --- time -----------------------------------------------------------------------------------

  setPlaying(playing) {
    if (!this.button) return;
    this.playing = playing;
    this.button.innerHTML = playing ? ICONS.pause : ICONS.play;
    this.button.setAttribute("aria-label", playing ? "Pause" : "Play");
    if (!playing) return;
    document.dispatchEvent(new CustomEvent("animation", { detail: this })); // all others pause
    this.run();
  }

  togglePlaying() {
    this.chosen = true; // the reader has: it does not start by itself any more
    this.once = false;
    this.setPlaying(!this.playing);
  }

  /** Nothing is drawn while the scene is out of sight. */
  setVisible(visible) {
    this.visible = visible;
    if (visible && this.playing) this.run();
  }

  /** Plays once, from the start and back to the poster, when the reader first has it before the eyes. */
  playOnce() {
    if (this.chosen || !this.button || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.chosen = this.once = true;
    this.time = this.start;
    this.setPlaying(true);
  }

  run() {
    let before = performance.now();
    const generation = (this.generation = (this.generation ?? 0) + 1); // an older loop ends
    const step = (now) => {
      if (!this.playing || this.visible === false || generation !== this.generation) return;
      this.time += ((now - before) / 1000) * this.speed;
      before = now;
      if (this.time > this.start + this.duration) {
        this.time = this.once ? this.poster : this.start;
        if (this.once) this.setPlaying(false);
      }
      this.show();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  show() {
    this.pose(this.time);
    this.draw();
    if (!this.slider) return;
    this.slider.value = Math.round((1000 * (this.time - this.start)) / this.duration);
    this.clock.textContent = `${this.time.toFixed(2)} s`;
    this.slider.setAttribute("aria-valuetext", this.clock.textContent);
  }
}
