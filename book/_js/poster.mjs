// Describes a live figure for the build, and draws it from numbers that Python computed.
// A JSON request {name, evaluations?} a line in, with the numbers of each mode; one JSON answer a line out.
import readline from "node:readline";
import { format, frameOf, svgOf } from "./figures/drawing.js";

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { name, evaluations } = JSON.parse(line);
  const figure = await import(`./figures/${name}.js`);
  const { claim, modes, poster, terms, numbers, views } = figure;
  const answer = { claim, modes, poster, terms, numbers };
  if (evaluations) {
    const first = evaluations[poster.mode];
    answer.views = views.map((view) => ({
      name: view.name,
      height: frameOf(view).height,
      svg: svgOf(view, view.draw(poster.state, poster.mode, first, [])),
    }));
    answer.description = figure.describe(poster.state, poster.mode, first);
    const shown = [...Object.values(terms), ...numbers];
    answer.texts = Object.fromEntries(
      Object.entries(evaluations).map(([mode, e]) => [
        mode,
        Object.fromEntries(shown.map(({ key, digits }) => [key, format(e[key], digits)])),
      ]),
    );
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
