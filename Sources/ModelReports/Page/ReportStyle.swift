/// The styles of a page, in the colours of ``DiagramStyle``.
enum ReportStyle {
  /// The page itself: its frame, lists and text.
  static let page = ##"""
    *{box-sizing:border-box}
    html{font:14.5px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--paper);-webkit-text-size-adjust:100%}
    body{margin:0;height:100vh;height:100dvh;display:flex;flex-direction:column;overflow:hidden}
    [hidden]{display:none!important}
    .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
    a{color:var(--accent);text-decoration:none}
    a:hover{text-decoration:underline;text-underline-offset:2px}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
    .skip{position:absolute;left:-999px}
    .skip:focus{left:8px;top:8px;z-index:9;background:var(--card);padding:6px 10px}
    h1,h2,h3,h4{line-height:1.25;margin:0;font-weight:640;overflow-wrap:anywhere}
    h1{font-size:16px}h2{font-size:23px;letter-spacing:-.01em}h3{font-size:15.5px;margin:30px 0 10px}h4{font-size:14.5px;margin:16px 0 6px}
    p{margin:8px 0;max-width:72ch}
    .name{overflow-wrap:anywhere;unicode-bidi:isolate}
    code,kbd,.hash{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.89em;overflow-wrap:anywhere}
    kbd{border:1px solid var(--edge);border-bottom-width:2px;border-radius:4px;padding:0 5px;background:var(--card);color:var(--soft)}
    button,select,input{font:inherit;color:inherit}
    button,select{background:var(--card);border:1px solid var(--edge);border-radius:6px;padding:3px 10px;min-height:30px;cursor:pointer}
    button:hover,select:hover{border-color:var(--accent)}
    .soft,small,figcaption{color:var(--soft)}
    .bad-text{color:var(--bad)}
    .number{text-align:right;font-variant-numeric:tabular-nums}
    .count{margin-left:7px;color:var(--soft);font-weight:400;font-size:.85em;font-variant-numeric:tabular-nums}
    #top{display:flex;align-items:center;gap:22px;padding:0 18px;min-height:50px;border-bottom:1px solid var(--faint);background:var(--card);flex:none}
    #top h1{white-space:nowrap;overflow:hidden;text-overflow:ellipsis;max-width:32ch;overflow-wrap:normal}
    #tabs{display:flex;gap:2px;align-self:stretch;overflow-x:auto;scrollbar-width:none;flex:1}
    #tabs a{display:flex;align-items:center;padding:0 11px;color:var(--soft);white-space:nowrap;border-bottom:2px solid transparent;border-top:2px solid transparent}
    #tabs a:hover{color:var(--ink);text-decoration:none}
    #tabs a[aria-current]{color:var(--ink);border-bottom-color:var(--accent);font-weight:580}
    #tabs a:focus-visible{outline-offset:-3px}
    #theme{width:34px;padding:0;font-size:16px;border-color:transparent;background:none}
    #frame{display:flex;flex:1;min-height:0}
    #side{width:270px;flex:none;border-right:1px solid var(--faint);background:var(--card);display:flex;flex-direction:column;min-height:0}
    .find{position:relative;padding:12px 12px 10px}
    .find input{width:100%;border:1px solid var(--edge);border-radius:7px;padding:5px 34px 5px 10px;background:var(--paper);min-height:34px}
    .find input::placeholder{color:var(--soft);opacity:1}
    .find kbd{position:absolute;right:21px;top:17px;pointer-events:none}
    .find input:focus+kbd,.find input:not(:placeholder-shown)+kbd{display:none}
    #list{overflow-y:auto;padding:0 6px 16px;flex:1;scrollbar-width:thin}
    #list ul{list-style:none;margin:0;padding:0}
    #list li{content-visibility:auto;contain-intrinsic-size:auto 30px}
    #list a{display:flex;align-items:baseline;gap:7px;padding:4px 9px;color:var(--ink);border-radius:6px;line-height:1.45}
    #list a:hover{background:var(--accent-soft);text-decoration:none}
    #list a[aria-current]{background:var(--accent-soft);color:var(--head-ink);font-weight:580}
    #list a:focus-visible{outline-offset:-2px}
    #list a.abstract .name{font-style:italic}
    #list a .count{margin-left:auto}
    #list a small{margin-left:auto;text-align:right;overflow-wrap:anywhere}
    #list h2{font-size:12px;color:var(--soft);font-weight:600;padding:12px 9px 3px;letter-spacing:.02em}
    .empty{padding:2px 9px;color:var(--soft)}
    mark{background:var(--hit);color:var(--hit-ink);border-radius:2px}
    .dot{display:inline-block;width:7px;height:7px;border-radius:50%;background:var(--warn);flex:none;margin-left:6px;vertical-align:middle}
    #main{flex:1;min-width:0;overflow:auto;padding:26px 32px 60px;outline:none;scrollbar-width:thin}
    #main article{max-width:1180px}
    article header{display:flex;align-items:baseline;gap:16px;flex-wrap:wrap;margin-bottom:12px}
    .links{margin:0}
    .facts{margin:10px 0;display:grid;gap:4px}
    .facts div{display:grid;grid-template-columns:150px 1fr;gap:12px}
    .facts dt{color:var(--soft)}.facts dd{margin:0;min-width:0;overflow-wrap:anywhere}
    .badge{display:inline-block;font-size:12px;line-height:1.5;padding:0 7px;border-radius:10px;background:var(--head);color:var(--head-ink);white-space:nowrap;font-weight:540}
    .badge.warn{background:var(--warn-soft);color:var(--warn)}.badge.bad{background:var(--bad-soft);color:var(--bad)}
    .badge.good{background:var(--good-soft);color:var(--good)}.badge.calm{background:var(--abstract);color:var(--abstract-ink)}
    h2 .badge{vertical-align:middle;letter-spacing:0}
    h2+.scroll{margin-top:12px}
    .scroll{overflow-x:auto;margin:0 0 6px;border:1px solid var(--faint);border-radius:8px;background:var(--card)}
    table{border-collapse:collapse;width:100%;font-size:13.5px}
    th,td{text-align:left;vertical-align:top;padding:6px 12px;border-top:1px solid var(--faint)}
    th.number,td.number{text-align:right}
    thead th{border-top:0;color:var(--soft);font-weight:560;font-size:12.5px;white-space:nowrap;background:var(--card)}
    tbody th{font-weight:560;min-width:168px}tbody th.number{min-width:0}td:has(>.name),td:has(>a>.name),td:last-child:has(>code){min-width:140px}td:has(>.soft>bdi){min-width:200px;overflow-wrap:anywhere}
    tbody tr:hover{background:color-mix(in srgb,var(--accent-soft) 45%,transparent)}
    td.hash{white-space:nowrap;color:var(--soft)}
    td.wide{width:38%}td.short{white-space:nowrap}
    .sortable button{border:0;background:none;padding:0;min-height:24px;color:inherit;font-weight:inherit}
    .sortable [aria-sort=ascending] button::after{content:" ↑"}.sortable [aria-sort=descending] button::after{content:" ↓"}
    .must{display:inline}
    ul.plain,ul.findings,ul.reasons,ul.brief,ul.glance{list-style:none;margin:6px 0;padding:0}
    ul.plain li,ul.glance li{padding:2px 0}
    ul.findings li{padding:7px 0;border-top:1px solid var(--faint);max-width:96ch;overflow-wrap:anywhere}
    ul.findings li:first-child{border-top:0}
    .rule{color:var(--soft);font-size:12px}
    ul.reasons li{padding:4px 0;max-width:96ch;overflow-wrap:anywhere}
    .note{border-left:3px solid var(--accent);background:var(--accent-soft);padding:8px 14px;border-radius:0 6px 6px 0}
    .well{color:var(--good)}
    #print{display:none}
    @media (max-width:1000px){#side{width:220px}#main{padding:20px 20px 50px}#top h1{max-width:20ch}}
    @media (max-width:680px){
    body{height:auto;min-height:100vh;overflow:auto}
    #top{flex-wrap:wrap;gap:0 12px;padding:8px 12px 0;position:sticky;top:0;z-index:4}
    #top h1{flex:1;max-width:none}#tabs{order:3;flex-basis:100%;min-height:40px;margin:0 -12px;padding:0 6px}
    #frame{flex-direction:column}
    #side{width:auto;border-right:0;border-bottom:1px solid var(--faint);max-height:38vh}
    .find kbd{display:none}#main{padding:18px 14px 40px}
    .facts div{grid-template-columns:1fr;gap:0}.facts dd{margin-bottom:4px}
    }
    """##

  /// The parts of the page: diagram, versions and store. Rows of boxes are hidden one by one, as browsers lay out what a
  /// hidden `g` contains: seconds for a thousand boxes, at each step of the zoom.
  static let parts = ##"""
    #main.diagram{padding:0;display:grid;grid-template-columns:minmax(0,1fr) 300px;overflow:hidden}
    #drawing{position:relative;min-height:0;overflow:hidden;background:var(--paper)}
    #drawing>svg.diagram{width:100%;height:100%;display:block;cursor:grab;touch-action:none;user-select:none}
    #drawing>svg.diagram:active{cursor:grabbing}
    #drawing>svg.diagram:focus-visible{outline-offset:-3px}
    .zoom{position:absolute;right:14px;top:14px;display:flex;align-items:center;gap:4px;background:var(--card);border:1px solid var(--faint);border-radius:9px;padding:4px;z-index:1}
    .zoom button{border-color:transparent;min-width:32px;padding:0 8px}
    .zoom output{min-width:52px;text-align:center;font-variant-numeric:tabular-nums;color:var(--soft);font-size:13px}
    .legend{position:absolute;left:14px;bottom:12px;display:flex;flex-wrap:wrap;gap:2px 16px;margin:0;padding:5px 12px;list-style:none;font-size:12.5px;color:var(--soft);background:var(--card);border:1px solid var(--faint);border-radius:9px;max-width:calc(100% - 28px)}
    .legend li{display:flex;align-items:center;gap:6px}
    .legend path{fill:none;stroke:var(--line);stroke-width:1.4}.legend path.mark{fill:var(--card)}
    main.diagram #view{border-left:1px solid var(--faint);overflow-y:auto;background:var(--card);padding:18px 18px 30px;scrollbar-width:thin}
    .inspector h2{font-size:18px}.inspector h3{margin:20px 0 6px;font-size:13.5px;color:var(--soft)}
    .inspector .facts div{grid-template-columns:74px 1fr}
    .glance li{font-size:15px;font-variant-numeric:tabular-nums}
    .hint{color:var(--soft);font-size:13.5px}
    .brief li{display:flex;justify-content:space-between;gap:12px;padding:3px 0;border-top:1px solid var(--faint);font-size:13.5px}
    .brief li:first-child{border-top:0}.brief li>span:last-child:not(:first-child){color:var(--soft);text-align:right}
    .map{position:absolute;right:14px;bottom:12px;width:190px;height:118px;background:var(--card);border:1px solid var(--faint);border-radius:9px;padding:6px;cursor:crosshair;touch-action:none}
    .map.whole{display:none}.map rect{fill:var(--line)}.map .sight{fill:var(--accent);fill-opacity:.16;stroke:var(--accent);stroke-width:2;vector-effect:non-scaling-stroke}
    #drawing .box{cursor:pointer}
    #drawing .box:hover .body{stroke:var(--accent)}
    g.near.out>*,.distant g.box g.near>*{display:none}
    .distant .box text.far{display:block}
    .distant .box .head{fill:none}
    .distant .box .body{fill:var(--head)}
    .distant .box.abstract .body{fill:var(--abstract)}
    .distant .box.outside .body{fill:none}
    .distant .line path{stroke-width:2}
    #drawing .chosen .box:not(.near),#drawing .searching .box:not(.hit){opacity:.28}
    #drawing .chosen .line:not(.near){opacity:.16}
    #drawing .searching:not(.chosen) .line{opacity:.3}
    #drawing .line.near path{stroke:var(--accent);stroke-width:2}
    #drawing .distant .line.near path{stroke-width:4}
    #drawing .box.pick .body{stroke:var(--accent);stroke-width:2.5}
    #drawing .box.hit .body{stroke:var(--warn);stroke-width:2.5}
    .timeline{display:flex;list-style:none;margin:18px 0 0;padding:0 0 10px;overflow-x:auto;scrollbar-width:thin;position:relative}
    .timeline li{flex:none;min-width:112px;max-width:190px;padding:0 8px;position:relative;display:flex;flex-direction:column}
    .timeline .bars{height:50px;display:flex;align-items:flex-end;gap:2px;padding-left:17px}
    .bars span{width:9px;border-radius:2px 2px 0 0;background:var(--line)}
    .bars .added{background:var(--good)}.bars .removed{background:var(--bad)}.bars .changed{background:var(--accent)}
    .timeline a{display:block;color:var(--ink);padding:22px 0 0;position:relative;border-top:2px solid var(--edge);margin:0 -8px;padding-left:8px;padding-right:8px;overflow-wrap:anywhere}
    .timeline .point{position:absolute;left:8px;top:-7px;width:12px;height:12px;border-radius:50%;background:var(--card);border:2px solid var(--line)}
    .timeline .point.hashed{background:var(--line)}
    .timeline .from .point{border-color:var(--accent)}
    .timeline .to .point{background:var(--accent);border-color:var(--accent)}
    .timeline .to a{color:var(--accent);font-weight:600}
    .timeline a{padding-top:10px}.timeline .badge{margin-left:6px}
    .timeline small{font-variant-numeric:tabular-nums}
    .choices{display:flex;align-items:end;gap:10px;flex-wrap:wrap}
    .choices label{display:flex;align-items:center;gap:8px;color:var(--soft);min-width:0}
    .choices select{color:var(--ink);max-width:min(340px,70vw)}
    .sum{font-size:15px}
    details{margin:8px 0;padding:8px 14px;border:1px solid var(--faint);border-radius:8px;background:var(--card)}
    summary{cursor:pointer;font-weight:560}
    .group h4{margin-top:20px}
    table.changes td{padding:4px 12px 4px 0}
    table.changes td.mark{width:26px;font-weight:700;text-align:center;padding-right:8px}
    table.changes td:nth-child(2){width:24%;font-weight:540}table.changes td:nth-child(4){width:150px;text-align:right;padding-right:0}
    tr.added .mark{color:var(--good)}tr.removed .mark{color:var(--bad)}tr.changed .mark,tr.renamed .mark,tr.moved .mark{color:var(--accent)}
    del{color:var(--bad);text-decoration:line-through;text-decoration-thickness:1px}ins{color:var(--good);text-decoration:none}
    .key{display:flex;flex-wrap:wrap;gap:4px 20px;list-style:none;padding:0;margin:8px 0 12px;color:var(--soft);font-size:13.5px}
    .key .cell{display:inline-flex;width:24px;height:22px;border-radius:5px;align-items:center;justify-content:center;margin-right:7px;font-weight:700}
    .cell.good,.matrix td.good button{background:var(--good-soft);color:var(--good)}
    .cell.warn,.matrix td.warn button{background:var(--warn-soft);color:var(--warn)}
    .cell.bad,.matrix td.bad button{background:var(--bad-soft);color:var(--bad)}
    .cell.calm,.matrix td.calm button{background:var(--abstract);color:var(--abstract-ink)}
    .matrix{width:auto}.matrix td{padding:3px;text-align:center}.matrix td button{width:38px;height:30px;padding:0;border-color:transparent;font-weight:700}
    .matrix td button:hover{border-color:currentColor}
    .matrix th{white-space:nowrap;max-width:260px;overflow:hidden;text-overflow:ellipsis}
    .matrix.whole thead th.turned{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;max-height:170px;padding:8px 8px;vertical-align:bottom}
    .why{margin-top:10px}
    .bar{display:flex;height:9px;border-radius:5px;background:var(--faint);overflow:hidden;margin-top:6px;min-width:60px}
    .bar>span{background:var(--accent);display:block}.bar>span.second{opacity:.5}.bar.warn>span{background:var(--warn)}
    .values .range{overflow-wrap:anywhere;max-width:320px}.range .end{display:inline-block;max-width:100%}
    .nulls{display:flex;align-items:center;gap:8px}.nulls .bar{width:64px;margin:0;flex:none}
    td.data{min-width:160px;font-variant-numeric:tabular-nums}
    figure.chart{margin:0}.chart svg{max-width:100%;overflow:visible}
    .chart rect{fill:var(--accent)}.chart rect.zero{fill:var(--line)}.chart rect.good{fill:var(--good)}.chart rect.bad{fill:var(--bad)}
    .chart text{font-size:11px;fill:var(--soft);text-anchor:middle}
    .history svg{width:100%;height:110px;border-bottom:1px solid var(--edge)}
    .history figcaption{display:flex;justify-content:space-between;gap:14px;font-size:13px;margin-top:4px;flex-wrap:wrap}
    .keys{display:flex;gap:14px}.keys i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:5px}
    i.good{background:var(--good)}i.accent{background:var(--accent)}i.bad{background:var(--bad)}
    table.rows td{max-width:320px;overflow-wrap:anywhere}
    table.rows td,table.rows th{white-space:normal}
    table.rows tr:focus{outline:2px solid var(--accent);outline-offset:-2px;background:var(--accent-soft)}
    .where{display:flex;align-items:center;gap:10px;margin:14px 0 4px;flex-wrap:wrap}
    .where label{color:var(--soft)}.where .field{position:relative;flex:1;min-width:220px}
    .where input{width:100%;border:1px solid var(--edge);border-radius:7px;padding:5px 10px;background:var(--card);min-height:34px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:13px}
    .where input[aria-invalid]{border-color:var(--bad)}.where input::placeholder{color:var(--soft);opacity:1}
    #options{position:absolute;left:0;right:0;top:100%;z-index:5;margin:3px 0 0;padding:4px;list-style:none;max-height:270px;overflow-y:auto;background:var(--card);border:1px solid var(--edge);border-radius:8px;box-shadow:0 6px 20px rgb(0 0 0/.16)}
    #options li{display:flex;justify-content:space-between;gap:14px;padding:4px 9px;border-radius:5px;cursor:pointer}
    #options li:hover,#options [aria-selected=true]{background:var(--accent-soft)}
    #problem:empty{display:none}#problem p{margin:2px 0;white-space:pre-line}
    pre.mark{margin:2px 0 8px;font-size:13px;overflow-x:auto;color:var(--bad)}
    pre.value{margin:6px 0;padding:9px 12px;max-height:420px;overflow:auto;background:var(--paper);border:1px solid var(--faint);border-radius:7px;font-size:12.5px;line-height:1.45;white-space:pre-wrap;overflow-wrap:anywhere}
    pre.value.text{font:inherit;font-size:13.5px}
    .pages{display:flex;align-items:center;gap:8px 14px;margin:14px 0 10px;flex-wrap:wrap;font-variant-numeric:tabular-nums}
    a.button{border:1px solid var(--edge);border-radius:6px;padding:3px 10px;background:var(--card);color:var(--ink)}a.button:hover{border-color:var(--accent);text-decoration:none}
    .export{margin-left:auto;color:var(--soft)}
    #main article.data{max-width:none}.data td img.small{max-width:96px;max-height:64px;display:block;border-radius:4px}.data td img.whole{max-width:100%;max-height:60vh;display:block;border-radius:6px;margin-bottom:6px}
    .data table.rows thead th{white-space:nowrap;vertical-align:middle}.data table.rows td{min-width:88px;overflow-wrap:break-word}.data table.rows td>*{overflow-wrap:anywhere}.data table.rows tbody th{white-space:nowrap;min-width:0}
    @media (max-width:1000px){#main.diagram{grid-template-columns:minmax(0,1fr) 240px}}
    @media (max-width:680px){#main.diagram{display:block;overflow:visible}#drawing{height:62vh}main.diagram #view{border-left:0;border-top:1px solid var(--faint)}.legend,.map{display:none}}
    @media print{
    html{font-size:10.5pt;background:#fff}body{display:block;height:auto;overflow:visible}
    #top,#frame,.skip{display:none}#print{display:block}
    #print>svg.diagram{width:100%;max-height:92vh;break-after:page}
    #print article{break-inside:auto;margin:0 0 22pt}#print h2,#print h3{break-after:avoid}#print tr{break-inside:avoid}
    #print .scroll{overflow:visible}#print .choices,#print .links{display:none}#print .timeline{flex-wrap:wrap}
    a{color:inherit}}
    """##
}
