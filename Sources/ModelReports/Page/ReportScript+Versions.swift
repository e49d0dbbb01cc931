extension ReportScript {
  /// The timeline, comparisons and migrations.
  static let versions = ##"""
    const outcomes = {
      "not-needed": ["=", "opens as it is", "calm"], "lightweight": ["✓", "migrates by itself", "good"],
      "fails-with-data": ["!", "fails with some data", "warn"], "impossible": ["✕", "needs a mapping model", "bad"] };
    const effects = { "keeps": ["kept", "good"], "loses": ["lost", "warn"], "fails-with-data": ["may fail", "warn"], "blocks": ["blocks", "bad"] };
    // The state of a track in a version: names and facts, or nothing if the element doesn't exist.
    function stateAt(track, version) {
      let found = null;
      for (const state of track.states) { if (state[0] > version) break; found = state; }
      if (!found || found.length === 1) return null;
      const said = new Map();
      for (let place = 3; place < found.length; place += 2) said.set(found[place], found[place + 1]);
      return { entity: found[1] < 0 ? null : versions.texts[found[1]], own: found[2] < 0 ? null : versions.texts[found[2]], said };
    }
    const pathOf = (kind, state) => {
      if (state.entity !== null) return state.own === null ? state.entity
        : kind === "index" ? state.entity + "[" + state.own + "]" : state.entity + "." + state.own;
      return kind === "model" ? "model" : kind + " " + state.own;
    };
    const uncounted = new Set(["fetched property", "expression", "index", "fetch request", "configuration", "model"]);
    // Elements that were removed and added again are the same if they match: by name and renaming identifier, then by
    // the identifiers, by the old name as identifier, and by name.
    function joinRevived(pairs, renamed) {
      const identifier = (kind, state) => {
        const text = state.said.get(kind.facts.indexOf("renamingIdentifier"));
        return text === undefined ? nameOf(state) : versions.texts[text];
      };
      const nameOf = (state) => state.own === null ? state.entity : state.own;
      const rounds = [
        [(kind, state) => nameOf(state) + "\n" + identifier(kind, state), (kind, state) => nameOf(state) + "\n" + identifier(kind, state)],
        [identifier, identifier], [(_, state) => nameOf(state), identifier], [(_, state) => nameOf(state), (_, state) => nameOf(state)]];
      for (const isInside of [false, true]) for (const [oldKey, newKey] of rounds) {
        const gone = new Map();
        const key = (kind, state, text, home) => [kind.name, isInside ? home : "", text].join("\n\n");
        const isOf = (state) => (state.own !== null && state.entity !== null) === isInside;
        for (const pair of pairs) {
          const [kind, old, now] = pair;
          if (old && !now && isOf(old)) gone.set(key(kind, old, oldKey(kind, old), renamed.get(old.entity) || old.entity), pair);
        }
        if (!gone.size) continue;
        for (const pair of pairs) {
          const [kind, old, now] = pair;
          if (old || !now || !isOf(now)) continue;
          const place = key(kind, now, newKey(kind, now), now.entity), other = gone.get(place);
          if (!other || !other[1]) continue;
          gone.delete(place);
          pair[1] = other[1];
          other[1] = null;
          if (nameOf(pair[1]) !== nameOf(now)) renamed.set(nameOf(pair[1]), nameOf(now));
        }
      }
    }
    function compare(from, to) {
      const pairs = [], renamed = new Map();
      for (const track of versions.tracks) {
        if (track.states[0][0] > Math.max(from, to)) continue;
        const old = stateAt(track, from), now = stateAt(track, to);
        if (!old && !now) continue;
        pairs.push([versions.kinds[track.kind], old, now]);
        if (old && now) {
          if (old.entity !== now.entity && old.own === null) renamed.set(old.entity, now.entity);
          else if (old.own !== null && old.own !== now.own) renamed.set(old.own, now.own);
        }
      }
      joinRevived(pairs, renamed);
      const changes = [], touched = new Set(), hashes = new Set();
      const text = (place) => place === undefined ? "no" : versions.texts[place];
      for (const [kind, old, now] of pairs) {
        if (!old && !now) continue;
        const isTransient = (state) => state.said.has(kind.facts.indexOf("transient"));
        const counts = !uncounted.has(kind.name) && !((!old || isTransient(old)) && (!now || isTransient(now)));
        const path = pathOf(kind.name, now || old), entity = (now || old).entity;
        const add = (mark, words, isHashed) => {
          changes.push({ mark, words, path, entity, kind: kind.name, isHashed });
          if (isHashed) touched.add(entity);
        };
        if (!old) { add("+", [kind.name + " added" + gist(kind, now)], counts); continue; }
        if (!now) { add("−", [kind.name + " removed"], counts); continue; }
        const place = (state) => state.own === null ? null : state.entity;
        const home = renamed.get(old.entity) || old.entity;
        if (place(old) !== null && home !== now.entity) add("↕", ["came from ", old.entity], counts);
        if ((old.own === null ? old.entity : old.own) !== (now.own === null ? now.entity : now.own))
          add("→", ["renamed from ", old.own === null ? old.entity : old.own], counts);
        const all = new Set([...old.said.keys(), ...now.said.keys()]);
        for (const fact of [...all].sort((a, b) => a - b)) {
          const before = old.said.get(fact), after = now.said.get(fact);
          if (before === after) continue;
          if (kind.facts[fact] === "version hash") { hashes.add(entity); continue; }
          if (kind.references.includes(fact) && before !== undefined && after !== undefined && renamed.size &&
            text(before).replace(/[^\s,.()[\]{}]+/g, (word) => renamed.has(word) ? renamed.get(word) : word) === text(after)) continue;
          add("~", [kind.facts[fact] + ": ", el("del", {}, text(before)), " → ", el("ins", {}, text(after))], counts && kind.hashed.includes(fact));
        }
      }
      const byReference = [...hashes].filter((entity) => !touched.has(entity)).sort();
      return { changes, byReference };
    }
    function gist(kind, state) {
      const words = [], said = (fact) => { const place = kind.facts.indexOf(fact); return place >= 0 && state.said.has(place) ? versions.texts[state.said.get(place)] : null; };
      if (said("type")) words.push(said("type"));
      if (said("destination")) words.push("to " + said("destination"));
      if (kind.name === "attribute" || kind.name === "relationship") words.push(said("optional") ? "optional" : "required");
      return words.length ? ": " + words.join(", ") : "";
    }
    let stepCounts = null;
    function steps() {
      if (stepCounts) return stepCounts;
      stepCounts = versions.names.map(() => ({ added: 0, removed: 0, changed: 0, hashes: false }));
      for (const track of versions.tracks) {
        const kind = versions.kinds[track.kind], hash = kind.facts.indexOf("version hash");
        track.states.forEach((state, place) => {
          const version = state[0], last = place ? track.states[place - 1] : null;
          if (version === 0) return;
          const step = stepCounts[version];
          if (state.length === 1) { step.removed += 1; if (kind.name === "entity") step.hashes = true; }
          else if (!last || last.length === 1) { step.added += 1; if (kind.name === "entity") step.hashes = true; }
          else {
            const was = stateAt(track, version - 1), is = stateAt(track, version);
            const isHash = hash >= 0 && was.said.get(hash) !== is.said.get(hash);
            if (isHash) step.hashes = true;
            const others = new Set([...was.said.keys(), ...is.said.keys()]);
            others.delete(hash);
            if (was.own !== is.own || was.entity !== is.entity || [...others].some((fact) => was.said.get(fact) !== is.said.get(fact))) step.changed += 1;
          }
        });
      }
      return stepCounts;
    }
    function timeline(from, to) {
      const counts = steps(), most = Math.max(1, ...counts.map((step) => step.added + step.removed + step.changed));
      return el("ol", { class: "timeline", tabindex: "0", "aria-label": "Timeline of versions" }, versions.names.map((text, place) => {
        const step = counts[place], total = step.added + step.removed + step.changed;
        const bar = (n, kind) => n ? el("span", { class: kind, style: "height:" + Math.max(3, n / most * 44).toFixed(1) + "px" }) : null;
        return el("li", { class: (place === from ? "from " : "") + (place === to ? "to" : "") },
          el("div", { class: "bars", "aria-hidden": "true" }, bar(step.added, "added"), bar(step.changed, "changed"), bar(step.removed, "removed")),
          el("a", { href: place ? "#/versions/" + (place - 1) + "/" + place : "#/versions/0/0", "aria-current": place === to ? "true" : null,
            title: place ? "Compare with the version before" : null },
            el("span", { class: "point " + (step.hashes || !place ? "hashed" : "") }), name(text),
            place === versions.current ? badge("current", "good") : null),
          el("small", {}, place ? total ? [step.added ? "+" + step.added + " " : "", step.changed ? "~" + step.changed + " " : "", step.removed ? "−" + step.removed : ""] : "same"
            : count(versions.sizes[0][0], "entity", "entities")));
      }));
    }
    function comparison(from, to) {
      const { changes, byReference } = compare(from, to), hashed = changes.filter((item) => item.isHashed).length;
      const groups = new Map();
      for (const item of changes) {
        const key = item.entity === null ? "" : item.entity;
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
      }
      const route = versions.routes.find((item) => item.from === from && item.to === to);
      const marks = { "+": "added", "−": "removed", "~": "changed", "→": "renamed", "↕": "moved" };
      const limit = 4000;
      let left = limit;
      return el("div", { id: "compared", role: "status" },
        el("p", { class: "sum" }, changes.length ? [count(changes.length, "change"), ", ", numbers.format(hashed), " of them in version hashes"] : "No difference",
          route ? [". Stores: ", badge(outcomes[route.outcome][1], outcomes[route.outcome][2])] : "."),
        route && route.reasons.length ? el("details", { open: route.outcome === "impossible" || route.outcome === "fails-with-data" },
          el("summary", {}, "Migration of stores"), reasonList(route)) : null,
        [...groups.keys()].sort().map((key) => {
          if (left <= 0) return null;
          const items = groups.get(key);
          left -= items.length;
          const place = places.get(key);
          return el("section", { class: "group" }, el("h4", {}, key === "" ? "Model" : place === undefined ? name(key) : entityLink(place)),
            el("table", { class: "changes" }, el("caption", { class: "hidden" }, "Changes of " + (key || "the model")),
              el("thead", { class: "hidden" }, el("tr", {}, ["Kind", "Element", "Change", "Version hash"].map((text) => el("th", { scope: "col" }, text)))),
              el("tbody", {}, items.map((item) => el("tr", { class: marks[item.mark] },
                el("td", { class: "mark", title: marks[item.mark] }, item.mark, el("span", { class: "hidden" }, " " + marks[item.mark])),
                el("td", {}, name(key !== "" && item.path.startsWith(key + ".") ? item.path.slice(key.length + 1)
                  : key !== "" && item.path.startsWith(key + "[") ? item.path.slice(key.length) : item.path)),
                el("td", {}, el("bdi", {}, item.words)),
                el("td", {}, item.isHashed ? badge("changes the hash", "warn") : el("span", { class: "soft" }, "same hash")))))));
        }),
        left <= 0 ? el("p", { class: "empty" }, "There are more changes than are shown here.") : null,
        byReference.length ? el("p", { class: "note" }, "Also changed are the hashes of entities that inherit from or refer to these: ",
          joined(byReference.map((text) => name(text)))) : null);
    }
    const reasonList = (route) => el("ul", { class: "reasons" }, route.reasons.map((place) => {
      const reason = versions.reasons[place], [word, kind] = effects[reason.effect] || [reason.effect, ""];
      return el("li", {}, badge(word, kind), " ", el("bdi", {}, reason.message),
        reason.suggestion ? el("div", { class: "soft" }, "→ ", el("bdi", {}, reason.suggestion)) : null);
    }));
    function matrix() {
      const n = versions.names.length, byPair = new Map(versions.routes.map((item) => [item.from + "/" + item.to, item]));
      const panel = el("div", { class: "why", role: "status" });
      const cell = (from, to) => {
        const route = byPair.get(from + "/" + to);
        if (!route) return el("td", { class: "none" }, from === to ? "" : el("span", { class: "soft" }, "·"));
        const [mark, words, kind] = outcomes[route.outcome];
        return el("td", { class: kind }, el("button", { type: "button", title: versions.names[from] + " → " + versions.names[to] + ": " + words,
          "aria-label": "From " + versions.names[from] + " to " + versions.names[to] + ": " + words, onclick: () => {
            panel.textContent = "";
            panel.append(el("h4", {}, name(versions.names[from]), " → ", name(versions.names[to]), " ", badge(words, kind)),
              route.reasons.length ? reasonList(route) : el("p", { class: "soft" }, "No migration is needed: the version hashes are equal."),
              el("p", {}, el("a", { href: "#/versions/" + from + "/" + to }, "Compare these two")));
          } }, mark));
      };
      const targets = [];
      for (let to = 0; to < n; to += 1) if (versions.routes.some((item) => item.to === to && Math.abs(item.from - to) !== 1) || n <= 3) targets.push(to);
      const isWhole = targets.length > 2;
      const legend = el("ul", { class: "key" }, Object.values(outcomes).map(([mark, words, kind]) => el("li", {}, el("span", { class: "cell " + kind, "aria-hidden": "true" }, mark), words)));
      const rows = isWhole
        ? versions.names.map((text, from) => el("tr", {}, el("th", { scope: "row" }, name(text)), versions.names.map((_, to) => cell(from, to))))
        : versions.names.map((text, from) => el("tr", {}, el("th", { scope: "row" }, name(text)),
          versions.current === undefined ? null : cell(from, versions.current), cell(from, from + 1)));
      const head = isWhole ? ["From, to", ...versions.names.map((text) => [name(text, "span"), "turned"])]
        : ["From", ...(versions.current === undefined ? [] : ["To the current version"]), "To the next version"];
      return [legend, table("Migrations", head, rows, { class: "matrix" + (isWhole ? " whole" : "") }), panel];
    }
    function versionsView(from, to) {
      const n = versions.names.length;
      if (!(to < n) || !(from < n)) { to = versions.current === undefined ? n - 1 : versions.current; from = to > 0 ? to - 1 : Math.min(1, n - 1); }
      const choice = (id, label, chosen, act) => el("label", { for: id }, label, el("select", { id, onchange: act },
        versions.names.map((text, place) => el("option", { value: place, selected: place === chosen }, text))));
      const go = () => { location.hash = "#/versions/" + $("from").value + "/" + $("to").value; };
      const line = timeline(from, to);
      requestAnimationFrame(() => { const here = line.querySelector(".to"); if (here) line.scrollLeft = here.offsetLeft - line.clientWidth / 2; });
      return el("article", { class: "versions" }, el("h2", {}, "Versions", el("span", { class: "count" }, numbers.format(n))), line,
        el("h3", {}, "Compare"), el("div", { class: "choices" }, choice("from", "From", from, go),
          el("button", { type: "button", "aria-label": "Swap versions", title: "Swap versions", onclick: () => { location.hash = "#/versions/" + to + "/" + from; } }, "⇄"),
          choice("to", "to", to, go)), comparison(from, to),
        el("h3", {}, "Migrations"), el("p", { class: "soft" }, "The outcome when a store created with one version is opened with another. Choose a symbol to see the reasons."), matrix());
    }
    """##
}
