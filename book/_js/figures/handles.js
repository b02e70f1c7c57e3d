// Handles that a reader can drag, as data: where a value is in the state, its range, step and unit.
// A value is an array: Point [x, y], Force [x, y], Body [x, y, angle], Direction [angle], Parameter [number].
const clamp = (value, [least, most]) => Math.min(Math.max(value, least), most);
const snap = (value, step) => Math.round(value / step) * step;

// `at` is the path of the value in the state; `read(state)` and `write(state, value)` replace it.
function handle(kind, { at, read, write, label, range, step, unit = "", ...more }) {
  const find = read ?? ((state) => at.reduce((part, key) => part[key], state));
  const get = (state) => [find(state)].flat();
  const put = (part, [key, ...rest], value) => {
    const copy = Array.isArray(part) ? [...part] : { ...part };
    copy[key] = rest.length ? put(part[key], rest, value) : value;
    return copy;
  };
  const set = (state, values) => {
    const value = values.map((each, i) => +clamp(snap(each, step[i]), range[i]).toFixed(6));
    const shaped = Array.isArray(find(state)) ? value : value[0];
    return write ? write(state, shaped) : put(state, at, shaped);
  };
  return { kind, label, range, step, unit: [unit].flat(), get, set, ...more };
}

export const Point = (options) => handle("Point", options);
export const Body = (options) => handle("Body", options);
// `tail(state)` is where the arrow starts; its tip is at tail + length * value.
export const Force = (options) => handle("Force", { length: 1, ...options });
// `center(state)` is where the direction starts; its knob is at the distance `radius`, `phase` ahead of the angle.
export const Direction = (options) => handle("Direction", { radius: 1, ...options });
export const Parameter = (options) => handle("Parameter", options);

// The places of the grips of a handle in the drawing, and what dragging or a key does to the state.
export function grips(handle) {
  const { get, set, kind } = handle;
  const shift = (state, by) => set(state, get(state).map((each, i) => each + (by[i] ?? 0)));
  const turn = (center, radius, index) => ({
    place: (state) => {
      const [x, y] = center(state), angle = get(state)[index] + (handle.phase ?? 0);
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    },
    drag: (state, [x, y]) => {
      const [cx, cy] = center(state), value = get(state);
      const angle = Math.atan2(y - cy, x - cx) - (handle.phase ?? 0);
      value[index] = Math.atan2(Math.sin(angle), Math.cos(angle));
      return set(state, value);
    },
    nudge: (state, [dx, dy]) => {
      const by = [];
      by[index] = (dx || dy) * handle.step[index];
      return shift(state, by);
    },
    turns: true,
  });
  const move = (origin, length) => ({
    place: (state) => get(state).slice(0, 2).map((each, i) => origin(state)[i] + length * each),
    drag: (state, point) =>
      set(state, get(state).map((each, i) => (i < 2 ? (point[i] - origin(state)[i]) / length : each))),
    nudge: (state, [dx, dy]) => shift(state, [dx * handle.step[0], dy * handle.step[1]]),
  });
  if (kind === "Parameter") return [];
  if (kind === "Direction") return [turn(handle.center, handle.radius, 0)];
  if (kind === "Force") return [move(handle.tail, handle.length)];
  const body = move(() => [0, 0], 1);
  return kind === "Body" ? [body, turn(get, handle.radius, 2)] : [body];
}

// States over the whole range of a handle: each part of its value on its own.
export function sweep(handle, state, count = 9) {
  return handle.range.flatMap(([least, most], part) =>
    Array.from({ length: count }, (_, k) => {
      const value = handle.get(state);
      value[part] = least + ((most - least) * k) / (count - 1);
      return handle.set(state, value);
    }),
  );
}
