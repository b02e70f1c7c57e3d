// The shapes of a scene as three.js objects. Each maker returns { object, update?, anchor? }, where update(sample)
// sets what changes over time besides the pose; sample interpolates an array between two times. The label stands at
// the anchor: the tip of an arrow, the middle of a line; otherwise at the origin of the object.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  GreaterDepth,
  GridHelper,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  PlaneGeometry,
  ShadowMaterial,
  SphereGeometry,
  Vector3,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

const AXIS_COLORS = ["#dc4c46", "#3aa655", "#3d85d8"];
const EDGE_ANGLE = 30; // between two faces that an edge is drawn between [degrees]
const EDGE = { color: "#1d2733", transparent: true, opacity: 0.55 };

/** A base64 string of little-endian float32 numbers. */
export function decode(text) {
  return new Float32Array(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

/** A mesh that casts a shadow, with lines on it: its edges, unless others are given. */
function solid(geometry, { color }, lines = new EdgesGeometry(geometry, EDGE_ANGLE)) {
  const object = new Mesh(geometry, new MeshStandardMaterial({ color, roughness: 0.55, side: DoubleSide }));
  object.castShadow = true;
  object.add(new LineSegments(lines, new LineBasicMaterial(EDGE)));
  return { object };
}

/** A part of an arrow; what a solid hides of it shines through. */
function arrowPart(geometry, { color }) {
  const part = new Mesh(geometry, new MeshStandardMaterial({ color, roughness: 0.55 }));
  const hidden = new MeshBasicMaterial({ color, depthFunc: GreaterDepth, depthWrite: false, transparent: true, opacity: 0.5 });
  const shine = new Mesh(geometry, hidden);
  shine.renderOrder = 1;
  return part.add(shine);
}

/** The equator and two meridians of a sphere: lines on it show how it turns. */
function greatCircles(radius) {
  const points = [];
  for (let i = 0; i < 48; i++) {
    for (const angle of [(i * Math.PI) / 24, ((i + 1) * Math.PI) / 24]) {
      points.push([Math.cos(angle), Math.sin(angle)]);
    }
  }
  const rings = [([c, s]) => [c, s, 0], ([c, s]) => [c, 0, s], ([c, s]) => [0, c, s]];
  const all = rings.flatMap((ring) => points.flatMap(ring)).map((x) => 1.004 * radius * x);
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(all), 3));
}

// three.js puts the axis of its cylinders along y, the book along z
const alongZ = (geometry) => geometry.rotateX(Math.PI / 2);

function polyline(points, { color, width }) {
  const line = new Line2(new LineGeometry(), new LineMaterial({ color, linewidth: width }));
  line.add(new Object3D());
  setPoints(line, points);
  line.frustumCulled = false; // its bounds change as it moves
  return line;
}

/** Moves a line, and the anchor of its label to its middle. */
function setPoints(line, points) {
  line.geometry.setPositions(points);
  const middle = points.length / 6 - 0.5; // between two points if their number is even
  const [a, b] = [Math.floor(middle), Math.ceil(middle)].map((i) => new Vector3().fromArray(points, 3 * i));
  line.children[0].position.lerpVectors(a, b, 0.5);
}

/** Shaft and head from the origin along a vector; `longest` sets how thick they are. */
function setArrow(arrow, longest, [x, y, z]) {
  const vector = new Vector3(x, y, z);
  const length = vector.length();
  arrow.visible = length > 1e-9;
  if (!arrow.visible) {
    for (const part of arrow.children) part.scale.setScalar(1e-9); // it takes no room in the picture either
    return;
  }
  arrow.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), vector.divideScalar(length));
  const head = Math.min(0.5 * length, 0.2 * longest);
  const [shaft, tip] = arrow.children;
  shaft.scale.set(0.02 * longest, 0.02 * longest, length - head);
  shaft.position.z = (length - head) / 2;
  tip.scale.set(0.06 * longest, 0.06 * longest, head);
  tip.position.z = length - head / 2;
}

