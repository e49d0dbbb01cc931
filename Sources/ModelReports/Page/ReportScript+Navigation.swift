extension ReportScript {
  /// Search, lists, and navigation between parts.
  static let navigation = ##"""
    const kinds = ["Entities", "Attributes", "Relationships", "Indexes", "Fetch requests", "Configurations", "Versions"];
    let index = null;
    function searchIndex() {
      if (index) return index;
      index = [];
      const add = (kind, text, href, where, entity) =>
        index.push({ kind, text, lower: text.toLowerCase(), href, where, entity });
      entities.forEach((entity, place) => {
        const href = "#/entity/" + place;
        add(0, entity.name, href, "", place);
        for (const item of entity.attributes) add(1, item.name, href, entity.name, place);
        for (const item of entity.relationships) add(2, item.name, href, entity.name, place);
        for (const item of entity.indexes || []) add(3, item.name, href, entity.name, place);
      });
      if (model) {
        for (const item of model.requests) add(4, item.name, "#/model", item.entityName || "", item.entity);
        for (const item of model.configurations) add(5, item.name, "#/model", "");
      }
      if (versions) versions.names.forEach((text, place) =>
        add(6, text, "#/versions/" + Math.max(0, place - 1) + "/" + place, ""));
      return index;
    }
    function search(query) {
      const wanted = query.trim().toLowerCase();
      if (!wanted) return null;
      const hits = [];
      for (const item of searchIndex()) {
        const place = item.lower.indexOf(wanted);
        if (place < 0) continue;
        const rank = item.lower === wanted ? 0 : place === 0 ? 1
          : item.text[place] !== item.lower[place] || /[^a-z0-9]/.test(item.lower[place - 1]) ? 2 : 3;
        hits.push({ item, rank, place });
      }
      hits.sort((a, b) => a.item.kind - b.item.kind || a.rank - b.rank || a.item.text.length - b.item.text.length
        || (a.item.text < b.item.text ? -1 : a.item.text > b.item.text ? 1 : 0));
      return { wanted, hits };
    }
    const marked = (text, place, length) => el("bdi", { class: "name" }, text.slice(0, place),
      el("mark", {}, text.slice(place, place + length)), text.slice(place + length));

    function showList() {
      const list = $("list"), result = search($("search").value);
      list.textContent = "";
      if (!result) {
        $("found").textContent = "";
        list.setAttribute("aria-label", "Entities");
        list.append(el("ul", {}, entities.map((entity, place) => el("li", {},
          el("a", { href: "#/entity/" + place, "data-e": place, class: entity.isAbstract ? "abstract" : "" },
            name(entity.name), found[place].length ? el("span", { class: "dot", title: count(found[place].length, "finding") },
              el("span", { class: "hidden" }, count(found[place].length, "finding"))) : null,
            stored.get(place) && stored.get(place).rows !== undefined
              ? el("span", { class: "count" }, numbers.format(stored.get(place).rows)) : null)))));
      } else {
        const { wanted, hits } = result, limit = 60;
        $("found").textContent = hits.length ? count(hits.length, "name") + " found" : "No name found";
        list.setAttribute("aria-label", "Names found");
        if (!hits.length) list.append(el("p", { class: "empty" }, "No name contains “" + $("search").value.trim() + "”."));
        kinds.forEach((title, kind) => {
          const group = hits.filter((hit) => hit.item.kind === kind);
          if (!group.length) return;
          list.append(el("h2", {}, title, el("span", { class: "count" }, numbers.format(group.length))),
            el("ul", {}, group.slice(0, limit).map(({ item, place }) => el("li", {},
              el("a", { href: item.href, "data-name": item.text, "data-e": item.entity },
                marked(item.text, place, wanted.length),
                item.where ? el("small", {}, el("bdi", {}, item.where)) : null)))));
          if (group.length > limit) list.append(el("p", { class: "empty" }, "and " + numbers.format(group.length - limit) + " more"));
        });
      }
      markCurrent();
      highlight(result && new Set(result.hits.map((hit) => hit.item.entity).filter((place) => place !== undefined)));
    }

    const tabs = [["data", "Data", live], ["diagram", "Diagram", model && entities.length], ["entities", "Entities", model],
      ["model", "Model", model], ["versions", "Versions", versions], ["store", "Store", store],
      ["findings", "Findings", true]].filter((tab) => tab[2]);
    function route() {
      const words = location.hash.replace(/^#\//, "").split("/");
      const part = words[0] || (live ? "data" : model && entities.length ? "diagram" : "findings");
      return { part, values: words.slice(1).map(Number) };
    }
    function markCurrent() {
      const { part, values } = route();
      for (const link of $("tabs").querySelectorAll("a")) {
        const isHere = link.dataset.part === part || (part === "entity" && link.dataset.part === "entities") || (part === "object" && link.dataset.part === "data");
        if (!isHere) { link.removeAttribute("aria-current"); continue; }
        link.setAttribute("aria-current", "page");
        // On a narrow screen the tabs scroll: the current one is always in sight.
        const bar = $("tabs"), least = link.offsetLeft + link.offsetWidth - bar.clientWidth - bar.offsetLeft;
        bar.scrollLeft = Math.max(least, Math.min(bar.scrollLeft, link.offsetLeft - bar.offsetLeft));
      }
      const isData = part === "data" || part === "object";
      const chosen = part === "entity" || part === "diagram" || part === "object" ? values[0] : part === "data" && live ? asked().place : undefined;
      for (const link of $("list").querySelectorAll("a")) {
        const isHere = chosen !== undefined && !link.dataset.name && Number(link.dataset.e) === chosen;
        if (isHere) { link.setAttribute("aria-current", "true"); if (link !== document.activeElement) link.scrollIntoView({ block: "nearest" }); }
        else link.removeAttribute("aria-current");
        // In the diagram, a name links to its box.
        if (link.dataset.e !== undefined && link.dataset.e !== "")
          link.setAttribute("href", (part === "diagram" ? "#/diagram/" : isData && live ? "#/data/" : "#/entity/") + link.dataset.e);
      }
    }
    function show() {
      const { part, values } = route(), view = $("view"), main = $("main");
      view.textContent = "";
      main.className = part;
      $("drawing").hidden = part !== "diagram";
      const content = Object.hasOwn(parts, part) && live ? parts[part](values) : part === "diagram" ? inspector(values[0])
        : part === "entity" && entities[values[0]] ? entityView(values[0])
        : part === "entities" ? entitiesView() : part === "model" && model ? modelView()
        : part === "versions" && versions ? versionsView(values[0], values[1])
        : part === "store" && store ? storeView() : findingsView();
      if (content) view.append(content);
      if (part === "diagram") choose(values[0]);
      markCurrent();
      document.title = ((part === "entity" || part === "object") && entities[values[0]] ? visible(entities[values[0]].name) + " · " : "") + visible(data.title);
      const row = part === "entity" && values.length > 1 ? $("row-" + values[1]) : null;
      if (row) { row.scrollIntoView({ block: "center" }); row.focus(); } else main.scrollTop = 0;
    }
    function moveInList(event, links) {
      const here = links.indexOf(document.activeElement);
      const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: links.length - 1 };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const next = links[steps[event.key]];
      if (next) next.focus(); else if (event.key === "ArrowUp") $("search").focus();
    }
    """##
}
