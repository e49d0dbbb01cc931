extension ReportScript {
  /// Rows and objects of a store, requested from the server that the page came from.
  static let browsing = ##"""
    // A space must be %20: in conditions, a plus sign is a plus sign.
    const query = (values) => Object.entries(values).map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
    const ask = async (what, values) => {
      let response;
      try { response = await fetch(what + "?" + query(values), { cache: "no-store" }); }
      catch { throw new Error("momtool browse no longer responds: start it again, and open the address that it prints."); }
      const answer = await response.json().catch(() => null);
      if (!answer) throw new Error("momtool browse answered with status " + response.status + ".");
      return answer;
    };
    // A text on several lines.
    const onLines = (text) => document.createTextNode(String(text).split("\n").map(visible).join("\n"));
    const objectLink = (place, key, text) => el("a", { href: "#/object/" + place + "/" + key }, name(text || entities[place].name + " " + key));
    const valueAddress = (place, key, property, kind) =>
      "value?" + query({ entity: entities[place].name, key, property, ...(kind ? { as: kind } : {}) });
    // Performs the requests that the address describes.
    function asked() {
      const parts = location.hash.replace(/^#\//, "").split("/");
      const text = (part) => { try { return decodeURIComponent(part || ""); } catch { return ""; } };
      const first = store && store.entities.find((item) => item.rows) || (store && store.entities[0]);
      const place = entities[Number(parts[1])] && parts[1] ? Number(parts[1]) : first ? first.entity : 0;
      return { place, offset: Math.max(0, Number(parts[2]) || 0), sort: text(parts[3]), where: text(parts[4]) };
    }
    const addressOf = (state) => "#/data/" + [state.place, state.offset, encodeURIComponent(state.sort), encodeURIComponent(state.where)].join("/");
    // Everything that an entity has, its own and inherited.
    const every = (place, list) => [place, ...ancestors(place)].flatMap((one) => entities[one][list]);

    function liveValue(value, place, key, property, isWhole) {
      if (value.links) return [joined(value.links.map(([one, other]) => objectLink(one, other))),
        value.more ? el("span", { class: "soft" }, " and " + numbers.format(value.more) + " more") : null];
      if (value.bytes !== undefined) {
        const told = value.picture ? "picture" : value.decoded !== undefined ? "archive" : "bytes";
        return [value.picture ? el("img", { class: isWhole ? "whole" : "small", loading: "lazy", src: valueAddress(place, key, property), alt: property + " of " + entities[place].name + " " + key }) : null,
          el("span", { class: "soft" }, told + ", " + size(value.bytes) + " "),
          isWhole ? el("a", { href: valueAddress(place, key, property, "file"), download: "" }, "Save") : null,
          value.decoded !== undefined ? isWhole ? el("pre", { class: "value", tabindex: "0", "aria-label": "What " + property + " contains" }, onLines(value.decoded)) : el("bdi", {}, value.decoded) : null,
          isWhole && value.hex && !value.picture && value.decoded === undefined ? el("pre", { class: "value", tabindex: "0", "aria-label": "First bytes of " + property }, onLines(value.hex)) : null];
      }
      if (value.text === undefined) return el("span", { class: "soft" }, "–");
      return isWhole && (value.text.length > 80 || value.text.includes("\n")) ? el("pre", { class: "value text", tabindex: "0", "aria-label": property }, onLines(value.text)) : el("bdi", {}, value.text);
    }

    // Completion of a condition: names by the path that leads to them, operators by the type before them.
    const wordsOfConditions = ["AND", "OR", "NOT", "ANY", "ALL", "NONE", "nil", "true", "false", "SELF", "SUBQUERY(", "TRUEPREDICATE"];
    const operators = {
      text: ["==", "!=", "BEGINSWITH[cd]", "CONTAINS[cd]", "ENDSWITH[cd]", "LIKE[c]", "MATCHES", "IN {"],
      number: ["==", "!=", "<", "<=", ">", ">=", "BETWEEN {", "IN {"], other: ["==", "!=", "<", "<=", ">", ">="], flag: ["== true", "== false"], object: ["==", "!=", "== nil", "!= nil", "IN {"] };
    function resolve(place, path) {
      let found = null;
      for (const [step, word] of path.entries()) {
        if (place === undefined) return null;
        if (word === "SELF") { found = { to: place }; continue; }
        const relationship = every(place, "relationships").find((item) => item.name === word);
        if (relationship) { found = relationship; place = relationship.to; continue; }
        found = every(place, "attributes").find((item) => item.name === word) || (word === "@count" ? { type: "Integer 64" } : null);
        if (!found || step < path.length - 1) return null;
        place = undefined;
      }
      return { found, place };
    }
    function completions(place, text, caret) {
      const before = text.slice(0, caret);
      if ((before.match(/"/g) || []).length % 2 || (before.match(/'/g) || []).length % 2) return { start: caret, items: [] };
      const word = /[A-Za-z_@][\w.@]*$/.exec(before);
      if (!word) {
        const last = /([A-Za-z_][\w.@]*)\s+$/.exec(before), way = last && !wordsOfConditions.includes(last[1].toUpperCase()) ? resolve(place, last[1].split(".")) : null;
        if (way && way.found) {
          const type = way.found.type;
          const kind = type === undefined ? "object" : /String|URI|URL/.test(type) ? "text" : /Integer|Double|Float|Decimal/.test(type) ? "number" : /Boolean/.test(type) ? "flag" : "other";
          return { start: caret, items: operators[kind].map((text) => ({ text, note: "" })) };
        }
        return before.trim() === "" || /[(!]\s*$|\b(AND|OR|NOT|ANY|ALL|NONE)\s+$/i.test(before) ? { start: caret, items: names(place, "", 0) } : { start: caret, items: /[\w"'})]\s+$/.test(before) ? ["AND", "OR"].map((text) => ({ text, note: "" })) : [] };
      }
      const path = word[0].split("."), last = path.pop(), way = path.length ? resolve(place, path) : { place };
      if (!way) return { start: caret, items: [] };
      const items = way.place === undefined ? [] : names(way.place, last, path.length);
      if (path.length && way.found && way.found.isToMany && "@count".startsWith(last)) items.push({ text: "@count", note: "how many" });
      if (!path.length) items.push(...wordsOfConditions.filter((text) => last.length > 1 && text.startsWith(last.toUpperCase()) && text !== last).map((text) => ({ text, note: "" })));
      return { start: caret - last.length, items: items.filter((item) => item.text !== last) };
      function names(place, start, depth) {
        const wanted = start.toLowerCase();
        return [...every(place, "attributes").map((item) => ({ text: item.name, note: item.type })),
          ...every(place, "relationships").map((item) => ({ text: item.name, note: (item.isToMany ? "↠ " : "→ ") + (item.to === undefined ? "" : entities[item.to].name) }))]
          .filter((item) => item.text.toLowerCase().startsWith(wanted)).slice(0, 60);
      }
    }
    function conditionField(state) {
      const input = el("input", { id: "where", type: "text", value: state.where, spellcheck: "false", autocomplete: "off", autocapitalize: "off", role: "combobox",
        "aria-autocomplete": "list", "aria-controls": "options", "aria-expanded": "false", "aria-describedby": "problem", placeholder: "A condition, such as name BEGINSWITH \"A\"" });
      const options = el("ul", { id: "options", role: "listbox", "aria-label": "Completions", hidden: true });
      const problem = el("div", { id: "problem", role: "alert" });
      let list = { items: [] }, at = -1, checks = 0, timer = 0;
      const close = () => { options.hidden = true; at = -1; input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant"); };
      const mark = () => {
        [...options.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === at)));
        if (at < 0) return input.removeAttribute("aria-activedescendant");
        input.setAttribute("aria-activedescendant", "option-" + at);
        options.children[at].scrollIntoView({ block: "nearest" });
      };
      const take = (item) => {
        const end = input.selectionStart, tail = input.value.slice(end);
        input.value = input.value.slice(0, list.start) + item.text + (tail.startsWith(" ") || /[({]$/.test(item.text) ? "" : " ") + tail;
        const caret = list.start + item.text.length + (/[({]$/.test(item.text) ? 0 : 1);
        input.setSelectionRange(caret, caret);
        input.focus();
        close();
        check();
      };
      const open = () => {
        list = completions(state.place, input.value, input.selectionStart);
        options.textContent = "";
        if (!list.items.length) return close();
        options.append(...list.items.map((item, place) => el("li", { id: "option-" + place, role: "option", "aria-selected": "false",
          onmousedown: (event) => { event.preventDefault(); take(item); } }, name(item.text), el("small", {}, item.note))));
        options.hidden = false;
        at = -1;
        input.setAttribute("aria-expanded", "true");
      };
      const tell = (error) => {
        problem.textContent = "";
        if (!error) return input.removeAttribute("aria-invalid");
        input.setAttribute("aria-invalid", "true");
        problem.append(el("p", { class: "bad-text" }, onLines(error.message)));
        if (error.column && input.value) problem.append(el("pre", { class: "mark", "aria-hidden": "true" }, onLines(input.value + "\n" + " ".repeat(error.column - 1) + "^")));
      };
      const check = () => {
        clearTimeout(timer);
        const turn = checks += 1;
        timer = setTimeout(async () => {
          try {
            const answer = await ask("check", { entity: entities[state.place].name, where: input.value });
            if (turn === checks) tell(answer.error);
          } catch { }
        }, 250);
      };
      input.addEventListener("input", () => { open(); check(); });
      input.addEventListener("click", open);
      input.addEventListener("blur", close);
      input.addEventListener("keydown", (event) => {
        if (event.key === "ArrowDown" && options.hidden) { event.preventDefault(); return open(); }
        if (options.hidden) return;
        const count = options.children.length;
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
          event.preventDefault();
          at = event.key === "ArrowDown" ? (at + 1) % count : (at <= 0 ? count : at) - 1;
          mark();
        } else if (event.key === "Tab" || (event.key === "Enter" && at >= 0)) {
          event.preventDefault();
          take(list.items[Math.max(0, at)]);
        } else if (event.key === "Escape") { event.stopPropagation(); close(); }
      });
      const form = el("form", { class: "where", onsubmit: (event) => {
        event.preventDefault();
        close();
        const next = addressOf({ ...state, offset: 0, where: input.value.trim() });
        if (location.hash === next) show(); else location.hash = next;
      } }, el("label", { for: "where" }, "Where"), el("div", { class: "field" }, input, options), el("button", { type: "submit" }, "Show"),
        el("button", { type: "button", onclick: () => { location.hash = addressOf({ ...state, offset: 0, where: "" }); } }, "Clear"));
      return { node: [form, problem], tell };
    }

    let turns = 0;
    const limit = 50;
    function dataView() {
      const state = asked(), turn = turns += 1, entity = entities[state.place], field = conditionField(state);
      const body = el("div", { id: "rows", "aria-busy": "true" }, el("p", { class: "soft" }, "Reading …"));
      const values = { entity: entity.name, where: state.where, sort: state.sort };
      const choice = el("label", { for: "which" }, "Entity", el("select", { id: "which", onchange: (event) => { location.hash = "#/data/" + event.target.value; } },
        entities.map((one, place) => el("option", { value: place, selected: place === state.place }, one.name))));
      const pages = el("div", { class: "pages" });
      ask("rows", { ...values, offset: state.offset, limit }).then((answer) => {
        if (turn !== turns) return;
        body.textContent = "";
        body.setAttribute("aria-busy", "false");
        field.tell(answer.error);
        if (answer.error) return;
        const at = (offset) => addressOf({ ...state, offset });
        const end = state.offset + answer.rows.length;
        fill(pages, {}, [
          el("span", { role: "status" }, answer.rows.length ? numbers.format(state.offset + 1) + "–" + numbers.format(end) + (answer.total !== undefined ? " of " + numbers.format(answer.total) : answer.more ? " of more" : " of " + numbers.format(end)) : "No rows"),
          state.offset ? el("a", { class: "button", href: at(Math.max(0, state.offset - limit)), rel: "prev" }, "← Previous") : null,
          answer.more ? el("a", { class: "button", href: at(state.offset + limit), rel: "next" }, "Next →") : null,
          el("span", { class: "export" }, "Save as ", joined(["csv", "json", "jsonl"].map((format) =>
            el("a", { href: "export?" + query({ ...values, format }), download: "" }, format.toUpperCase()))))]);
        if (answer.problems) body.append(el("ul", { class: "findings" }, answer.problems.map((text) => el("li", { class: "finding warning" }, badge("not read", "warn"), " ", text))));
        if (!answer.rows.length) return;
        const attributes = new Set(every(state.place, "attributes").map((item) => item.name));
        const head = (column) => {
          if (!attributes.has(column)) return el("th", { scope: "col" }, name(column));
          const isUp = state.sort === column, isDown = state.sort === "-" + column;
          return el("th", { scope: "col", "aria-sort": isUp ? "ascending" : isDown ? "descending" : "none" }, el("button", { type: "button",
            onclick: () => { location.hash = addressOf({ ...state, offset: 0, sort: isUp ? "-" + column : isDown ? "" : column }); } }, name(column)));
        };
        body.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows of " + entity.name }, el("table", { class: "rows sortable" },
          el("caption", { class: "hidden" }, "Rows of " + entity.name + "; a column's heading sorts by it"),
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Object"), answer.columns.map(head))),
          el("tbody", {}, answer.rows.map((row) => el("tr", {}, el("th", { scope: "row" }, objectLink(row.entity, row.key)),
            row.values.map((value, place) => el("td", {}, liveValue(value, row.entity, row.key, answer.columns[place])))))))));
      }).catch((error) => { if (turn === turns) { body.textContent = ""; body.append(el("p", { class: "bad-text", role: "alert" }, error.message)); } });
      return el("article", { class: "data" }, el("header", {}, el("h2", {}, "Rows of ", name(entity.name)), el("p", { class: "links" }, entityLink(state.place, "Entity details"))),
        el("div", { class: "choices" }, choice), field.node, pages, body);
    }
    function objectView(place, key) {
      const turn = turns += 1, entity = entities[place], body = el("div", { "aria-busy": "true" }, el("p", { class: "soft" }, "Reading …"));
      ask("object", { entity: entity.name, key }).then((answer) => {
        if (turn !== turns) return;
        body.textContent = "";
        body.setAttribute("aria-busy", "false");
        if (answer.error) return body.append(el("p", { class: "bad-text", role: "alert" }, answer.error.message));
        const types = new Map([...every(place, "attributes").map((item) => [item.name, item.type]),
          ...every(place, "relationships").map((item) => [item.name, (item.isToMany ? "↠ " : "→ ") + (item.to === undefined ? "" : entities[item.to].name)])]);
        body.append(table("Values of " + entity.name + " " + key, ["Name", "Type", "Value"], answer.values.map((value) => el("tr", {},
          el("th", { scope: "row" }, name(value.name)), el("td", { class: "short soft" }, types.get(value.name) || ""),
          el("td", {}, liveValue(value, place, key, value.name, true), value.cut ? el("p", { class: "soft" }, "The text is truncated; ",
            el("a", { href: valueAddress(place, key, value.name, "file"), download: "" }, "save it whole")) : null))), { class: "rows" }));
      }).catch((error) => { if (turn === turns) { body.textContent = ""; body.append(el("p", { class: "bad-text", role: "alert" }, error.message)); } });
      return el("article", { class: "data" }, el("header", {}, el("h2", {}, name(entity.name), " ", String(key)),
        el("p", { class: "links" }, el("a", { href: "#/data/" + place }, "All rows"), " · ", entityLink(place, "Entity details"))), body);
    }
    parts.data = () => dataView();
    parts.object = (values) => entities[values[0]] && Number.isSafeInteger(values[1]) ? objectView(values[0], values[1]) : dataView();
    """##
}
