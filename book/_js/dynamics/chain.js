import { gyroscopicWrench } from "./integrate.js";
import { add, apply, subtract } from "./matrix.js";
import { bracket, compose, inverse, planar, transformTwist, transformWrench } from "./se3.js";

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

// The passes of RNEA for bodies on hinges about z, with the frame of each body in its hinge: twists and their rates from
// the root outwards, wrenches through the hinges and their torques from the end inwards. `joints` has the joint's frame in
// the parent, `M` the inertias; gravity is along the axes of the root's parent.
// Twins: rbnotes.multibody.reduced.twists, jacobian_rate_product, joint_transmitted_wrenches and inverse_dynamics.
export function rnea(joints, M, q, qdot, qddot, gravity) {
  const about = (rate) => [0, 0, rate, 0, 0, 0], E = joints.map((joint, i) => compose(joint, planar([0, 0, q[i]])));
  const twists = [], rates = [], falls = [];
  E.forEach((own, i) => {
    const fromParent = (all, root) => transformTwist(inverse(own), i ? all[i - 1] : root), turning = about(qdot[i]);
    twists.push(add(fromParent(twists, about(0)), turning));
    rates.push(add(fromParent(rates, about(0)), add(about(qddot[i]), bracket(twists[i], turning))));
    falls.push(fromParent(falls, [0, 0, 0, ...gravity]));
  });
  const wrenches = rates.map((rate, i) => subtract(apply(M[i], subtract(rate, falls[i])), gyroscopicWrench(M[i], twists[i])));
  for (let i = E.length - 1; i > 0; i--) wrenches[i - 1] = add(wrenches[i - 1], transformWrench(E[i], wrenches[i]));
  return { twists, rates, wrenches, torques: wrenches.map((wrench) => wrench[2]) };
}
