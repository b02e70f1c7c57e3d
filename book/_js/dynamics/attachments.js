import { scale } from "./matrix.js";

// Mass matrix of the masters with a point of mass m attached by weights: M + m w w^T. Twin: rbnotes.attachments.eliminate_attachment.
export const reducedMass = (M, m, w) => M.map((row, i) => row.map((each, j) => each + m * w[i] * w[j]));

// The mass of the point given to the masters in the proportion of the weights: no coupling of the masters.
export const lumpedMass = (M, m, w) => M.map((row, i) => row.map((each, j) => each + (i === j ? m * w[i] : 0)));

// Forces on the masters from a force on the point. Twin: rbnotes.attachments.eliminate_attachment.
export const reducedForce = (w, f) => w.map((each) => scale(each, f));
