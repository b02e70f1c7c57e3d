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
      if (isIntersecting && !target.player) target.player = new Player(target);
      target.player?.setVisible(isIntersecting);
    }
  },
  { rootMargin: "200px" },
);

document.querySelectorAll(".rbnotes-scene").forEach((figure) => observer.observe(figure));
document.querySelectorAll(".rbnotes-slider").forEach(addSlider);
