// The curves of the muscle: the start of each piece, and its cubic in the distance from it, highest power first.
const ACTIVE_FORCE_LENGTH = [
  [-0.6, 0, 0, 0, 0],
  [0.4, -39.881247949014316, 20.486822922441945, 0, 0],
  [0.7, -0.32267485325307216, -2.3950576614216224, 1.524156807231303, 0.76702036839638799],
  [1.2, 4.8511846083179844, -3.5266150689633142, -1.1129069941301233, 0.89000000000000001],
  [1.81, 0, 0, 0, 0],
];
const FORCE_VELOCITY = [
  [-2, 0, 0, 0, 0],
  [-1, 0.9152534738643785, 0, 0, 0],
  [-0.05, -453.33333333333326, 59.219512195121951, 2.4780487804878049, 0.78471544715447139],
  [0.05, 0.26664864986600006, -0.75994865211810003, 0.72195121951219487, 1.1713821138211382],
  [1, 0, 0, 0, 1.3999999999999997],
];
const PASSIVE_FORCE_LENGTH = [
  [0, 0, 0, 0, 0],
  [1, 2.5530562008170015, 0.63530831634286555, 0, 0],
  [1.3, -2.7612228085390447, 3.8900245515191143, 1.0705101640263099, 0.12611026589291699],
  [1.7, 0, 0, 2.8571428571428594, 1.0000000000000002],
];

// Value (order 0) or slope (order 1) of a curve.
function evaluate(pieces, x, order) {
  const [start, a, b, c, d] = pieces.findLast(([from]) => from <= x) ?? pieces[0], t = x - start;
  return order ? (3 * a * t + 2 * b) * t + c : ((a * t + b) * t + c) * t + d;
}

// Twins: the curves of rbnotes.forces.Muscle.
export const activeForceLength = (length, order = 0) => evaluate(ACTIVE_FORCE_LENGTH, length, order);
export const forceVelocity = (velocity, order = 0) => evaluate(FORCE_VELOCITY, velocity, order);
export const passiveForceLength = (length, order = 0) => evaluate(PASSIVE_FORCE_LENGTH, length, order);

// Tension of a muscle over its peak force. Twin: rbnotes.forces.Muscle.
export const muscleTension = (length, velocity, activation) =>
  activation * activeForceLength(length) * forceVelocity(velocity) + passiveForceLength(length);
