/// The fixed parts of the HTML report: style, elements and script.
///
/// The script makes every text of the report a text node, never markup. The page's content security
/// policy permits only the hashes of the script and of the style.
enum HTMLPage {
    /// The SHA-256 of `style` in Base64.
    static let styleHash = "PiHOavFu8XjAWLPey9XgLqZkHg29GOg5TcUn/aVkWBY="
    /// The SHA-256 of `script` in Base64.
    static let scriptHash = "ytul8774ngFX+k7O1Po3FvMcU6NzfyHan7QKJUd69/g="

    /// The content of the only `style` element.
    static let style = #"""
        :root { color-scheme: light dark; --back: #fff; --fore: #1b1f24; --soft: #59636e; --line: #d8dee4; --card: #f6f8fa; --accent: #0a58ca;
          --succeeded: #1a7f37; --unchanged: #57606a; --failed: #cf222e; --deferred: #9a6700; --cancelled: #8250df; --skipped: #6e7781;
          --blocked: #b9c0c8; --dns: #2da44e; --connect: #bf8700; --tls: #8250df; --send: #0969da; --wait: #57ab5a; --receive: #218bff; --backoff: repeating-linear-gradient(45deg, #d8dee4 0 4px, transparent 4px 8px); }
        @media (prefers-color-scheme: dark) { :root { --back: #0d1117; --fore: #e6edf3; --soft: #9198a1; --line: #30363d; --card: #161b22; --accent: #6ea8fe;
          --succeeded: #3fb950; --unchanged: #9198a1; --failed: #f85149; --deferred: #d29922; --cancelled: #a371f7; --skipped: #7d8590; --blocked: #484f58; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--back); color: var(--fore); font: 14px/1.45 system-ui, sans-serif; }
        main { max-width: 1200px; margin: 0 auto; padding: 16px; }
        h1 { font-size: 20px; margin: 0; overflow-wrap: anywhere; }
        h2 { font-size: 15px; margin: 24px 0 8px; }
        .soft { color: var(--soft); }
        .tiles { display: flex; flex-wrap: wrap; gap: 8px; margin: 16px 0; padding: 0; }
        .tile { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; min-width: 96px; text-align: left; color: inherit; font: inherit; }
        button.tile { cursor: pointer; }
        button.tile[aria-pressed="true"] { outline: 2px solid var(--accent); }
        .tile b { display: block; font-size: 18px; }
        canvas { width: 100%; height: 96px; display: block; }
        .bar { display: flex; gap: 8px; flex-wrap: wrap; margin: 8px 0; }
        input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: 6px 8px; }
        input[type="search"] { flex: 1 1 200px; }
        #list { height: 62vh; min-height: 240px; overflow: auto; border: 1px solid var(--line); border-radius: 6px; position: relative; outline-offset: -2px; }
        .row { position: absolute; left: 0; right: 0; height: 28px; display: grid; grid-template-columns: 14px minmax(90px, 26%) 1fr 84px 84px; gap: 8px; align-items: center; padding: 0 8px; border-bottom: 1px solid var(--line); cursor: pointer; white-space: nowrap; }
        .row[aria-selected="true"] { background: var(--card); box-shadow: inset 3px 0 var(--accent); }
        .row span { overflow: hidden; text-overflow: ellipsis; }
        .row .number { text-align: right; font-variant-numeric: tabular-nums; }
        .dot { width: 10px; height: 10px; border-radius: 5px; }
        .track { position: relative; height: 12px; }
        .track i { position: absolute; top: 0; bottom: 0; min-width: 1px; }
        #details { border: 1px solid var(--line); border-radius: 6px; padding: 12px; margin-top: 8px; overflow-wrap: anywhere; }
        #details table, .table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        #details td, #details th, .table td, .table th { text-align: left; padding: 4px 8px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        .legend { display: flex; flex-wrap: wrap; gap: 12px; margin: 6px 0; font-size: 12px; }
        .legend i { display: inline-block; width: 10px; height: 10px; margin-right: 4px; }
        .error { color: var(--failed); }
        a { color: var(--accent); }
        @media (max-width: 640px) { main { padding: 8px; } .row { grid-template-columns: 14px minmax(80px, 40%) 1fr 64px; } .row .size { display: none; } #list { height: 70vh; } }
        @media print { #list { height: auto; overflow: visible; border: 0; } .row { position: static; break-inside: avoid; } .bar, .spacer { display: none; } }
        """#

    /// The elements that the script fills.
    static let elements = #"""
        <main>
        <h1 id="job"></h1>
        <p class="soft" id="facts"></p>
        <div class="tiles" id="tiles"></div>
        <canvas id="chart" role="img" aria-label="Received bytes over the time of the run"></canvas>
        <div class="bar">
        <input type="search" id="search" placeholder="Search ids, URLs, reasons (key /)" aria-label="Search">
        <select id="order" aria-label="Order">
        <option value="start">in order of start</option>
        <option value="slow">slowest first</option>
        <option value="retried">most retried first</option>
        <option value="large">most bytes first</option>
        <option value="name">by id</option>
        </select>
        <span class="soft" id="count" aria-live="polite"></span>
        </div>
        <div class="legend" id="legend"></div>
        <div id="list" role="listbox" tabindex="0" aria-label="Tasks: arrows select, Enter opens"></div>
        <section id="details" hidden></section>
        <noscript>This report needs JavaScript, which it contains; `runner report show` prints the same as text.</noscript>
        </main>
        """#

    /// The content of the only `script` element that is run.
    static let script = #"""
        'use strict';
        (() => {
          const tasks = JSON.parse(document.getElementById('tasks').textContent);
          const run = JSON.parse(document.getElementById('run').textContent);
          const phases = ['blocked', 'dns', 'connect', 'tls', 'send', 'wait', 'receive'];
          const height = 28;
          const $ = (id) => document.getElementById(id);
          // Texts of servers are only ever set as text, never as markup.
          const make = (name, text, className) => {
            const node = document.createElement(name);
            if (text !== undefined) node.textContent = text;
            if (className) node.className = className;
            return node;
          };
          const bytes = (count) => {
            const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
            let unit = 0;
            while (count >= 1024 && unit < units.length - 1) { count /= 1024; unit += 1; }
            return (unit ? count.toFixed(1) : count) + ' ' + units[unit];
          };
          const duration = (us) => {
            if (us < 1e4) return (us / 1e3).toFixed(1) + ' ms';
            if (us < 1e6) return Math.round(us / 1e3) + ' ms';
            if (us < 6e7) return (us / 1e6).toFixed(1) + ' s';
            const seconds = Math.round(us / 1e6);
            const two = (value) => String(value).padStart(2, '0');
            return seconds < 3600 ? Math.floor(seconds / 60) + 'm' + two(seconds % 60) + 's'
              : Math.floor(seconds / 3600) + 'h' + two(Math.floor(seconds / 60) % 60) + 'm';
          };
          const total = Math.max(1, run.duration);

          // The head.
          document.title = run.job + ': exit code ' + run.exitCode;
          $('job').textContent = run.job;
          $('facts').textContent = [run.file, run.start, duration(run.duration), 'on ' + run.host,
            'exit code ' + run.exitCode, 'run ' + run.id].join(' · ');
          let outcome = '';
          const tiles = $('tiles');
          const tile = (value, label, name) => {
            const node = make(name ? 'button' : 'div', undefined, 'tile');
            node.append(make('b', value), make('span', label, 'soft'));
            if (name) {
              node.style.borderTop = '3px solid var(--' + name + ')';
              node.setAttribute('aria-pressed', 'false');
              node.addEventListener('click', () => {
                outcome = outcome === name ? '' : name;
                for (const other of tiles.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === node && outcome === name));
                filter();
              });
            }
            tiles.append(node);
          };
          for (const [name, count] of Object.entries(run.outcomes)) if (count) tile(count, name, name);
          tile(run.attempts, 'attempts');
          tile(bytes(run.received), 'received');
          tile(bytes(run.sent), 'sent');
          if (run.cacheHits) tile(run.cacheHits, 'from the cache');
          if (run.redirects) tile(run.redirects, 'redirects');

          // Throughput over time: the bytes of each body, spread over the time of its arrival.
          const buckets = new Float64Array(240);
          for (const task of tasks) {
            for (const exchange of task.exchanges) {
              const receive = exchange.phases[6];
              const end = exchange.start + exchange.phases.reduce((sum, part) => sum + part, 0);
              const first = Math.max(0, Math.floor((end - receive) / total * buckets.length));
              const last = Math.min(buckets.length - 1, Math.max(first, Math.floor(end / total * buckets.length)));
              for (let index = first; index <= last; index += 1) buckets[index] += exchange.received / (last - first + 1);
            }
          }
          const draw = () => {
            const canvas = $('chart');
            const scale = window.devicePixelRatio || 1;
            const width = canvas.clientWidth;
            canvas.width = width * scale;
            canvas.height = 96 * scale;
            const pen = canvas.getContext('2d');
            pen.scale(scale, scale);
            const style = getComputedStyle(document.documentElement);
            const most = buckets.reduce((most, value) => Math.max(most, value), 0);
            pen.fillStyle = style.getPropertyValue('--receive');
            const step = width / buckets.length;
            buckets.forEach((value, index) => {
              const tall = most ? value / most * 78 : 0;
              pen.fillRect(index * step, 94 - tall, Math.max(1, step - 0.5), tall);
            });
            pen.fillStyle = style.getPropertyValue('--soft');
            pen.font = '12px system-ui, sans-serif';
            const seconds = total / buckets.length / 1e6;
            pen.fillText(most ? 'most: ' + bytes(Math.round(most / seconds)) + '/s' : 'no bodies arrived', 0, 11);
          };

          // The list.
          let shown = tasks;
          let selected = -1;
          const list = $('list');
          const spacer = make('div', undefined, 'spacer');
          list.append(spacer);
          const search = tasks.map((task) => [task.id, task.url, task.session, task.kind, task.outcome, task.place,
            task.failure ? task.failure.kind + ' ' + task.failure.message : ''].join('\n').toLowerCase());
          const order = {
            start: (a, b) => tasks[a].start - tasks[b].start,
            slow: (a, b) => tasks[b].duration - tasks[a].duration,
            retried: (a, b) => tasks[b].attempts - tasks[a].attempts || tasks[b].duration - tasks[a].duration,
            large: (a, b) => tasks[b].received + tasks[b].sent - tasks[a].received - tasks[a].sent,
            name: (a, b) => (tasks[a].id < tasks[b].id ? -1 : 1),
          };
          const filter = () => {
            const words = $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
            shown = [];
            tasks.forEach((task, index) => {
              if (outcome && task.outcome !== outcome) return;
              if (words.every((word) => search[index].includes(word))) shown.push(index);
            });
            shown.sort(order[$('order').value]);
            $('count').textContent = shown.length + ' of ' + tasks.length + (tasks.length === 1 ? ' task' : ' tasks');
            selected = -1;
            $('details').hidden = true;
            list.scrollTop = 0;
            render();
          };
          const position = (node, start, length) => {
            node.style.left = Math.min(100, start / total * 100) + '%';
            node.style.width = Math.max(0, length / total * 100) + '%';
          };
          const track = (task) => {
            const node = make('span', undefined, 'track');
            const whole = make('i');
            whole.style.background = 'var(--line)';
            position(whole, task.start, task.duration);
            node.append(whole);
            for (const exchange of task.exchanges.slice(0, 64)) {
              let start = exchange.start;
              exchange.phases.forEach((length, index) => {
                if (length > 0) {
                  const part = make('i');
                  part.style.background = 'var(--' + phases[index] + ')';
                  position(part, start, length);
                  node.append(part);
                }
                start += length;
              });
            }
            return node;
          };
          const row = (place) => {
            const task = tasks[shown[place]];
            const node = make('div', undefined, 'row');
            node.style.top = place * height + 'px';
            node.setAttribute('role', 'option');
            node.setAttribute('aria-selected', String(place === selected));
            node.id = 'row' + place;
            const dot = make('span', undefined, 'dot');
            dot.style.background = 'var(--' + task.outcome + ')';
            dot.title = task.outcome;
            const id = make('span', task.id);
            id.title = task.id + ': ' + task.outcome;
            const size = task.received + task.sent;
            node.append(dot, id, track(task), make('span', duration(task.duration), 'number'),
              make('span', size ? bytes(size) : '', 'number size'));
            node.addEventListener('click', () => select(place, true));
            return node;
          };
          const render = (all) => {
            spacer.style.height = shown.length * height + 'px';
            const first = all ? 0 : Math.max(0, Math.floor(list.scrollTop / height) - 8);
            const last = all ? Math.min(shown.length, 2000) : Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 8);
            for (const old of [...list.querySelectorAll('.row')]) old.remove();
            const rows = document.createDocumentFragment();
            for (let place = first; place < last; place += 1) rows.append(row(place));
            list.append(rows);
          };
          const cell = (line, text, name) => line.append(make(name || 'td', text));
          const describe = (task) => {
            const details = $('details');
            details.replaceChildren();
            details.append(make('h2', task.id));
            const facts = make('table');
            const fact = (name, value, className) => {
              if (value === undefined || value === null || value === '') return;
              const line = make('tr');
              cell(line, name, 'th');
              line.append(make('td', value, className));
              facts.append(line);
            };
            fact('outcome', task.outcome + (task.required ? '' : ' (not required)'));
            if (task.failure) {
              fact('reason', task.failure.kind + ': ' + task.failure.message, 'error');
              fact('help', task.failure.help);
              fact('later run', task.failure.retryable ? 'may succeed' : '');
            }
            fact('job file', task.place);
            fact('request', task.method + ' ' + task.url);
            fact('status', task.status);
            fact('session', task.session + ', ' + task.kind);
            fact('time', duration(task.duration) + ', from ' + duration(task.start) + ' on, ' + task.attempts + (task.attempts === 1 ? ' attempt' : ' attempts'));
            fact('cache', task.cached ? 'answered from the cache' : '');
            details.append(facts);
            if (task.exchanges.length) {
              details.append(make('h2', 'requests'));
              const table = make('table');
              const head = make('tr');
              for (const name of ['attempt', 'reason', 'request', 'status', 'protocol', 'server'].concat(phases)) cell(head, name, 'th');
              table.append(head);
              for (const exchange of task.exchanges) {
                const line = make('tr');
                for (const value of [exchange.attempt, exchange.reason, exchange.method + ' ' + exchange.url,
                  exchange.status || '', exchange.protocol || '', exchange.server || '']) cell(line, value);
                for (const part of exchange.phases) cell(line, part > 0 ? duration(part) : '');
                table.append(line);
              }
              details.append(table);
            }
            details.hidden = false;
          };
          const select = (place, opens) => {
            if (!shown.length) return;
            selected = Math.max(0, Math.min(shown.length - 1, place));
            if (selected * height < list.scrollTop) list.scrollTop = selected * height;
            if ((selected + 1) * height > list.scrollTop + list.clientHeight) list.scrollTop = (selected + 1) * height - list.clientHeight;
            render();
            list.setAttribute('aria-activedescendant', 'row' + selected);
            if (opens || !$('details').hidden) describe(tasks[shown[selected]]);
          };
          list.addEventListener('scroll', () => render());
          list.addEventListener('keydown', (event) => {
            const page = Math.floor(list.clientHeight / height);
            const move = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[event.key];
            if (move) select(selected + move, false);
            else if (event.key === 'Enter') select(Math.max(0, selected), true);
            else if (event.key === 'Escape') $('details').hidden = true;
            else return;
            event.preventDefault();
          });
          document.addEventListener('keydown', (event) => {
            if (event.key === '/' && document.activeElement !== $('search')) { $('search').focus(); event.preventDefault(); }
          });
          $('search').addEventListener('input', filter);
          $('order').addEventListener('change', filter);
          window.addEventListener('resize', () => { draw(); render(); });
          window.addEventListener('beforeprint', () => render(true));
          window.addEventListener('afterprint', () => render());
          for (const name of phases) {
            const item = make('span');
            const box = make('i');
            box.style.background = 'var(--' + name + ')';
            item.append(box, name);
            $('legend').append(item);
          }
          if (!run.outcomes.failed) $('order').value = 'start';
          draw();
          filter();
          const failed = shown.findIndex((index) => tasks[index].outcome === 'failed');
          if (failed >= 0 && failed < 200) select(failed, true);
        })();
        """#
}
