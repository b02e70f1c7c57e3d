// Prints where the player puts a scene's items, without drawing: node pose_at.mjs PLAYER_FOLDER SCENE TIME ...
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, scene, ...times] = process.argv.slice(2);
const { Player } = await import(pathToFileURL(`${folder}/player.js`));
const { decode, ghosts, make } = await import(pathToFileURL(`${folder}/shapes.js`));

const data = JSON.parse(readFileSync(scene, "utf8"));
const player = { times: decode(data.times) };
player.items = data.items.map((item) => ({ poses: decode(item.poses), ...make(item, player.times.length) }));

const found = times.map((time) => {
  Player.prototype.pose.call(player, Number(time));
  return player.items.map(({ object, anchor = object }) => {
    object.updateWorldMatrix(false, true);
    const points = object.geometry?.attributes.instanceStart?.data.array; // of a line or a spring
    const label = anchor.matrixWorld.elements.slice(12, 15);
    return { matrix: object.matrix.toArray(), points: points && Array.from(points), label };
  });
});
const copies = data.items.map(({ strobe }, k) =>
  !strobe ? [] : ghosts(player.items[k].object, player.items[k].poses, strobe).map(({ children, material, position }) => {
    const [face, edge] = [material, children[0].material].map(({ color, opacity }) => [`#${color.getHexString()}`, opacity]);
    return { position: position.toArray(), face, edge };
  }),
);
console.log(JSON.stringify({ found, copies }));