/** Points of a coil between two ends. */
function coil([ax, ay, az, bx, by, bz], { radius, coils }) {
  const start = new Vector3(ax, ay, az);
  const axis = new Vector3(bx, by, bz).sub(start);
  const helper = Math.abs(axis.z) > 0.9 * axis.length() ? new Vector3(1, 0, 0) : new Vector3(0, 0, 1);
  const side = helper.clone().cross(axis).normalize();
  const up = axis.clone().cross(side).normalize();
  const steps = 16 * coils;
  const points = [ax, ay, az];
  for (let i = 0; i <= steps; i++) {
    const share = i / steps;
    const angle = 2 * Math.PI * coils * share;
    // straight ends, the coil between 10 % and 90 % of the length
    const point = start
      .clone()
      .addScaledVector(axis, 0.1 + 0.8 * share)
      .addScaledVector(side, radius * Math.cos(angle))
      .addScaledVector(up, radius * Math.sin(angle));
    points.push(point.x, point.y, point.z);
  }
  points.push(bx, by, bz);
  return points;
}

const makers = {
  box(item) {
    return solid(new BoxGeometry(...decode(item.sides)), item);
  },
  sphere(item) {
    return solid(new SphereGeometry(item.radius, 32, 20), item, greatCircles(item.radius));
  },
  cylinder(item) {
    return solid(alongZ(new CylinderGeometry(item.radius, item.radius, item.length, 40)), item);
  },
  capsule(item) {
    return solid(alongZ(new CapsuleGeometry(item.radius, item.length, 12, 32)), item);
  },
  mesh(item) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(decode(item.vertices), 3));
    geometry.setIndex(Array.from(decode(item.triangles)));
    const facets = geometry.toNonIndexed(); // flat shading shows the triangles
    facets.computeVertexNormals();
    return solid(facets, item);
  },
  ground(item) {
    const grid = new GridHelper(item.size, 10, item.color, item.color);
    grid.rotation.x = Math.PI / 2;
    grid.material.transparent = true;
    grid.material.opacity = 0.45;
    const plane = new PlaneGeometry(item.size, item.size);
    const paint = { color: item.color, transparent: true, opacity: 0.12, depthWrite: false, side: DoubleSide };
    const shade = new Mesh(plane, new ShadowMaterial({ opacity: 0.35, depthWrite: false }));
    shade.receiveShadow = true;
    return { object: new Group().add(grid, new Mesh(plane, new MeshBasicMaterial(paint)), shade) };
  },
  axes(item) {
    const group = new Group();
    AXIS_COLORS.forEach((color, i) => {
      const tip = [0, 0, 0, 0, 0, 0];
      tip[3 + i] = item.length;
      group.add(polyline(tip, { color, width: 3 }));
    });
    return { object: group };
  },
  arrow(item) {
    const vectors = decode(item.vector);
    const arrow = new Group().add(
      arrowPart(alongZ(new CylinderGeometry(1, 1, 1, 16)), item),
      arrowPart(alongZ(new ConeGeometry(1, 1, 24)), item),
    );
    let longest = 0;
    for (let i = 0; i < vectors.length; i += 3) {
      longest = Math.max(longest, Math.hypot(...vectors.subarray(i, i + 3)));
    }
    const update = (sample) => setArrow(arrow, longest, sample(vectors, 3));
    setArrow(arrow, longest, vectors);
    return { object: new Group().add(arrow), update, anchor: arrow.children[1] };
  },
  line(item, samples) {
    const points = decode(item.points);
    const size = item.moves ? points.length / samples : points.length;
    const line = polyline(points.subarray(0, size), item);
    const move = (sample) => setPoints(line, sample(points, size));
    return { object: line, update: item.moves ? move : undefined, anchor: line.children[0] };
  },
  spring(item) {
    const ends = decode(item.ends);
    const line = polyline(coil(ends, item), item);
    const update = (sample) => setPoints(line, coil(sample(ends, 6), item));
    return { object: line, update, anchor: line.children[0] };
  },
};

/** Faint copies of a solid at equally spaced samples of its poses: the strobe of a motion. */
export function ghosts(object, poses, count) {
  const last = poses.length / 7 - 1;
  const { color } = object.material;
  const material = new MeshBasicMaterial({ color, transparent: true, opacity: 0.4, depthWrite: false });
  const [lines] = object.children;
  const faint = new LineBasicMaterial({ color, transparent: true, opacity: 0.7 }); // edges show them on dark pages, too
  return Array.from({ length: count }, (_, k) => {
    const start = 7 * Math.round((k * last) / Math.max(1, count - 1));
    const ghost = new Mesh(object.geometry, material).add(new LineSegments(lines.geometry, faint));
    ghost.position.fromArray(poses, start);
    ghost.quaternion.fromArray(poses, start + 3);
    return ghost;
  });
}

/** The three.js object of a scene's item, and what updates it. */
export function make(item, samples) {
  return makers[item.kind](item, samples);
}
