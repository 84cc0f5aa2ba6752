
"use strict";
const text = document.getElementById("text"), shown = document.getElementById("shown");
const lines = [...document.querySelectorAll("tr[data-find]")];
function filter() {
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const line of lines) {
    line.hidden = !words.every((w) => line.dataset.find.includes(w));
    if (!line.hidden) n++;
  }
  for (const part of document.querySelectorAll("section")) part.hidden = !part.querySelector("tr[data-find]:not([hidden])");
  shown.textContent = words.length ? `${n} of ${lines.length} shown` : "";
}
text.addEventListener("input", filter);
document.getElementById("filters").addEventListener("submit", (e) => e.preventDefault());
document.getElementById("choose").addEventListener("change", (e) => {
  for (const cell of document.querySelectorAll(`[data-agent="${e.target.value}"]`)) cell.hidden = !e.target.checked;
});
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && document.activeElement !== text) { e.preventDefault(); text.focus(); }
});
