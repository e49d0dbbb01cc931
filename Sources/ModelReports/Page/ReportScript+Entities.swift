extension ReportScript {
  /// Entities, the model and findings.
  static let entities = ##"""
    function findingItem(item, withPlace) {
      const place = item.entity === undefined ? undefined : places.get(item.entity);
      return el("li", { class: "finding " + item.severity }, badge(item.severity, item.severity === "error" ? "bad" : "warn"), " ",
        withPlace && item.entity !== undefined ? [place === undefined ? name(item.entity) : entityLink(place),
          item.property === undefined ? "" : ["." , name(item.property)], ": "] : null,
        el("bdi", {}, item.message), item.rowCount ? [" (", count(item.rowCount, "row"), item.rows ? [": ", joined(item.rows.map((key) => rowLink(place, key))),
          item.rowCount > item.rows.length ? ", …" : ""] : "", ")"] : "", " ", el("span", { class: "rule" }, item.rule));
    }
    // The key of a row, as a link if the row is shown.
    function rowLink(place, key) {
      const rows = stored.get(place);
      if (live && place !== undefined) return objectLink(place, key, String(key));
      return rows && rows.samples && rows.samples.some((row) => row.key === key)
        ? el("a", { href: "#/entity/" + place + "/" + key }, String(key)) : String(key);
    }
    const findingList = (items, withPlace) =>
      el("ul", { class: "findings" }, items.map((item) => findingItem(item, withPlace)));
    const sign = (property, items) => items.some((item) => item.property === property)
      ? el("span", { class: "dot", title: "has findings" }, el("span", { class: "hidden" }, " has findings")) : null;

    function attributeRows(place, items, from, has) {
      const rows = stored.get(place);
      return items.map((item) => {
        const told = rows && rows.attributes ? rows.attributes.find((one) => one.name === item.name) : null;
        return el("tr", {},
          el("th", { scope: "row" }, name(item.name), from ? null : sign(item.name, found[place])),
          el("td", { class: item.type.length < 24 ? "short" : "" }, item.fetches === undefined ? item.type : entityLink(item.fetches, item.type)),
          el("td", { class: "short" }, item.isOptional ? el("span", { class: "soft" }, "optional") : "required"),
          has.defaults ? el("td", {}, item.defaultValue === undefined ? "" : code(item.defaultValue)) : null,
          has.notes ? el("td", {}, joined([...(item.validation || []).map((text) => el("span", { class: "must" }, el("bdi", {}, text))),
            ...(item.notes || []).map((text) => el("span", { class: "soft" }, el("bdi", {}, text)))], el("br")),
          from !== undefined ? [item.validation || item.notes ? el("br") : "", el("span", { class: "soft" }, "from "), entityLink(from)] : null) : null,
          rows ? el("td", { class: "data" }, told ? valueCell(told, rows.rows) : "") : null);
      });
    }
    function relationshipRows(place, items, from, has) {
      const rows = stored.get(place);
      return items.map((item) => {
        const told = rows && rows.relationships ? rows.relationships.find((one) => one.name === item.name) : null;
        return el("tr", {},
          el("th", { scope: "row" }, name(item.name), from ? null : sign(item.name, found[place])),
          el("td", {}, item.to === undefined ? el("span", { class: "bad-text" }, item.toName || "nothing") : entityLink(item.to)),
          el("td", {}, item.count, (item.notes || []).includes("ordered") ? ", ordered" : ""),
          el("td", {}, item.inverse === undefined ? el("span", { class: "soft" }, "none") : name(item.inverse)),
          el("td", {}, badge(item.rule, { cascade: "warn", deny: "bad" }[item.rule] || "")),
          has.notes ? el("td", {}, joined((item.notes || []).filter((text) => text !== "ordered")
            .map((text) => el("span", { class: "soft" }, el("bdi", {}, text))), el("br")),
          from !== undefined ? [el("span", { class: "soft" }, "from "), entityLink(from)] : null) : null,
          rows ? el("td", { class: "data" }, told ? countChart(told) : "") : null);
      });
    }
    function entityView(place, isBrief) {
      const entity = entities[place], above = ancestors(place), rows = stored.get(place);
      const heading = el("header", {}, el("h2", {}, name(entity.name), entity.isAbstract ? [" ", badge("abstract", "calm")] : null),
        el("p", { class: "links" }, isBrief
          ? el("a", { href: "#/entity/" + place }, "Show details")
          : entities.length ? [el("a", { href: "#/diagram/" + place }, "Show in the diagram"), live ? [" · ", el("a", { href: "#/data/" + place }, "All rows")] : null] : null));
      const list = facts([
        above.length ? ["Parent", joined(above.map((one) => entityLink(one)), " › ")] : null,
        entity.children ? ["Subentities", joined(entity.children.map((one) => entityLink(one)))] : null,
        rows && rows.rows !== undefined ? ["Rows", numbers.format(rows.rows), el("span", { class: "soft" }, " in "), code(rows.table)] : null,
        entity.className !== undefined && !isBrief ? ["Class", code(entity.className)] : null,
        entity.configurations && !isBrief ? ["Configurations", joined(entity.configurations.map((text) => name(text)))] : null,
        entity.unique ? ["Unique", joined(entity.unique.map((text) => name(text)), "; ")] : null,
        entity.notes && !isBrief ? ["Notes", joined(entity.notes.map((text) => el("bdi", {}, text)), "; ")] : null,
        entity.hash && !isBrief ? ["Version hash", el("code", { class: "hash" }, entity.hash)] : null]);
      const parts = [heading, list];
      if (found[place].length) parts.push(el("h3", {}, "Findings"), findingList(found[place]));
      if (isBrief) {
        const inherited = above.flatMap((one) => entities[one].attributes);
        if (entity.attributes.length + inherited.length) parts.push(el("h3", {}, "Attributes"), el("ul", { class: "brief" },
          entity.attributes.map((item) => el("li", {}, name(item.name), el("span", {}, item.type + (item.isOptional ? "?" : "")))),
          inherited.length ? el("li", { class: "soft" }, count(inherited.length, "attribute") + " inherited") : null));
        if (entity.relationships.length) parts.push(el("h3", {}, "Relationships"), el("ul", { class: "brief" },
          entity.relationships.map((item) => el("li", {}, name(item.name), el("span", {}, item.isToMany ? "↠ " : "→ ",
            item.to === undefined ? item.toName || "nothing" : el("a", { href: "#/diagram/" + item.to }, name(entities[item.to].name)))))));
        return el("article", { class: "entity" }, parts);
      }
      const every = [place, ...above].flatMap((one) => entities[one].attributes);
      const has = { defaults: every.some((item) => item.defaultValue !== undefined),
        notes: every.some((item) => item.validation || item.notes) || above.some((one) => entities[one].attributes.length) };
      const attributes = [...attributeRows(place, entity.attributes, undefined, has), ...above.flatMap((one) => attributeRows(place, entities[one].attributes, one, has))];
      const data = rows ? [["In the store", "data"]] : [];
      if (attributes.length) parts.push(el("h3", {}, "Attributes"),
        table("Attributes of " + entity.name, ["Name", "Type", "Value", ...(has.defaults ? ["Default"] : []), ...(has.notes ? ["Rules and notes"] : []), ...data], attributes));
      const links = [place, ...above].flatMap((one) => entities[one].relationships);
      const noted = { notes: links.some((item) => (item.notes || []).some((text) => text !== "ordered")) || above.some((one) => entities[one].relationships.length) };
      const relationships = [...relationshipRows(place, entity.relationships, undefined, noted), ...above.flatMap((one) => relationshipRows(place, entities[one].relationships, one, noted))];
      if (relationships.length) parts.push(el("h3", {}, "Relationships"),
        table("Relationships of " + entity.name, ["Name", "Destination", "Count", "Inverse", "On delete", ...(noted.notes ? ["Notes"] : []), ...data], relationships));
      if (entity.indexes) parts.push(el("h3", {}, "Indexes"), table("Indexes of " + entity.name, ["Name", "Over"],
        entity.indexes.map((item) => el("tr", {}, el("th", { scope: "row" }, name(item.name)), el("td", {}, code(item.text))))));
      const users = [...incoming[place].map(([one, item]) => [one, item.name, "relationship"]),
        ...fetchers[place].map(([one, item]) => [one, item.name, "fetched property"])];
      if (users.length || requests[place].length) parts.push(el("h3", {}, "Used by"), el("ul", { class: "plain" },
        users.map(([one, text, kind]) => el("li", {}, entityLink(one), ".", name(text), el("span", { class: "soft" }, " " + kind))),
        requests[place].map((item) => el("li", {}, el("a", { href: "#/model" }, name(item.name)), el("span", { class: "soft" }, " fetch request")))));
      if (entity.info) parts.push(el("h3", {}, "User info"), table("User info of " + entity.name, ["Key", "Value"],
        entity.info.map((item) => el("tr", {}, el("th", { scope: "row" }, name(item.name)), el("td", {}, code(item.text))))));
      if (rows && rows.samples) parts.push(samplesView(place, rows));
      return el("article", { class: "entity" }, parts);
    }
    function entitiesView() {
      const columns = [["Entity", (e) => e.name], ["Parent", (e) => e.parent === undefined ? "" : entities[e.parent].name],
        ["Attributes", (e) => e.attributes.length, "number"], ["Relationships", (e) => e.relationships.length, "number"],
        ["Used by", (e, i) => incoming[i].length, "number"],
        ...(store ? [["Rows", (e, i) => stored.get(i) ? stored.get(i).rows || 0 : 0, "number"]] : []),
        ["Findings", (e, i) => found[i].length, "number"], ["Version hash", (e) => (e.hash || "").slice(0, 12)]];
      const body = el("tbody", {});
      const head = el("tr", {});
      let key = 0, isDown = true;
      const order = entities.map((_, place) => place);
      const draw = () => {
        const value = columns[key][1];
        order.sort((a, b) => { const x = value(entities[a], a), y = value(entities[b], b);
          return (x < y ? -1 : x > y ? 1 : 0) * (isDown ? 1 : -1) || a - b; });
        body.textContent = "";
        body.append(...order.map((place) => el("tr", {}, columns.map(([, of, kind], column) => {
          const text = of(entities[place], place);
          if (column === 0) return el("th", { scope: "row" }, entityLink(place), entities[place].isAbstract ? [" ", badge("abstract", "calm")] : null);
          if (column === 1) return el("td", {}, text === "" ? "" : entityLink(entities[place].parent));
          return el("td", { class: kind || "hash" }, kind ? (text ? numbers.format(text) : el("span", { class: "soft" }, "0")) : text);
        }))));
        [...head.children].forEach((cell, column) => cell.setAttribute("aria-sort", column === key ? (isDown ? "ascending" : "descending") : "none"));
      };
      columns.forEach(([text, , kind], column) => head.append(el("th", { scope: "col", class: kind },
        el("button", { type: "button", onclick: () => { isDown = column === key ? !isDown : !kind; key = column; draw(); } }, text))));
      draw();
      return el("article", {}, el("h2", {}, "Entities", el("span", { class: "count" }, numbers.format(entities.length))),
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Entities" }, el("table", { class: "sortable" },
          el("caption", { class: "hidden" }, "Entities; a column's heading sorts by it"), el("thead", {}, head), body)));
    }
    function modelView() {
      const parts = [el("h2", {}, "Model"), facts([
        model.identifiers.length ? ["Version identifiers", joined(model.identifiers.map((text) => name(text)))] : null,
        model.checksum ? ["Checksum", el("code", { class: "hash" }, model.checksum)] : null,
        model.compiler ? ["Compiled by", model.compiler] : null,
        ["Entities", numbers.format(entities.length)]])];
      if (model.configurations.length) parts.push(el("h3", {}, "Configurations"), table("Configurations", ["Name", "Entities"],
        model.configurations.map((item) => el("tr", {}, el("th", { scope: "row" }, name(item.name)),
          el("td", {}, joined(item.entities.map((place) => entityLink(place))))))));
      if (model.requests.length) parts.push(el("h3", {}, "Fetch requests"), table("Fetch requests", ["Name", "Fetches", "Where", "How"],
        model.requests.map((item) => el("tr", {}, el("th", { scope: "row" }, name(item.name)),
          el("td", {}, item.entity === undefined ? item.entityName || "nothing" : entityLink(item.entity)),
          el("td", {}, item.predicate ? code(item.predicate) : el("span", { class: "soft" }, "all")),
          el("td", {}, (item.notes || []).join("; "))))));
      parts.push(el("h3", {}, "Version hashes"), table("Version hashes", ["Entity", "Hash"],
        entities.map((entity, place) => el("tr", {}, el("th", { scope: "row" }, entityLink(place)),
          el("td", { class: "hash" }, entity.hash || "none")))));
      return el("article", {}, parts);
    }
    function findingsView() {
      const errors = findings.filter((item) => item.severity === "error").length;
      const groups = [["check", "In the store"], ["lint", "In the model"]].map(([source, title]) =>
        [title, findings.filter((item) => item.source === source)]).filter(([, items]) => items.length);
      return el("article", {}, el("h2", {}, "Findings"),
        findings.length ? el("p", {}, count(errors, "error") + ", " + count(findings.length - errors, "warning") + ".")
          : el("p", { class: "well" }, "No findings."),
        groups.map(([title, items]) => [el("h3", {}, title, el("span", { class: "count" }, numbers.format(items.length))),
          findingList(items, true)]));
    }
    """##
}
