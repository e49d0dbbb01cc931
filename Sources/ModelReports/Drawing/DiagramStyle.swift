/// The styles of drawings; pages use the same colours.
enum DiagramStyle {
  private static let light = """
    --paper:#fbfaf8;--card:#ffffff;--ink:#1d2430;--soft:#5b6472;--faint:#d9dce2;--edge:#b9c0cb;\
    --accent:#1f5fae;--accent-soft:#e6eef8;--head:#e9eff7;--head-ink:#163a66;--abstract:#efedf6;\
    --abstract-ink:#4a3a78;--line:#7a8698;--good:#1b6e3c;--good-soft:#e2f3e8;--warn:#8a5200;\
    --warn-soft:#fbefd9;--bad:#b3261e;--bad-soft:#fbe6e4;--hit:#ffe9a8;--hit-ink:#3d2e00;
    """
  private static let dark = """
    --paper:#14171c;--card:#1c2027;--ink:#e6e9ee;--soft:#a3acba;--faint:#333a45;--edge:#465060;\
    --accent:#86b7f2;--accent-soft:#22344c;--head:#26354a;--head-ink:#cfe1f8;--abstract:#322d45;\
    --abstract-ink:#d6cdf2;--line:#7f8b9d;--good:#7fcf9b;--good-soft:#1d3527;--warn:#e8b765;\
    --warn-soft:#3a2e18;--bad:#f2958e;--bad-soft:#44221f;--hit:#6b5310;--hit-ink:#fff3cf;
    """

  /// The colours, depending on the reader's choice and on the system.
  static let colors = """
    :root{\(light)color-scheme:light}
    @media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark)color-scheme:dark}}
    @media screen{:root[data-theme=dark]{\(dark)color-scheme:dark}}
    """

  /// The styles of boxes and lines.
  static let drawing = """
    svg.diagram{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
    svg.diagram text{font-size:12px;fill:var(--ink)}
    .paper{fill:var(--paper)}
    .box .body{fill:var(--card);stroke:var(--edge)}
    .box .head{fill:var(--head)}
    .box text.name{font-size:13px;font-weight:650;fill:var(--head-ink)}
    .box.abstract .head{fill:var(--abstract)}
    .box.abstract text.name{font-style:italic;fill:var(--abstract-ink)}
    .box.abstract .body{stroke-dasharray:none}
    .box.outside .body{fill:none;stroke-dasharray:4 3}
    .box.outside text.name{font-weight:400;fill:var(--soft)}
    .box .rule{stroke:var(--faint);fill:none}
    .box text.detail{font-size:11px;fill:var(--soft);text-anchor:end}
    .box text.more{fill:var(--soft);font-style:italic}
    .box text.derived,.box text.transient,.box text.fetched{font-style:italic}
    .box text.cascade{fill:var(--warn)}
    .box text.deny{fill:var(--bad)}
    .box text.far{display:none;font-weight:650;text-anchor:middle}
    .line path{fill:none;stroke:var(--line);stroke-width:1.3}
    .line path.mark{fill:var(--paper)}
    .line.inheritance path{stroke:var(--ink);stroke-width:1.3}
    """
}
