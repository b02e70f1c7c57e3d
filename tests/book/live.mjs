// Answers for test_live.py: results of functions of book/_js on inputs, and what the live figures do.
// A JSON request a line in, one JSON answer a line out.
import fs from "node:fs";
import readline from "node:readline";

const [scripts] = process.argv.slice(2);
const load = (path) => import(`${scripts}/${path}.js`);

const requests = {
  // Results of a function of dynamics/ on each input, or of the function that it returns.
  async call({ module, name, inputs, then }) {
    const functions = await load(`dynamics/${module}`);
    return inputs.map((input, i) => (then ? functions[name](...input)(...then[i]) : functions[name](...input)));
  },
  async names() {
    const files = fs.readdirSync(`${scripts}/dynamics`).filter((file) => file.endsWith(".js"));
    const all = await Promise.all(files.map((file) => load(`dynamics/${file.slice(0, -3)}`)));
    return Object.fromEntries(files.map((file, i) => [file.slice(0, -3), Object.keys(all[i])]));
  },
  async evaluate({ name, states, mode }) {
    const figure = await load(`figures/${name}`);
    return states.map((state) => figure.evaluate(state, mode));
  },
  async step({ name, states, mode, h }) {
    const figure = await load(`figures/${name}`);
    return states.map((state) => figure.step(state, mode, h));
  },
  async about({ name }) {
    const { claim = null, modes, state, poster, terms, numbers, step } = await load(`figures/${name}`);
    return { claim, modes, state, poster, terms, numbers, runs: step !== undefined };
  },
  // States over the range of each handle, with what each mode makes of them.
  async sweep({ name }) {
    const figure = await load(`figures/${name}`), { sweep, grips } = await load("figures/handles");
    const { svgOf } = await load("figures/drawing");
    const answer = [];
    for (const [handle, each] of Object.entries(figure.handles)) {
      for (const state of sweep(each, figure.poster.state)) {
        for (const mode of Object.keys(figure.modes)) {
          const e = figure.evaluate(state, mode);
          const drawn = figure.views.map((view) => svgOf(view, view.draw(state, mode, e, [])));
          const places = grips(each).map((grip) => grip.place(state));
          const kept = grips(each).map((grip) => each.get(grip.drag(state, grip.place(state))));
          answer.push({
            handle, mode, value: each.get(state), kept, places, e, status: figure.status?.(state, e) ?? "",
            drawn, said: figure.describe(state, mode, e),
          });
        }
      }
    }
    return answer;
  },
  // The end of the simulation from the poster's state.
  async run({ name, mode, h, longest }) {
    const figure = await load(`figures/${name}`);
    let { state } = figure.poster, status = "", steps = 0;
    while (!status && steps < longest) {
      state = figure.step(state, mode, h);
      steps += 1;
      status = figure.status(state, figure.evaluate(state, mode, true));
    }
    return { status, steps };
  },
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { request, ...rest } = JSON.parse(line);
  const answer = await requests[request](rest);
  const text = JSON.stringify(answer, (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
  process.stdout.write(text + "\n");
}
