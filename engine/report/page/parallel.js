// ---- parallel coordinates: rows as lines, with brushes -----------------------------------------

const Parallel = {
  most: 1500,

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
    Object.assign(this, { shown: columns, gap, left: 55, top: 52, tall: height - 78 });
    rows.sort((a, b) => (higher ? 1 : -1) * (value.numbers[a] - value.numbers[b]));
    pen.globalAlpha = Math.max(0.12, Math.min(0.8, 60 / Math.sqrt(rows.length + 1) / 4));
    pen.lineWidth = 1;
    rows.forEach((row, k) => this.line(pen, columns, row, k / Math.max(1, rows.length - 1)));
    pen.globalAlpha = 1;
    columns.forEach((column, k) => this.axis(pen, column, k));
    const n = State.count();
    document.getElementById("parallel-note").textContent = `${rows.length < n ? `${rows.length} of ${n} rows: the best third and rows at even distances` : `${n} rows`}; ` +
      `bright lines are the best; drag along an axis to keep the rows in a range, a double click removes it`;
  },

  y(part) {
    return this.top + this.tall * (1 - part);
  },

  line(pen, columns, row, rank) {
    pen.strokeStyle = `rgb(${Draw.colour(0.08 + 0.87 * rank)})`;
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
    pen.stroke();
    pen.textBaseline = "alphabetic";
    pen.fillText(Draw.fit(pen, column.name, 2 * this.gap - 10), x, k % 2 ? 12 : 27);
    const ends = column.labels ? [column.labels[0], column.labels[column.labels.length - 1]] : [Draw.short(column.low), Draw.short(column.high)];
    pen.fillText(Draw.fit(pen, ends[1], this.gap - 2), x, this.top - 5);
    pen.textBaseline = "top";
    pen.fillText(Draw.fit(pen, ends[0], this.gap - 2), x, this.top + this.tall + 6);
    if (!brush) return;
    pen.fillStyle = "#d55e0066";
    pen.fillRect(x - 7, this.y(brush[1]) - 2, 14, this.y(brush[0]) - this.y(brush[1]) + 4);
    pen.strokeStyle = "#d55e00";
    pen.strokeRect(x - 7, this.y(brush[1]) - 2, 14, this.y(brush[0]) - this.y(brush[1]) + 4);
  },

  at(event) {
    const box = document.getElementById("parallel").getBoundingClientRect();
    const k = Math.round((event.clientX - box.left - this.left) / this.gap), part = 1 - (event.clientY - box.top - this.top) / this.tall;
    return [this.shown[Math.min(this.shown.length - 1, Math.max(0, k))], Math.min(1, Math.max(0, part))];
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
      State.brush[column.name] = [Math.min(start, end), Math.max(start, end)];
      State.select();
      refresh();
    });
    canvas.addEventListener("dblclick", (event) => { delete State.brush[this.at(event)[0].name]; State.select(); refresh(); });
  },
};
