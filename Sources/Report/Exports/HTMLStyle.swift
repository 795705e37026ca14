/// The style of the HTML report.
enum HTMLStyle {
    /// The content of the only `style` element.
    static let text = #"""

        :root { color-scheme: light dark; --back: #fff; --card: #f6f8fa; --fore: #1b1f24; --soft: #59636e; --line: #d8dee4; --accent: #0a58ca;
          --succeeded: #1a813c; --unchanged: #0a58a0; --failed: #cc1635; --deferred: #976600; --cancelled: #8250df; --skipped: #59636e;
          --backoff: #5a0f1e; --network: #e353b7; --blocked: #818d89; --dns: #007e7f; --connect: #976600; --tls: #784edf; --send: #00309c; --wait: #e26d1b;
          --receive: #658aee; --cache: #1a7f37; --rest: #24292f; }
        @media screen and (prefers-color-scheme: dark) { :root { --back: #0d1117; --card: #161b22; --fore: #e6edf3; --soft: #9198a1; --line: #30363d; --accent: #6ea8fe;
          --succeeded: #39bb5b; --unchanged: #0c9dff; --failed: #f64e45; --deferred: #d29922; --cancelled: #aa68df; --skipped: #9198a1;
          --backoff: #b5404f; --network: #cd57a5; --blocked: #8f9790; --dns: #46d0c5; --connect: #c59003; --tls: #a873fa; --send: #3764cb; --wait: #ffa657;
          --receive: #79c0ff; --cache: #3fb950; --rest: #f3f7fc; } }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body { margin: 0; background: var(--back); color: var(--fore); font: 14px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
        header, main { padding: 12px max(16px, (100vw - 1400px) / 2); }
        h1 { font-size: 22px; margin: 0; }
        h2 { font-size: 16px; margin: 20px 0 8px; }
        h3 { font-size: 15px; margin: 0; flex: 1 1 160px; }
        h4 { margin: 16px 0 4px; }
        p { margin: 4px 0; }
        a { color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        .soft { color: var(--soft); }
        .verdict { color: #fff; }
        .verdict.good { background: #1a7036; }
        .verdict.later { background: #855700; }
        .verdict.bad { background: #b3122f; }
        .mark { color: var(--fore); font-weight: 600; }
        .mark.succeeded { color: var(--succeeded); }
        .mark.unchanged { color: var(--unchanged); }
        .mark.failed { color: var(--failed); }
        .mark.deferred { color: var(--deferred); }
        .mark.cancelled { color: var(--cancelled); }
        .mark.skipped { color: var(--skipped); }
        #failures ol { max-height: 50vh; overflow: auto; margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 6px; }
        #failures li { padding: 8px 12px; border-left: 4px solid var(--failed); }
        #failures li:has(.skipped) { border-left-color: var(--skipped); }
        #failures li + li { border-top: 1px solid var(--line); }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        td, th { text-align: left; vertical-align: top; padding: 3px 16px 3px 0; border-bottom: 1px solid var(--line); }
        th { color: var(--soft); font-weight: 600; white-space: nowrap; }
        .short { white-space: nowrap; }
        #ranking { display: grid; gap: 0 32px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
        .stack { display: flex; height: 16px; border-radius: 3px; overflow: hidden; margin: 8px 0; }
        .stack i { flex: 0 1 0; min-width: 1px; }
        .chip { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: 6px; vertical-align: -1px; }
        .legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 8px 0; padding: 0; list-style: none; font-size: 13px; }
        .bar { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
        input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--soft); border-radius: 6px; padding: 5px 10px; }
        button { cursor: pointer; background: var(--card); }
        button[aria-pressed="true"] { outline: 2px solid var(--accent); }
        input[type="search"] { flex: 1 1 220px; min-width: 0; }
        #panes { display: flex; gap: 12px; align-items: flex-start; }
        #scroller { flex: 1 1 0; min-width: 0; max-height: 72vh; overflow-y: scroll; border: 1px solid var(--line); border-radius: 6px; }
        #list { position: relative; }
        .row { position: absolute; left: 0; right: 0; height: 28px; line-height: 28px; display: grid; gap: 0 8px; padding: 0 8px; white-space: nowrap; cursor: pointer;
          grid-template: "mark id track time size" 28px / 16px minmax(100px, 28%) 1fr 68px 76px; }
        .row > * { grid-area: mark; overflow: hidden; text-overflow: ellipsis; }
        .row .id { grid-area: id; }
        .row .number { grid-area: time; text-align: right; font-variant-numeric: tabular-nums; }
        .row .size { grid-area: size; }
        .row .track { grid-area: track; position: relative; background: linear-gradient(to right, var(--line) 1px, transparent 1px) var(--origin) 0 / var(--step) 100%; }
        .track i { position: absolute; top: 8px; height: 12px; min-width: 1px; }
        .track .whole { top: 13px; height: 2px; background: var(--rest); }
        .group { background: var(--card); font-weight: 600; }
        .group small, #axis small { color: var(--soft); }
        .row[aria-selected="true"] { background: var(--card); box-shadow: inset 4px 0 var(--accent); }
        .row:hover { background: var(--card); }
        #list:focus-visible { outline: none; }
        #list:focus-visible .cursor { outline: 2px solid var(--accent); outline-offset: -2px; }
        #axis { position: sticky; top: 0; z-index: 1; height: 84px; grid-template-rows: 84px; background: var(--back); border-bottom: 1px solid var(--line); cursor: auto; }
        #axis span { line-height: 20px; align-self: end; }
        #axis #most { white-space: normal; align-self: start; padding-top: 6px; }
        #plot { cursor: ew-resize; touch-action: pan-y; }
        #plot svg { position: absolute; top: 6px; left: 0; width: 100%; height: 56px; }
        #flow { fill: var(--receive); }
        #ticks span { position: absolute; bottom: 0; padding-left: 3px; font-size: 12px; color: var(--soft); }
        #ticks .last { transform: translateX(-100%); padding: 0 3px 0 0; }
        #chosen { position: absolute; top: 0; bottom: 0; background: var(--accent); opacity: 0.3; }
        #details { flex: 0 0 min(440px, 40vw); max-height: 72vh; overflow: auto; border: 1px solid var(--line); border-radius: 6px; padding: 12px; background: var(--back); }
        #details ol { padding-left: 20px; margin: 0; }
        #details li { margin-bottom: 12px; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 8px 0; }
        dt { color: var(--soft); }
        dd { margin: 0; }
        summary { cursor: pointer; }
        @media (max-width: 899px) {
          #details { position: fixed; z-index: 2; left: 0; right: 0; bottom: 0; max-height: 75vh; border-radius: 12px 12px 0 0; border-color: var(--soft); box-shadow: 0 0 24px #0008; }
        }
        @media (max-width: 640px) {
          header, main { padding: 8px; }
          button, select, input { min-height: 40px; }
          .row { height: 48px; grid-template: "mark id time" 26px "track track track" 22px / 16px 1fr 76px; line-height: 26px; }
          .row .size { display: none; }
          .track i { top: 4px; }
          .track .whole { top: 9px; }
          #axis { height: 100px; grid-template-rows: 20px 80px; }
          #axis #most { grid-column: 1 / 3; padding: 0; }
          th, td { padding-right: 10px; }
        }
        @media print {
          body { font-size: 10pt; }
          .verdict { color: #000; background: none !important; border: 3px solid; border-radius: 6px; padding: 8px 12px; }
          .verdict.bad { border-color: var(--failed); }
          .verdict.good { border-color: var(--succeeded); }
          .verdict.later { border-color: var(--deferred); }
          main { padding: 0; }
          #failures ol { max-height: none; overflow: visible; border: 0; }
          li, tr { break-inside: avoid; }
          a { color: inherit; text-decoration: none; }
          #all, section:has(#split) { display: none; }
        }

        """#
}
