// The search of the site: all words must be on a page. The index is loaded when the field is first used.
"use strict";
{
  const field = document.getElementById("search"), found = document.getElementById("found"), up = document.body.dataset.up;
  let index;
  const load = () => index ||= new Promise((done) => {
    const script = document.createElement("script");
    script.src = up + "search-index.js";
    script.onload = () => done(window.searched.map((p) => ({ ...p, low: p.text.toLowerCase(), head: p.title.toLowerCase() })));
    document.head.append(script);
  });
  const show = async () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), pages = await load();
    const score = (p) => words.reduce((sum, w) => sum + (p.head.includes(w) ? 50 : 0) + Math.min(20, p.low.split(w).length - 1), 0);
    const hits = words.length ? pages.filter((p) => words.every((w) => p.low.includes(w) || p.head.includes(w))) : [];
    hits.sort((a, b) => score(b) - score(a) || (a.page < b.page ? -1 : 1));
    found.replaceChildren(...hits.slice(0, 12).map((p) => {
      const item = document.createElement("li"), link = document.createElement("a"), part = document.createElement("small");
      link.href = up + p.page;
      link.textContent = p.title;
      const at = Math.max(0, p.low.indexOf(words[0]) - 50);
      part.textContent = p.text.slice(at, at + 140);
      item.append(link, part);
      return item;
    }));
    if (words.length && !hits.length) found.replaceChildren(Object.assign(document.createElement("li"), { textContent: "No page has all these words." }));
    found.hidden = !words.length;
  };
  field.addEventListener("focus", load);
  field.addEventListener("input", show);
  field.addEventListener("keydown", (e) => {
    if (e.key === "Escape") found.hidden = true;
    if (e.key === "Enter" && found.querySelector("a")) location.href = found.querySelector("a").href;
  });
}
