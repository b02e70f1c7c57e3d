// A camera that shows a set of points as large as its picture allows; rbnotes/viewer/camera.py is the same.
import { Vector3 } from "three";

const MARGIN = 1.06; // how much larger the picture is than what is in it
const PER_SHAPE = 120; // points, of those that its surface has

/** Adds points of an object's outline, where it is now, to a list of numbers. */
export function outline(object, points) {
  object.updateWorldMatrix(true, true);
  const place = new Vector3();
  object.traverse((part) => {
    if (!part.geometry || !part.visible) return;
    const { instanceStart, instanceEnd, position } = part.geometry.attributes;
    for (const attribute of instanceStart ? [instanceStart, instanceEnd] : [position]) {
      const step = Math.max(1, Math.floor(attribute.count / PER_SHAPE));
      for (let i = 0; i < attribute.count; i += step) {
        place.fromBufferAttribute(attribute, i).applyMatrix4(part.matrixWorld);
        points.push(place.x, place.y, place.z);
      }
    }
  });
}

/**
 * Puts the camera where a picture `aspect` times as wide as high just holds the points [x, y, z, x, ...],
 * seen from an azimuth and an elevation, and the target amid them.
 */
export function fit(camera, target, points, [azimuth, elevation], aspect) {
  const level = Math.cos(elevation);
  const towards = new Vector3(level * Math.cos(azimuth), level * Math.sin(azimuth), Math.sin(elevation));
  const right = new Vector3(-Math.sin(azimuth), Math.cos(azimuth), 0);
  const up = towards.clone().cross(right);

  // a point is inside if |x - c| <= tangent (c_z - z): two planes for each side, the outermost count
  const upwards = Math.tan((camera.fov * Math.PI) / 360) / MARGIN;
  const tangents = [upwards * aspect, upwards];
  const [high, low] = [[-Infinity, -Infinity], [-Infinity, -Infinity]];
  let [front, back] = [-Infinity, Infinity];
  const point = new Vector3();
  for (let i = 0; i < points.length; i += 3) {
    point.fromArray(points, i);
    const z = point.dot(towards);
    [point.dot(right), point.dot(up)].forEach((side, k) => {
      high[k] = Math.max(high[k], side + tangents[k] * z);
      low[k] = Math.max(low[k], -side + tangents[k] * z);
    });
    front = Math.max(front, z);
    back = Math.min(back, z);
  }
  const reach = tangents.map((tangent, k) => (high[k] + low[k]) / (2 * tangent));
  const distance = Math.max(...reach, front + 1e-3);

  const place = (z) =>
    new Vector3()
      .addScaledVector(right, (high[0] - low[0]) / 2)
      .addScaledVector(up, (high[1] - low[1]) / 2)
      .addScaledVector(towards, z);
  target.copy(place((front + back) / 2));
  camera.position.copy(place(distance));
  camera.near = (distance - back) / 100;
  camera.far = (distance - back) * 20;
}
