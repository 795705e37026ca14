/// The parts of the HTML report's script that draw the tasks.
enum HTMLScript {
    /// The texts, the phases and the stretches of time, which the other parts use.
    static let values = #"""
        const tasks = JSON.parse(document.getElementById('tasks').textContent);
        const run = JSON.parse(document.getElementById('run').textContent);
        const $ = (id) => document.getElementById(id);
        // Texts of servers are only ever set as text, never as markup.
        const make = (name, text, className) => {
          const node = document.createElement(name);
          if (text !== undefined) node.textContent = text;
          if (className) node.className = className;
          return node;
        };
        const button = (text, action) => {
          const node = make('button', text);
          node.type = 'button';
          node.addEventListener('click', action);
          return node;
        };
        const link = (task) => {
          const node = make('a', task.id);
          node.href = '#task=' + encodeURIComponent(task.id);
          return node;
        };
        const table = (names, rows) => {
          const node = make('table');
          const head = node.createTHead().insertRow();
          for (const name of names) {
            const cell = make('th', name);
            cell.scope = 'col';
            head.append(cell);
          }
          const body = node.createTBody();
          for (const row of rows) {
            const line = body.insertRow();
            for (const value of row) {
              const cell = line.insertCell();
              cell.append(value);
              // A short text is never broken into two lines.
              if (cell.textContent.length <= 16) cell.className = 'short';
            }
          }
          return node;
        };
        const count = (number, noun) => number.toLocaleString('en') + ' ' + noun + (number === 1 ? '' : 's');
        const bytes = (count) => {
          const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
          let unit = 0;
          while (count >= 1023.95 && unit < units.length - 1) { count /= 1024; unit += 1; }
          return (unit ? count.toFixed(1) : Math.round(count)) + ' ' + units[unit];
        };
        const two = (value) => String(value).padStart(2, '0');
        const duration = (us) => {
          if (us < 9950) return (us / 1e3).toFixed(1) + ' ms';
          if (us < 999500) return Math.round(us / 1e3) + ' ms';
          if (us < 5.995e7) return (us / 1e6).toFixed(1) + ' s';
          const seconds = Math.round(us / 1e6);
          return seconds < 3600 ? Math.floor(seconds / 60) + 'm' + two(seconds % 60) + 's'
            : Math.floor(seconds / 3600) + 'h' + two(Math.floor(seconds / 60) % 60) + 'm';
        };
        const percent = (part, whole) => (part * 200 < whole ? 'below 1' : Math.round(part / whole * 100)) + ' %';
        const marks = { succeeded: '✓', unchanged: '=', failed: '✗', deferred: '…', cancelled: '–', skipped: '→' };
        const isDone = (task) => task.outcome === 'succeeded' || task.outcome === 'unchanged';
        // The uses of time, in the order of a task; exchanges have `blocked` to `receive`.
        const phases = {
          backoff: 'waiting for a retry', network: 'waiting for the network', blocked: 'waiting for a connection',
          dns: 'looking up the name', connect: 'connecting', tls: 'TLS handshake', send: 'sending the request',
          wait: 'waiting for the response', receive: 'receiving', cache: 'reading the cache', rest: 'all else: checks, files, turns',
        };
        const measured = ['blocked', 'dns', 'connect', 'tls', 'send', 'wait', 'receive'];
        const chip = (name) => {
          const node = make('i', undefined, 'chip');
          node.style.background = 'var(--' + name + ')';
          return node;
        };
        // The stretches of an exchange, or of a whole task: [start, length, phase].
        const stretchesOfExchange = (exchange) => {
          let time = exchange.start;
          if (exchange.cached) return [[time, exchange.phases.reduce((sum, length) => sum + length, 0), 'cache']];
          const parts = [];
          exchange.phases.forEach((length, index) => {
            if (length > 0) parts.push([time, length, measured[index]]);
            time += length;
          });
          return parts;
        };
        const stretches = (task) => {
          const parts = [];
          for (const attempt of task.tries || []) {
            if (!attempt.waited) continue;
            const isNetwork = attempt.waitReason === 'connectivity' || attempt.waitReason === 'power';
            parts.push([attempt.start - attempt.waited, attempt.waited, isNetwork ? 'network' : 'backoff']);
          }
          for (const exchange of task.exchanges) parts.push(...stretchesOfExchange(exchange));
          return parts;
        };
        // The time of some stretches by phase.
        const sums = (parts, times = {}) => {
          for (const [, length, phase] of parts) times[phase] = (times[phase] || 0) + length;
          return times;
        };
        const timesOf = (task) => {
          const times = sums(stretches(task));
          const known = Object.values(times).reduce((sum, length) => sum + length, 0);
          if (task.duration > known) times.rest = task.duration - known;
          // Segments run side by side: the sum of the shares is the time of the task.
          if (task.duration < known) for (const name of Object.keys(times)) times[name] *= task.duration / known;
          return times;
        };
        // One bar of all phases; its parts are as wide as their times.
        const bar = (times) => {
          const node = make('div', undefined, 'stack');
          const whole = Object.values(times).reduce((sum, length) => sum + length, 0);
          const words = [];
          for (const name of Object.keys(phases)) {
            if (!times[name]) continue;
            const part = chip(name);
            part.className = '';
            part.style.flexGrow = times[name] / whole;
            part.title = phases[name] + ': ' + duration(times[name]);
            node.append(part);
            words.push(phases[name] + ' ' + duration(times[name]));
          }
          node.setAttribute('role', 'img');
          node.setAttribute('aria-label', words.join(', ') || 'no time');
          return node;
        };

