// Search over search_index.js, which is loaded when it is first needed; works from file://.
// Keys: '/' to the box, arrows through the results, Escape back to the page.
"use strict";
(() => {
  const form = document.querySelector("form.search");
  const box = form.querySelector("input"), list = form.querySelector(".found");
  form.hidden = false;
  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "")
    .replace(/iz(e|ed|es|ing|ation)\b/g, "is$1");
  let index, waiting;
  window.jounceIndex = (rows) => {
    index = rows.map(([page, place, title, part, text]) =>
      ({ page, place, title, part, text, low: plain(text), head: plain(part || title), over: part ? plain(title) : "" }));
    if (waiting) waiting();
  };
  const load = (then) => {
    if (index) return then();
    waiting = then;
    if (document.querySelector("script[data-index]")) return;
    const script = document.createElement("script");
    script.src = "search_index.js";
    script.dataset.index = "";
    document.head.append(script);
  };

  // every word must occur, at the start of a word; headings count more than text
  const escape = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  function search(query, most) {
    const words = plain(query).split(/[\s,;]+/).filter(Boolean);
    if (!words.length) return [];
    const tests = words.map((w) => new RegExp("(^|[^a-z0-9])" + escape(w), "g"));
    const whole = words.map((w) => new RegExp("(^|[^a-z0-9_])" + escape(w) + "($|[^a-z0-9_])"));
    const hits = [];
    for (const row of index) {
      let score = 0;
      for (const [k, test] of tests.entries()) {
        const inHead = (row.head.match(test) || []).length, inText = (row.low.match(test) || []).length;
        const above = (row.over.match(test) || []).length;
        if (!inHead && !inText && !above) { score = 0; break; }
        score += inHead * 12 + (whole[k].test(row.head) ? 20 : 0) + above * 6 + Math.min(inText, 6) + (whole[k].test(row.low) ? 3 : 0);
      }
      if (!score) continue;
      if (words.length > 1 && (row.low.includes(words.join(" ")) || row.head.includes(words.join(" ")))) score += 25;
      if (plain(row.part || row.title) === words.join(" ")) score += 60;
      if (row.page === "changelog" || row.page === "errata") score *= 0.5;
      if (row.page === "commands" || row.page === "examples" || row.page === "api") score *= 0.8;
      hits.push({ row, score });
    }
    hits.sort((a, b) => b.score - a.score);
    hits.total = hits.length;
    const best = hits.slice(0, most);
    best.total = hits.length;
    best.words = words;
    return best;
  }

  function marked(text, words) {
    const low = plain(text), span = document.createElement("span");
    let at = -1;
    for (const w of words) {
      const m = low.search(new RegExp("(^|[^a-z0-9])" + escape(w)));
      if (m >= 0 && (at < 0 || m < at)) at = m;
    }
    let from = Math.max(0, at - 60);
    if (from > 0) from = text.indexOf(" ", from) + 1;
    const part = (from > 0 ? "… " : "") + text.slice(from, from + 190) + (from + 190 < text.length ? " …" : "");
    const any = new RegExp("(" + words.map(escape).join("|") + ")", "gi");
    for (const piece of part.split(any)) {
      const node = words.includes(plain(piece)) ? document.createElement("mark") : document.createElement("i");
      node.textContent = piece;
      span.append(node);
    }
    return span;
  }

  function show(where, query, most, heading) {
    const hits = search(query, most);
    where.replaceChildren();
    if (!query.trim()) return;
    const count = document.createElement("p");
    count.textContent = hits.length ? hits.total + (hits.total === 1 ? " place" : " places") : "Nothing found. Try fewer or shorter words.";
    where.append(count);
    for (const { row } of hits) {
      const a = document.createElement("a"), b = document.createElement("b");
      a.href = row.page + ".html" + (row.place ? "#" + row.place : "");
      b.textContent = row.part ? row.part : row.title;
      const of = document.createElement("small");
      of.textContent = row.part ? row.title : "";
      a.append(b, of, marked(row.text, hits.words));
      where.append(a);
    }
    if (heading) document.title = "Search: " + query + " – jounce";
  }

  // the page of results
  const results = document.querySelector("#results");
  if (results) {
    const query = new URLSearchParams(location.search).get("q") || "";
    box.value = query;
    const update = () => load(() => show(results, box.value, 50, true));
    box.addEventListener("input", update);
    form.addEventListener("submit", (e) => { e.preventDefault(); update(); });
    update();
    box.focus();
  } else {
    box.addEventListener("focus", () => load(() => {}));
    box.addEventListener("input", () => load(() => show(list, box.value, 8, false)));
    document.addEventListener("click", (e) => { if (!form.contains(e.target)) list.replaceChildren(); });
  }

  document.addEventListener("keydown", (e) => {
    const inBox = document.activeElement === box;
    if (e.key === "/" && !/^(input|textarea|select)$/i.test(document.activeElement.tagName) && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      box.focus();
      box.select();
    } else if (e.key === "Escape" && (inBox || list.contains(document.activeElement))) {
      list.replaceChildren();
      box.blur();
    } else if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      const links = [...(results || list).querySelectorAll("a")];
      const at = links.indexOf(document.activeElement);
      if ((at < 0 && !inBox) || !links.length) return;
      e.preventDefault();
      const next = at + (e.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? box : links[Math.min(next, links.length - 1)]).focus();
    }
  });
})();
