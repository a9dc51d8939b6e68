// Opens pages in headless Chromium and compares what they show with what ppsweep printed.
"use strict";
const { chromium } = require("playwright-core");
const fs = require("fs");
const assert = require("assert");
const folder = process.argv[2];
const noise = [];

// A matrix of `ppsweep slice`: {x label: {y label: value}}.
function matrix(file) {
  const lines = fs.readFileSync(`${folder}/${file}`, "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
  const xs = lines[0].split(" ").slice(1), cells = {};
  for (const line of lines.slice(1)) {
    const [y, ...values] = line.split(" ");
    values.forEach((value, k) => ((cells[xs[k]] ??= {})[y] = value === "NaN" ? null : Number(value)));
  }
  return cells;
}

// The cells of the map that a page shows.
const shown = (page) => page.evaluate(() => {
  const { x, y, nx, ny, value } = HeatMap.cells, cells = {};
  for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++)
    (cells[x.labels[i]] ??= {})[y.labels[j]] = isNaN(value[j * nx + i]) ? null : value[j * nx + i];
  return cells;
});

function same(got, expected, digits) {
  const round = (v) => (v === null ? null : Number(v.toFixed(digits)));
  for (const x in expected) for (const y in expected[x])
    assert.strictEqual(round(got[x][y]), round(expected[x][y]), `cell ${x}, ${y}`);
  assert.deepStrictEqual(Object.keys(got).sort(), Object.keys(expected).sort());
}

