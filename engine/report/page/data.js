// ---- data: unpacks the columns of the page -----------------------------------------------------

const Data = {
  about: null, // the description
  columns: [], // {name, unit, role, goal, labels, codes} or {..., numbers, digits}
  rows: 0,
  timelines: [],

  async inflate(id) {
    const element = document.getElementById(id);
    const packed = await (await fetch("data:application/octet-stream;base64," + element.textContent)).blob();
    element.remove();
    return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  },

  async load() {
    this.about = JSON.parse(document.getElementById("description").textContent);
    this.rows = this.about.rows;
    const bytes = new Uint8Array(await this.inflate("data"));
    this.columns = this.about.columns.map((column) => this.read(column, bytes));
    this.numbers = this.about.rowNumbers ? this.read(this.about.rowNumbers, bytes).numbers : null;
    this.timelines = JSON.parse(new TextDecoder().decode(await this.inflate("timelines")));
  },

  // Byte k of row i stands at k rows + i.
  whole(bytes, at, width) {
    const n = this.rows, codes = width === 1 ? new Uint8Array(n) : width === 2 ? new Uint16Array(n) : new Uint32Array(n);
    for (let k = 0; k < width; k++) {
      const factor = 2 ** (8 * k), from = at + k * n;
      for (let i = 0; i < n; i++) codes[i] += bytes[from + i] * factor;
    }
    return codes;
  },

  read(column, bytes) {
    const read = { name: column.name, unit: column.unit, role: column.role, goal: column.goal };
    if (column.form === "scaled") return Object.assign(read, this.scaled(column, bytes));
    if (column.form === "double") return Object.assign(read, { digits: -1, numbers: this.doubles(column, bytes) });
    const codes = column.form === "grid" ? this.grid(column) : this.whole(bytes, column.at, column.width);
    return Object.assign(read, this.sorted(column.labels, codes));
  },

  grid(column) {
    const n = this.rows, codes = column.count < 256 ? new Uint8Array(n) : new Uint32Array(n);
    for (let i = 0, code = 0; i < n; code = (code + 1) % column.count)
      for (const end = Math.min(i + column.stride, n); i < end; i++) codes[i] = code;
    return codes;
  },

  scaled(column, bytes) {
    const codes = this.whole(bytes, column.at, column.width), numbers = new Float64Array(this.rows);
    const empty = 256 ** column.width - 1, scale = 10 ** column.digits;
    for (let i = 0; i < numbers.length; i++)
      numbers[i] = codes[i] === empty ? NaN : (column.least + codes[i]) / scale;
    return { digits: column.digits, numbers };
  },

  doubles(column, bytes) {
    const n = this.rows, mixed = new Uint8Array(8 * n);
    for (let k = 0; k < 8; k++) for (let i = 0; i < n; i++) mixed[8 * i + k] = bytes[column.at + k * n + i];
    return new Float64Array(mixed.buffer);
  },

  // Sorts labels: numbers in ascending order, then names.
  sorted(labels, codes) {
    const order = labels.map((_, i) => i), number = labels.map((label) => (label === "" ? NaN : Number(label)));
    order.sort((a, b) => {
      const numeric = Number(isNaN(number[a])) - Number(isNaN(number[b]));
      if (numeric !== 0) return numeric;
      return isNaN(number[a]) ? (labels[a] < labels[b] ? -1 : 1) : number[a] - number[b];
    });
    const place = new Uint32Array(labels.length);
    order.forEach((old, now) => (place[old] = now));
    for (let i = 0; i < codes.length; i++) codes[i] = place[codes[i]];
    return { labels: order.map((i) => labels[i]), codes };
  },

  column(name) {
    return this.columns.find((column) => column.name === name);
  },

  // The number of a row in the file.
  number(row) {
    return this.numbers ? this.numbers[row] : row + 1;
  },

  text(column, row) {
    if (column.labels) return column.labels[column.codes[row]];
    const value = column.numbers[row];
    return isNaN(value) ? "" : column.digits >= 0 ? value.toFixed(column.digits) : String(value);
  },

  // A column as an axis of bins: its labels, or ranges of its numbers.
  axis(column, most = 40) {
    if (column.labels) return column;
    if (column.bins) return column.bins;
    let low = Infinity, high = -Infinity;
    for (const value of column.numbers) if (value < low) low = value;
    for (const value of column.numbers) if (value > high) high = value;
    const step = (high - low) / most || 1, codes = new Uint16Array(this.rows);
    for (let i = 0; i < codes.length; i++)
      codes[i] = isNaN(column.numbers[i]) ? most : Math.min(most - 1, Math.floor((column.numbers[i] - low) / step));
    const labels = Array.from({ length: most }, (_, k) => Number((low + (k + 0.5) * step).toPrecision(3)).toString());
    column.bins = { name: column.name, unit: column.unit, labels: [...labels, ""], codes, binned: true };
    return column.bins;
  },

  varying() {
    return this.columns.filter((c) => c.role === "parameter" && (c.labels ? c.labels.length > 1 : true));
  },

  measured() {
    return this.columns.filter((c) => c.numbers && c.role !== "parameter");
  },

  // Whether higher values of a column are better.
  higher(column) {
    return column.name === this.about.objective ? this.about.higher : column.goal === "higher";
  },
};
