extension ReportScript {
  /// Panning, zooming, and the selection.
  static let diagram = ##"""
    const drawn = document.querySelector("#drawing svg.diagram");
    let view = null, whole = null, sight = null, chosen;
    const boxes = [], lines = [], frames = [];
    // Draws the rows of boxes in or near the visible area only: laying out all of them takes seconds.
    function cull() {
      const [x, y] = [view.w * 0.3, view.h * 0.3];
      frames.forEach((frame) => {
        const isIn = frame.x < view.x + view.w + x && frame.x + frame.w > view.x - x
          && frame.y < view.y + view.h + y && frame.y + frame.h > view.y - y;
        if (isIn !== frame.isIn) { frame.isIn = isIn; frame.rows.classList.toggle("out", !isIn); }
      });
    }
    function setView(next) {
      if (!drawn) return;
      const least = 60, most = Math.max(whole.w, whole.h) * 6;
      const ratio = next.w / next.h;
      if (next.w < least) next = { ...next, w: least, h: least / ratio };
      if (next.w > most) next = { ...next, w: most, h: most / ratio };
      view = next;
      drawn.setAttribute("viewBox", [view.x, view.y, view.w, view.h].map((n) => n.toFixed(1)).join(" "));
      const area = drawn.getBoundingClientRect();
      const scale = Math.min(area.width / view.w, area.height / view.h) || 1;
      if (scale >= 0.5) cull();
      drawn.classList.toggle("distant", scale < 0.5);
      if (sight) {
        for (const [key, value] of [["x", view.x], ["y", view.y], ["width", view.w], ["height", view.h]]) sight.setAttribute(key, value.toFixed(0));
        sight.parentNode.classList.toggle("whole", view.w >= whole.w * 0.95 && view.h >= whole.h * 0.95);
      }
      const shown = $("scale");
      if (shown) shown.textContent = Math.round(scale * 100) + " %";
    }
    const fit = () => { const area = drawn.getBoundingClientRect();
      // Don't enlarge a drawing with few boxes.
      const grow = Math.max(1, Math.min(area.width / whole.w, area.height / whole.h) / 1.5);
      setView({ x: whole.x - whole.w * (grow - 1) / 2, y: whole.y - whole.h * (grow - 1) / 2, w: whole.w * grow, h: whole.h * grow }); };
    // Start a large drawing where most lines meet, at a readable scale; the map shows the location.
    function begin() {
      const area = drawn.getBoundingClientRect();
      if (Math.min(area.width / whole.w, area.height / whole.h) > 0.16 || !frames.length) return fit();
      const ends = new Map();
      for (const line of lines) for (const end of [line.a, line.b]) ends.set(end, (ends.get(end) || 0) + 1);
      const hub = frames[[...ends].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([place]) => place)[0] || 0];
      const [w, h] = [area.width / 0.34, area.height / 0.34];
      const inside = (start, least, most) => Math.max(least, Math.min(start, Math.max(least, most)));
      setView({ x: inside(hub.x + hub.w / 2 - w / 2, whole.x, whole.x + whole.w - w),
        y: inside(hub.y + hub.h / 2 - h / 2, whole.y, whole.y + whole.h - h), w, h });
    }
    function startMap() {
      if (frames.length < 25) return;
      sight = svgEl("rect", { class: "sight" });
      const map = svgEl("svg", { class: "map", "aria-hidden": "true", viewBox: [whole.x, whole.y, whole.w, whole.h].join(" ") },
        frames.map((frame) => svgEl("rect", { x: frame.x, y: frame.y, width: frame.w, height: frame.h })), sight);
      const move = (event) => {
        if (!event.buttons) return;
        const area = map.getBoundingClientRect(), scale = Math.max(whole.w / area.width, whole.h / area.height);
        setView({ ...view, x: whole.x + whole.w / 2 + (event.clientX - area.left - area.width / 2) * scale - view.w / 2,
          y: whole.y + whole.h / 2 + (event.clientY - area.top - area.height / 2) * scale - view.h / 2 });
      };
      map.addEventListener("pointerdown", (event) => { map.setPointerCapture(event.pointerId); move(event); });
      map.addEventListener("pointermove", move);
      $("drawing").append(map);
    }
    function zoom(factor, clientX, clientY) {
      const area = drawn.getBoundingClientRect();
      const scale = Math.max(view.w / area.width, view.h / area.height);
      const dx = clientX === undefined ? 0 : (clientX - area.left - area.width / 2) * scale;
      const dy = clientY === undefined ? 0 : (clientY - area.top - area.height / 2) * scale;
      const cx = view.x + view.w / 2 + dx, cy = view.y + view.h / 2 + dy;
      setView({ x: cx - dx / factor - view.w / factor / 2, y: cy - dy / factor - view.h / factor / 2,
        w: view.w / factor, h: view.h / factor });
    }
    const pan = (x, y) => { const area = drawn.getBoundingClientRect();
      const scale = Math.max(view.w / area.width, view.h / area.height);
      setView({ ...view, x: view.x + x * scale, y: view.y + y * scale }); };

    function highlight(hits) {
      if (!drawn) return;
      drawn.classList.toggle("searching", !!hits);
      boxes.forEach((box, place) => box && box.classList.toggle("hit", !!hits && hits.has(place)));
    }
    // Highlights an entity, its lines and its neighbors, and scrolls to it if it isn't visible.
    function choose(place) {
      if (!drawn) return;
      chosen = entities[place] ? place : undefined;
      drawn.classList.toggle("chosen", chosen !== undefined);
      const near = new Set([chosen]);
      for (const line of lines) {
        const isNear = chosen !== undefined && (line.a === chosen || line.b === chosen);
        line.node.classList.toggle("near", isNear);
        if (isNear) { near.add(line.a); near.add(line.b); line.node.parentNode.append(line.node); }
      }
      boxes.forEach((box, index) => {
        if (!box) return;
        box.classList.toggle("near", chosen !== undefined && near.has(index));
        box.classList.toggle("pick", index === chosen);
      });
      if (chosen === undefined || !boxes[chosen]) return;
      const area = drawn.getBoundingClientRect(), box = boxes[chosen].getBoundingClientRect();
      if (box.left < area.left || box.right > area.right || box.top < area.top || box.bottom > area.bottom || box.width < 90) {
        const frame = frames[chosen];
        const scale = Math.min(1, Math.max(0.7, area.height / (frame.h + 240)));
        const w = area.width / scale, h = area.height / scale;
        setView({ x: frame.x + frame.w / 2 - w / 2, y: frame.y + frame.h / 2 - h / 2, w, h });
      }
    }
    function startDiagram() {
      if (!drawn) return;
      const base = drawn.viewBox.baseVal;
      whole = { x: base.x, y: base.y, w: base.width, h: base.height };
      for (const node of drawn.querySelectorAll(".box")) {
        boxes[Number(node.dataset.e)] = node;
        const [x, y] = node.getAttribute("transform").match(/-?[\d.]+/g).map(Number), body = node.querySelector(".body");
        frames.push({ x, y, w: Number(body.getAttribute("width")), h: Number(body.getAttribute("height")),
          rows: node.querySelector("g.near"), isIn: true });
        // In a zoomed-out drawing, boxes start without rows.
        if (drawn.classList.contains("distant")) { frames[frames.length - 1].isIn = false; node.querySelector("g.near").classList.add("out"); }
      }
      for (const node of drawn.querySelectorAll(".line"))
        lines.push({ node, a: Number(node.dataset.a), b: Number(node.dataset.b) });
      const button = (label, text, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
      $("drawing").prepend(el("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
        button("Zoom out", "−", () => zoom(1 / 1.4)), el("output", { id: "scale", "aria-label": "Scale" }),
        button("Zoom in", "+", () => zoom(1.4)), button("Show everything", "Fit", fit)));
      $("drawing").append(el("ul", { class: "legend", "aria-label": "Legend" },
        [["M2 8H34M22 8L34 2.5M22 8L34 13.5", "", "to many"], ["M2 8H34M27 3v10", "", "to one"],
          ["M2 8H34M27 3v10", "M15.6 8a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z", "or none"],
          ["M15 8H34", "M2 8l13-6v12z", "parent"]].map(([way, mark, text]) => el("li", {},
          svgEl("svg", { viewBox: "0 0 36 16", width: 36, height: 16, "aria-hidden": "true" },
            svgEl("path", { d: way }), mark ? svgEl("path", { d: mark, class: "mark" }) : null), text))));
      drawn.setAttribute("tabindex", "0");
      drawn.addEventListener("wheel", (event) => {
        event.preventDefault();
        const isMouse = event.deltaMode !== 0 || (event.deltaX === 0 && Math.abs(event.deltaY) >= 50);
        if (event.ctrlKey || event.metaKey || isMouse)
          zoom(Math.exp(-Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY) * (event.ctrlKey && !isMouse ? 0.01 : 0.002), 0.5)),
            event.clientX, event.clientY);
        else pan(event.deltaX, event.deltaY);
      }, { passive: false });
      const fingers = new Map();
      let moved = 0;
      drawn.addEventListener("pointerdown", (event) => {
        fingers.set(event.pointerId, event);
        moved = 0;
      });
      drawn.addEventListener("pointermove", (event) => {
        const last = fingers.get(event.pointerId);
        if (!last) return;
        const [dx, dy] = [event.clientX - last.clientX, event.clientY - last.clientY];
        moved += Math.abs(dx) + Math.abs(dy);
        if (moved > 4 && !drawn.hasPointerCapture(event.pointerId)) drawn.setPointerCapture(event.pointerId);
        const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
        fingers.set(event.pointerId, event);
        if (other) {
          const before = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
          const after = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
          if (before > 10) zoom(after / before, (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
        } else pan(-dx, -dy);
      });
      const end = (event) => fingers.delete(event.pointerId);
      drawn.addEventListener("pointerup", end);
      drawn.addEventListener("pointercancel", end);
      drawn.addEventListener("click", (event) => {
        if (moved > 4) return;
        const box = event.target.closest(".box"), place = box ? Number(box.dataset.e) : -1;
        location.hash = entities[place] ? "#/diagram/" + place : "#/diagram";
      });
      drawn.addEventListener("dblclick", (event) => {
        const box = event.target.closest(".box"), place = box ? Number(box.dataset.e) : -1;
        if (entities[place]) location.hash = "#/entity/" + place; else zoom(1.6, event.clientX, event.clientY);
      });
      drawn.addEventListener("keydown", (event) => {
        const acts = { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), "0": fit,
          ArrowLeft: () => pan(-60, 0), ArrowRight: () => pan(60, 0), ArrowUp: () => pan(0, -60), ArrowDown: () => pan(0, 60) };
        if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        acts[event.key]();
      });
      let before = "";
      new ResizeObserver(() => {
        const area = drawn.getBoundingClientRect(), now = area.width + "x" + area.height;
        if (!area.width || now === before) return;
        const isFirst = before === "";
        before = now;
        if (isFirst) begin(); else if (chosen === undefined && sight === null) fit(); else setView({ ...view, h: view.w * area.height / area.width });
        if (isFirst && chosen !== undefined) choose(chosen);
      }).observe(drawn);
      view = { ...whole };
      startMap();
    }
    function inspector(place) {
      if (!model) return null;
      if (!entities[place]) {
        const parts = [count(entities.length, "entity", "entities"),
          count(entities.reduce((n, e) => n + e.attributes.length, 0), "attribute"),
          count(entities.reduce((n, e) => n + e.relationships.length, 0), "relationship")];
        if (versions) parts.push(count(versions.names.length, "version"));
        if (findings.length) parts.push(count(findings.length, "finding"));
        if (store) parts.push(count(store.entities.reduce((n, e) => n + (e.rows || 0), 0), "row"));
        return el("div", { class: "inspector" }, el("h2", {}, "At a glance"),
          el("ul", { class: "glance" }, parts.map((text) => el("li", {}, text))),
          el("p", { class: "hint" }, "Choose an entity to see its connections. Drag to pan, scroll to zoom, press ",
            el("kbd", {}, "/"), " to search."));
      }
      const box = entityView(place, true);
      box.classList.add("inspector");
      return box;
    }
    """##
}
