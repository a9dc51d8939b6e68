// ---- data: unpacks the columns of the page -----------------------------------------------------

const Data = {
  about: null, // the description
  columns: [], // {name, unit, role, goal, labels, codes} or {..., numbers, digits}
  rows: 0,
  timelines: [],
  numbers: null, // of rows in the file, unless they are 1, 2, 3 ...
  standsFor: null, // of combined rows: how many rows each stands for, and
  sum: null, // the sum of their objectives

  async inflate(id) {
    const element = document.getElementById(id);
    const packed = await (await fetch("data:application/octet-stream;base64," + element.textContent)).blob();
    element.remove();
    return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  },

  // Reads the description. Columns are unpacked when they are wanted.
  async load() {
    this.about = JSON.parse(document.getElementById("description").textContent);
    this.rows = this.about.rows;
    this.columns = this.about.columns.map((column) => this.known(column));
    this.numbers = await this.hidden(this.about.rowNumbers);
    this.standsFor = await this.hidden(this.about.standsFor);
    this.sum = await this.hidden(this.about.sum);
  },

  // A column without its cells.
  known(packed) {
    const column = { name: packed.name, unit: packed.unit, role: packed.role, goal: packed.goal, work: packed.work || [], packed, numeric: !packed.labels };
    if (packed.labels) Object.assign(column, this.sorted(packed.labels));
    column.measures = column.numeric && column.role !== "parameter";
    // Without a kernel any column of numbers may be a result.
    if (!column.numeric && !this.about.kernel && column.labels.length > 1 && column.labels.every((label) => label === "" || !isNaN(label))) column.measures = true;
    return column;
  },

  // Numbers of rows that are no column of the result.
  async hidden(packed) {
    if (!packed) return null;
    const column = { packed, numeric: true };
    await this.fill(column);
    return column.numbers;
  },

  // Unpacks columns; those that are unpacked already cost nothing.
  async want(columns) {
    for (const column of columns) await (column.filling ??= this.fill(column));
  },

  async fill(column) {
    const packed = column.packed, bytes = packed.data < 0 ? null : new Uint8Array(await this.inflate("data-" + packed.data));
    if (packed.form === "scaled") Object.assign(column, this.scaled(packed, bytes));
    else if (packed.form === "double") Object.assign(column, { digits: -1, numbers: this.doubles(bytes) });
    else {
      column.codes = packed.form === "grid" ? this.grid(packed) : this.whole(bytes, packed.width);
      for (let i = 0; i < column.codes.length; i++) column.codes[i] = column.place[column.codes[i]];
      if (column.measures) {
        const values = column.labels.map((label) => (label === "" ? NaN : Number(label)));
        column.numbers = Float64Array.from(column.codes, (code) => values[code]);
      }
    }
  },

  // Byte k of row i stands at k rows + i.
  whole(bytes, width) {
    const n = this.rows, codes = width === 1 ? new Uint8Array(n) : width === 2 ? new Uint16Array(n) : new Uint32Array(n);
    for (let k = 0; k < width; k++) {
      const factor = 2 ** (8 * k), from = k * n;
      for (let i = 0; i < n; i++) codes[i] += bytes[from + i] * factor;
    }
    return codes;
  },

  grid(column) {
    const n = this.rows, codes = column.count < 256 ? new Uint8Array(n) : new Uint32Array(n);
    for (let i = 0, code = 0; i < n; code = (code + 1) % column.count)
      for (const end = Math.min(i + column.stride, n); i < end; i++) codes[i] = code;
    return codes;
  },

  scaled(column, bytes) {
    const codes = this.whole(bytes, column.width), numbers = new Float64Array(this.rows);
    const empty = 256 ** column.width - 1, scale = 10 ** column.digits;
    for (let i = 0; i < numbers.length; i++)
      numbers[i] = codes[i] === empty ? NaN : (column.least + codes[i]) / scale;
    return { digits: column.digits, numbers };
  },

  doubles(bytes) {
    const n = this.rows, mixed = new Uint8Array(8 * n);
    for (let k = 0; k < 8; k++) for (let i = 0; i < n; i++) mixed[8 * i + k] = bytes[k * n + i];
    return new Float64Array(mixed.buffer);
  },

  // Sorts labels: numbers in ascending order, then names. place[old code] is the new code.
  sorted(labels) {
    const order = labels.map((_, i) => i), number = labels.map((label) => (label === "" ? NaN : Number(label)));
    order.sort((a, b) => {
      const numeric = Number(isNaN(number[a])) - Number(isNaN(number[b]));
      if (numeric !== 0) return numeric;
      return isNaN(number[a]) ? (labels[a] < labels[b] ? -1 : 1) : number[a] - number[b];
    });
    const place = new Uint32Array(labels.length);
    order.forEach((old, now) => (place[old] = now));
    return { labels: order.map((i) => labels[i]), place };
  },

  column(name) {
    return this.columns.find((column) => column.name === name);
  },

  // The number of a row in the file.
  number(row) {
    return this.numbers ? this.numbers[row] : row + 1;
  },

  text(column, row) {
    if (!column.codes && !column.numbers) return "..."; // not unpacked yet
    if (column.labels) return column.labels[column.codes[row]];
    const value = column.numbers[row];
    return isNaN(value) ? "" : column.digits >= 0 ? value.toFixed(column.digits) : String(value);
  },

  // A column as an axis: its labels, ranges of very many labels, or ranges of its numbers.
  axis(column, most = 40, manyLabels = 200) {
    if (column.labels && column.labels.length <= manyLabels) return column;
    if (column.bins) return column.bins;
    if (column.labels) return (column.bins = this.ranges(column, Math.ceil(column.labels.length / manyLabels)));
    const [low, high] = this.range(column), step = (high - low) / most || 1, codes = new Uint16Array(this.rows);
    for (let i = 0; i < codes.length; i++)
      codes[i] = isNaN(column.numbers[i]) ? most : Math.min(most - 1, Math.floor((column.numbers[i] - low) / step));
    let labels;
    for (let digits = 3; digits <= 12; digits++) {
      labels = Array.from({ length: most }, (_, k) => String(Number((low + (k + 0.5) * step).toPrecision(digits))));
      if (new Set(labels).size === most) break;
    }
    column.bins = { name: column.name, unit: column.unit, labels: codes.includes(most) ? [...labels, ""] : labels, codes, binned: true };
    return column.bins;
  },

  // Ranges of `size` labels that follow each other.
  ranges(column, size) {
    const labels = [], codes = Uint16Array.from(column.codes, (code) => code / size);
    for (let k = 0; k < column.labels.length; k += size) labels.push(`${column.labels[k]} to ${column.labels[Math.min(k + size, column.labels.length) - 1]}`);
    return { name: column.name, unit: column.unit, labels, codes, binned: true };
  },

  // The least and the greatest number of a column.
  range(column) {
    if (column.low === undefined) {
      let low = Infinity, high = -Infinity;
      for (const v of column.numbers) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
      Object.assign(column, { low, high });
    }
    return [column.low, column.high];
  },

  parameters() {
    return this.columns.filter((c) => c.role === "parameter");
  },

  varying() {
    return this.parameters().filter((c) => c.numeric || c.labels.length > 1);
  },

  // The varying parameters that change what these columns are worth. Rows that differ in them do not compete. A
  // parameter is ranked as the objective is.
  work(...columns) {
    const matters = new Set(columns.flatMap((c) => (c.role === "parameter" ? this.about.work : c.work)));
    return this.varying().filter((c) => matters.has(c.name));
  },

  // Numbers the combinations of values of columns as they first appear: a code for each row, the first row of each
  // combination.
  combinations(columns) {
    const codes = new Uint32Array(this.rows);
    let n = 1, first = [0];
    for (const column of columns) {
      const values = new Map(), seen = new Map(), key = column.labels ? column.codes : column.numbers, before = n;
      first = [];
      for (let i = 0; i < codes.length; i++) {
        if (!values.has(key[i])) values.set(key[i], values.size);
        const pair = codes[i] + before * values.get(key[i]);
        if (!seen.has(pair)) { seen.set(pair, seen.size); first.push(i); }
        codes[i] = seen.get(pair);
      }
      n = seen.size;
    }
    return { codes, first };
  },

  measured() {
    return this.columns.filter((c) => c.measures);
  },

  // Of a page of combined rows: for how many rows each stands, where that is known.
  combined(column) {
    return this.standsFor && column.name === this.about.objective ? { counts: this.standsFor, sums: this.sum } : null;
  },

  // Whether higher values of a column are better.
  higher(column) {
    return column.name === this.about.objective ? this.about.higher : column.goal === "higher";
  },
};