async function open(browser, name, hash = "", width = 1280) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  page.on("console", (message) => noise.push(`${name}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`${name}: ${error.message}`));
  page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) noise.push(`${name}: asked the network for ${request.url()}`); });
  await page.goto(`file://${folder}/${name}.html${hash}`);
  await settled(page);
  return page;
}

const settled = (page) => page.waitForFunction(() => document.documentElement.dataset.drawn === String(drawing), null, { timeout: 20000 });

async function slide(page, name, label) {
  await page.evaluate(([name, label]) => {
    const range = document.getElementById("fix-" + name);
    range.value = Data.column(name).labels.indexOf(label) + 1;
    range.dispatchEvent(new Event("input"));
  }, [name, label]);
}

async function center(page, i, j) {
  return page.evaluate(([i, j]) => {
    const [x, y] = HeatMap.corner(j * HeatMap.cells.nx + i), box = document.getElementById("map").getBoundingClientRect();
    return [box.left + x + HeatMap.cells.wide / 2, box.top + y + HeatMap.cells.tall / 2];
  }, [i, j]);
}

const tests = {
  async "a map with two sliders equals slice"(browser) {
    const page = await open(browser, "grid");
    await slide(page, "n", "8");
    await slide(page, "sync_freq", "1");
    await page.selectOption("#choose-value", "total_time");
    await slide(page, "sync_freq", "1");
    same(await shown(page), matrix("slice.dat"), 4);
    await page.close();
  },

  async "means over all other parameters equal slice"(browser) {
    const page = await open(browser, "grid", "#reduce=mean");
    same(await shown(page), matrix("mean.dat"), 6);
    assert.match(await page.textContent("#map-note"), /combines .* rows by mean/);
    await page.close();
  },

  async "a click selects the best row of a cell, and its timeline"(browser) {
    const page = await open(browser, "grid");
    const best = await page.evaluate(() => { const { best, nx } = HeatMap.cells; return [best % nx, Math.floor(best / nx)]; });
    await page.mouse.click(...(await center(page, ...best)));
    const row = await page.evaluate(() => State.row), value = await page.evaluate(() => HeatMap.cells.low);
    assert.strictEqual(await page.evaluate((row) => Data.column("total_time").numbers[row], row), value);
    assert.match(await page.textContent("#row-command"), /^ppsweep trace .*grid\.csv\.gz --row \d+ -o row\d+\.svg$/);
    assert.ok(await page.isVisible("#timeline"));
    const ends = await page.evaluate(() => Data.timelines.map((t) => [t.end, Data.column("total_time").numbers[t.row - 1], t.baseline]));
    for (const [end, time, baseline] of ends) if (!baseline) assert.ok(Math.abs(end - time) < 1e-3, `timeline ends at ${end}, row at ${time}`);
    assert.ok(ends.some(([, , baseline]) => baseline), "a timeline of the baseline");
    await page.close();
  },

  async "a part of a timeline fills its width, by the mouse and by keys"(browser) {
    const page = await open(browser, "grid");
    await page.evaluate(() => { selectRow(Data.timelines[0].row - 1); document.getElementById("timeline").scrollIntoView(); });
    const box = await page.locator("#timeline").boundingBox(), { left, room, end } = await page.evaluate(() => Timeline.plot);
    const all = await page.evaluate(() => Timeline.boxes.length);
    await page.mouse.move(box.x + left + room / 4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + left + room / 2, box.y + 40);
    await page.mouse.up();
    const { view, shown, wide } = await page.evaluate(() => ({ view: Timeline.view, shown: Timeline.boxes.length, wide: Timeline.boxes.every(([x, , w]) => x >= Timeline.plot.left && x + w <= Timeline.plot.left + Timeline.plot.room + 0.51) }));
    assert.ok(Math.abs(view[0] - end / 4) < end / 50 && Math.abs(view[1] - end / 2) < end / 50, `${view} of ${end}`);
    assert.ok(shown > 0 && shown < all && wide, `${shown} of ${all}`);
    assert.match(await page.textContent("#timeline-note"), /^from [\d.]+ to [\d.]+ of [\d.]+; a double click or 0 shows all/);
    await page.focus("#timeline");
    await page.keyboard.press("+");
    const half = await page.evaluate(() => Timeline.view[1] - Timeline.view[0]);
    assert.ok(Math.abs(half - (view[1] - view[0]) / 2) < 1e-9 * end);
    for (const key of ["-", "-", "-"]) await page.keyboard.press(key);
    assert.deepStrictEqual(await page.evaluate(() => [Timeline.view, Timeline.boxes.length]), [null, all]);
    await page.close();
  },

  // A lane of compute does 256 forwards of 1 and backwards of 2; the last cell may be shorter.
  async "a timeline of too many tasks shows how busy the lanes are"(browser) {
    const page = await open(browser, "long");
    await page.evaluate(() => Timeline.open(0));
    const { work, lanes, end, width } = await page.evaluate(() => {
      const t = Data.timelines[0], n = (3 * t.cells.percent.length) / t.lanes.length;
      return { work: t.cells.percent.slice(0, n).reduce((sum, v) => sum + v, 0) / 100 * t.cells.width, lanes: t.lanes.slice(0, 6), end: t.end, width: t.cells.width };
    });
    assert.deepStrictEqual(lanes, [0, 0, 0, 0, 1, 0]);
    assert.ok(Math.abs(work - 768) < width + 0.01 * end, `work ${work}, width ${width}`);
    assert.match(await page.textContent("#timeline-note"), /row 1: [\d\u00a0]+ tasks are too many to draw, so the picture shows the utilisation of each lane, as the mean over \d+/);
    await page.close();
  },

  async "hovering shows the row and its command"(browser) {
    const page = await open(browser, "grid");
    await page.mouse.move(...(await center(page, 1, 1)));
    assert.match(await page.textContent("#tip"), /best total_time .* of \d+ rows\n.*\nppsweep trace/);
    await page.close();
  },

  async "the keyboard moves a cursor and selects"(browser) {
    const page = await open(browser, "grid");
    await page.focus("#map");
    for (const key of ["ArrowRight", "ArrowUp", "ArrowRight", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    assert.deepStrictEqual(await page.evaluate(() => HeatMap.cursor), [2, 0]);
    assert.strictEqual(await page.evaluate(() => State.row), await page.evaluate(() => HeatMap.cells.row[2]));
    await page.close();
  },

  async "a brush keeps the rows in its range, in all parts"(browser) {
    const page = await open(browser, "grid");
    await page.locator("#parallel").scrollIntoViewIfNeeded();
    const [x, low, high] = await page.evaluate(() => {
      const k = Parallel.shown.findIndex((c) => c.name === "n"), box = document.getElementById("parallel").getBoundingClientRect();
      return [box.left + Parallel.left + k * Parallel.gap, box.top + Parallel.y(0.6), box.top + Parallel.y(1)];
    });
    await page.mouse.move(x, low);
    await page.mouse.down();
    await page.mouse.move(x, high, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const [kept, all] = await page.evaluate(() => [State.count(), Data.rows]);
    assert.strictEqual(kept, all / 2);
    assert.match(await page.textContent("#best-note"), new RegExp(`^${kept} of ${all} rows`));
    assert.ok((await page.$$eval("#best tbody tr", (rows) => rows.map((row) => row.textContent))).length > 0);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.strictEqual(await page.evaluate(() => State.count()), all);
    await page.close();
  },

  async "the table sorts, and says ties"(browser) {
    const page = await open(browser, "grid");
    const first = () => page.$eval("#best tbody tr", (row) => Number(row.dataset.row));
    const lowest = await page.evaluate(() => Data.column("total_time").numbers.reduce((a, b) => Math.min(a, b)));
    assert.strictEqual(await page.evaluate((row) => Data.column("total_time").numbers[row], await first()), lowest);
    await page.click("#best th:has-text('total_time')");
    const highest = await page.evaluate(() => Data.column("total_time").numbers.reduce((a, b) => Math.max(a, b)));
    assert.strictEqual(await page.evaluate((row) => Data.column("total_time").numbers[row], await first()), highest);
    await page.check("#each");
    assert.strictEqual((await page.$$("#best tbody tr")).length, 2);
    await page.close();
  },

  async "the Pareto front has no beaten row"(browser) {
    const page = await open(browser, "grid", "#px=total_time&py=exposed_comm");
    const beaten = await page.evaluate(() => {
      const x = Data.column("total_time").numbers, y = Data.column("exposed_comm").numbers, work = Data.column("n").codes;
      let n = 0;
      for (const f of Pareto.points) for (let i = 0; i < Data.rows; i++) n += work[i] === work[f] && x[i] <= x[f] && y[i] <= y[f] && (x[i] < x[f] || y[i] < y[f]);
      return Pareto.points.length > 0 ? n : -1;
    });
    assert.strictEqual(beaten, 0);
    await page.close();
  },

  // Catches one front over rows that do different amounts of work, where the smallest n beats all others.
  async "the Pareto fronts are those of top"(browser) {
    const page = await open(browser, "grid", "#px=total_time&py=exposed_comm");
    const cells = (text) => text.trim().split("\n").map((line) => line.split(",")), [head, ...lines] = cells(fs.readFileSync(`${folder}/fronts.csv`, "utf8"));
    const name = head.map((column) => column.trim()), expected = lines.map((line) => ["n", "total_time", "exposed_comm"].map((c) => Number(line[name.indexOf(c)])).join(" "));
    const got = await page.evaluate(() => Pareto.points.map((row) => ["n", "total_time", "exposed_comm"].map((c) => Number(Data.text(Data.column(c), row))).join(" ")));
    assert.deepStrictEqual(got.sort(), expected.sort());
    assert.strictEqual(await page.evaluate(() => Pareto.fronts.length), 2);
    assert.match(await page.textContent("#pareto-note"), /2 fronts: rows of different n do different amounts of work/);
    if (process.env.PPS_SHOTS) await page.screenshot({ path: `${process.env.PPS_SHOTS}/fronts.png`, fullPage: true });
    await page.close();
  },

  // Catches tasks that share a port and are painted over each other.
  async "tasks that overlap stand on lanes of their own, as high as their rates"(browser) {
    const page = await open(browser, "grid", "#f.n=8");
    const row = await page.evaluate(() => { const row = Data.timelines.find((t) => t.baseline).row; selectRow(row - 1); return row; });
    const [boxes, covered, slots, rates] = await page.evaluate(() => {
      const boxes = Timeline.boxes, F = Timeline.FIELDS, t = Timeline.pair()[1];
      let covered = 0;
      for (let i = 0; i < t.pieces.length; i += F) for (let k = 0; k < i; k += F)
        covered += t.pieces[i] === t.pieces[k] && t.pieces[i + 3] < t.pieces[k + 4] && t.pieces[k + 3] < t.pieces[i + 4];
      const rates = [...Array(t.pieces.length / F).keys()].map((k) => t.pieces[k * F + 6]);
      return [boxes.length, covered, Math.max(...t.lanes.filter((_, k) => k % 3 === 2)), rates];
    });
    assert.ok(boxes > 20 && slots > 0, `row ${row}: ${boxes} boxes, ${slots + 1} lanes of a track`);
    assert.strictEqual(covered, 0);
    assert.ok(Math.min(...rates) < 1 && Math.max(...rates) === 1, `rates ${rates}`);
    if (process.env.PPS_SHOTS) await page.locator("#timeline").screenshot({ path: `${process.env.PPS_SHOTS}/timeline.png` });
    await page.close();
  },

  // Catches objects of the page whose members are names of the user.
  async "columns and values with names of JavaScript"(browser) {
    const page = await open(browser, "names");
    assert.deepStrictEqual(await page.evaluate(() => [State.x, State.y, Object.keys(State.fixed).length]), ["constructor", "__proto__", 0]);
    assert.strictEqual(await page.evaluate(() => HeatMap.cells.value.filter((v) => !isNaN(v)).length), 4);
    await page.selectOption("#choose-x", "toString");
    await settled(page);
    await slide(page, "constructor", "2");
    await settled(page);
    assert.match(await page.textContent("#best-note"), /^2 of 4 rows \(only constructor=2\)/);
    await page.selectOption("#choose-y", "constructor");
    await settled(page);
    await slide(page, "__proto__", "2");
    await settled(page);
    assert.match(await page.textContent("#best-note"), /^2 of 4 rows \(only __proto__=2\)/);
    assert.match(await page.evaluate(() => location.hash), /f\.constructor=2&f\.__proto__=2/);
    await page.focus("#parallel");
    for (const key of ["ArrowUp", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
    await settled(page);
    assert.ok(await page.evaluate(() => ["constructor", "__proto__"].every((name) => State.brush[name].length === 2)));
    await page.close();
  },

  async "the effects are ranges of means"(browser) {
    const page = await open(browser, "grid");
    const [got, expected] = await page.evaluate(() => {
      const t = Data.column("total_time").numbers, c = Data.column("n"), e = Effects.of(c, t);
      const means = c.labels.map((_, k) => { let s = 0, m = 0; for (let i = 0; i < Data.rows; i++) if (c.codes[i] === k) { s += t[i]; m++; } return s / m; });
      return [[e.low, e.high], [Math.min(...means), Math.max(...means)]];
    });
    assert.deepStrictEqual(got, expected);
    await page.close();
  },

  async "the address restores the state, and dark mode"(browser) {
    const page = await open(browser, "grid");
    await slide(page, "n", "4");
    await page.selectOption("#choose-reduce", "max");
    await page.keyboard.press("d");
    await settled(page);
    const before = await page.evaluate(() => [location.hash, State.fixed.n, State.reduce, document.documentElement.dataset.theme]);
    const again = await open(browser, "grid", before[0]);
    assert.deepStrictEqual(await again.evaluate(() => [location.hash, State.fixed.n, State.reduce, document.documentElement.dataset.theme]), before);
    assert.deepStrictEqual(before.slice(1), ["4", "max", "dark"]);
    await page.close();
    await again.close();
  },

  async "a page of the best rows, and one of filtered rows, say so"(browser) {
    const reduced = await open(browser, "reduced"), filtered = await open(browser, "filtered");
    assert.match(await reduced.textContent("#notes"), /rows are too many: each row here is the best over /);
    assert.ok((await reduced.evaluate(() => Data.rows)) <= 80);
    const lowest = (page) => page.evaluate(() => Data.column("total_time").numbers.reduce((a, b) => Math.min(a, b)));
    const whole = await open(browser, "grid");
    assert.strictEqual(await lowest(reduced), await lowest(whole));
    assert.match(await filtered.textContent("#notes"), /only rows with n=8 sync_freq=2/);
    const [number, n] = await filtered.evaluate(() => [Data.number(0), Data.rows]);
    assert.ok(number > 1 && n > 0, "rows keep their numbers in the file");
    for (const page of [reduced, filtered, whole]) await page.close();
  },

  async "a slider holds a parameter in all parts"(browser) {
    const page = await open(browser, "grid");
    await slide(page, "n", "8");
    await settled(page);
    assert.match(await page.textContent("#best-note"), /of 100 rows \(only n=8\)/);
    assert.ok((await page.$$eval("#best tbody tr", (rows) => rows.map((r) => Data.text(Data.column("n"), Number(r.dataset.row))))).every((n) => n === "8"));
    assert.ok(await page.evaluate(() => Pareto.points.every((row) => Data.text(Data.column("n"), row) === "8")));
    await page.close();
  },

  async "combined rows keep the means and counts of all rows"(browser) {
    const whole = await open(browser, "grid", "#x=p_grad_prop&y=p_fwd_prop"), reduced = await open(browser, "reduced", "#x=p_grad_prop&y=p_fwd_prop");
    assert.ok(!(await reduced.evaluate(() => Data.about.over)).some((name) => name === "p_grad_prop" || name === "p_fwd_prop"));
    const cells = async (page, reduce) => { await page.selectOption("#choose-reduce", reduce); await settled(page); return shown(page); };
    for (const reduce of ["mean", "count", "best"]) same(await cells(reduced, reduce), await cells(whole, reduce), 6);
    for (const page of [whole, reduced]) await page.close();
  },

  async "a click on most cells shows a timeline that ends at the value"(browser) {
    const page = await open(browser, "grid", "#f.n=8");
    const rows = await page.evaluate(() => [...HeatMap.cells.row].filter((row) => row >= 0));
    let held = 0;
    for (const row of rows) {
      const [end, value] = await page.evaluate((row) => { selectRow(row); return [Timeline.shown < 0 ? null : Data.timelines[Timeline.shown].end, Data.column("total_time").numbers[row]]; }, row);
      if (end === null) continue;
      held++;
      assert.ok(Math.abs(end - value) < 1e-3, `row ${row}: ${end}, ${value}`);
    }
    assert.strictEqual(held, rows.length);
    await page.close();
  },

  async "the keyboard reaches the front, the brushes and the timeline"(browser) {
    const page = await open(browser, "grid", "#px=total_time&py=exposed_comm");
    await page.focus("#pareto");
    for (const key of ["ArrowRight", "Enter"]) await page.keyboard.press(key);
    assert.strictEqual(await page.evaluate(() => State.row), await page.evaluate(() => Pareto.points[1]));
    await page.focus("#parallel");
    await page.keyboard.press("ArrowUp");
    await settled(page);
    assert.match(await page.textContent("#best-note"), /^50 of 100 rows \(only a range of n\)/);
    await page.keyboard.press("Delete");
    await settled(page);
    assert.match(await page.textContent("#best-note"), /^100 of 100 rows,/);
    await page.evaluate(() => selectRow(Data.timelines[0].row - 1));
    await page.focus("#timeline");
    await page.keyboard.press("ArrowRight");
    assert.match(await page.textContent("#timeline-note"), /^row \d+: forward 0; gpu 0, compute; 0 to /);
    await page.close();
  },

  async "paper is white, also for a dark page"(browser) {
    const page = await open(browser, "grid", "#theme=dark");
    const corner = () => page.evaluate(() => {
      const pen = new OffscreenCanvas(4, 4).getContext("2d", { willReadFrequently: true });
      pen.drawImage(document.getElementById("map"), 0, 0);
      return [...pen.getImageData(2, 2, 1, 1).data];
    });
    assert.ok((await corner())[0] < 64);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.deepStrictEqual(await corner(), [255, 255, 255, 255]);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.ok((await corner())[0] < 64);
    await page.close();
  },

  async "the page of a run that goes on shows new rows, in the same view"(browser) {
    const page = await open(browser, "running");
    assert.match(await page.textContent("#notes"), /shows new rows by itself/);
    await page.selectOption("#choose-x", "n");
    await settled(page);
    const before = await page.evaluate(() => Data.rows);
    fs.copyFileSync(`${folder}/finished.html`, `${folder}/running.html`);
    await page.waitForFunction((before) => typeof Data !== "undefined" && Data.rows > before && document.documentElement.dataset.ready, before, { timeout: 20000 });
    assert.strictEqual(await page.evaluate(() => State.x), "n");
    assert.doesNotMatch(await page.textContent("#notes"), /shows new rows/);
    await page.close();
  },

  async "a result of one row, and one without a kernel"(browser) {
    const one = await open(browser, "one"), other = await open(browser, "other");
    assert.match(await one.textContent("#about"), /; 1 row, ranked/);
    assert.match(await one.textContent("#effects-note"), /no parameter changes the mean of total_time in one row/);
    assert.deepStrictEqual(await other.evaluate(() => [State.x, State.y, State.value]), ["name", "size", "v"]);
    assert.match(await other.textContent("#best-note"), /1 has no value of it and is not listed/);
    for (const page of [one, other]) await page.close();
  },

  async "axes of very many values are ranges"(browser) {
    const page = await open(browser, "many");
    const [nx, ny, rows, first] = await page.evaluate(() => [HeatMap.cells.nx, HeatMap.cells.ny, HeatMap.cells.count.reduce((a, b) => a + b), HeatMap.cells.x.labels[0]]);
    assert.ok(nx <= 200 && ny <= 200 && rows === 6000, `${nx} x ${ny} cells of ${rows} rows`);
    assert.strictEqual(first, "0 to 7");
    await page.selectOption("#choose-x", "v");
    await settled(page);
    await slide(page, "long", undefined);
    await settled(page);
    await page.close();
  },

  async "results of every kernel, a sample, and a narrow window"(browser) {
    for (const name of ["schedule", "dynapipe", "ndsearch", "balance", "sample"]) {
      const page = await open(browser, name, "", name === "schedule" ? 390 : 1280);
      const [rows, cells] = await page.evaluate(() => [Data.rows, HeatMap.cells.value.filter((v) => !isNaN(v)).length]);
      assert.ok(rows > 0 && cells > 0, `${name}: ${rows} rows, ${cells} cells`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
      if (process.env.PPS_SHOTS) await page.screenshot({ path: `${process.env.PPS_SHOTS}/${name}.png`, fullPage: true });
      await page.close();
    }
  },
};

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(browser);
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}: ${error.message}`);
    }
  }
  await browser.close();
  if (noise.length) { failed++; console.log("FAILED  the console is not empty:\n" + noise.join("\n")); }
  process.exit(failed ? 1 : 0);
})();
