"use strict";
// Sort a table when a heading is clicked: numbers by value, everything else as text, missing values last.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = Number(text);
    return text === "-" || text === "" ? null : Number.isNaN(number) ? text : number;
  };
  const compare = (a, b, column, sign) => {
    const x = key(a, column), y = key(b, column);
    if (x === null || y === null) return (x === null) - (y === null);
    if (typeof x === "number" && typeof y === "number") return sign * (x - y);
    return sign * String(x).localeCompare(String(y), "en", { numeric: true });
  };
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => compare(a, b, column, sign)));
    });
  });
}
// Fold long lists of tables on the screen, and unfold them for printing.
for (const details of document.querySelectorAll("details.folded")) details.open = false;
let folded = [];
const fold = (open) => folded.forEach((details) => { details.open = open; });
addEventListener("beforeprint", () => {
  folded = document.querySelectorAll("details:not([open])");
  fold(true);
});
addEventListener("afterprint", () => fold(false));
