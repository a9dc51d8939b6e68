// ---- map: a heatmap of any two columns ---------------------------------------------------------

const HeatMap = {
  cells: null, // {nx, ny, value, count, row}
  cursor: [0, 0],

  controls() {
    const names = [...Data.parameters(), ...Data.columns.filter((c) => c.role !== "parameter")].map((c) => c.name);
    const values = Data.measured().map((c) => c.name);
    const set = (key) => (name) => { State[key] = name; refresh(); };
    const log = make("input", { type: "checkbox", id: "log", checked: State.log, onchange: (e) => { State.log = e.target.checked; refresh(); } });
    document.getElementById("map-controls").replaceChildren(
      choice("x", "x", names, set("x")), choice("y", "y", names, set("y")), choice("value", "value", values, set("value")),
      choice("combine rows by", "reduce", ["best", "min", "max", "mean", "count"], set("reduce")), make("label", {}, log, "log scale"));
    document.getElementById("fixed").replaceChildren(...Data.varying()
      .filter((c) => c.name !== State.x && c.name !== State.y && !Data.about.over.includes(c.name)).map((c) => this.slider(Data.axis(c))));
  },

  // A slider over the values of a parameter; the leftmost place is all of them.
  slider(axis) {
    const said = (label) => (label === undefined ? "all" : axis.binned && !isNaN(label) ? "about " + label : label === "" ? "none" : label);
    const at = axis.labels.indexOf(State.fixed[axis.name]), shown = make("output", {}, said(axis.labels[at]));
    const move = (event) => {
      const label = axis.labels[Number(event.target.value) - 1];
      shown.textContent = said(label);
      event.target.setAttribute("aria-valuetext", said(label));
      if (label === undefined) delete State.fixed[axis.name];
      else State.fixed[axis.name] = label;
      refresh(false);
    };
    const range = make("input", { type: "range", min: 0, max: axis.labels.length, value: at + 1, id: "fix-" + axis.name, "aria-valuetext": said(axis.labels[at]), oninput: move });
    return make("label", {}, axis.name, range, shown);
  },

  compute() {
    const x = Data.axis(Data.column(State.x)), y = Data.axis(Data.column(State.y)), column = Data.column(State.value);
    const nx = x.labels.length, ny = y.labels.length, mask = State.mask, numbers = column.numbers, combined = Data.combined(column);
    const value = new Float64Array(nx * ny).fill(NaN), count = new Uint32Array(nx * ny), row = new Int32Array(nx * ny).fill(-1);
    const empty = new Uint32Array(nx * ny), sum = new Float64Array(nx * ny);
    const higher = State.reduce === "max" || (State.reduce !== "min" && Data.higher(column));
    for (let i = 0; i < Data.rows; i++) {
      if (mask !== null && mask[i] === 0) continue;
      const cell = y.codes[i] * nx + x.codes[i], v = numbers[i];
      if (isNaN(v)) { empty[cell]++; continue; }
      count[cell] += combined ? combined.counts[i] : 1;
      sum[cell] += combined ? combined.sums[i] : v;
      if (row[cell] < 0 || (higher ? v > value[cell] : v < value[cell])) { value[cell] = v; row[cell] = i; }
    }
    if (State.reduce === "mean") for (let k = 0; k < value.length; k++) value[k] = count[k] ? sum[k] / count[k] : NaN;
    if (State.reduce === "count") for (let k = 0; k < value.length; k++) value[k] = count[k] || NaN;
    this.cells = { x, y, nx, ny, value, count, empty, row, column, higher };
    this.range();
  },

  range() {
    const cells = this.cells, best = State.reduce === "count" ? true : cells.higher;
    Object.assign(cells, { low: Infinity, high: -Infinity, best: -1, ties: 0 });
    for (let k = 0; k < cells.value.length; k++) {
      const v = cells.value[k];
      if (isNaN(v)) continue;
      cells.low = Math.min(cells.low, v);
      cells.high = Math.max(cells.high, v);
      if (cells.best < 0 || (best ? v > cells.value[cells.best] : v < cells.value[cells.best])) cells.best = k;
    }
    for (const v of cells.value) if (cells.best >= 0 && v === cells.value[cells.best]) cells.ties++;
    cells.tied = new Map(); // of cells: how many rows have its value
    cells.log = State.log && cells.low > 0;
  },

  part(v) {
    const { low, high, log } = this.cells;
    if (high === low) return 0.5;
    return log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
  },

  layout() {
    const { x, y, nx, ny } = this.cells, width = Draw.width("map"), pen = Draw.open("map", width, 10);
    const widest = Math.max(...y.labels.map((label) => pen.measureText(label).width), 10);
    const left = Math.min(140, widest + 40), right = 92, room = width - left - right;
    const height = Math.max(160, Math.min(520, room * 0.8, Math.max(ny * 34, 160)));
    const across = Math.max(...x.labels.map((label) => pen.measureText(label).width)) + 8;
    return Object.assign(this.cells, { left, top: 10, wide: room / nx, tall: height / ny, room, height, width,
      xStep: Math.ceil(across / (room / nx)), yStep: Math.ceil(16 / (height / ny)) });
  },

  draw() {
    this.compute();
    this.layout();
    const { left, top, room, height, width } = this.cells, pen = Draw.open("map", width, height + 66);
    this.pen = pen;
    this.drawCells(pen);
    this.drawAxes(pen);
    this.drawScale(pen, left + room + 16, top, height);
    this.drawMarks(pen);
    this.say();
  },

  drawCells(pen) {
    const { nx, ny, value, count, empty } = this.cells, image = new ImageData(nx, ny);
    for (let k = 0; k < value.length; k++) {
      const at = 4 * ((ny - 1 - Math.floor(k / nx)) * nx + (k % nx));
      if (isNaN(value[k])) continue;
      image.data.set([...Draw.colour(this.part(value[k])), 255], at);
    }
    const small = new OffscreenCanvas(nx, ny);
    small.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    const { left, top, room, height, wide, tall } = this.cells;
    pen.strokeStyle = Draw.css("--line");
    pen.strokeRect(left - 0.5, top - 0.5, room + 1, height + 1);
    pen.drawImage(small, left, top, room, height);
    pen.strokeStyle = Draw.css("--dim");
    for (let k = 0; k < value.length; k++) // a cross: rows without a result
      if (count[k] === 0 && empty[k] > 0 && wide > 6 && tall > 6) {
        const [px, py] = this.corner(k), x = px + wide / 2, y = py + tall / 2, arm = Math.min(wide, tall) / 5;
        pen.beginPath();
        pen.moveTo(x - arm, y - arm); pen.lineTo(x + arm, y + arm);
        pen.moveTo(x + arm, y - arm); pen.lineTo(x - arm, y + arm);
        pen.stroke();
      }
  },

  corner(k) {
    const { nx, ny, left, top, wide, tall } = this.cells;
    return [left + (k % nx) * wide, top + (ny - 1 - Math.floor(k / nx)) * tall];
  },

  drawAxes(pen) {
    const { x, y, nx, ny, left, top, wide, tall, room, height, xStep, yStep } = this.cells;
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (let k = 0; k < nx; k += xStep) pen.fillText(x.labels[k], left + (k + 0.5) * wide, top + height + 6);
    pen.fillText(Draw.named(x) + (x.binned ? " (bins)" : ""), left + room / 2, top + height + 26);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let k = 0; k < ny; k += yStep) pen.fillText(Draw.fit(pen, y.labels[k], left - 32), left - 6, top + (ny - 1 - k + 0.5) * tall);
    pen.save();
    pen.translate(12, top + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(Draw.named(y) + (y.binned ? " (bins)" : ""), 0, 0);
    pen.restore();
  },

  drawScale(pen, left, top, height) {
    const { low, high, log, column, best } = this.cells;
    if (best < 0) return;
    for (let k = 0; k < height; k++) {
      pen.fillStyle = `rgb(${Draw.colour(1 - k / height)})`;
      pen.fillRect(left, top + k, 14, 1.5);
    }
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    const ticks = log ? [low, Math.sqrt(low * high), high] : Draw.ticks(low, high, 5);
    for (const v of high > low ? ticks : [low]) pen.fillText(Draw.short(v), left + 19, top + height * (1 - this.part(v)));
    pen.textAlign = "right";
    pen.textBaseline = "top";
    const name = State.reduce === "count" ? "rows" : Draw.named(column);
    pen.fillText(Draw.fit(pen, name + (log ? ", log scale" : ""), 200), this.cells.width - 4, top + height + 26);
  },

  // Frames: the best cell thick, equal cells thin, the cursor dashed.
  drawMarks(pen) {
    const { value, best, nx, wide, tall } = this.cells;
    pen.strokeStyle = "#ffffff";
    for (let k = 0; k < value.length && best >= 0; k++) {
      if (value[k] !== value[best]) continue;
      const [px, py] = this.corner(k), thick = k === best ? 3 : 1.2;
      pen.lineWidth = thick + 2;
      pen.strokeStyle = "#000000";
      pen.strokeRect(px + 1, py + 1, wide - 2, tall - 2);
      pen.lineWidth = thick;
      pen.strokeStyle = "#ffffff";
      pen.strokeRect(px + 1, py + 1, wide - 2, tall - 2);
    }
    pen.lineWidth = 2;
    if (document.activeElement === pen.canvas) {
      const [px, py] = this.corner(this.cursor[1] * nx + this.cursor[0]);
      pen.strokeStyle = "#d55e00";
      pen.setLineDash([4, 3]);
      pen.strokeRect(px + 1, py + 1, wide - 2, tall - 2);
      pen.setLineDash([]);
    }
    pen.lineWidth = 1;
  },

  say() {
    const { count, column, best, ties, value } = this.cells, note = [];
    if (State.kept()) note.push(`only rows with ${State.kept()}`);
    const used = count.filter((n) => n > 0), least = used.length ? used.reduce((a, b) => Math.min(a, b)) : 0;
    const most = used.reduce((a, b) => Math.max(a, b), 0);
    const over = Data.about.over.filter((name) => [State.x, State.y, ...State.held().map(([held]) => held)].includes(name));
    if (over.length) note.push(`the page has only the best rows over ${over.join(", ")}: at other values of ${over.length === 1 ? "it" : "them"} rows are missing`);
    if (best < 0) note.push("no row of these values has a result");
    else if (most > 1) note.push(`each cell combines ${least === most ? most : least + " to " + most} rows by ${State.reduce}`);
    if (State.reduce === "mean" && least !== most) note.push("means of cells with fewer rows are of other points: compare with care");
    if (State.log && !this.cells.log && best >= 0) note.push("linear scale: a value is 0 or less");
    if (best >= 0) note.push(`best ${Draw.short(value[best], 6)} ${column.unit}`.trim() + (ties > 1 ? ` in ${ties} equal cells` : ""));
    document.getElementById("map-note").textContent = note.join("; ");
  },

  at(event) {
    const { left, top, wide, tall, nx, ny } = this.cells, box = event.target.getBoundingClientRect();
    const i = Math.floor((event.clientX - box.left - left) / wide), j = ny - 1 - Math.floor((event.clientY - box.top - top) / tall);
    return i >= 0 && i < nx && j >= 0 && j < ny ? [i, j] : null;
  },

  // How many rows of a cell equal its row.
  tiesIn(k) {
    const { x, y, nx, row, column, tied } = this.cells;
    if (!tied.has(k)) {
      const best = column.numbers[row[k]], i = k % nx, j = (k - i) / nx;
      let n = 0;
      for (let r = 0; r < Data.rows; r++) if (x.codes[r] === i && y.codes[r] === j && column.numbers[r] === best && State.shows(r)) n++;
      tied.set(k, n);
    }
    return tied.get(k);
  },

  text(i, j) {
    const cells = this.cells, { x, y, nx, value, count, empty, row, column } = cells, k = j * nx + i;
    const head = `${x.name} = ${x.labels[i]}, ${y.name} = ${y.labels[j]}\n`;
    if (count[k] === 0) return head + (empty[k] > 0 ? `${empty[k]} rows without a result` : "no row");
    const body = State.reduce === "count" ? Draw.rows(count[k]) : `${State.reduce} ${column.name} ${Draw.short(value[k], 8)} ${column.unit} of ${Draw.rows(count[k])}`;
    const ties = this.tiesIn(k), which = ties > 1 ? `the first of ${ties} equal ${cells.higher ? "highest" : "lowest"} rows` : `the ${cells.higher ? "highest" : "lowest"} row`;
    return `${head}${body}\n${count[k] > 1 ? which + ": " : ""}row ${Data.number(row[k])}, ${Rows.words(row[k])}\n${Rows.command(row[k])}`;
  },

  listen() {
    const canvas = document.getElementById("map");
    canvas.addEventListener("mousemove", (event) => { const at = this.at(event); Draw.tip(event, at ? this.text(...at) : ""); });
    canvas.addEventListener("mouseleave", (event) => Draw.tip(event, ""));
    canvas.addEventListener("click", (event) => { const at = this.at(event); if (at) { this.cursor = at; this.pick(); } });
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key], { nx, ny } = this.cells;
      if (event.key === "Enter") return this.pick();
      if (!step) return;
      event.preventDefault();
      this.cursor = [Math.min(nx - 1, Math.max(0, this.cursor[0] + step[0])), Math.min(ny - 1, Math.max(0, this.cursor[1] + step[1]))];
      this.draw();
      document.getElementById("map-note").textContent = this.text(...this.cursor).split("\n").slice(0, 2).join(": ");
    });
  },

  pick() {
    const row = this.cells.row[this.cursor[1] * this.cells.nx + this.cursor[0]];
    if (row >= 0) selectRow(row);
  },
};
