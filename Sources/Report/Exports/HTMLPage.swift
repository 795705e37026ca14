/// The fixed parts of the HTML report: policy, elements and script.
///
/// The script makes every text of the report a text node, never markup. The page's content security
/// policy permits only the hashes of the script and of the style.
enum HTMLPage {
    /// The content security policy, with the SHA-256 of `script` and of the style in Base64.
    static let policy =
        "default-src 'none'; script-src 'sha256-+dVKAGqBKgZts1dKZYI/PZwAstRIZTLyZpJI7U+XeAM='; "
        + "style-src 'sha256-hL4BiO5a9DJlu0WDrB+MLPOyjIWIBIH0AgmToGEBdF8='; "
        + "base-uri 'none'; form-action 'none'"

    /// The elements that the script fills.
    static let elements = #"""
        <noscript><p>The rest of this page needs JavaScript, which it contains; <code>runner report show</code> prints it as text.</p></noscript>
        <div id="scripted" hidden>
        <div id="ranking"></div>
        <section aria-labelledby="split-title">
        <h2 id="split-title">Where the time went</h2>
        <div id="split"></div>
        </section>
        <section id="all" aria-labelledby="tasks-title">
        <h2 id="tasks-title">All tasks</h2>
        <div class="bar">
        <input type="search" id="search" placeholder="Search ids, URLs, reasons" aria-label="Search" aria-keyshortcuts="/">
        <label>Group by <select id="group">
        <option value="both">host and outcome</option>
        <option value="host">host</option>
        <option value="outcome">outcome</option>
        <option value="none">nothing</option>
        </select></label>
        <label>Order by <select id="order">
        <option value="start">start</option>
        <option value="slow">time</option>
        <option value="retried">attempts</option>
        <option value="large">bytes</option>
        <option value="name">id</option>
        </select></label>
        <button type="button" id="fold">Fold all</button>
        <button type="button" id="unfold">Unfold all</button>
        <button type="button" id="whole" hidden>Whole run</button>
        </div>
        <div class="bar" id="outcomes" role="group" aria-label="Show one outcome"></div>
        <p class="soft"><span id="count" role="status"></span>. Keys: / search, arrows move and fold, Enter open, Esc close. Drag over the time to zoom, Esc shows the whole run.</p>
        <div id="panes">
        <div id="scroller">
        <div id="axis" class="row">
        <span id="most" class="id soft"></span>
        <div id="plot" class="track">
        <svg viewBox="0 0 240 100" preserveAspectRatio="none" role="img" aria-label="Received bytes over the time of the run"><path id="flow"/></svg>
        <div id="ticks" aria-hidden="true"></div>
        <div id="chosen" hidden></div>
        </div>
        <span class="number soft">time</span><span class="number size soft">bytes</span>
        </div>
        <div id="list" role="tree" tabindex="0" aria-label="Tasks"></div>
        </div>
        <section id="details" tabindex="-1" aria-label="Details of a task" hidden></section>
        </div>
        <ul class="legend" id="legend" aria-label="Colours of the time"></ul>
        </section>
        </div>
        """#

    /// The content of the only `script` element that is run.
    static let script =
        "\n'use strict';\n(() => {\n" + HTMLScript.values + HTMLScript.axis + HTMLScript.list
        + HTMLScript.details + HTMLScript.overview + HTMLScript.start + "})();\n"
}
