// Shapes of a view as SVG. A shape is {kind, ...} with one of line, arrow, disc, text or spring, in the units of
// the view; `kind` is a class of drawings.css and names the quantity: force, velocity, position, normal, ...
export const WIDTH = 340;
const HEAD = 9;

export function frameOf({ box: [left, bottom, right, top], height }) {
  const tall = height ?? (WIDTH * (top - bottom)) / (right - left);
  const x = WIDTH / (right - left), y = tall / (top - bottom);
  return {
    height: tall,
    toPixels: (p) => [(p[0] - left) * x, (top - p[1]) * y],
    fromPixels: (p) => [p[0] / x + left, top - p[1] / y],
  };
}

const near = (value) => (Math.abs(value) < 1e5 ? +value.toFixed(2) : Math.sign(value) * 1e5);
const list = (points) => points.map(([x, y]) => `${near(x)},${near(y)}`).join(" ");
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

// The letter after an underscore becomes an index below the line; what follows returns to the line.
function words(text) {
  const [first, ...rest] = escape(text).split(/_(\w)/);
  return first + rest.map((part, i) =>
    i % 2 ? part && `<tspan dy="-4">${part}</tspan>` : `<tspan class="index" dy="4">${part}</tspan>`).join("");
}

function polyline(points, classes, closed = false) {
  return `<${closed ? "polygon" : "polyline"} class="${classes}" points="${list(points)}"/>`;
}

function arrow(tail, tip, classes) {
  const along = [tip[0] - tail[0], tip[1] - tail[1]], length = Math.hypot(...along);
  if (length < 0.5) return "";
  const [ux, uy] = along.map((each) => each / length), head = Math.min(HEAD, 0.6 * length);
  const neck = [tip[0] - head * ux, tip[1] - head * uy];
  const side = (s) => [neck[0] - s * 0.42 * head * uy, neck[1] + s * 0.42 * head * ux];
  return polyline([tail, [neck[0] + ux, neck[1] + uy]], classes) + polyline([tip, side(1), side(-1)], `${classes} head`, true);
}

function coils([a, b], count, radius) {
  const along = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...along) || 1;
  const across = [-along[1] / length, along[0] / length];
  const points = [a];
  for (let i = 0; i <= 2 * count + 1; i++) {
    const part = 0.1 + (0.8 * i) / (2 * count + 1), side = i === 0 || i === 2 * count + 1 ? 0 : i % 2 ? radius : -radius;
    points.push([a[0] + part * along[0] + side * across[0], a[1] + part * along[1] + side * across[1]]);
  }
  return [...points, b];
}

function one(shape, to) {
  const classes = [shape.kind ?? "ink", shape.curve ?? ""].join(" ").trim();
  if (shape.line) return polyline(shape.line.map(to), classes, shape.closed);
  if (shape.arrow) {
    const [tail, vector] = shape.arrow;
    return arrow(to(tail), to([tail[0] + vector[0], tail[1] + vector[1]]), classes);
  }
  if (shape.spring) return polyline(coils(shape.spring.map(to), shape.coils ?? 8, shape.radius ?? 6), classes);
  if (shape.disc) {
    const [[x, y], radius] = shape.disc, [px, py] = to([x, y]);
    return `<circle class="${classes}" cx="${near(px)}" cy="${near(py)}" r="${radius}"/>`;
  }
  const [x, y] = to(shape.at), [dx, dy] = shape.off ?? [0, 0];
  return `<text class="${classes} ${shape.anchor ?? "middle"}" x="${near(x + dx)}" y="${near(y + dy)}">${words(shape.text)}</text>`;
}

export function svgOf(view, shapes) {
  const { toPixels } = frameOf(view);
  return shapes.map((shape) => one(shape, toPixels)).join("");
}

// --- parts of drawings ------------------------------------------------------------------------------------

export const offset = ([x, y, angle], [a, b]) => [
  x + a * Math.cos(angle) - b * Math.sin(angle), y + a * Math.sin(angle) + b * Math.cos(angle),
];

export function rectangle(pose, width, height, kind) {
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
  return { line: corners.map(([a, b]) => offset(pose, [(a * width) / 2, (b * height) / 2])), closed: true, kind, curve: "fill" };
}

// Axes of a plot with the names of what is plotted.
export function axes([left, bottom, right, top], across, up, origin = [left, 0]) {
  return [
    { arrow: [[left, origin[1]], [right - left, 0]], curve: "thin axis" },
    { arrow: [[origin[0], bottom], [0, top - bottom]], curve: "thin axis" },
    { text: across, at: [right, origin[1]], anchor: "end", off: [0, 15], kind: "muted" },
    { text: up, at: [origin[0], top], anchor: "start", off: [8, 8], kind: "muted" },
  ];
}

export function format(value, digits = 2) {
  if (!Number.isFinite(value)) return "not finite";
  if (Math.abs(value) >= 1e4) return value.toExponential(1).replace("e+", "e").replace("-", "−");
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}
