// ---- rows: the selected row, and the best rows -------------------------------------------------

const Rows = {
  shown: 100,

  quoted(word) {
    return /^[\w./:=,+-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
  },

  command(row) {
    const about = Data.about;
    if (!about.traces || about.path === "-") return `${about.path}, row ${Data.number(row)}`;
    return `ppsweep trace ${this.quoted(about.path)} --row ${Data.number(row)} -o row${Data.number(row)}.svg`;
  },

  words(row) {
    return Data.varying().map((c) => `${c.name}=${Data.text(c, row)}`).join(" ");
  },

  // Rows in the order of a column, at most `most`: a heap of the best so far, the worst on top.
  first(column, down, most, shows) {
    const key = column.labels ? column.codes : column.numbers, sign = down ? -1 : 1;
    const less = (a, b) => { const d = sign * (key[a] - key[b]); return d !== 0 ? d < 0 : a < b; };
    const heap = [];
    const sift = (i) => {
      for (let child; (child = 2 * i + 1) < heap.length; i = child) {
        if (child + 1 < heap.length && less(heap[child], heap[child + 1])) child++;
        if (!less(heap[i], heap[child])) return;
        [heap[i], heap[child]] = [heap[child], heap[i]];
      }
    };
    for (let row = 0; row < Data.rows; row++) {
      if (!shows(row) || Number.isNaN(key[row])) continue;
      if (heap.length < most) {
        heap.push(row);
        for (let i = heap.length - 1, up; i > 0 && less(heap[(up = (i - 1) >> 1)], heap[i]); i = up) [heap[i], heap[up]] = [heap[up], heap[i]];
      } else if (less(row, heap[0])) {
        heap[0] = row;
        sift(0);
      }
    }
    return heap.sort((a, b) => (less(a, b) ? -1 : 1));
  },

  // The best row of every amount of work.
  bestOfEach(column, down) {
    const { codes } = Data.combinations(Data.work(column)), best = new Map();
    for (let row = 0; row < Data.rows; row++) {
      const v = column.numbers ? column.numbers[row] : column.codes[row];
      if (!State.shows(row) || Number.isNaN(v)) continue;
      const key = codes[row], before = best.get(key), known = before === undefined ? NaN : column.numbers ? column.numbers[before] : column.codes[before];
      if (before === undefined || (down ? v > known : v < known)) best.set(key, row);
    }
    return [...best.values()].slice(0, this.shown);
  },

  ties(column, row) {
    const key = column.numbers || column.codes;
    let n = 0;
    for (let i = 0; i < Data.rows; i++) if (key[i] === key[row] && State.shows(i)) n++;
    return n;
  },

  without(column) {
    let n = 0;
    for (let i = 0; column.numbers && i < Data.rows; i++) if (Number.isNaN(column.numbers[i]) && State.shows(i)) n++;
    return n;
  },

  draw() {
    const column = Data.column(State.sort), work = Data.work(column).map((c) => c.name).filter((name) => !State.held().some(([held]) => held === name));
    const each = make("input", { type: "checkbox", id: "each", checked: State.each, onchange: (e) => { State.each = e.target.checked; this.draw(); State.write(); } });
    document.getElementById("best-controls").replaceChildren(...(work.length ? [make("label", {}, each, "the best of each " + work.join(", "))] : []));
    const rows = State.each && work.length ? this.bestOfEach(column, State.down) : this.first(column, State.down, this.shown, (i) => State.shows(i));
    this.table(rows);
    const kept = State.kept();
    const note = [`${Draw.count(State.count())} of ${Draw.rows(Data.rows)}${kept ? ` (only ${kept})` : ""}, sorted by ${column.name}, ${State.down ? "highest" : "lowest"} first`];
    const without = this.without(column);
    if (without > 0) note.push(`${Draw.count(without)} ha${without === 1 ? "s" : "ve"} no value of it and ${without === 1 ? "is" : "are"} not listed`);
    if (rows.length === this.shown) note.push(`the first ${this.shown}`);
    const ties = rows.length ? this.ties(column, rows[0]) : 0;
    if (ties > 1 && !State.each) note.push(`${Draw.count(ties)} rows have the first value`);
    if (work.length && !State.each) note.push(`rows of different ${work.join(", ")} do different amounts of work`);
    document.getElementById("best-note").textContent = note.join("; ");
  },

  table(rows) {
    const varies = Data.columns.filter((c) => (c.labels ? c.labels.length > 1 : true));
    const key = Data.column(State.sort), first = [Data.column(Data.about.objective), key];
    const columns = [...new Set([...first, ...varies.filter((c) => c.role === "parameter"), ...varies])];
    const head = make("tr", {}, ...[make("th", { scope: "col" }, "row"), ...columns.map((c) => this.head(c))]);
    const body = rows.map((row) => make("tr", { "aria-selected": row === State.row ? "true" : "false", tabindex: 0, "data-row": row,
      onclick: () => selectRow(row), onkeydown: (e) => this.key(e, row) },
      make("td", {}, String(Data.number(row))), ...columns.map((c) => make("td", {}, Data.text(c, row)))));
    document.getElementById("best").replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
  },

  // Enter selects a row of the table; the arrow keys go to the next one.
  key(event, row) {
    const next = { ArrowDown: event.currentTarget.nextSibling, ArrowUp: event.currentTarget.previousSibling }[event.key];
    if (event.key === "Enter") selectRow(row);
    if (!next) return;
    event.preventDefault();
    next.focus();
  },

  head(column) {
    const arrow = column.name === State.sort ? (State.down ? " ▼" : " ▲") : "";
    const sort = () => {
      State.down = column.name === State.sort ? !State.down : column.numbers ? Data.higher(column) : false;
      State.sort = column.name;
      this.draw();
      State.write();
    };
    return make("th", { scope: "col", tabindex: 0, title: "sort by " + Draw.named(column), onclick: sort,
      onkeydown: (e) => { if (e.key === "Enter") sort(); } }, column.name + arrow);
  },

  selected() {
    const place = document.getElementById("row"), row = State.row;
    if (row < 0) return;
    const cells = Data.columns.map((c) => make("div", {}, make("dt", {}, Draw.named(c)), make("dd", {}, Data.text(c, row) || "none")));
    const stands = Data.standsFor ? `, the best of ${Draw.rows(Data.standsFor[row])} with a value` : "";
    place.replaceChildren(make("p", {}, `row ${Data.number(row)}${stands}`), make("dl", {}, ...cells), make("code", { id: "row-command" }, this.command(row)));
    for (const line of document.querySelectorAll("#best tbody tr")) line.setAttribute("aria-selected", line.dataset.row === String(row) ? "true" : "false");
  },
};

// Shows a row. Cells of columns that are still packed follow.
async function selectRow(row) {
  if (row < 0) return;
  State.row = row;
  Rows.selected();
  Timeline.choose(Data.number(row));
  State.write();
  if (Data.columns.every((c) => c.packed.done)) return;
  await Data.want(Data.columns);
  if (State.row === row) Rows.selected();
}
