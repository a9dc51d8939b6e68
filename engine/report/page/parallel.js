// ---- parallel coordinates: rows as lines, with brushes -----------------------------------------

const Parallel = {
  most: 1500,
  axisAt: 0, // of the keyboard

  columns() {
    const value = Data.column(State.value);
    return [...Data.varying().filter((c) => !c.labels || c.labels.length > 1).slice(0, 11), value];
  },

  // Rows to draw: the best third, and the others evenly over all rows.
  rows() {
    const value = Data.column(State.value), n = State.count();
    if (n <= this.most) return Array.from({ length: Data.rows }, (_, i) => i).filter((i) => State.shows(i));
    const best = Rows.first(value, Data.higher(value), this.most / 3, (i) => State.shows(i)), step = n / ((2 * this.most) / 3), even = [];
    for (let i = 0, k = 0, next = 0; i < Data.rows; i++) {
      if (!State.shows(i)) continue;
      if (k++ >= next) { even.push(i); next += step; }
    }
    return [...even, ...best];
  },

  draw() {
    const columns = this.columns(), width = Math.max(Draw.width("parallel"), columns.length * 46 + 60), height = 320, pen = Draw.open("parallel", width, height);
    const gap = (width - 110) / Math.max(1, columns.length - 1), rows = this.rows(), value = Data.column(State.value), higher = Data.higher(value);
    Object.assign(this, { pen, shown: columns, gap, left: 55, top: 52, tall: height - 78 });
    this.axisAt = Math.min(this.axisAt, columns.length - 1);
    rows.sort((a, b) => (higher ? 1 : -1) * (value.numbers[a] - value.numbers[b]));
    const shades = Array.from({ length: 32 }, (_, k) => `rgb(${Draw.mix("--faint", "--accent", k / 31)})`);
    pen.globalAlpha = Math.max(0.25, Math.min(0.9, 20 / Math.sqrt(rows.length + 1)));
    pen.lineWidth = 1;
    rows.forEach((row, k) => this.line(pen, columns, row, shades[Math.floor(31 * ((k + 1) / rows.length) ** 4)]));
    pen.globalAlpha = 1;
    columns.forEach((column, k) => this.axis(pen, column, k));
    const n = State.count(), part = rows.length < n ? `${Draw.count(rows.length)} of ${Draw.rows(n)}: the best third and an even sample` : Draw.rows(n);
    document.getElementById("parallel-note").textContent = `${part}; strong lines are the best (${higher ? "highest" : "lowest"} ${value.name}); drag along an axis to keep the rows in a range, a double click removes it`;
  },

  y(part) {
    return this.top + this.tall * (1 - part);
  },

  line(pen, columns, row, shade) {
    pen.strokeStyle = shade;
    pen.beginPath();
    columns.forEach((column, k) => {
      const part = State.place(column, row);
      if (!isNaN(part)) pen.lineTo(this.left + k * this.gap, this.y(part));
    });
    pen.stroke();
  },

  axis(pen, column, k) {
    const x = this.left + k * this.gap, brush = State.brush[column.name];
    pen.strokeStyle = Draw.css("--text");
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "center";
    pen.beginPath();
    pen.moveTo(x, this.top);
    pen.lineTo(x, this.top + this.tall);
    pen.lineWidth = k === this.axisAt && document.activeElement === pen.canvas ? 3 : 1;
    pen.stroke();
    pen.lineWidth = 1;
    pen.textBaseline = "alphabetic";
    pen.fillText(Draw.fit(pen, column.name, 2 * this.gap - 10), x, k % 2 ? 12 : 27);
    const ends = column.labels ? [column.labels[0], column.labels[column.labels.length - 1]] : [Draw.short(column.low), Draw.short(column.high)];
    pen.fillText(Draw.fit(pen, ends[1], this.gap - 2), x, this.top - 5);
    pen.textBaseline = "top";
    pen.fillText(Draw.fit(pen, ends[0], this.gap - 2), x, this.top + this.tall + 6);
    this.ticks(pen, column, x);
    if (!brush) return;
    pen.fillStyle = "#d55e0066";
    pen.fillRect(x - 7, this.y(brush[1]) - 2, 14, this.y(brush[0]) - this.y(brush[1]) + 4);
    pen.strokeStyle = "#d55e00";
    pen.strokeRect(x - 7, this.y(brush[1]) - 2, 14, this.y(brush[0]) - this.y(brush[1]) + 4);
  },

  // Marks round numbers, or the values of an axis that has few, between its ends.
  ticks(pen, column, x) {
    const n = column.labels ? column.labels.length : 0, every = Math.ceil(n / 11);
    const marks = column.labels
      ? column.labels.map((label, k) => [k / (n - 1), label]).filter((mark, k) => k % every === 0)
      : Draw.ticks(column.low, column.high, 5).map((v) => [(v - column.low) / (column.high - column.low), Draw.short(v)]);
    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const [part, text] of marks) {
      if (!(part > 0.04 && part < 0.96)) continue;
      pen.fillStyle = Draw.css("--text");
      pen.fillRect(x - 3, this.y(part) - 0.5, 6, 1);
      const shown = Draw.fit(pen, text, this.gap - 8);
      pen.fillStyle = Draw.css("--back");
      pen.globalAlpha = 0.7;
      pen.fillRect(x + 4, this.y(part) - 6, pen.measureText(shown).width + 2, 12);
      pen.globalAlpha = 1;
      pen.fillStyle = Draw.css("--text");
      pen.fillText(shown, x + 5, this.y(part));
    }
    pen.font = "12px system-ui, sans-serif";
  },

  at(event) {
    const box = document.getElementById("parallel").getBoundingClientRect();
    const k = Math.round((event.clientX - box.left - this.left) / this.gap), part = 1 - (event.clientY - box.top - this.top) / this.tall;
    return [this.shown[Math.min(this.shown.length - 1, Math.max(0, k))], Math.min(1, Math.max(0, part))];
  },

  set(column, low, high) {
    State.brush[column.name] = [Math.max(0, Math.min(low, high)), Math.min(1, Math.max(low, high))];
    refresh();
  },

  // Left and right choose an axis; up and down move the lower end of its range, with Shift the upper one.
  key(event) {
    const column = this.shown[this.axisAt], [low, high] = State.brush[column.name] || [0, 1], step = column.labels ? 1 / Math.max(1, column.labels.length - 1) : 0.05;
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key], move = { ArrowUp: step, ArrowDown: -step }[event.key];
    if (!turn && !move && event.key !== "Delete") return;
    event.preventDefault();
    if (turn) {
      this.axisAt = Math.min(this.shown.length - 1, Math.max(0, this.axisAt + turn));
      this.draw();
    } else if (!move) {
      delete State.brush[column.name];
      refresh();
    } else this.set(column, event.shiftKey ? low : Math.min(high, low + move), event.shiftKey ? Math.max(low, high + move) : high);
  },

  listen() {
    const canvas = document.getElementById("parallel");
    let from = null;
    canvas.addEventListener("pointerdown", (event) => { from = this.at(event); canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", (event) => {
      if (!from) return;
      const [column, start] = from, end = this.at(event)[1];
      from = null;
      if (Math.abs(start - end) < 0.01) return;
      this.set(column, start, end);
    });
    canvas.addEventListener("dblclick", (event) => { delete State.brush[this.at(event)[0].name]; refresh(); });
    canvas.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["focus", "blur"]) canvas.addEventListener(kind, () => { if (this.shown) this.draw(); });
  },
};
