// ---- draw: canvases, colours and texts ---------------------------------------------------------

const Draw = {
  // viridis, sampled (Smith and van der Walt 2015); safe for colour-blind readers, and in grey.
  stops: [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]],
  // The colours of a kind of tasks, as in pictures: fill, tint, ink.
  kind(k) {
    return Data.about.kinds[k];
  },

  colour(part) {
    const at = Math.min(1, Math.max(0, part)) * (this.stops.length - 1), k = Math.min(this.stops.length - 2, Math.floor(at));
    return this.stops[k].map((low, c) => Math.round(low + (this.stops[k + 1][c] - low) * (at - k)));
  },

  css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  },

  // Prepares a canvas of a size in CSS pixels, and returns its context.
  open(id, width, height) {
    const canvas = document.getElementById(id), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = this.css("--back");
    pen.fillRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = this.css("--text");
    pen.strokeStyle = this.css("--line");
    return pen;
  },

  width(id) {
    return Math.max(280, document.getElementById(id).parentElement.clientWidth);
  },

  short(value, digits = 4) {
    if (!isFinite(value)) return "";
    const size = Math.abs(value);
    return size !== 0 && (size >= 1e12 || size < 1e-3) ? value.toExponential(2) : this.grouped(String(Number(value.toPrecision(digits))));
  },

  // Groups the digits before the point: 1 234.5. The blanks break no line.
  grouped(number) {
    return number.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, "\u00a0"));
  },

  // A text that ends with ... where it is wider than `room`.
  fit(pen, text, room) {
    if (pen.measureText(text).width <= room) return text;
    while (text.length > 1 && pen.measureText(text + "...").width > room) text = text.slice(0, -1);
    return text + "...";
  },

  // A mixture of two colours of the style, #rrggbb.
  mix(from, to, part) {
    const parse = (name) => [1, 3, 5].map((k) => parseInt(this.css(name).slice(k, k + 2), 16));
    const a = parse(from), b = parse(to);
    return a.map((v, k) => Math.round(v + (b[k] - v) * part));
  },

  // A count for people: 1 234 567.
  count(n) {
    return this.grouped(String(n));
  },

  rows(n) {
    return `${this.count(n)} row${n === 1 ? "" : "s"}`;
  },

  named(column) {
    return column.unit ? `${column.name} [${column.unit}]` : column.name;
  },

  // Round numbers between low and high, about n.
  ticks(low, high, n) {
    const raw = (high - low) / n || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
    return ticks;
  },

  tip(event, text) {
    const tip = document.getElementById("tip");
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const room = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - room.width - 8)) + "px";
    tip.style.top = Math.max(4, event.clientY + 18 + room.height > innerHeight ? event.clientY - room.height - 8 : event.clientY + 18) + "px";
  },
};

// Makes an object whose members are names of the user, such as __proto__ and constructor.
function bare() {
  return Object.create(null);
}

// Makes an element with attributes and children.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  element.append(...children);
  return element;
}

// A labelled list to choose from.
function choice(label, key, names, change) {
  const list = make("select", { id: "choose-" + key, onchange: (event) => change(event.target.value) });
  for (const name of names) list.append(make("option", { value: name, selected: State[key] === name }, name));
  return make("label", {}, label, list);
}
