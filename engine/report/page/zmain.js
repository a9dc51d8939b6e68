// ---- main: opens the page ----------------------------------------------------------------------

// Draws the map at once, then one part after another, so that the page answers meanwhile.
let drawing = 0;
function refresh() {
  const turn = ++drawing;
  HeatMap.controls();
  HeatMap.draw();
  State.write();
  const parts = [() => Rows.draw(), () => Effects.draw(), () => Parallel.draw(), () => { Pareto.controls(); Pareto.draw(); }];
  const next = () => {
    if (turn !== drawing) return;
    if (parts.length === 0) return (document.documentElement.dataset.drawn = String(turn));
    parts.shift()();
    setTimeout(next);
  };
  setTimeout(next);
}

function setTheme(theme) {
  State.theme = theme;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").textContent = dark ? "Light" : "Dark";
}

function showAll() {
  State.fixed = {};
  State.brush = {};
  State.select();
  refresh();
}

// What the page holds, and everything that its numbers do not say.
function introduce() {
  const about = Data.about, notes = [];
  document.getElementById("about").textContent =
    `${about.kernel ? `${about.kernel} ${about.kernelVersion}: ${about.summary}; ` : ""}${Data.rows.toLocaleString("en")} rows, ranked by ${about.objective} (${about.higher ? "higher" : "lower"} is better)`;
  if (about.partial) notes.push(about.partial);
  if (about.filters.length) notes.push("only rows with " + about.filters.join(" "));
  if (about.over.length) notes.push(`${about.total.toLocaleString("en")} rows are too many: each row here is the best over ${about.over.join(", ")}; means and counts are of these rows`);
  document.getElementById("notes").textContent = notes.join("; ");
  document.getElementById("command").textContent = about.command;
  document.getElementById("manifest").textContent = about.manifest || "no manifest";
}

function listen() {
  for (const part of [HeatMap, Parallel, Pareto, Timeline]) part.listen();
  const toggle = () => { setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"); refresh(); Timeline.draw(); };
  document.getElementById("theme").addEventListener("click", toggle);
  document.getElementById("clear").addEventListener("click", showAll);
  document.getElementById("print").addEventListener("click", () => print());
  addEventListener("keydown", (event) => {
    if (/^(INPUT|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "d") toggle();
    if (event.key === "p") print();
    if (event.key === "Escape") showAll();
  });
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => { refresh(); Timeline.draw(); }, 120); });
  addEventListener("hashchange", () => { State.read(); setTheme(State.theme); refresh(); if (State.row >= 0) selectRow(State.row); });
}

async function open_page() {
  try {
    await Data.load();
  } catch (error) {
    document.getElementById("notes").textContent = `The data of this page cannot be read (${error.message}); it needs a browser of 2023 or later.`;
    return;
  }
  State.defaults();
  State.read();
  setTheme(State.theme);
  introduce();
  listen();
  refresh();
  document.documentElement.dataset.map = String(Math.round(performance.now()));
  const shown = State.row >= 0 ? State.row : Rows.first(Data.column(Data.about.objective), Data.about.higher, 1, () => true)[0];
  if (shown !== undefined) selectRow(shown);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

open_page();
