// ---- timelines of the points that the page holds -----------------------------------------------

const Timeline = {
  shown: -1, // index in Data.timelines
  view: null, // [from, to]: the times that are shown; null: all
  FIELDS: 7, // of a segment: lane, kind, label, start, end, state (1: flag, 2: continues the task before), rate

  async load() {
    Data.timelines = JSON.parse(new TextDecoder().decode(await Data.inflate("timelines")));
  },

  // A time in the unit of the pair that is shown, which fits the longer one.
  time(value, digits = 7) {
    return `${Draw.short(value / this.unit.unitSize, digits)} ${this.unit.unit}`.trim();
  },

  name(t) {
    return `row ${t.row}${t.baseline ? " at the baseline" : ""}`;
  },

  choose(number) {
    const found = Data.timelines.findIndex((t) => t.row === number && !t.baseline);
    const note = document.getElementById("timeline-note");
    if (found !== this.shown) this.view = null;
    this.shown = found;
    if (found < 0) {
      document.getElementById("timeline").parentElement.hidden = true;
      note.textContent = Data.about.traces ? "This page does not hold the timeline of this row; the command above draws it." : "";
      this.controls();
      return;
    }
    this.draw();
  },

  controls() {
    const place = document.getElementById("timeline-controls");
    if (Data.timelines.length === 0) return place.replaceChildren();
    const list = make("select", { id: "choose-timeline", onchange: (e) => this.open(Number(e.target.value)) });
    list.append(make("option", { value: -1, selected: this.shown < 0 }, "timelines in this page"));
    Data.timelines.forEach((t, k) => { if (!t.baseline) list.append(make("option", { value: k, selected: k === this.shown }, this.name(t))); });
    place.replaceChildren(make("label", {}, "timeline", list));
  },

  open(k) {
    if (k < 0) return;
    const number = Data.timelines[k].row;
    const row = Data.numbers ? Data.numbers.indexOf(number) : number - 1;
    if (row >= 0) selectRow(row);
  },

  // The timeline of the row and, below it, that of its baseline, on one time axis.
  pair() {
    const t = Data.timelines[this.shown], other = Data.timelines.find((o) => o.row === t.row && o.baseline);
    return other ? [t, other] : [t];
  },

  draw() {
    this.controls();
    this.at = -1;
    if (this.shown < 0) return;
    document.getElementById("timeline").parentElement.hidden = false;
    const pair = this.pair(), width = Draw.width("timeline"), end = Math.max(...pair.map((t) => t.end));
    this.unit = pair.find((t) => t.end === end);
    const lanes = pair.map((t) => this.lanes(t));
    const lane = Math.max(3, Math.min(13, Math.floor(800 / Math.max(...lanes.map((list) => list.length)))));
    const measure = Draw.open("timeline", width, 10);
    measure.font = "11px system-ui, sans-serif";
    const names = pair.flatMap((t, k) => lanes[k].map((one) => measure.measureText(this.laneName(t, one)).width));
    const left = Math.min(Math.ceil(Math.max(...names)) + 12, width / 3), room = width - left - 16, [from, to] = this.view ?? [0, end];
    this.plot = { left, room, from, to, end };
    measure.font = "12px system-ui, sans-serif";
    const legend = this.legend(measure, pair[0], left, 0, room, false);
    const height = lanes.reduce((sum, list) => sum + list.length * lane + 44, 0) + legend + 52, pen = Draw.open("timeline", width, height);
    this.boxes = [];
    let top = 4;
    pair.forEach((t, k) => {
      this.one(pen, t, lanes[k], top + 20, lane);
      top += lanes[k].length * lane + 44;
    });
    this.axis(pen, top - 14);
    this.legend(pen, pair[0], left, top + 36, room, true);
    const notes = [this.view ? `from ${this.time(from, 6)} to ${this.time(to, 6)} of ${this.time(end, 6)}; a double click or 0 shows all` : "drag along the time to see a part of it; + and - zoom"];
    if (pair.length > 1) notes.push(`above: the row, ${this.time(pair[0].end, 6)}; below: the baseline ${Data.about.baseline}, ${this.time(pair[1].end, 6)}`);
    for (const t of pair) if (t.cells) notes.push(`${this.name(t)}: ${Draw.count(t.cells.tasks)} tasks are too many to draw, so the picture shows the utilisation of each lane, as the mean over ${this.time(t.cells.width, 4)}`);
    document.getElementById("timeline-note").textContent = notes.join("; ");
  },

  // The lanes from top to bottom. Tasks: the lanes of a group side by side; a track whose tasks overlap has several,
  // numbered by slot. Utilisation: a track of all groups.
  lanes(t) {
    const lanes = Array.from({ length: t.lanes.length / 3 }, (_, k) => ({ k, group: t.lanes[3 * k], track: t.lanes[3 * k + 1], slot: t.lanes[3 * k + 2] }));
    return lanes.sort((a, b) => (t.cells && a.track - b.track) || a.group - b.group || a.track - b.track || a.slot - b.slot);
  },

  // The first lane of a track has its name up to a colon; the others have a number, as in pictures.
  laneName(t, { group, track, slot }) {
    return slot > 0 ? `(${slot + 1})` : `${t.group} ${group} ${t.tracks[track].split(":")[0]}`;
  },

  // Where a time stands in the picture.
  x(time) {
    const { left, room, from, to } = this.plot;
    return left + (room * (time - from)) / (to - from || 1);
  },

  // Draws inside the plot what reaches from one time to another, and returns its place; null: it is not in view.
  span(start, stop, least) {
    const { left, room } = this.plot, x = Math.max(left, this.x(start)), to = Math.min(left + room, this.x(stop));
    return to < left || x > left + room || (to <= x && start < stop) ? null : [x, Math.max(least, to - x)];
  },

  one(pen, t, lanes, top, lane) {
    const { left, room } = this.plot;
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "left";
    pen.textBaseline = "alphabetic";
    pen.fillText(`${this.name(t)}: ${t.last} ${this.time(t.end)}`, left, top - 5);
    const place = [];
    lanes.forEach((one, k) => (place[one.k] = top + k * lane));
    if (t.cells) this.cells(pen, t, place, lane);
    else this.pieces(pen, t, place, lane);
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillStyle = Draw.css("--text");
    const every = Math.ceil(11 / lane);
    lanes.forEach((one, k) => { if (k % every === 0) pen.fillText(Draw.fit(pen, this.laneName(t, one), left - 8), left - 6, top + k * lane + 9); });
    pen.strokeStyle = Draw.css("--text"); // the end of the timeline
    if (this.x(t.end) <= left + room + 0.5) {
      pen.beginPath();
      pen.moveTo(this.x(t.end), top - 3);
      pen.lineTo(this.x(t.end), top + lanes.length * lane);
      pen.stroke();
    }
    pen.font = "12px system-ui, sans-serif";
  },

  // Draws segments as the pictures of trace do: the height shows the rate, over a pale box of full height. The
  // segments of one task have one label, at the first that has room.
  pieces(pen, t, place, lane) {
    const tall = lane - 2, last = [];
    for (let i = 0; i < t.pieces.length; i += this.FIELDS) {
      const [k, kind, label, start, stop, state, rate] = t.pieces.slice(i, i + this.FIELDS), colour = Draw.kind(kind);
      const seen = this.span(start, stop, 0.5), y = place[k];
      if (!seen) continue;
      const [x, w] = seen;
      const share = Math.min(1, Math.max(0, rate / t.highest)), full = share * tall;
      pen.fillStyle = colour.tint;
      if (share < 1) pen.fillRect(x, y, w, tall);
      pen.fillStyle = colour.fill;
      pen.fillRect(x, y + tall - full, w, full);
      if (state & 1) { pen.fillStyle = Draw.css("--text"); pen.fillRect(x, y + tall - 2, w, 2); }
      if (!(state & 2)) last[k] = false;
      if (w > 16 && !last[k]) { last[k] = true; pen.fillStyle = share > 0.7 ? colour.ink : "#000000"; pen.font = "9px system-ui"; pen.fillText(String(label), x + 2, y + lane - 4); }
      this.boxes.push([x, y, w, tall, t, i]);
    }
  },

  // Draws the utilisation of lanes: the stronger the colour, the busier.
  cells(pen, t, place, lane) {
    const { width, percent } = t.cells, n = (3 * percent.length) / t.lanes.length;
    for (let i = 0; i < percent.length; i++) {
      const k = Math.floor(i / n), from = (i % n) * width, to = Math.min(t.end, from + width), y = place[k];
      const seen = this.span(from, to, 0.5);
      if (!seen) continue;
      const box = [seen[0], y, seen[1], Math.max(lane - 2, lane * 0.8)];
      pen.fillStyle = `rgba(0, 114, 178, ${Math.min(1, percent[i] / 100)})`;
      pen.fillRect(...box);
      this.boxes.push([...box, t, -1, `${t.group} ${t.lanes[3 * k]}, ${t.tracks[t.lanes[3 * k + 1]]}\n${percent[i]} % busy from ${this.time(from)} to ${this.time(to)}`]);
    }
  },

  axis(pen, top) {
    const { unit, unitSize } = this.unit, { left, room, from, to } = this.plot;
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const v of Draw.ticks(from / unitSize, to / unitSize, 6)) pen.fillText(Draw.short(v, 9), this.x(v * unitSize), top);
    pen.fillText(unit ? `time [${unit}]` : "time", left + room / 2, top + 15);
  },

  // Draws the kinds, or only measures them; returns the height.
  legend(pen, t, left, from, room, draws) {
    let x = left, top = from;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const keys = t.cells ? ["utilisation 100 %"] : t.flag ? [...t.kinds, t.flag] : t.kinds;
    keys.forEach((kind, k) => {
      const wide = pen.measureText(kind).width + 28;
      if (x + wide > left + room && x > left) { x = left; top += 16; }
      const isFlag = !t.cells && k === t.kinds.length;
      pen.fillStyle = isFlag ? Draw.css("--text") : Draw.kind(k).fill;
      if (draws) pen.fillRect(x, isFlag ? top + 2 : top - 5, 12, isFlag ? 3 : 10);
      pen.fillStyle = Draw.css("--text");
      if (draws) pen.fillText(kind, x + 16, top);
      x += wide;
    });
    return top + 16 - from;
  },

  text([, , , , t, at, cell]) {
    if (cell) return cell;
    const [k, kind, label, start, stop, state, rate] = t.pieces.slice(at, at + this.FIELDS);
    const where = `${t.group} ${t.lanes[3 * k]}, ${t.tracks[t.lanes[3 * k + 1]]}`, when = `${this.time(start)} to ${this.time(stop)}`;
    return `${this.name(t)}: ${t.kinds[kind]} ${label}${state & 1 ? ", " + t.flag : ""}\n${where}\n${when}, rate ${Draw.short(rate)}`;
  },

  // Shows the times from `from` to `to`, or all.
  zoom(from, to) {
    const { end } = this.plot, least = end / 1e6;
    from = Math.max(0, from);
    to = Math.min(end, to);
    this.view = to - from >= end * (1 - 1e-9) ? null : to - from > least ? [from, to] : this.view;
    this.draw();
  },

  // Zooms around the middle; a factor below 1 shows less time.
  scale(factor) {
    const { from, to } = this.plot, middle = (from + to) / 2, half = (factor * (to - from)) / 2;
    this.zoom(Math.min(middle - half, this.plot.end - 2 * half), Math.max(middle + half, 2 * half));
  },

  // Marks one operation, for the keyboard.
  mark(step) {
    const at = Math.min(this.boxes.length - 1, Math.max(0, this.at + step)), canvas = document.getElementById("timeline"), pen = canvas.getContext("2d");
    this.draw();
    this.at = at;
    const [x, y, w, h] = this.boxes[at];
    pen.strokeStyle = Draw.css("--text");
    pen.lineWidth = 2;
    pen.strokeRect(x - 1.5, y - 1.5, w + 3, h + 3);
    pen.lineWidth = 1;
    document.getElementById("timeline-note").textContent = this.text(this.boxes[at]).replaceAll("\n", "; ");
  },

  listen() {
    const canvas = document.getElementById("timeline");
    canvas.addEventListener("mousemove", (event) => {
      const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
      const hit = (this.boxes || []).findLast(([x, y, w, h]) => px >= x && px <= x + w && py >= y && py <= y + h);
      Draw.tip(event, hit ? this.text(hit) : "");
    });
    canvas.addEventListener("mouseleave", (event) => Draw.tip(event, ""));
    let down = null;
    const time = (event) => this.plot.from + ((event.clientX - canvas.getBoundingClientRect().left - this.plot.left) / this.plot.room) * (this.plot.to - this.plot.from);
    canvas.addEventListener("pointerdown", (event) => { down = [event.clientX, time(event)]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", (event) => {
      const drag = down;
      down = null;
      if (!drag || Math.abs(event.clientX - drag[0]) < 4) return;
      const ends = [drag[1], time(event)];
      this.zoom(Math.min(...ends), Math.max(...ends));
    });
    canvas.addEventListener("dblclick", () => this.zoom(0, Infinity));
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], factor = { "+": 0.5, "=": 0.5, "-": 2, 0: Infinity }[event.key];
      if ((!step && !factor) || this.shown < 0) return;
      event.preventDefault();
      if (step) this.mark(step);
      else if (factor === Infinity) this.zoom(0, Infinity);
      else this.scale(factor);
    });
  },
};