        """#

    /// The time axis: throughput, grid, ticks and zoom.
    static let axis = #"""
        // The time axis of the page: throughput, grid and waterfall share the function `x`.
        const total = tasks.reduce((end, task) => Math.max(end, task.start + task.duration), Math.max(1, run.duration));
        const view = { start: 0, end: total };
        const x = (time) => Math.min(100, Math.max(0, (time - view.start) / (view.end - view.start) * 100));
        const isZoomed = () => view.start > 0 || view.end < total;
        const steps = [];
        for (let unit = 1; unit < 1e7; unit *= 10) steps.push(unit, 2 * unit, 5 * unit);
        for (const seconds of [10, 20, 50, 60, 120, 300, 600, 1200, 3000, 3600, 7200, 18000, 36000, 72000]) steps.push(seconds * 1e6);
        for (let unit = 1.8e11; unit < 1e16; unit *= 10) steps.push(unit, 2 * unit, 5 * unit);
        const tickText = (time, step) => {
          if (!time) return '0';
          if (step >= 1e6 && view.end >= 6e7) {
            const seconds = Math.round(time / 1e6);
            const minutes = Math.floor(seconds / 60);
            return (minutes < 60 ? minutes : Math.floor(minutes / 60) + ':' + two(minutes % 60)) + ':' + two(seconds % 60);
          }
          const [unit, name] = view.end < 1e6 ? [1e3, ' ms'] : [1e6, ' s'];
          return (time / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit)))) + name;
        };
        const drawTicks = () => {
          const width = Math.max(1, $('plot').clientWidth);
          const span = view.end - view.start;
          const step = steps.find((step) => step >= span * 72 / width) || span;
          const pixels = width / span;
          // The grid is the background of each track, and begins at the first multiple of the step.
          $('scroller').style.setProperty('--step', step * pixels + 'px');
          $('scroller').style.setProperty('--origin', (Math.ceil(view.start / step) * step - view.start) * pixels + 'px');
          const ticks = [];
          for (let time = Math.ceil(view.start / step) * step; time <= view.end; time += step) {
            const tick = make('span', tickText(time, step));
            tick.style.left = x(time) + '%';
            if (x(time) > 92) tick.className = 'last';
            ticks.push(tick);
          }
          $('ticks').replaceChildren(...ticks);
        };
        // The bytes of each body, spread over the time of its arrival.
        const drawThroughput = () => {
          const buckets = new Float64Array(240);
          const length = (view.end - view.start) / buckets.length;
          for (const task of tasks) {
            for (const exchange of task.exchanges) {
              if (!exchange.received) continue;
              const end = exchange.start + exchange.phases.reduce((sum, part) => sum + part, 0);
              const start = end - Math.max(1, exchange.phases[6]);
              const rate = exchange.received / (end - start);
              const last = Math.min(buckets.length - 1, Math.floor((end - view.start) / length));
              for (let index = Math.max(0, Math.floor((start - view.start) / length)); index <= last; index += 1) {
                const from = view.start + index * length;
                buckets[index] += rate * Math.max(0, Math.min(end, from + length) - Math.max(start, from));
              }
            }
          }
          const most = buckets.reduce((most, value) => Math.max(most, value), 0);
          let path = 'M0 100';
          buckets.forEach((value, index) => {
            path += 'V' + (most ? 100 - value / most * 96 : 100).toFixed(1) + 'H' + (index + 1);
          });
          $('flow').setAttribute('d', path + 'V100Z');
          $('most').textContent = most ? 'at most ' + bytes(most / length * 1e6) + '/s' : 'no bodies arrived';
        };
        const zoom = (start, end) => {
          view.start = Math.max(0, Math.min(start, total - 10));
          view.end = Math.min(total, Math.max(end, view.start + 10));
          $('whole').hidden = !isZoomed();
          drawTicks();
          drawThroughput();
          filter();
        };
        const resetZoom = () => zoom(0, total);
        const watchDragging = () => {
          const plot = $('plot');
          const chosen = $('chosen');
          let from = null;
          const fraction = (event) => {
            const box = plot.getBoundingClientRect();
            return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
          };
          plot.addEventListener('pointerdown', (event) => {
            from = fraction(event);
            plot.setPointerCapture(event.pointerId);
            event.preventDefault();
          });
          plot.addEventListener('pointermove', (event) => {
            if (from === null) return;
            const to = fraction(event);
            chosen.hidden = false;
            chosen.style.left = Math.min(from, to) * 100 + '%';
            chosen.style.width = Math.abs(to - from) * 100 + '%';
          });
          plot.addEventListener('pointerup', (event) => {
            if (from === null) return;
            const [start, end] = [from, fraction(event)].sort((a, b) => a - b);
            chosen.hidden = true;
            from = null;
            const span = view.end - view.start;
            if ((end - start) * plot.clientWidth > 4) zoom(view.start + start * span, view.start + end * span);
          });
          plot.addEventListener('pointercancel', () => { from = null; chosen.hidden = true; });
        };

        """#

    /// The list of tasks with its groups.
    static let list = #"""
        // The list of tasks: only the rows in view are elements.
        const scroller = $('scroller');
        const list = $('list');
        const wide = matchMedia('(min-width: 900px)');
        const narrow = matchMedia('(max-width: 640px)');
        const rowHeight = () => (narrow.matches ? 48 : 28);
        const host = (task) => (task.url.split('/')[2] || 'no host').split('@').pop();
        const hosts = tasks.map(host);
        const texts = tasks.map((task) => [task.id, task.url, task.session, task.kind, task.outcome, task.place,
          task.failure ? task.failure.kind + ' ' + task.failure.message : ''].join('\n').toLowerCase());
        const compare = {
          start: (a, b) => tasks[a].start - tasks[b].start,
          slow: (a, b) => tasks[b].duration - tasks[a].duration,
          retried: (a, b) => tasks[b].attempts - tasks[a].attempts || tasks[b].duration - tasks[a].duration,
          large: (a, b) => tasks[b].received + tasks[b].sent - tasks[a].received - tasks[a].sent,
          name: (a, b) => (tasks[a].id < tasks[b].id ? -1 : 1),
        };
        const orders = {};
        const ordered = (name) => orders[name] || (orders[name] = tasks.map((_, index) => index).sort(compare[name]));
        const keys = {
          none: null,
          both: (index) => hosts[index] + ' · ' + tasks[index].outcome,
          host: (index) => hosts[index],
          outcome: (index) => tasks[index].outcome,
        };
        let outcome = '';
        // A row is a group or the index of a task; `cursor` is a place in the rows.
        let rows = [];
        let cursor = -1;
        let opened = -1;
        let folded = new Set();
        const words = () => $('search').value.toLowerCase().split(/\s+/).filter(Boolean);
        const matching = () => {
          const wanted = words();
          const zoomed = isZoomed();
          return ordered($('order').value).filter((index) => {
            const task = tasks[index];
            if (outcome && task.outcome !== outcome) return false;
            if (zoomed && (task.start > view.end || task.start + task.duration < view.start)) return false;
            return wanted.every((word) => texts[index].includes(word));
          });
        };
        const groupsOf = (indices, key) => {
          const groups = new Map();
          for (const index of indices) {
            const name = key(index);
            let group = groups.get(name);
            if (!group) groups.set(name, group = { name, tasks: [], failed: 0, bad: 0, size: 0, start: Infinity, end: 0, duration: 0 });
            const task = tasks[index];
            group.tasks.push(index);
            group.bad += isDone(task) ? 0 : 1;
            group.failed += task.outcome === 'failed' ? 1 : 0;
            group.size += task.received + task.sent;
            group.duration += task.duration;
            group.start = Math.min(group.start, task.start);
            group.end = Math.max(group.end, task.start + task.duration);
          }
          return [...groups.values()].sort((a, b) => b.failed - a.failed || b.bad - a.bad
            || b.tasks.length - a.tasks.length);
        };
        // A search looks into folded groups.
        const isFolded = (group) => folded.has(group.name) && !words().length;
        const arrange = (indices, key) => {
          if (!key) return indices;
          const groups = groupsOf(indices, key);
          groups.forEach((group, index) => { group.position = [index + 1, groups.length]; });
          return groups.flatMap((group) => (isFolded(group) ? [group] : [group, ...group.tasks]));
        };
        const filter = () => {
          const indices = matching();
          const key = keys[$('group').value];
          rows = arrange(indices, key);
          $('count').textContent = (indices.length === tasks.length ? '' : indices.length.toLocaleString('en') + ' of ')
            + count(tasks.length, 'task');
          $('fold').hidden = $('unfold').hidden = !key;
          cursor = rows.indexOf(opened);
          render();
        };
        // Groups without a failure begin folded where there are many tasks.
        const regroup = () => {
          const key = keys[$('group').value];
          const groups = key && tasks.length > 200 ? groupsOf(ordered('start'), key) : [];
          folded = new Set(groups.filter((group) => !group.bad).map((group) => group.name));
          filter();
        };
        const foldAll = (folds) => {
          const key = keys[$('group').value];
          folded = new Set(folds ? groupsOf(ordered('start'), key).map((group) => group.name) : []);
          filter();
        };
        const fold = (group, folds) => {
          if (folds) folded.add(group.name); else folded.delete(group.name);
          filter();
          cursor = rows.findIndex((row) => row.name === group.name);
          render();
        };
        const place = (node, start, length) => {
          const left = x(start);
          node.style.left = left + '%';
          node.style.width = x(start + length) - left + '%';
        };
        const isInView = (start, length) => start <= view.end && start + length >= view.start;
        const track = (start, length, parts) => {
          const node = make('span', undefined, 'track');
          const whole = make('i', undefined, 'whole');
          place(whole, start, length);
          if (isInView(start, length)) node.append(whole);
          for (const [from, time, phase] of parts) {
            if (!isInView(from, time)) continue;
            const part = make('i');
            part.style.background = 'var(--' + phase + ')';
            place(part, from, time);
            node.append(part);
          }
          return node;
        };
        const rowOfTask = (index) => {
          const task = tasks[index];
          const node = make('div', undefined, 'row');
          const mark = make('span', marks[task.outcome], 'mark ' + task.outcome);
          mark.title = task.outcome;
          const id = make('span', task.id, 'id');
          id.title = task.id;
          const size = task.received + task.sent;
          node.append(mark, id, track(task.start, task.duration, stretches(task).slice(0, 200)),
            make('span', task.attempts ? duration(task.duration) : '', 'number'), make('span', size ? bytes(size) : '', 'number size'));
          node.setAttribute('aria-label', task.id + ', ' + task.outcome + ', ' + duration(task.duration));
          node.setAttribute('aria-selected', String(index === opened));
          node.setAttribute('aria-level', keys[$('group').value] ? 2 : 1);
          return node;
        };
        const rowOfGroup = (group) => {
          const node = make('div', undefined, 'row group');
          const name = make('span', undefined, 'id');
          name.append(group.name, make('small', ' ' + group.tasks.length.toLocaleString('en')));
          name.title = group.name;
          node.append(make('span', isFolded(group) ? '▸' : '▾'), name, track(group.start, group.end - group.start, []),
            make('span', duration(group.duration), 'number'), make('span', group.size ? bytes(group.size) : '', 'number size'));
          node.setAttribute('aria-label', group.name + ', ' + count(group.tasks.length, 'task') + ', together '
            + duration(group.duration) + ', ' + bytes(group.size));
          node.setAttribute('aria-expanded', String(!isFolded(group)));
          node.setAttribute('aria-selected', 'false');
          node.setAttribute('aria-level', 1);
          return node;
        };
        const render = () => {
          const height = rowHeight();
          list.style.height = rows.length * height + 'px';
          const first = Math.max(0, Math.floor(scroller.scrollTop / height) - 4);
          const last = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + 4);
          const shown = [];
          // The group of the current row; -1 where there are none.
          let head = first;
          while (head >= 0 && typeof rows[head] === 'number') head -= 1;
          for (let index = first; index < last; index += 1) {
            const row = rows[index];
            const node = typeof row === 'number' ? rowOfTask(row) : rowOfGroup(row);
            node.id = 'row' + index;
            node.style.top = index * height + 'px';
            node.setAttribute('role', 'treeitem');
            if (typeof row !== 'number') head = index;
            const [position, siblings] = row.position || [index - head, head < 0 ? rows.length : rows[head].tasks.length];
            node.setAttribute('aria-posinset', position);
            node.setAttribute('aria-setsize', siblings);
            if (index === cursor) node.classList.add('cursor');
            shown.push(node);
          }
          list.replaceChildren(...shown);
          if (cursor >= first && cursor < last) list.setAttribute('aria-activedescendant', 'row' + cursor);
          else list.removeAttribute('aria-activedescendant');
        };
        const reveal = () => {
          const height = rowHeight();
          const space = scroller.clientHeight - $('axis').offsetHeight;
          if (cursor * height < scroller.scrollTop) scroller.scrollTop = cursor * height;
          if ((cursor + 1) * height > scroller.scrollTop + space) scroller.scrollTop = (cursor + 1) * height - space;
        };
        const move = (to) => {
          if (!rows.length) return;
          cursor = Math.max(0, Math.min(rows.length - 1, to));
          reveal();
          if (typeof rows[cursor] === 'number' && (wide.matches || !$('details').hidden)) open(rows[cursor]);
          else render();
        };
        const activate = (index, focuses) => {
          cursor = index;
          const row = rows[index];
          if (row === undefined) return;
          if (typeof row === 'number') open(row, focuses);
          else fold(row, !isFolded(row));
        };
        const listKeys = (event) => {
          const page = Math.max(1, Math.floor(scroller.clientHeight / rowHeight()) - 4);
          const row = rows[cursor];
          const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, End: 1e9 }[event.key];
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (step) move(cursor + step);
          else if (event.key === 'Enter' || event.key === ' ') activate(Math.max(0, cursor), true);
          else if (event.key === 'ArrowLeft' && row && row.name !== undefined) fold(row, true);
          else if (event.key === 'ArrowRight' && row && row.name !== undefined) fold(row, false);
          else return;
          event.preventDefault();
        };

        """#
}
