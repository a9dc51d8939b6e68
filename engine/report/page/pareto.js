// ---- Pareto front of two columns ---------------------------------------------------------------

const Pareto = {
  front: [],

  controls() {
    const names = Data.measured().map((c) => c.name), set = (key) => (name) => { State[key] = name; this.draw(); State.write(); };
    document.getElementById("pareto-controls").replaceChildren(choice("x", "px", names, set("px")), choice("y", "py", names, set("py")));
  },

  // Rows that no other row beats in both columns; the first of equal rows.
  find(x, y, up, over) {
    const rows = [];
    for (let i = 0; i < Data.rows; i++) if (State.shows(i) && !isNaN(x[i]) && !isNaN(y[i])) rows.push(i);
    this.n = rows.length;
    const sx = up ? -1 : 1, sy = over ? -1 : 1;
    rows.sort((a, b) => sx * (x[a] - x[b]) || sy * (y[a] - y[b]) || a - b);
    let best = Infinity;
    return { rows, front: rows.filter((i) => (sy * y[i] < best ? ((best = sy * y[i]), true) : false)) };
  },

  draw() {
    const a = Data.column(State.px), b = Data.column(State.py), width = Draw.width("pareto"), height = 340, pen = Draw.open("pareto", width, height);
    const note = document.getElementById("pareto-note");
    this.front = [];
    document.getElementById("pareto").hidden = a === b;
    if (a === b) return (note.textContent = Data.measured().length > 1 ? "choose two columns" : "the result has one result column; run with --metrics for more");
    const { rows, front } = this.find(a.numbers, b.numbers, Data.higher(a), Data.higher(b));
    if (rows.length === 0) return (note.textContent = "no row has both values");
    this.front = front;
    Object.assign(this, { a, b, left: 66, top: 10, wide: width - 86, tall: height - 62 });
    this.box = [a.numbers, b.numbers].map((v) => rows.reduce(([l, h], i) => [Math.min(l, v[i]), Math.max(h, v[i])], [Infinity, -Infinity]));
    this.density(pen, rows);
    this.line(pen);
    this.axes(pen);
    note.textContent = `${front.length} of ${rows.length} rows; ${Data.higher(a) ? "higher" : "lower"} ${a.name} and ${Data.higher(b) ? "higher" : "lower"} ${b.name} are better; grey: all rows`;
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

  line(pen) {
    pen.strokeStyle = pen.fillStyle = "#d55e00";
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (const row of this.front) pen.lineTo(...this.point(row));
    pen.stroke();
    for (const row of this.front) {
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

  near(event) {
    const box = event.target.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let best = -1, least = 400;
    for (const row of this.front) {
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
  },
};
