"use strict";
const text = document.getElementById("text"), shown = document.getElementById("shown"), red = document.getElementById("red");
const cases = [...document.querySelectorAll("tbody")];
function open(body, yes) {
  body.querySelector("button").setAttribute("aria-expanded", yes);
  for (const row of body.querySelectorAll("tr.assertion")) row.hidden = !yes;
}
function filter() {
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const body of cases) {
    body.hidden = !words.every((w) => body.dataset.find.includes(w)) || (red.checked && !body.dataset.red);
    if (!body.hidden) n++;
  }
  for (const part of document.querySelectorAll("article")) part.hidden = !words.every((w) => part.dataset.find.includes(w));
  shown.textContent = words.length || red.checked ? `${n} of ${cases.length} cases` : "";
}
for (const body of cases) body.querySelector("button").addEventListener("click", (e) => open(body, e.currentTarget.getAttribute("aria-expanded") !== "true"));
document.getElementById("open").addEventListener("click", () => cases.forEach((b) => open(b, true)));
document.getElementById("close").addEventListener("click", () => cases.forEach((b) => open(b, false)));
text.addEventListener("input", filter);
red.addEventListener("change", filter);
document.getElementById("filters").addEventListener("submit", (e) => e.preventDefault());
document.addEventListener("keydown", (e) => {
  if (e.key === "/" && document.activeElement !== text) { e.preventDefault(); text.focus(); }
});
