// A slider that picks among pictures of one thing for several values of a parameter.
import { Player } from "./player.js";

export function addSlider(figure) {
  const choices = [...figure.querySelectorAll(".choice")];
  const words = JSON.parse(figure.dataset.words);
  const control = document.createElement("label");
  control.className = "pick";
  const name = document.createElement("span");
  name.textContent = figure.dataset.parameter;
  const input = document.createElement("input");
  let shown = choices.findIndex((choice) => !choice.hidden);
  Object.assign(input, { type: "range", min: 0, max: choices.length - 1, step: 1, value: shown });
  const value = document.createElement("output");
  control.append(name, input, value);
  figure.prepend(control);

  const tell = () => {
    value.textContent = words[shown];
    input.setAttribute("aria-valuetext", words[shown]);
  };
  input.addEventListener("input", () => {
    const before = choices[shown].querySelector(".rbnotes-scene");
    choices[shown].hidden = true;
    shown = Number(input.value);
    choices[shown].hidden = false;
    const scene = choices[shown].querySelector(".rbnotes-scene");
    if (scene) {
      scene.player ??= new Player(scene);
      if (before.player) scene.player.follow(before.player);
    }
    tell();
  });
  tell();
}
