// Prints where the player's camera stands for points: node camera_at.mjs PLAYER_FOLDER JSON
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const [folder, question] = process.argv.slice(2);
const { PerspectiveCamera, Vector3 } = await import(
  pathToFileURL(createRequire(`${folder}/player.js`).resolve("three"))
);
const { fit } = await import(pathToFileURL(`${folder}/camera.js`));
const { points, view, aspect } = JSON.parse(question);
const [camera, target] = [new PerspectiveCamera(35), new Vector3()];
fit(camera, target, points, view, aspect);
console.log(JSON.stringify([camera.position.toArray(), target.toArray()]));
