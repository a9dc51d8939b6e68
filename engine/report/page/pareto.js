// ---- Pareto front of two columns ---------------------------------------------------------------

const Pareto = {
  fronts: [], // {rows, name, front: the rows on the front}
  points: [], // the rows of all fronts
  cursor: 0, // of the keyboard
  // Okabe and Ito 2008, as plot draws fronts.
  colours: ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#999999", "#e69f00", "#56b4e9", "#9c7a00"],

  controls() {
    const names = Data.measured().map((c) => c.name), set = (key) => (name) => { State[key] = name; this.draw(); State.write(); };
    document.getElementById("pareto-controls").replaceChildren(choice("x", "px", names, set("px")), choice("y", "py", names, set("py")));
  },

  // The fronts of the rows that are shown, one for each amount of work, in the order of their first rows.
  find(a, b) {
    const by = Data.work(a, b), { codes } = Data.combinations(by), groups = new Map();
    for (let i = 0; i < Data.rows; i++) {
      if (!State.shows(i) || isNaN(a.numbers[i]) || isNaN(b.numbers[i])) continue;
      if (!groups.has(codes[i])) groups.set(codes[i], []);
      groups.get(codes[i]).push(i);
    }
    const name = (rows) => by.map((c) => `${c.name}=${Data.text(c, rows[0])}`).join(",");
    return [...groups.values()].map((rows) => ({ rows, name: name(rows), front: this.front(a, b, rows) }));
  },

  // Rows that no other one beats in both columns; the first of equal rows. Most rows are beaten by one with a much
  // better x: bins of x find these without sorting.
  front(a, b, rows) {
    const x = a.numbers, y = b.numbers, sx = Data.higher(a) ? -1 : 1, sy = Data.higher(b) ? -1 : 1, bins = Math.min(4096, rows.length + 1);
    const [low, high] = Data.range(a), best = new Float64Array(bins + 1).fill(Infinity);
    const bin = (i) => Math.floor(((bins - 1) * (sx > 0 ? x[i] - low : high - x[i])) / (high - low || 1));
    for (const i of rows) best[bin(i) + 1] = Math.min(best[bin(i) + 1], sy * y[i]);
    for (let k = 1; k <= bins; k++) best[k] = Math.min(best[k], best[k - 1]);
    const open = rows.filter((i) => sy * y[i] < best[bin(i)]).sort((i, j) => sx * (x[i] - x[j]) || sy * (y[i] - y[j]) || i - j);
    let least = Infinity;
    return open.filter((i) => (sy * y[i] < least ? ((least = sy * y[i]), true) : false));
  },

  // Chooses a second column that competes with the first, if the page names none: the first of a few with a front of
  // more than one of some rows that do the same work.
  choose() {
    const a = Data.column(State.px), others = Data.measured().filter((c) => c !== a), step = Math.ceil(Data.rows / 2000);
    const competes = (b) => {
      const sx = Data.higher(a) ? -1 : 1, sy = Data.higher(b) ? -1 : 1, { codes, first } = Data.combinations(Data.work(a, b)), ends = first.map(() => [Infinity, Infinity, NaN, NaN]);
      for (let i = 0; i < Data.rows; i += step) {
        const u = sx * a.numbers[i], v = sy * b.numbers[i], end = ends[codes[i]], [x, y, at, over] = end; // the least x with its y, and the least y with its x
        if (u < x || (u === x && v < at)) [end[0], end[2]] = [u, v];
        if (v < y || (v === y && u < over)) [end[1], end[3]] = [v, u];
      }
      return ends.some(([x, y, at, over]) => at > y && over > x);
    };
    const goals = others.filter((c) => c.goal === "lower" || c.goal === "higher");
    State.py = (goals.find(competes) || others.find(competes) || others[0] || a).name;
  },

  draw() {
    if (State.py === State.px) this.choose();
    this.controls();
    const a = Data.column(State.px), b = Data.column(State.py), width = Draw.width("pareto"), height = 340, pen = Draw.open("pareto", width, height);
    const note = document.getElementById("pareto-note");
    this.fronts = this.points = [];
    const canvas = document.getElementById("pareto"), none = (text) => { canvas.hidden = true; note.textContent = text; };
    if (a === b) return none(Data.measured().length > 1 ? "choose two columns" : "the result has one result column" + (Data.about.kernel ? "; run with --metrics for more" : ""));
    const fronts = this.find(a, b), rows = fronts.flatMap((f) => f.rows);
    if (rows.length === 0) return none("no row has both values");
    canvas.hidden = false; // hiding it in between would take the focus away
    this.fronts = fronts;
    this.points = fronts.flatMap((f) => f.front);
    this.cursor = Math.min(this.cursor, this.points.length - 1);
    const top = 10 + this.legend(pen, 66, 10, width - 86);
    Object.assign(this, { pen, a, b, left: 66, top, wide: width - 86, tall: height - 52 - top });
    this.box = [a.numbers, b.numbers].map((v) => this.room(rows, v));
    this.density(pen, rows);
    fronts.forEach(({ front }, k) => this.line(pen, front, this.colours[k % this.colours.length]));
    this.axes(pen);
    const by = Data.work(a, b).map((c) => c.name).join(", "), many = fronts.length > 1 ? `; ${Draw.count(fronts.length)} fronts: rows of different ${by} do different amounts of work` : "";
    note.textContent = `${Draw.count(this.points.length)} of ${Draw.rows(rows.length)}${many}; ${Data.higher(a) ? "higher" : "lower"} ${a.name} and ${Data.higher(b) ? "higher" : "lower"} ${b.name} are better; ` +
      `grey: all rows; ties show one point`;
  },

  // The range of an axis: all values and a margin.
  room(rows, numbers) {
    const [low, high] = rows.reduce(([l, h], i) => [Math.min(l, numbers[i]), Math.max(h, numbers[i])], [Infinity, -Infinity]);
    const margin = 0.03 * (high - low) || Math.abs(low) * 0.03 || 1;
    return [low - margin, high + margin];
  },

  point(row) {
    const [[xl, xh], [yl, yh]] = this.box;
    return [this.left + (this.wide * (this.a.numbers[row] - xl)) / (xh - xl || 1), this.top + this.tall * (1 - (this.b.numbers[row] - yl) / (yh - yl || 1))];
  },

  density(pen, rows) {
    const seen = new Set();
    pen.fillStyle = Draw.css("--dim");
    pen.globalAlpha = 0.35;
    for (const row of rows) {
      const [x, y] = this.point(row), key = (Math.round(x / 2) << 12) | Math.round(y / 2);
      if (seen.has(key)) continue;
      seen.add(key);
      pen.fillRect(x - 1.5, y - 1.5, 3, 3);
    }
    pen.globalAlpha = 1;
  },

  // Names the fronts, if there are several; returns the height.
  legend(pen, left, top, room) {
    if (this.fronts.length < 2 || this.fronts.length > this.colours.length) return 0;
    let x = left, y = top;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    this.fronts.forEach(({ name }, k) => {
      const wide = pen.measureText(name).width + 28;
      if (x + wide > left + room && x > left) { x = left; y += 16; }
      pen.fillStyle = this.colours[k];
      pen.fillRect(x, y - 5, 12, 10);
      pen.fillStyle = Draw.css("--text");
      pen.fillText(name, x + 16, y);
      x += wide;
    });
    return y + 16 - top;
  },

  line(pen, front, colour) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.5;
    pen.beginPath();
    let before = null; // steps: nothing between two points of the front is known to exist
    for (const row of front) {
      const [x, y] = this.point(row);
      if (before !== null) pen.lineTo(x, before);
      pen.lineTo(x, y);
      before = y;
    }
    pen.stroke();
    for (const row of front) {
      pen.beginPath();
      pen.arc(...this.point(row), 3.5, 0, 7);
      pen.fill();
    }
    pen.lineWidth = 1;
  },

  axes(pen) {
    const [[xl, xh], [yl, yh]] = this.box, { left, top, wide, tall } = this;
    pen.strokeStyle = Draw.css("--line");
    pen.strokeRect(left, top, wide, tall);
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const v of Draw.ticks(xl, xh, 5)) pen.fillText(Draw.short(v), left + (wide * (v - xl)) / (xh - xl || 1), top + tall + 6);
    pen.fillText(Draw.named(this.a), left + wide / 2, top + tall + 26);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const v of Draw.ticks(yl, yh, 5)) pen.fillText(Draw.short(v), left - 6, top + tall * (1 - (v - yl) / (yh - yl || 1)));
    pen.save();
    pen.translate(10, top + tall / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(Draw.named(this.b), 0, 0);
    pen.restore();
  },

  mark(row) {
    this.pen.strokeStyle = Draw.css("--text");
    this.pen.lineWidth = 2;
    this.pen.beginPath();
    this.pen.arc(...this.point(row), 7, 0, 7);
    this.pen.stroke();
  },

  near(event) {
    const box = event.target.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = 400;
    for (const row of this.points) {
      const [px, py] = this.point(row), d = (px - x) ** 2 + (py - y) ** 2;
      if (d < least) { least = d; best = row; }
    }
    return best;
  },

  listen() {
    const canvas = document.getElementById("pareto");
    const text = (row) => `${this.a.name} ${Data.text(this.a, row)}, ${this.b.name} ${Data.text(this.b, row)}\n${Rows.words(row)}\n${Rows.command(row)}`;
    canvas.addEventListener("mousemove", (event) => { const row = this.near(event); Draw.tip(event, row >= 0 ? text(row) : ""); });
    canvas.addEventListener("mouseleave", (event) => Draw.tip(event, ""));
    canvas.addEventListener("click", (event) => { const row = this.near(event); if (row >= 0) selectRow(row); });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (this.points.length === 0) return;
      if (event.key === "Enter") return selectRow(this.points[this.cursor]);
      if (!step) return;
      event.preventDefault();
      this.cursor = Math.min(this.points.length - 1, Math.max(0, this.cursor + step));
      this.draw();
      this.mark(this.points[this.cursor]);
      document.getElementById("pareto-note").textContent = text(this.points[this.cursor]).replaceAll("\n", "; ");
    });
  },
};
