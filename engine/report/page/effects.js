// ---- effects: how much every parameter moves the result ---------------------------------------

const Effects = {
  // Means of the value by the labels of a parameter: the lowest, the highest, and their labels.
  of(column, numbers, combined = null) {
    const axis = Data.axis(column), n = axis.labels.length, sum = new Float64Array(n), count = new Uint32Array(n);
    for (let i = 0; i < Data.rows; i++) {
      if (!State.shows(i) || isNaN(numbers[i])) continue;
      sum[axis.codes[i]] += combined ? combined.sums[i] : numbers[i];
      count[axis.codes[i]] += combined ? combined.counts[i] : 1;
    }
    const effect = { name: column.name, low: Infinity, high: -Infinity, binned: axis.binned };
    for (let k = 0; k < n; k++) {
      const mean = sum[k] / count[k];
      if (mean < effect.low) Object.assign(effect, { low: mean, atLow: axis.labels[k] });
      if (mean > effect.high) Object.assign(effect, { high: mean, atHigh: axis.labels[k] });
    }
    return effect;
  },

  draw() {
    const column = Data.column(State.value), numbers = column.numbers, combined = Data.combined(column), note = document.getElementById("effects-note");
    const effects = Data.varying().filter((c) => c !== column && !Data.about.over.includes(c.name)).map((c) => this.of(c, numbers, combined)).filter((e) => e.high > e.low).sort((a, b) => b.high - b.low - (a.high - a.low));
    let sum = 0, n = 0;
    for (let i = 0; i < Data.rows; i++) if (State.shows(i) && !isNaN(numbers[i])) { sum += combined ? combined.sums[i] : numbers[i]; n += combined ? combined.counts[i] : 1; }
    const mean = sum / n, width = Draw.width("effects"), pen = Draw.open("effects", width, Math.max(1, effects.length * 26 + 44));
    document.getElementById("effects").hidden = effects.length === 0;
    const work = Data.work(column).map((c) => c.name).filter((name) => effects.some((e) => e.name === name));
    note.textContent = n === 0 ? "no row has a value" :
      effects.length === 0 ? `no parameter changes the mean of ${column.name} in ${n === 1 ? "one row" : "these rows"}` :
      `bars: mean ${column.name} at the value of each parameter with the lowest and with the highest mean; mean of all rows: ${Draw.short(mean, 5)} ${column.unit}` +
      (work.length ? `; ${work.join(", ")} change${work.length === 1 ? "s" : ""} the amount of work: a slider of the map holds ${work.length === 1 ? "it" : "them"}` : "");
    if (Data.about.over.length) note.textContent += `; ${Data.about.over.join(", ")}: not known, the page has only the best rows over them`;
    if (effects.length > 0) this.bars(pen, effects, mean, width, column);
  },

  bars(pen, effects, mean, width, column) {
    const widest = (texts, most) => Math.min(most, Math.max(...texts.map((t) => pen.measureText(t).width)) + 12);
    const names = widest(effects.map((e) => e.name), 150), lows = widest(effects.map((e) => e.atLow), 110), highs = widest(effects.map((e) => e.atHigh), 110);
    const left = names + lows, room = width - left - highs - 8;
    const low = Math.min(...effects.map((e) => e.low)), high = Math.max(...effects.map((e) => e.high)), span = high - low || 1;
    const at = (v) => left + ((v - low) / span) * room;
    pen.textBaseline = "middle";
    effects.forEach((e, k) => {
      const y = 14 + k * 26;
      pen.fillStyle = "#56b4e9";
      pen.fillRect(at(e.low), y - 8, at(mean) - at(e.low), 16);
      pen.fillStyle = "#e69f00";
      pen.fillRect(at(mean), y - 8, at(e.high) - at(mean), 16);
      pen.fillStyle = Draw.css("--text");
      pen.textAlign = "left";
      pen.fillText(Draw.fit(pen, e.name, names - 10), 0, y);
      pen.fillText(Draw.fit(pen, e.atHigh, highs), Math.max(at(e.high), at(mean)) + 6, y);
      pen.textAlign = "right";
      pen.fillText(Draw.fit(pen, e.atLow, lows - 8), Math.min(at(e.low), at(mean)) - 6, y);
    });
    pen.strokeStyle = Draw.css("--text");
    pen.beginPath();
    pen.moveTo(at(mean), 2);
    pen.lineTo(at(mean), effects.length * 26 + 4);
    pen.stroke();
    pen.fillStyle = Draw.css("--text");
    pen.textAlign = "center";
    for (const v of Draw.ticks(low, high, 5)) pen.fillText(Draw.short(v), at(v), effects.length * 26 + 14);
    pen.fillText(Draw.named(column), left + room / 2, effects.length * 26 + 32);
  },
};
