
"use strict";
// Tables sort by a column when its head is pressed: the value of a cell is its
// data-value, or the first number in it, or its text.
(() => {
  const value = (cell) => {
    if (!cell) return "";
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = parseFloat(text.replace(/^[^-+.\d]+(?=[-+.\d])/, ""));
    return !cell.classList.contains("text") || cell.dataset.value ? (isNaN(number) ? Infinity : number) : text;
  };
  const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));

  for (const table of document.querySelectorAll("table.sortable"))
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows], column = head.cellIndex;
        rows.sort((a, b) => (down ? -1 : 1) * order(value(a.cells[column]), value(b.cells[column])));
        table.tBodies[0].append(...rows);
      });
    }
})();
