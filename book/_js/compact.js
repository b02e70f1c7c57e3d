// Write KaTeX's tree with fewer elements than KaTeX does, and the same look: formulas are most of a page.
//
// KaTeX stacks boxes in tables of 7 + 2 n elements, wraps each atom in elements without a style of their own, and
// writes spaces and struts as elements. Here a stack has 1 + n elements (see formulas.css), elements without a style
// are dropped, spaces are margins, and struts are pseudo-elements.

// Classes that say what an atom is, and have no style.
const PLAIN = new Set(["mord", "mbin", "mrel", "mop", "mopen", "mclose", "mpunct", "minner", "mtight"]);
// Classes of boxes whose only child is a stack; formulas.css has their styles.
const BOXES = new Set(["msupsub", "mfrac", "accent", "op-limits", "col-align-c", "col-align-l", "col-align-r"]);
const SIZES = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.44, 1.728, 2.074, 2.488];
const NULL_DELIMITER = 0.12; // its width in KaTeX's style sheet [em]

const em = (text) => (text === undefined ? 0 : parseFloat(text));
const length = (value) => `${Math.round(value * 1e4) / 1e4}em`;
const isText = (node) => typeof node === "string";
const isRaw = (node) => node.raw !== undefined;

// Return an element of our own; text is a string.
function element(classes, style = {}, attributes = {}, children = []) {
  return { classes, style, attributes, children };
}

// Return what a KaTeX node becomes, as a list.
function convert(node) {
  if (node.text !== undefined) return convertSymbol(node);
  if (!node.classes) return [{ raw: node.toMarkup() }]; // a drawing
  if (!node.attributes) return convertAll(node.children); // a fragment
  const classes = node.classes.filter(Boolean);
  if (classes[0] === "vlist-t") return [convertStack(node)];
  const has = (name) => classes.includes(name);
  const style = { ...node.style };
  if (node.width) style.width = node.width;
  if (em(style.top) === 0) delete style.top;
  if (has("base")) return [convertBase(node, style)];
  const children = convertAll(node.children);
  if (!node.children.length) {
    if (has("mspace")) return [{ gap: em(style.marginRight) + em(style.marginLeft) }];
    if (has("arraycolsep")) return [{ gap: em(style.width) }];
    if (has("nulldelimiter")) return [{ gap: NULL_DELIMITER * (scaleOf(classes) ?? 1) }];
  }
  const styled = classes.filter((name) => !PLAIN.has(name) && !(name === "delimcenter" && !style.top));
  const attributes = { ...node.attributes };
  if (!styled.length && !Object.keys(style).length && !Object.keys(attributes).length) return children;
  return [merge(element(styled, style, attributes, children))];
}

function convertSymbol(node) {
  const classes = node.classes.filter((name) => name && !PLAIN.has(name));
  const style = { ...node.style };
  if (node.italic > 0) style.marginRight = length(em(style.marginRight) + node.italic);
  return classes.length || Object.keys(style).length ? [element(classes, style, {}, [node.text])] : [node.text];
}

// Return the nodes of a row, with its spaces as margins of what stands before or after them.
function convertAll(children) {
  const result = [];
  let before = 0;
  for (const node of children.flatMap(convert)) {
    const last = result.at(-1);
    if (node.gap === undefined) {
      if (before) {
        const target = spaced(node);
        widen(target, "marginLeft", before);
        result.push(target);
        before = 0;
      } else if (isText(node) && last !== undefined && isText(last)) result[result.length - 1] += node;
      else result.push(node);
    } else if (last === undefined) before += node.gap;
    else {
      const target = spaced(last);
      widen(target, "marginRight", node.gap);
      result[result.length - 1] = target;
    }
  }
  if (before) result.push(element(["mspace"], { marginRight: length(before) }));
  return result;
}

// Return an element whose margins are in the size of its row, or in a known one.
function spaced(node) {
  const isElement = !isText(node) && !isRaw(node);
  return isElement && (node.scale || !node.classes.includes("sizing")) ? node : element([], {}, {}, [node]);
}

function widen(node, side, space) {
  node.style[side] = length(em(node.style[side]) + space / (node.scale ?? 1));
}

// Return an element as one with its only child, if neither disturbs the style of the other.
function merge(node) {
  const [child] = node.children;
  if (node.children.length !== 1 || isText(child) || isRaw(child) || Object.keys(node.style).length) return node;
  const isBox = node.classes.length === 1 && BOXES.has(node.classes[0]) && child.classes.includes("vlist-t");
  const isMark = node.classes.length === 1 && node.classes[0] === "enclosing" && !Object.keys(child.attributes).length;
  const isSize = node.classes.includes("sizing") && isLetter(child);
  if (!isBox && !isMark && !isSize) return node;
  return { ...child, classes: [...node.classes, ...child.classes], attributes: { ...node.attributes, ...child.attributes } };
}

