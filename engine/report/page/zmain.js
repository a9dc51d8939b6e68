// ---- main: opens the page ----------------------------------------------------------------------

// Draws the map at once, then one part after another, so that the page answers meanwhile. A newer
// call ends an older one. The sliders of the map stay, so that they can be dragged.
let drawing = 0;
async function refresh(sliders = true) {
  const turn = ++drawing, parts = [Rows, Effects, Parallel, Pareto];
  const pause = () => new Promise((resume) => setTimeout(resume));
  await Data.want(State.wanted());
  if (turn !== drawing) return;
  State.select();
  if (sliders) HeatMap.controls();
  HeatMap.draw();
  State.write();
  document.documentElement.dataset.map ??= String(Math.round(performance.now()));
  for (const column of Data.columns) {
    if (!column.packed.done) await pause();
    if (turn !== drawing) return;
    await Data.want([column]);
    column.packed.done = true;
  }
  for (const part of parts) {
    await pause();
    if (turn !== drawing) return;
    part.draw();
  }
  document.documentElement.dataset.drawn = String(turn);
}

function drawAll() {
  State.select();
  for (const part of [HeatMap, Rows, Effects, Parallel, Pareto, Timeline]) part.draw();
}

function setTheme(theme) {
  State.theme = theme;
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").textContent = dark ? "Light" : "Dark";
}

function showAll() {
  State.fixed = bare();
  State.brush = bare();
  refresh();
}

// What the page holds, and everything that its numbers do not say.
function introduce() {
  const about = Data.about, notes = [];
  document.getElementById("about").textContent =
    `${about.kernel ? `${about.kernel} ${about.kernelVersion}: ${about.summary}; ` : ""}${Draw.rows(Data.rows)}, ranked by ${about.objective} (${about.higher ? "higher" : "lower"} is better)`;
  if (about.partial) notes.push(about.partial);
  if (about.reload) notes.push("this page shows new rows by itself");
  if (about.filters.length) notes.push("only rows with " + about.filters.join(" "));
  if (about.over.length) notes.push(`${Draw.count(about.total)} rows are too many: each row here is the best over ${about.over.join(", ")}; means and counts of ${about.objective} are of all rows, those of other columns of these rows only`);
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
  // Paper is white.
  addEventListener("beforeprint", () => { document.documentElement.dataset.theme = "light"; if (document.documentElement.dataset.drawn) drawAll(); });
  addEventListener("afterprint", () => { setTheme(State.theme); drawAll(); });
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => { refresh(); Timeline.draw(); }, 120); });
  addEventListener("hashchange", () => { State.read(); setTheme(State.theme); refresh(); selectRow(State.row); });
}

// The page of a run that goes on is written again; its address keeps the view.
function reloadLater() {
  let held = false;
  addEventListener("pointerdown", () => { held = true; });
  addEventListener("pointerup", () => { held = false; });
  const reload = () => (held ? setTimeout(reload, 500) : location.reload());
  if (Data.about.reload) setTimeout(reload, 1000 * Data.about.reload);
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
  const objective = Data.column(Data.about.objective);
  await Data.want([objective]);
  await Timeline.load();
  const shown = State.row >= 0 ? State.row : Rows.first(objective, Data.about.higher, 1, () => true)[0];
  if (shown !== undefined) selectRow(shown);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  reloadLater();
}

open_page();
