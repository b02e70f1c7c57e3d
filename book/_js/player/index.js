// Starts a player in every scene of the page when it first comes into view, and gives sliders their control.
import { Player } from "./player.js";
import { addSlider } from "./slider.js";
import css from "./player.css";

const style = document.createElement("style");
style.textContent = css;
document.head.append(style);

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.player) {
        target.player = new Player(target);
        if (target.player.button) autoplay.observe(target.player.canvas);
      }
      target.player?.setVisible(isIntersecting);
    }
  },
  { rootMargin: "200px" },
);

// A scene plays once by itself when most of it is in sight, and no other scene or live figure moves.
const autoplay = new IntersectionObserver(
  (entries) => {
    const figures = [...document.querySelectorAll(".rbnotes-scene")];
    for (const { target, isIntersecting } of entries) {
      const moving = figures.some(({ player }) => player?.playing && player.visible);
      if (isIntersecting && !moving && !document.querySelector("figure.live.running")) {
        target.closest(".rbnotes-scene").player?.playOnce();
      }
    }
  },
  { threshold: 0.7 },
);

// The first scene is often in view at once. Its start takes up to a second, so the page is shown before.
function observe() {
  document.querySelectorAll(".rbnotes-scene").forEach((figure) => observer.observe(figure));
}
if (document.readyState === "complete") observe();
else addEventListener("load", () => setTimeout(observe));
document.querySelectorAll(".rbnotes-slider").forEach(addSlider);
