extension ReportScript {
  /// The contents of a store.
  static let store = ##"""
    const bar = (part, whole, kind) => el("span", { class: "bar " + (kind || ""), "aria-hidden": "true" },
      el("span", { style: "width:" + (whole ? Math.max(part ? 1 : 0, part / whole * 100) : 0).toFixed(1) + "%" }));
    function valueCell(told, rows) {
      const parts = [];
      if (told.trues !== undefined) parts.push(percent(told.trues, rows - told.nulls) + " yes");
      else if (told.least !== undefined && told.greatest !== undefined) parts.push(told.least === told.greatest ? el("bdi", {}, told.least)
        : [el("span", { class: "end" }, el("bdi", {}, told.least)), el("span", { class: "soft" }, " … "), el("span", { class: "end" }, el("bdi", {}, told.greatest))]);
      if (told.bytes !== undefined) parts.push(size(told.bytes));
      return el("div", { class: "values" }, el("div", { class: "range" }, joined(parts, ", ")),
        told.nulls ? el("div", { class: "nulls" }, bar(told.nulls, rows, "warn"), el("small", {}, percent(told.nulls, rows) + " without a value")) : null);
    }
    // A chart of the number of related objects: a column for each number, whose height is the number of rows.
    function countChart(told) {
      const most = Math.max(1, ...told.counts.map((one) => one[2])), all = told.counts.reduce((n, one) => n + one[2], 0);
      const label = (one) => one[0] === one[1] ? String(one[0]) : one[0] + "–" + one[1];
      const words = told.counts.map((one) => label(one) + ": " + count(one[2], "row")).join("; ");
      const step = 30, width = told.counts.length * step;
      return el("figure", { class: "chart" }, svgEl("svg", { viewBox: "0 0 " + width + " 46", width, height: 46, role: "img", "aria-label": "Number of objects, and of rows related to that many: " + words },
        told.counts.map((one, place) => {
          const height = Math.max(1.5, one[2] / most * 30);
          return svgEl("g", {}, svgEl("title", {}, label(one) + ": " + count(one[2], "row") + ", " + percent(one[2], all)),
            svgEl("rect", { x: place * step + 4, y: 31 - height, width: step - 8, height, rx: 1.5, class: one[0] === 0 ? "zero" : "" }),
            svgEl("text", { x: place * step + step / 2, y: 43 }, label(one)));
        })));
    }
    function sampleCell(value) {
      if (value.links) return [joined(value.links.map(([place, key]) => {
        const there = stored.get(place), isShown = there && there.samples && there.samples.some((row) => row.key === key);
        const text = entities[place].name + " " + key;
        if (live) return objectLink(place, key);
        return isShown ? el("a", { href: "#/entity/" + place + "/" + key }, name(text)) : el("span", { class: "soft", title: "This row isn't among those shown" }, name(text));
      })), value.more ? el("span", { class: "soft" }, " and " + numbers.format(value.more) + " more") : null];
      return value.text === undefined ? el("span", { class: "soft" }, "–") : el("bdi", {}, value.text);
    }
    function samplesView(place, rows) {
      return [el("h3", {}, "Rows", el("span", { class: "count" }, rows.rows > rows.samples.length
        ? numbers.format(rows.samples.length) + " of " + numbers.format(rows.rows) : numbers.format(rows.samples.length))),
        table("Rows of " + entities[place].name, [["Key", "number"], ...rows.columns], rows.samples.map((row) =>
          el("tr", { id: "row-" + row.key, tabindex: "-1" }, el("th", { scope: "row", class: "number" }, row.key),
            row.values.map((value) => el("td", {}, sampleCell(value))))), { class: "rows" })];
    }
    function historyChart(history) {
      const most = Math.max(1, ...history.buckets.map((one) => one[0] + one[1] + one[2])), step = 12, width = history.buckets.length * step;
      return el("figure", { class: "chart history" }, svgEl("svg", { viewBox: "0 0 " + width + " 100", preserveAspectRatio: "none", role: "img",
        "aria-label": "Changes over time, from " + history.first + " to " + history.last },
        history.buckets.map((one, place) => {
          let y = 100;
          return svgEl("g", {}, svgEl("title", {}, one[0] + " inserted, " + one[1] + " updated, " + one[2] + " deleted"),
            ["good", "accent", "bad"].map((kind, part) => {
              const height = one[part] / most * 98;
              y -= height;
              return height ? svgEl("rect", { x: place * step + 1, y: y.toFixed(1), width: step - 2, height: height.toFixed(1), class: kind }) : null;
            }));
        })), el("figcaption", {}, el("span", {}, history.first), el("span", { class: "keys" },
          [["good", "inserted"], ["accent", "updated"], ["bad", "deleted"]].map(([kind, text]) => el("span", {}, el("i", { class: kind }), text))), el("span", {}, history.last)));
    }
    function storeView() {
      const all = store.entities.reduce((n, item) => n + (item.rows || 0), 0), most = Math.max(1, ...store.entities.map((item) => item.rows || 0));
      const sorted = [...store.entities].sort((a, b) => (b.rows || 0) - (a.rows || 0) || a.entity - b.entity);
      const parts = [el("h2", {}, "Store"), facts([
        ["Rows", numbers.format(all)],
        ["File", size(store.fileBytes), store.freeBytes ? el("span", { class: "soft" }, ", " + size(store.freeBytes) + " of it unused") : null],
        store.identifier ? ["Identifier", code(store.identifier)] : null,
        store.framework ? ["Framework", String(store.framework)] : null,
        ["Copy of its model", store.hasModel ? "yes" : "no"]])];
      if (store.problems) parts.push(el("ul", { class: "findings" }, store.problems.map((text) => el("li", { class: "finding warning" }, badge("not read", "warn"), " ", text))));
      parts.push(el("h3", {}, "Rows of each entity"), table("Rows of each entity", ["Entity", ["Rows", "number"], "Share", "Table"],
        sorted.map((item) => el("tr", {}, el("th", { scope: "row" }, entityLink(item.entity)),
          el("td", { class: "number" }, item.rows === undefined ? "?" : numbers.format(item.rows)),
          el("td", { class: "wide" }, bar(item.rows || 0, most)), el("td", {}, code(item.table))))));
      if (store.tables) {
        const tables = [...store.tables].sort((a, b) => b.bytes + b.indexBytes - a.bytes - a.indexBytes);
        const largest = Math.max(1, ...tables.map((item) => item.bytes + item.indexBytes));
        parts.push(el("h3", {}, "Sizes of tables"), store.areTablesEstimated ? el("p", { class: "soft" }, "Estimated from the values, because this version of SQLite can't determine the pages of a table.") : null, table("Sizes of tables", ["Table", ["Data", "number"], ["Indexes", "number"], "Share"],
          tables.map((item) => el("tr", {}, el("th", { scope: "row" }, code(item.name)), el("td", { class: "number" }, size(item.bytes)),
            el("td", { class: "number" }, item.indexBytes ? size(item.indexBytes) : ""), el("td", { class: "wide" },
              el("span", { class: "bar", "aria-hidden": "true" }, el("span", { style: "width:" + (item.bytes / largest * 100).toFixed(1) + "%" }),
                el("span", { class: "second", style: "width:" + (item.indexBytes / largest * 100).toFixed(1) + "%" })))))));
      }
      if (store.history) parts.push(el("h3", {}, "History", el("span", { class: "count" }, count(store.history.transactions, "save"))),
        store.history.buckets.length ? historyChart(store.history) : null,
        store.history.authors.length ? el("p", { class: "soft" }, "By ", joined(store.history.authors.map((item) => [item.name === "" ? "nobody named" : name(item.name), " (" + item.text + ")"]))) : null);
      return el("article", {}, parts);
    }
    """##
}
