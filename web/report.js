// Draws the figures of a report. The numbers of a chart are in its download link, its description in the script element
// next to it.
(function () {
  "use strict";
  const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#c08600", "#3a9bd9", "#222222", "#7f7f7f"];
  const dark = ["#56b4e9", "#f0803c", "#2fc79a", "#e59cc4", "#f0c040", "#8ecdf5", "#f2f2f2", "#9a9a9a"];
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // The one time of the page: the scene and all figures over time show it. window.jounce.seek(t, from) moves it.
  const listeners = [];
  const clock = window.jounce = {
    t: null,
    listen: (action) => listeners.push(action),
    seek(t, from) {
      clock.t = t;
      for (const action of listeners) if (action !== from && action.owner !== from) action(t);
      for (const mark of marks) mark(t);
    },
  };
  const marks = [];
  const element = document.querySelector("section.replay script");
  const scene = clock.scene = element ? JSON.parse(element.textContent) : null;
  const hasScene = Boolean(scene && scene.replay);

  function csvOf(link) {
    const bytes = Uint8Array.from(atob(link.href.slice(link.href.indexOf(",") + 1)), (c) => c.charCodeAt(0));
    // browsers do not follow long data: URLs
    link.href = URL.createObjectURL(new Blob([bytes], { type: "text/csv" }));
    return bytes;
  }

  // the last `rows` lines as columns (a quoted name may contain a line break)
  function columnsOf(bytes, rows, count) {
    const lines = new TextDecoder().decode(bytes).trimEnd().split("\n").slice(-rows);
    const columns = Array.from({ length: count }, () => new Float64Array(lines.length));
    lines.forEach((line, n) => line.split(",").forEach((text, i) => (columns[i][n] = Number(text))));
    return columns;
  }

  // "^2", "^-3", "^(4)" as superscripts
  const raised = (text) => text.replace(/\^(-?\d+|\(\d+\))/g, (all, n) =>
    n.replace(/./g, (c) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u207d\u207e"["0123456789-()".indexOf(c)]));

  // the values of an axis are divided by this power of ten, a multiple of three
  function powerOf(curves) {
    let most = 0;
    for (const curve of curves) for (const x of curve) if (Math.abs(x) > most) most = Math.abs(x);
    if (!(most > 0) || (most >= 0.1 && most < 1e4)) return 0;
    return 3 * Math.floor((Math.log10(most) + 1) / 3);
  }

  const short = (x) => (x == null ? "\u2013" : String(Number(x.toPrecision(6))));

  const isLimit = (chart, column) => /:[+-]limit$/.test(chart.names[column]);
  const ownColumns = (chart, panel) => panel.columns.filter((i) => i < chart.own && !isLimit(chart, i));

  // Dragging moves the time of the page; with Shift it zooms.
  function scrub(u, target, handler) {
    return (e) => {
      if (e.button !== 0) return null;
      if (e.shiftKey) return handler(e);
      const move = (event) => {
        const box = u.over.getBoundingClientRect(), x = Math.min(Math.max(event.clientX - box.left, 0), box.width);
        clock.seek(u.posToVal(x, "x"));
      };
      const stop = () => {
        removeEventListener("mousemove", move);
        removeEventListener("mouseup", stop);
      };
      addEventListener("mousemove", move);
      addEventListener("mouseup", stop);
      move(e);
      return null;
    };
  }

  // a finger that moves along a figure does the same
  function touch(u) {
    const move = (e) => {
      const box = u.over.getBoundingClientRect();
      clock.seek(u.posToVal(Math.min(Math.max(e.touches[0].clientX - box.left, 0), box.width), "x"));
    };
    u.over.addEventListener("touchstart", move, { passive: true });
    u.over.addEventListener("touchmove", move, { passive: true });
  }

  // a line at the time of the page, and its values in the legend
  function addMark(chart, plotOf) {
    const line = document.createElement("div");
    line.className = "now";
    const show = (t) => {
      const u = plotOf();
      if (!u || t == null) return;
      if (line.parentElement !== u.over) u.over.append(line);
      const x = u.valToPos(t, "x");
      line.style.display = x >= 0 && x <= u.over.clientWidth ? "" : "none";
      line.style.transform = "translateX(" + x + "px)";
      u.setLegend({ idx: nearest(chart.columns[0], t) }, false);
    };
    marks.push(show);
    return show;
  }

  function nearest(x, t) {
    let low = 0, high = x.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (x[middle] <= t) low = middle;
      else high = middle;
    }
    return t - x[low] <= x[high] - t ? low : high;
  }

  // Limits of the joints of a panel as dashed lines in their colours, where they come near the curves.
  const limitsOf = {
    "joint position": (j) => [j.lower, j.upper], "joint angle": (j) => [j.lower, j.upper], "joint displacement": (j) => [j.lower, j.upper],
    "joint velocity": (j) => [-j.velocity, j.velocity], "joint rate": (j) => [-j.velocity, j.velocity],
    "joint acceleration": (j) => [-j.acceleration, j.acceleration], "joint jerk": (j) => [-j.jerk, j.jerk],
    "joint torque": (j) => [-j.effort, j.effort], "joint force": (j) => [-j.effort, j.effort],
    "joint torque rate": (j) => [-j.effort_rate, j.effort_rate], "joint force rate": (j) => [-j.effort_rate, j.effort_rate],
  };
  function limitLines(chart, panel, power) {
    const of = limitsOf[panel.title.replace(/: .*$/, "").replace(" (prismatic)", "")];
    if (!scene || !of) return [];
    const joints = new Map(scene.bodies.filter((b) => b.joint.nv === 1).map((b) => [b.joint.name, b.joint]));
    const lines = [];
    panel.columns.forEach((column, i) => {
      const name = (chart.names[column] || "").replace(/^tau:/, "").replace(/('+|\^\(\d+\))$/, "");
      if (column >= chart.own || !joints.has(name)) return;
      for (const value of of(joints.get(name))) if (Number.isFinite(value)) lines.push({ series: i + 1, value: value / 10 ** power });
    });
    return lines;
  }
  // the range of the y axis takes in a limit of which half is used
  function rangeWith(lines) {
    return (u, low, high) => {
      const reach = Math.max(Math.abs(low), Math.abs(high));
      for (const { value } of lines) if (Math.abs(value) <= 2 * reach && Math.sign(value) * (value > 0 ? high : low) > 0) low = Math.min(low, value), high = Math.max(high, value);
      const margin = 0.05 * (high - low) || Math.abs(high) || 1;
      return [low - margin, high + margin];
    };
  }
  function drawLimits(lines) {
    return (u) => {
      const ctx = u.ctx;
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      ctx.setLineDash([2, 5]);
      ctx.lineWidth = 1.5 * devicePixelRatio;
      for (const { series, value } of lines) {
        if (!u.series[series].show) continue;
        const y = Math.round(u.valToPos(value, "y", true));
        ctx.strokeStyle = u.series[series].stroke(u, series);
        ctx.beginPath();
        ctx.moveTo(u.bbox.left, y);
        ctx.lineTo(u.bbox.left + u.bbox.width, y);
        ctx.stroke();
      }
      ctx.restore();
    };
  }

  // The samples of a recording as points over the curves of their coordinates.
  function drawSamples(chart, panel, power) {
    const own = panel.columns.map((column, i) => [chart.samples.curves.find((c) => c.name === chart.names[column]), i + 1]).filter(([c]) => c);
    return (u) => {
      const ctx = u.ctx, size = 3 * devicePixelRatio;
      ctx.save();
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      ctx.globalAlpha = 0.55;
      for (const [curve, series] of own) {
        if (!u.series[series].show) continue;
        ctx.fillStyle = u.series[series].stroke(u, series);
        curve.values.forEach((y, n) => ctx.fillRect(u.valToPos(chart.samples.t[n], "x", true) - size / 2, u.valToPos(y / 10 ** power, "y", true) - size / 2, size, size));
      }
      ctx.restore();
    };
  }

  function options(chart, panel, power, width) {
    const limits = limitLines(chart, panel, power);
    const palette = scheme.matches ? dark : light;
    const ink = colour("--soft"), line = colour("--line");
    const unit = raised((power ? "10^" + power + (panel.unit ? " " : "") : "") + panel.unit);
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 20 };
    const widest = (u, values) => 24 + 7 * Math.max(3, ...(values || []).map((text) => (text || "").length));
    const whole = !chart.logX && chart.rows < 30 && chart.columns[0].every(Number.isInteger);
    const close = (u, low, high) => [low / 1.15, high * 1.15]; // not rounded to decades
    const value = (u, x) => short(x == null ? x : x * 10 ** power);
    const line_over = { stroke: colour("--ink"), dash: [4, 6], width: 1, points: { show: false }, value: value };
    const own = ownColumns(chart, panel);
    const series = panel.columns.map((column, i) => column >= chart.own
      ? Object.assign({ label: raised(chart.names[column]) + ", " + chart.overlayName }, line_over)
      : {
        label: raised(chart.names[column]),
        stroke: isLimit(chart, column) ? ink : palette[own.indexOf(column) % palette.length],
        dash: isLimit(chart, column) ? [3, 4] : own.indexOf(column) < palette.length ? undefined : [8, 5],
        width: chart.overlay ? 2.5 : isLimit(chart, column) ? 1 : 1.5,
        points: { show: chart.rows < 30 },
        value: value,
      });
    // quantiles: one colour, filled between the outer curves
    const last = series.length, fill = [];
    if (chart.filled) {
      series.forEach((one, i) => Object.assign(one, { stroke: palette[0], width: 2 * i === last - 1 ? 2 : 0.5, points: { show: false } }));
      for (let i = 1; i <= last - i; i++) fill.push({ series: [last + 1 - i, i], fill: palette[0] + "33" });
    }
    if (chart.slope) series.push(Object.assign({ label: raised(chart.slopeName) }, line_over, { stroke: ink }));
    return {
      width: width,
      height: 260,
      scales: {
        x: { time: false, distr: chart.logX ? 3 : 1, range: chart.logX ? close : undefined },
        y: { distr: chart.logY ? 3 : 1, range: chart.logY ? close : limits.length ? rangeWith(limits) : undefined },
      },
      hooks: { draw: (limits.length ? [drawLimits(limits)] : []).concat(chart.samples ? [drawSamples(chart, panel, power)] : []) },
      focus: { alpha: 0.25 },
      cursor: Object.assign({ sync: { key: chart.key }, focus: { prox: 24 } },
        chart.overTime ? { bind: { mousedown: scrub }, drag: { x: true, y: false } } : {}),
      legend: { live: true, markers: { fill: (u, i) => u.series[i].stroke(u, i) } },
      series: [{ label: chart.axis, value: (u, x) => short(x) }].concat(series),
      bands: fill,
      axes: [
        Object.assign({ label: chart.axis, size: 32, incrs: whole ? [1, 2, 5, 10, 20, 50, 100] : undefined }, axis),
        Object.assign({ label: unit ? "[" + unit + "]" : undefined, size: widest }, axis),
      ],
    };
  }

  // a line y ~ x^slope below the curves; it starts at their minimum
  function reference(chart, curves) {
    const x = chart.columns[0], right = chart.rows - 1;
    const least = Math.min(...curves.map((curve) => Math.min(...curve)));
    const last = Math.min(...curves.map((curve) => curve[right]));
    return Array.from(x, (a) => 0.6 * last * (a / x[right]) ** chart.slope).map((y) => (y < 0.6 * least ? null : y));
  }

  function draw(chart, panel, box) {
    let curves = panel.columns.map((i) => chart.columns[i]);
    if (panel.fromStart) curves = curves.map((curve) => curve.map((x) => x - curve[0]));
    const power = chart.logY ? 0 : powerOf(curves);
    if (power) curves = curves.map((curve) => curve.map((x) => x / 10 ** power));
    const data = [chart.columns[0]].concat(curves, chart.slope ? [reference(chart, curves)] : []);
    let plot = null;
    const mark = chart.overTime ? addMark(chart, () => plot) : null;
    const make = () => {
      if (plot) plot.destroy();
      plot = new uPlot(options(chart, panel, power, box.clientWidth), data, box);
      if (mark) {
        touch(plot);
        plot.hooks.draw = (plot.hooks.draw || []).concat(() => mark(clock.t));
        mark(clock.t);
      }
    };
    make();
    let width = box.clientWidth;
    new ResizeObserver(() => {
      if (box.clientWidth === width || box.clientWidth === 0) return;
      width = box.clientWidth;
      plot.setSize({ width: width, height: plot.height });
    }).observe(box);
    scheme.addEventListener("change", make);
  }

  // the first figures are drawn immediately, the others when they are scrolled near the window
  const atOnce = 60;
  const waiting = new Map();
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      waiting.get(entry.target)();
    }
  }, { rootMargin: "1200px" });

  function floatsOf(text, rows, count) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), view = new DataView(bytes.buffer);
    return Array.from({ length: count }, (_, i) => Float64Array.from({ length: rows }, (_, n) => view.getFloat32(4 * (n * count + i), true)));
  }

  // Limbs: a chain of bodies from a branch of the tree to its end, or to the next branch where two or more chains of two
  // or more bodies begin. The name of the limb of each body: what its joints have in common ("left_arm"), else the first
  // and the last joint.
  function limbsOf(bodies) {
    const n = bodies.length, below = Array(n).fill(1), branches = Array(n).fill(0), limb = [], names = new Map();
    for (let i = n - 1; i > 0; i--) if (bodies[i].parent >= 0) below[bodies[i].parent] += below[i];
    bodies.forEach((body, i) => body.parent >= 0 && below[i] > 1 && branches[body.parent]++);
    bodies.forEach((body, i) => {
      const p = body.parent, free = p === 0 && bodies[0].joint.nv !== 1;
      limb.push(p < 0 || free || (branches[p] > 1 && below[i] > 1) ? i : limb[p]);
    });
    for (const first of new Set(limb)) {
      const joints = bodies.filter((b, i) => limb[i] === first && b.joint.nv).map((b) => b.joint.name);
      let common = joints[0] || bodies[first].name;
      for (const name of joints) while (!name.startsWith(common)) common = common.slice(0, -1);
      const word = common.replace(/[^A-Za-z0-9]+$/, "").replace(/(.)_joint$/, "$1"); // "panda_joint1"
      const whole = joints.length < 2 ? joints[0] || bodies[first].name : joints[0] + " \u2026 " + joints[joints.length - 1];
      const isName = /[^A-Za-z0-9]/.test(word) || (word.length > 1 && word !== common && word !== "joint");
      names.set(first, joints.length > 1 && isName ? [word, whole] : [whole, whole]);
    }
    const short = [...names.values()].map((name) => name[0]), unique = new Set(short).size === short.length;
    return limb.map((first) => names.get(first)[unique ? 0 : 1]);
  }
  clock.limbs = scene ? limbsOf(scene.bodies) : [];

  // the limb of the joint that a column belongs to; null: none
  function limbFinder() {
    const byName = new Map();
    (scene ? scene.bodies : []).forEach(({ joint }, i) => {
      for (let c = 0; c < joint.nv; c++) byName.set(scene.dofs[joint.iv + c], clock.limbs[i]);
      for (let c = 0; c < joint.nq; c++) byName.set(scene.coordinates[joint.iq + c], clock.limbs[i]);
    });
    return (column) => {
      const bare = column.replace(/('+|\^\(\d+\))$/, "");
      for (let at = 0; at >= 0; at = bare.indexOf(":", at) + 1 || -1)
        if (byName.has(bare.slice(at))) return byName.get(bare.slice(at));
      return null;
    };
  }

  // A figure of more than eight joints becomes one panel a limb.
  function byLimb(chart, limbOf) {
    const whole = new Map();
    for (const panel of chart.panels) {
      const title = panel.title.replace(/ \(\d+ of \d+\)$/, "");
      if (!whole.has(title)) whole.set(title, Object.assign({}, panel, { title, columns: [] }));
      whole.get(title).columns.push(...panel.columns);
    }
    const out = [];
    for (const panel of whole.values()) {
      const limits = panel.columns.filter((i) => i < chart.own && isLimit(chart, i)), groups = new Map();
      for (const i of panel.columns) {
        if (limits.includes(i)) continue;
        const limb = limbOf(chart.names[i]) || "";
        if (!groups.has(limb)) groups.set(limb, []);
        groups.get(limb).push(i);
      }
      if (panel.columns.length <= 8 || groups.size < 2) out.push(panel);
      else for (const [limb, columns] of groups) out.push(Object.assign({}, panel, { title: panel.title + (limb ? ": " + limb : ""), columns: columns.concat(limits) }));
    }
    chart.panels = out;
  }

  // the largest magnitude in a panel, of an orientation the largest change; nothing but rounding errors counts as zero,
  // unless they are what it is about
  const isTurn = (panel) => panel.title.startsWith("orientation");
  function largest(chart, panel) {
    let most = 0;
    for (const i of ownColumns(chart, panel)) {
      const start = panel.fromStart || isTurn(panel) ? chart.columns[i][0] : 0;
      for (const x of chart.columns[i]) most = Math.max(most, Math.abs(x - start));
    }
    return most;
  }
  const isZero = (panel, most) => most === 0 || (most < 1e-13 && !panel.fromStart && !/deviation/.test(panel.title));

  // least and largest values of a panel, for who cannot see it
  function describe(chart, panel) {
    const parts = ownColumns(chart, panel).slice(0, 12).map((i) => {
      let least = 0, most = 0;
      chart.columns[i].forEach((x, n) => {
        if (x < chart.columns[i][least]) least = n;
        if (x > chart.columns[i][most]) most = n;
      });
      const x = chart.columns[0];
      return chart.names[i] + " from " + short(chart.columns[i][least]) + " (at " + short(x[least]) + ") to " + short(chart.columns[i][most]) + " (at " + short(x[most]) + ")";
    });
    return "Curves over " + chart.axis + ", in " + (panel.unit || "1") + ": " + parts.join("; ");
  }

  function addSearch(chart, panels, frames) {
    const box = document.createElement("input");
    box.type = "search";
    box.className = "find";
    box.placeholder = "find a joint or quantity";
    box.setAttribute("aria-label", "show only figures with this joint or quantity");
    box.addEventListener("input", () => {
      const text = box.value.toLowerCase();
      for (const { frame, panel } of frames)
        frame.hidden = ![panel.title, ...panel.columns.map((i) => chart.names[i] || "")].some((name) => name.toLowerCase().includes(text));
    });
    panels.before(box);
  }

  const files = new Map(), limbOf = limbFinder();
  document.querySelectorAll("a[download][href^='data:']").forEach((link) => files.set(link, csvOf(link)));
  document.querySelectorAll("section.chart").forEach((section, number) => {
    const links = section.querySelectorAll("a[download]"), text = section.querySelector("script");
    if (!text || !window.uPlot) return;
    const chart = JSON.parse(text.textContent);
    chart.columns = chart.values ? floatsOf(chart.values, chart.rows, chart.own) : columnsOf(files.get(links[0]), chart.rows, chart.own);
    if (chart.overlay) chart.columns = chart.columns.concat(columnsOf(files.get(links[1]), chart.rows, chart.overlay));
    if (chart.samples) {
      const one = (text, rows) => floatsOf(text, rows, 1)[0], rows = (atob(chart.samples.t).length / 4) | 0;
      chart.samples.t = one(chart.samples.t, rows);
      for (const curve of chart.samples.curves) curve.values = one(curve.values, rows);
    }
    chart.key = "chart" + number;
    chart.overTime = hasScene && chart.axis.startsWith("t ");
    if (!chart.overlay) byLimb(chart, limbOf);
    const panels = section.querySelector(".panels"), frames = [];
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = (chart.overTime ? "Drag over a figure to move the robot, with Shift to zoom" : "Drag over a figure to zoom") +
      ", double-click to reset; click a name to hide or show its curve." + (chart.samples ? " Points are samples of the recording." : "");
    if (number === 0) panels.before(hint);
    for (const panel of chart.panels) {
      const frame = document.createElement("div"), title = document.createElement("h3"), box = document.createElement("div");
      frame.className = "panel";
      title.textContent = panel.title;
      box.style.minHeight = "260px";
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", describe(chart, panel));
      frame.append(title, box);
      panels.append(frame);
      frames.push({ frame, panel });
      waiting.set(box, () => draw(chart, panel, box));
      const most = largest(chart, panel);
      if (isZero(panel, most)) {
        // folded: a line instead of an empty figure
        const open = document.createElement("button");
        open.type = "button";
        open.textContent = (isTurn(panel) ? "constant" : most ? "at most " + short(Number(most.toPrecision(1))) : "all zero") + ": show";
        open.addEventListener("click", () => {
          open.remove();
          frame.classList.remove("folded");
          box.hidden = false;
          waiting.get(box)();
        });
        box.hidden = true;
        frame.classList.add("folded");
        title.append(" ", open);
      } else if (waiting.size > atOnce) near.observe(box);
      else waiting.get(box)();
    }
    if (frames.length > 8) addSearch(chart, panels, frames);
  });
})();
