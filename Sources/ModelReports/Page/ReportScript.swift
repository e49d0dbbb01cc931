/// The script of a page, in plain JavaScript. Strings from models only ever become text nodes.
enum ReportScript {
  /// The functions that all other parts are based on.
  static let core = ##"""
    const data = JSON.parse(document.getElementById("data").textContent);
    const model = data.model || null;
    const entities = model ? model.entities : [];
    const versions = data.versions || null;
    const store = data.store || null;
    const findings = data.findings || [];
    // Whether a server provides the store's contents, and the parts of the page that this enables.
    const live = document.body.dataset.live !== undefined && store !== null, parts = {};
    const $ = (id) => document.getElementById(id);

    // Visible marks for characters that would be invisible or reverse the text.
    const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/g;
    const visible = (text) => String(text).replace(hidden, (c) => c < " "
      ? String.fromCharCode(0x2400 + c.charCodeAt(0))
      : "‹" + c.charCodeAt(0).toString(16).toUpperCase() + "›");

    function fill(node, attributes, children) {
      for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
        else node.setAttribute(key, value === true ? "" : visible(value));
      }
      for (const child of children.flat(3)) {
        if (child === null || child === undefined || child === false) continue;
        node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
      }
      return node;
    }
    const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
    const svgEl = (tag, attributes, ...children) =>
      fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

    const numbers = new Intl.NumberFormat("en");
    const count = (n, one, many) => numbers.format(n) + " " + (n === 1 ? one : many || one + "s");
    const percent = (part, whole) => {
      if (!whole) return "0 %";
      const share = part / whole * 100;
      return (share > 0 && share < 1 ? "< 1" : share > 99 && share < 100 ? "> 99" : Math.round(share)) + " %";
    };
    const size = (bytes) => {
      const units = ["bytes", "KB", "MB", "GB", "TB"];
      let unit = 0, value = bytes;
      while (value >= 1000 && unit < 4) { value /= 1000; unit += 1; }
      return (unit === 0 ? value : value < 10 ? value.toFixed(1) : Math.round(value)) + " " + units[unit];
    };
    // Allows line breaks between the words of long names.
    const name = (text, tag) => el(tag || "bdi", { class: "name" }, text === "" ? "(no name)"
      : text.length < 14 ? text : text.split(/(?<=[a-z_.])(?=[A-Z0-9])/).flatMap((word, place) => place ? [el("wbr"), word] : [word]));
    const code = (text) => el("code", {}, el("bdi", {}, text));
    const badge = (text, kind) => el("span", { class: "badge " + (kind || "") }, text);

    // Link targets, by the indexes of entities.
    const places = new Map();
    entities.forEach((entity, place) => { if (!places.has(entity.name)) places.set(entity.name, place); });
    const per = () => entities.map(() => []);
    const incoming = per(), found = per(), requests = per(), fetchers = per();
    const stored = new Map();
    entities.forEach((entity, place) => {
      for (const item of entity.relationships) if (item.to !== undefined) incoming[item.to].push([place, item]);
      for (const item of entity.attributes) if (item.fetches !== undefined) fetchers[item.fetches].push([place, item]);
    });
    if (model) model.requests.forEach((item) => { if (item.entity !== undefined) requests[item.entity].push(item); });
    findings.forEach((item) => {
      const place = item.entity === undefined ? undefined : places.get(item.entity);
      if (place !== undefined) found[place].push(item);
    });
    if (store) store.entities.forEach((item) => stored.set(item.entity, item));

    const entityLink = (place, text, extra) =>
      el("a", { href: "#/entity/" + place, ...extra }, name(text === undefined ? entities[place].name : text));
    const ancestors = (place) => {
      const line = [], seen = new Set([place]);
      for (let next = entities[place].parent; next !== undefined && !seen.has(next); next = entities[next].parent) {
        seen.add(next);
        line.push(next);
      }
      return line;
    };
    const facts = (rows) => el("dl", { class: "facts" }, rows.filter(Boolean).map(([term, ...values]) =>
      el("div", {}, el("dt", {}, term), el("dd", {}, values))));
    const joined = (nodes, mark) => nodes.flatMap((node, place) =>
      place ? [mark instanceof Node ? mark.cloneNode() : mark || ", ", node] : [node]);
    function table(caption, head, rows, attributes) {
      return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
        el("table", attributes,
          el("caption", { class: "hidden" }, caption),
          el("thead", {}, el("tr", {}, head.map((cell) => Array.isArray(cell)
            ? el("th", { scope: "col", class: cell[1] }, cell[0]) : el("th", { scope: "col" }, cell)))),
          el("tbody", {}, rows)));
    }
    """##

  /// Starts the page.
  static let start = ##"""
    const themes = ["system", "light", "dark"];
    function setTheme(theme) {
      if (theme === "system") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = theme;
      $("theme").textContent = { system: "◐", light: "☀", dark: "☾" }[theme];
      $("theme").setAttribute("aria-label", "Colors: " + theme);
      $("theme").title = "Colors: " + theme;
    }
    let theme = "system";
    try { theme = themes.includes(localStorage.getItem("momtool-theme")) ? localStorage.getItem("momtool-theme") : "system"; } catch { }
    setTheme(theme);
    $("theme").addEventListener("click", () => {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      setTheme(theme);
      try { localStorage.setItem("momtool-theme", theme); } catch { }
    });
    $("tabs").append(...tabs.map(([part, text]) => el("a", { href: "#/" + part, "data-part": part }, text,
      part === "findings" && findings.length ? el("span", { class: "count" }, numbers.format(findings.length)) : null)));
    if (!entities.length) $("side").hidden = true;
    startDiagram();
    let waiting = 0;
    $("search").addEventListener("input", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(showList); });
    $("search").addEventListener("keydown", (event) => {
      const first = $("list").querySelector("a");
      if (event.key === "ArrowDown" && first) { event.preventDefault(); first.focus(); }
      if (event.key === "Enter" && first && $("search").value.trim()) first.click();
    });
    $("list").addEventListener("keydown", (event) => moveInList(event, [...$("list").querySelectorAll("a")]));
    document.addEventListener("keydown", (event) => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        $("search").focus();
        $("search").select();
      } else if (event.key === "Escape") {
        if ($("search").value) { $("search").value = ""; showList(); }
        else if (route().part === "diagram" && chosen !== undefined) location.hash = "#/diagram";
        if (isTyping) document.activeElement.blur();
      }
    });
    window.addEventListener("hashchange", show);
    // When printed, all parts follow one another.
    window.addEventListener("beforeprint", () => {
      const paper = $("print");
      paper.textContent = "";
      paper.append(el("h1", {}, name(data.title)));
      if (drawn && entities.length) {
        const copy = drawn.cloneNode(true);
        copy.setAttribute("viewBox", [whole.x, whole.y, whole.w, whole.h].join(" "));
        copy.classList.remove("distant", "chosen", "searching");
        if (boxes.length > 60) copy.classList.add("distant");
        else for (const rows of copy.querySelectorAll("g.near.out")) rows.classList.remove("out");
        paper.append(copy);
      }
      if (store) paper.append(storeView());
      if (findings.length) paper.append(findingsView());
      if (versions) paper.append(versionsView());
      entities.slice(0, 400).forEach((_, place) => paper.append(entityView(place)));
      if (model) paper.append(modelView());
    });
    window.addEventListener("afterprint", () => { $("print").textContent = ""; });
    showList();
    show();
    """##
}
