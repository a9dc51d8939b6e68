// ---- state: what the page shows, kept in the address -------------------------------------------

const State = {
  x: "", y: "", value: "", reduce: "best", log: false,
  fixed: bare(), // parameter: label
  brush: bare(), // column: [low, high] as parts of its axis
  px: "", py: "", // columns of the Pareto front
  sort: "", down: false, each: false,
  row: -1, theme: "",
  mask: null, // rows at the fixed values and inside all brushes; null: all rows
  shown: 0, // their number

  defaults() {
    const about = Data.about, varying = Data.varying().map((c) => c.name), names = [...varying.filter((n) => !about.over.includes(n)), ...varying.filter((n) => about.over.includes(n))];
    const has = (name) => name && names.includes(name) && !about.over.includes(name);
    this.x = has(about.x) ? about.x : names[0] || Data.columns[0].name;
    const others = [...names, ...Data.columns.map((c) => c.name)].filter((n) => n !== this.x && n !== about.objective);
    this.y = has(about.y) && about.y !== this.x ? about.y : others[0] || this.x;
    this.value = about.objective;
    this.sort = about.objective;
    this.down = about.higher;
    this.px = this.py = about.objective;
  },

  // Reads the address; unknown names keep their defaults.
  read() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const key of ["x", "y", "value", "px", "py", "sort"]) if (Data.column(given.get(key))) this[key] = given.get(key);
    if (["best", "min", "max", "mean", "count"].includes(given.get("reduce"))) this.reduce = given.get("reduce");
    if (["dark", "light"].includes(given.get("theme"))) this.theme = given.get("theme");
    this.log = given.get("log") === "1";
    this.each = given.get("each") === "1";
    if (given.has("down")) this.down = given.get("down") === "1";
    if (given.has("row")) this.row = Math.min(Data.rows - 1, Math.max(-1, Number(given.get("row")) | 0));
    this.fixed = bare();
    this.brush = bare();
    for (const [key, text] of given) {
      const column = Data.column(key.slice(2));
      if (key.startsWith("f.") && column) this.fixed[column.name] = text;
      const range = text.split("~").map(Number);
      if (key.startsWith("b.") && column && range.length === 2 && range.every((v) => v >= 0 && v <= 1)) this.brush[column.name] = range;
    }
  },

  // The columns that decide which rows are shown, those of the map, and those of its sliders.
  wanted() {
    const names = [this.x, this.y, this.value, ...Object.keys(this.fixed), ...Object.keys(this.brush)];
    return [...names.map((name) => Data.column(name)), ...Data.parameters().filter((c) => c.numeric || c.labels.length > 200)];
  },

  write() {
    const said = new URLSearchParams();
    for (const key of ["x", "y", "value", "reduce", "px", "py", "sort"]) said.set(key, this[key]);
    if (this.log) said.set("log", "1");
    if (this.each) said.set("each", "1");
    said.set("down", this.down ? "1" : "0");
    if (this.theme) said.set("theme", this.theme);
    if (this.row >= 0) said.set("row", this.row);
    for (const name in this.fixed) said.set("f." + name, this.fixed[name]);
    for (const name in this.brush) said.set("b." + name, this.brush[name].map((v) => v.toFixed(4)).join("~"));
    history.replaceState(null, "", "#" + said);
  },

  // Where a row stands on the axis of a column, from 0 to 1; NaN: nowhere.
  place(column, row) {
    if (column.labels) return column.labels.length > 1 ? column.codes[row] / (column.labels.length - 1) : 0.5;
    Data.range(column);
    return column.high > column.low ? (column.numbers[row] - column.low) / (column.high - column.low) : column.numbers[row] * 0 + 0.5;
  },

  // The fixed parameters that are not on an axis of the map.
  held() {
    return Object.entries(this.fixed).filter(([name]) => name !== this.x && name !== this.y);
  },

  // Finds the rows at the fixed values and inside all brushes.
  select() {
    const held = this.held(), brushes = Object.entries(this.brush);
    this.mask = null;
    for (const [name, label] of held) {
      const axis = Data.axis(Data.column(name)), code = axis.labels.indexOf(label);
      if (code < 0) { delete this.fixed[name]; continue; }
      this.mask ??= new Uint8Array(Data.rows).fill(1);
      for (let i = 0; i < Data.rows; i++) if (axis.codes[i] !== code) this.mask[i] = 0;
    }
    for (const [name, [low, high]] of brushes) {
      const column = Data.column(name);
      this.mask ??= new Uint8Array(Data.rows).fill(1);
      for (let i = 0; i < Data.rows; i++) {
        const at = this.place(column, i);
        if (!(at >= low - 1e-9 && at <= high + 1e-9)) this.mask[i] = 0;
      }
    }
    this.shown = Data.rows;
    if (this.mask) { this.shown = 0; for (const one of this.mask) this.shown += one; }
  },

  // What keeps rows out of sight, in words.
  kept() {
    const brushed = Object.keys(this.brush).map((name) => `a range of ${name}`);
    return [...this.held().map(([name, label]) => `${name}=${label}`), ...brushed].join(", ");
  },

  shows(row) {
    return this.mask === null || this.mask[row] === 1;
  },

  count() {
    return this.mask === null ? Data.rows : this.shown;
  },
};