// Return true for a letter in a font, without other styles than the space after it.
function isLetter(node) {
  return (
    node.children.every(isText) &&
    !Object.keys(node.attributes).length &&
    Object.keys(node.style).every((name) => name === "marginRight") &&
    node.classes.every((name) => name.startsWith("math") || name === "boldsymbol")
  );
}

function convertBase(node, style) {
  const [strut, ...rest] = node.children;
  if (!strut?.classes.includes("strut")) return element(["base"], style, {}, convertAll(node.children));
  const box = { ...style, "--height": strut.style.height };
  if (strut.style.verticalAlign) box["--depth"] = strut.style.verticalAlign;
  return element(["base"], box, {}, convertAll(rest));
}

// Return a stack: boxes at their heights above or below the baseline, one element each.
function convertStack(node) {
  const [row, below] = node.children;
  const height = em(row.children[0].style.height);
  const depth = below ? em(below.children[0].style.height) : 0;
  const items = row.children[0].children.map(stackItem);
  const size = commonSize(items);
  const scale = size ? size.scale : 1;
  const pstrut = Math.max(...items.map((item) => item.pstrut)) / scale;
  const boxes = items.map((item) => {
    const style = { ...item.style };
    // the baseline of each box is `pstrut` below its top
    style.top = length((em(style.top) + item.pstrut) / scale);
    for (const side of ["marginLeft", "marginRight"]) {
      if (em(style[side])) style[side] = length(em(style[side]) / scale);
      else delete style[side];
    }
    if (style.top === "0em") delete style.top;
    return absorb(element(item.classes, style, {}, size ? item.children[0].children : item.children));
  });
  const style = { "--strut": length(pstrut), height: length(depth / scale + pstrut), marginTop: length(height / scale - pstrut) };
  const stack = element(["vlist-t", ...(size ? size.classes : [])], style, {}, boxes);
  stack.scale = scale;
  return stack;
}

function stackItem(item) {
  const [pstrut, ...content] = item.children;
  return { pstrut: em(pstrut.style.height), classes: item.classes.filter(Boolean), style: { ...item.style }, children: convertAll(content) };
}

// Return the size that all boxes of a stack have, such as that of scripts, if it is not the size around them.
function commonSize(items) {
  const sizes = items.map(({ children: [only, ...others] }) =>
    !others.length && only && !isText(only) && !isRaw(only) && only.classes.includes("sizing") && !Object.keys(only.style).length
      ? only.classes.join(" ") : "");
  if (!sizes[0] || sizes.some((size) => size !== sizes[0])) return null;
  const classes = sizes[0].split(" "), scale = scaleOf(classes);
  return scale ? { classes, scale } : null;
}

// Return the size that classes such as "reset-size6 size3" give, relative to the size around them.
function scaleOf(classes) {
  const [from, to] = ["reset-size", "size"].map((prefix) => {
    const name = classes.find((each) => new RegExp(`^${prefix}\\d+$`).test(each));
    return name ? SIZES[Number(name.slice(prefix.length)) - 1] : undefined;
  });
  return from && to ? to / from : undefined;
}

// Return a box of a stack as one with its only child, a letter in a font.
function absorb(box) {
  const [child] = box.children;
  if (box.children.length !== 1 || isText(child) || isRaw(child) || !isLetter(child)) return box;
  // the margin of the letter widens the stack, as the margin of the box does
  if (child.style.marginRight) widen(box, "marginRight", em(child.style.marginRight));
  return element([...box.classes, ...child.classes], box.style, {}, child.children);
}

const escape = (text) =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
const hyphenated = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function write(node) {
  if (isText(node)) return escape(node);
  if (isRaw(node)) return node.raw;
  const style = Object.entries(node.style).map(([name, value]) => `${hyphenated(name)}:${value}`).join(";");
  const attributes = { class: node.classes.join(" "), style, ...node.attributes };
  const text = Object.entries(attributes).map(([name, value]) => (value ? ` ${name}="${escape(String(value))}"` : "")).join("");
  return `<span${text}>${node.children.map(write).join("")}</span>`;
}

// Drop the rows of MathML that contain one element, or that their parent implies.
const IMPLIES_ROW = new Set(["math", "mtd", "mstyle", "msqrt", "mpadded", "mphantom", "menclose", "mrow"]);
function compactMathml(node) {
  if (!node.children) return node;
  node.children = node.children.map(compactMathml).flatMap((child) => {
    const isRow = child.type === "mrow" && !Object.keys(child.attributes).length && !child.classes?.length;
    return isRow && (child.children.length === 1 || IMPLIES_ROW.has(node.type)) ? child.children : [child];
  });
  return node;
}

// Return the HTML of a formula from KaTeX's tree.
function compact(tree) {
  if (tree.classes.includes("katex-display")) return `<span class="katex-display">${tree.children.map(compact).join("")}</span>`;
  const [mathml, html] = tree.children;
  compactMathml(mathml.children[0]);
  const parts = html.children.flatMap(convert).map(write).join("");
  return `<span class="katex">${mathml.toMarkup()}<span class="katex-html" aria-hidden="true">${parts}</span></span>`;
}

module.exports = { compact };
