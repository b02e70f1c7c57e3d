import { add } from "./matrix.js";
import { compose, inverse, planar, transformTwist } from "./se3.js";

// Twist of a body from those of its parent and of its joint: E is its pose in the parent, J the joint's frame in the body.
// Twin: the recursion of rbnotes.multibody.reduced.twists.
export const childTwist = (E, J, parent, joint) => add(transformTwist(inverse(E), parent), transformTwist(J, joint));

// The same as printed in Sueda (2.9): the joint's twist with the inverse of its adjoint.
export const childTwistPrinted = (E, J, parent, joint) => add(transformTwist(inverse(E), parent), transformTwist(inverse(J), joint));

// Poses of bodies on hinges about z: `joints` has the joint's frame in the parent, `bodies` the body's frame in the joint.
// Twin: rbnotes.multibody.reduced.poses.
export function chainPoses(joints, bodies, q) {
  const poses = [];
  for (let i = 0; i < q.length; i++) {
    const own = compose(compose(joints[i], planar([0, 0, q[i]])), bodies[i]);
    poses.push(i ? compose(poses[i - 1], own) : own);
  }
  return poses;
}
