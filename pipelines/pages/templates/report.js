
(() => {
  "use strict";
  const form = document.getElementById("filters");
  const search = document.getElementById("search");
  const count = document.getElementById("count");
  const nothing = document.getElementById("nothing");
  const selects = [...form.querySelectorAll("select")];
  const entries = [...document.querySelectorAll("#entries > .entry")];
  const plain = (text) => text.normalize("NFKC").toLowerCase();
  const texts = new Map();
  const textOf = (node) => {
    if (!texts.has(node)) texts.set(node, plain(node.textContent));
    return texts.get(node);
  };
  const fits = (entry, words) =>
    selects.every(
      (one) => !one.value || (entry.dataset[one.dataset.facet] || "").split(" ").includes(one.value)
    ) && words.every((word) => textOf(entry).includes(word));
  // Of a screen that a search finds, the question that was meant is opened.
  const open = (entry, words) => {
    const found = [...entry.querySelectorAll(".question")].find((question) =>
      words.every((word) => textOf(question).includes(word))
    );
    if (found) found.querySelector(".pick").checked = true;
  };
  const apply = () => {
    const words = plain(search.value).split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const entry of entries) {
      const fit = fits(entry, words);
      entry.hidden = !fit;
      shown += fit;
      if (fit && words.length) open(entry, words);
    }
    count.textContent = `${shown} of ${entries.length} shown`;
    nothing.hidden = shown > 0;
  };
  const walk = (step) => {
    const visible = entries.filter((entry) => !entry.hidden);
    const at = visible.indexOf(document.activeElement.closest(".entry"));
    const next = visible[at < 0 ? (step > 0 ? 0 : visible.length - 1) : at + step];
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start", behavior: "instant" });
  };
  const clear = () => {
    form.reset();
    apply();
  };
  const steps = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const at = document.activeElement;
    const typing = at.matches("select, textarea, input:not([type=radio])");
    if (event.key === "Escape" && (typing || at.closest(".entry"))) {
      if (at === search && !search.value) at.blur();
      clear();
    } else if (typing) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key in steps && (event.key.length === 1 || at.matches(".entry"))) {
      event.preventDefault();
      walk(steps[event.key]);
    }
  });
  // A link to an entry that the filters hide would lead nowhere.
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target || !target.matches(".entry[hidden]")) return;
    clear();
    target.scrollIntoView();
  });
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.hidden = false;
  apply();
})();
