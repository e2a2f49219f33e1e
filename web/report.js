// Draws the figures of a report. The numbers of a chart are in its download link, its description in the script element
// next to it.
(function () {
  "use strict";
  const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#c08600", "#3a9bd9", "#222222", "#7f7f7f"];
  const dark = ["#56b4e9", "#f0803c", "#2fc79a", "#e59cc4", "#f0c040", "#8ecdf5", "#f2f2f2", "#9a9a9a"];
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

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

  function options(chart, panel, power, width) {
    const palette = scheme.matches ? dark : light;
    const ink = colour("--soft"), line = colour("--line");
    const unit = raised((power ? "10^" + power + (panel.unit ? " " : "") : "") + panel.unit);
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 20 };
    const widest = (u, values) => 24 + 7 * Math.max(3, ...(values || []).map((text) => (text || "").length));
    const whole = !chart.logX && chart.rows < 30 && chart.columns[0].every(Number.isInteger);
    const close = (u, low, high) => [low / 1.15, high * 1.15]; // not rounded to decades
    const value = (u, x) => short(x == null ? x : x * 10 ** power);
    const line_over = { stroke: colour("--ink"), dash: [4, 6], width: 1, points: { show: false }, value: value };
    const series = panel.columns.map((column, i) => column >= chart.own
      ? Object.assign({ label: raised(chart.names[column]) + ", " + chart.overlayName }, line_over)
      : {
        label: raised(chart.names[column]),
        stroke: palette[i % palette.length],
        dash: i < palette.length ? undefined : [8, 5],
        width: chart.overlay ? 2.5 : 1.5,
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
        y: { distr: chart.logY ? 3 : 1, range: chart.logY ? close : undefined },
      },
      focus: { alpha: 0.25 },
      cursor: { sync: { key: chart.key }, focus: { prox: 24 } },
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
    const make = () => {
      if (plot) plot.destroy();
      plot = new uPlot(options(chart, panel, power, box.clientWidth), data, box);
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

  const files = new Map();
  document.querySelectorAll("a[download][href^='data:']").forEach((link) => files.set(link, csvOf(link)));
  document.querySelectorAll("section.chart").forEach((section, number) => {
    const links = section.querySelectorAll("a[download]"), text = section.querySelector("script");
    if (!text || !window.uPlot) return;
    const chart = JSON.parse(text.textContent);
    chart.columns = columnsOf(files.get(links[0]), chart.rows, chart.own);
    if (chart.overlay) chart.columns = chart.columns.concat(columnsOf(files.get(links[1]), chart.rows, chart.overlay));
    chart.key = "chart" + number;
    const panels = section.querySelector(".panels");
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Drag over a figure to zoom, double-click to reset; click a name to hide or show its curve.";
    if (number === 0) panels.before(hint);
    for (const panel of chart.panels) {
      const frame = document.createElement("div"), title = document.createElement("h3"), box = document.createElement("div");
      frame.className = "panel";
      title.textContent = panel.title;
      box.style.minHeight = "260px";
      frame.append(title, box);
      panels.append(frame);
      waiting.set(box, () => draw(chart, panel, box));
      if (waiting.size > atOnce) near.observe(box);
      else waiting.get(box)();
    }
  });
})();
