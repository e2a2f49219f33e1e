// Figures of a report: each chart's numbers are in its download link, what to draw beside it.
(function () {
  "use strict";
  const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#c08600", "#3a9bd9", "#222222", "#7f7f7f"];
  const dark = ["#56b4e9", "#f0803c", "#2fc79a", "#e59cc4", "#f0c040", "#8ecdf5", "#f2f2f2", "#9a9a9a"];
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function csvOf(link) {
    const bytes = atob(link.href.slice(link.href.indexOf(",") + 1));
    return Uint8Array.from(bytes, (c) => c.charCodeAt(0));
  }

  // columns of numbers: the last `rows` lines (a quoted name may hold a line break)
  function columnsOf(bytes, rows, count) {
    const lines = new TextDecoder().decode(bytes).trimEnd().split("\n").slice(-rows);
    const columns = Array.from({ length: count }, () => new Float64Array(lines.length));
    lines.forEach((line, n) => line.split(",").forEach((text, i) => (columns[i][n] = Number(text))));
    return columns;
  }

  const digits = (n) => String(n).replace(/-/g, "\u207b").replace(/\d/g, (d) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]);

  // the power of ten, a multiple of three, that an axis is divided by
  function powerOf(curves) {
    let most = 0;
    for (const curve of curves) for (const x of curve) if (Math.abs(x) > most) most = Math.abs(x);
    if (!(most > 0) || (most >= 0.1 && most < 1e4)) return 0;
    return 3 * Math.floor(Math.log10(most) / 3);
  }

  const short = (x) => (x == null ? "\u2013" : String(Number(x.toPrecision(6))));

  function options(chart, panel, power, width) {
    const palette = scheme.matches ? dark : light;
    const ink = colour("--soft"), line = colour("--line");
    const scale = power ? "10" + digits(power) + (panel.unit ? " " : "") : "";
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 20 };
    const widest = (u, values) => 24 + 7 * Math.max(3, ...(values || []).map((text) => (text || "").length));
    const series = panel.columns.map((column, i) => ({
      label: chart.names[column],
      stroke: palette[i % palette.length],
      dash: i < palette.length ? undefined : [8, 5],
      width: 1.5,
      points: { show: chart.rows < 30 },
      value: (u, x) => short(x == null ? x : x * 10 ** power),
    }));
    return {
      width: width,
      height: 260,
      scales: { x: { time: false, distr: chart.logX ? 3 : 1 }, y: { distr: chart.logY ? 3 : 1 } },
      focus: { alpha: 0.25 },
      cursor: { sync: { key: chart.key }, focus: { prox: 24 } },
      legend: { live: true, markers: { fill: (u, i) => u.series[i].stroke(u, i) } },
      series: [{ label: chart.axis, value: (u, x) => short(x) }].concat(series),
      axes: [
        Object.assign({ label: chart.axis, size: 32 }, axis),
        Object.assign({ label: scale || panel.unit ? "[" + scale + panel.unit + "]" : undefined, size: widest }, axis),
      ],
    };
  }

  function draw(chart, panel, box) {
    let curves = panel.columns.map((i) => chart.columns[i]);
    if (panel.fromStart) curves = curves.map((curve) => curve.map((x) => x - curve[0]));
    const power = chart.logY ? 0 : powerOf(curves);
    if (power) curves = curves.map((curve) => curve.map((x) => x / 10 ** power));
    const data = [chart.columns[0]].concat(curves);
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

  // the first figures are drawn at once, those beyond when they come near the window
  const atOnce = 60;
  const waiting = new Map();
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      near.unobserve(entry.target);
      waiting.get(entry.target)();
    }
  }, { rootMargin: "1200px" });

  document.querySelectorAll("section.chart").forEach((section, number) => {
    const link = section.querySelector("a[download]"), text = section.querySelector("script");
    const bytes = csvOf(link);
    // browsers refuse to follow long data: addresses
    link.href = URL.createObjectURL(new Blob([bytes], { type: "text/csv" }));
    if (!text || !window.uPlot) return;
    const chart = JSON.parse(text.textContent);
    chart.columns = columnsOf(bytes, chart.rows, chart.names.length);
    chart.key = "chart" + number;
    const panels = section.querySelector(".panels");
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Drag over a figure to look closer, double-click to see all again; click a name to hide or show its curve.";
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
