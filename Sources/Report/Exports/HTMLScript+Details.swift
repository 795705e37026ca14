extension HTMLScript {
    /// The details of a task, and the address that names it.
    static let details = #"""
        // The details of a task, beside the list or, on a small screen, above it.
        const details = $('details');
        const fieldsOf = (exchange) => {
          const node = make('details');
          node.append(make('summary', count(exchange.fields.length, 'response header field')),
            table(['field', 'value'], exchange.fields));
          return node;
        };
        const describeExchange = (exchange) => {
          const node = make('li');
          node.append(make('p', exchange.method + ' ' + exchange.url));
          node.append(make('p', ['attempt ' + exchange.attempt, exchange.reason, exchange.status || 'no response',
            exchange.cached ? 'from the cache' : exchange.protocol, exchange.server,
            exchange.received ? bytes(exchange.received) : ''].filter(Boolean).join(' · '), 'soft'));
          const times = sums(stretchesOfExchange(exchange));
          node.append(bar(times));
          const parts = make('p', undefined, 'legend');
          for (const [name, length] of Object.entries(times)) {
            const part = make('span');
            part.append(chip(name), phases[name] + ' ' + duration(length));
            parts.append(part);
          }
          node.append(parts);
          if (exchange.fields && exchange.fields.length) node.append(fieldsOf(exchange));
          return node;
        };
        const facts = (task) => {
          const node = make('dl');
          const fact = (name, value) => {
            if (value) node.append(make('dt', name), make('dd', value));
          };
          fact('outcome', task.outcome + (task.required ? '' : ' (not required)'));
          if (task.failure) {
            fact('reason', task.failure.kind + ': ' + task.failure.message);
            fact('help', task.failure.help);
            fact('later run', task.failure.retryable ? 'may succeed' : '');
          }
          fact('job file', task.place);
          fact('request', (task.method + ' ' + task.url).trim());
          fact('status', task.status);
          fact('session', task.session + ', ' + task.kind);
          fact('time', duration(task.duration) + ', from ' + duration(task.start) + ' on');
          fact('attempts', String(task.attempts));
          fact('cache', task.cached ? 'answered from the cache' : '');
          return node;
        };
        const describe = (task) => {
          const head = make('div', undefined, 'bar');
          const title = make('h3', task.id);
          title.id = 'details-title';
          head.append(title,
            button('Zoom in', () => zoom(task.start - task.duration * 0.05, task.start + task.duration * 1.05)),
            button('Close', close));
          details.replaceChildren(head, facts(task), bar(timesOf(task)));
          if (task.tries && task.tries.length) {
            details.append(make('h4', 'Attempts'), table(['no.', 'began', 'waited', 'took', 'ended'], task.tries.map((attempt) => [
              String(attempt.number), duration(attempt.start),
              attempt.waited ? duration(attempt.waited) + (attempt.waitReason ? ' (' + attempt.waitReason + ')' : '') : '',
              duration(attempt.duration), attempt.reason || attempt.outcome,
            ])));
          }
          if (task.checks && task.checks.length) {
            details.append(make('h4', 'Checks'), table(['check', 'passed', 'expected', 'actual'], task.checks.map((check) => [
              check.name, check.passed ? 'yes' : 'no', check.expected || '', check.actual || '',
            ])));
          }
          if (task.exchanges.length) {
            const exchanges = make('ol');
            exchanges.append(...task.exchanges.map(describeExchange));
            details.append(make('h4', 'Requests'), exchanges);
          }
          details.hidden = false;
          details.scrollTop = 0;
        };
        const open = (index, focuses) => {
          opened = index;
          describe(tasks[index]);
          history.replaceState(null, '', link(tasks[index]).href);
          render();
          if (focuses) details.focus();
        };
        const close = () => {
          details.hidden = true;
          opened = -1;
          history.replaceState(null, '', '#');
          list.focus({ preventScroll: true });
          render();
        };
        // Opens the task that the page's address names, whatever the list shows now.
        const show = (fragment) => {
          let id = '';
          try { id = decodeURIComponent(fragment.slice('#task='.length)); } catch { return; }
          const index = fragment.startsWith('#task=') ? tasks.findIndex((task) => task.id === id) : -1;
          if (index < 0) return;
          if (!matching().includes(index)) {
            $('search').value = '';
            choose('');
            resetZoom();
          }
          const key = keys[$('group').value];
          if (key) folded.delete(key(index));
          opened = index;
          filter();
          scroller.scrollTop = cursor * rowHeight() - scroller.clientHeight / 3;
          $('tasks-title').scrollIntoView();
          open(index, true);
        };

        """#

    /// The slowest and most retried tasks, the uses of time, and the filters.
    static let overview = #"""
        // What stands above the list: slowest, most retried, the uses of time, and the filters.
        const describeTimes = () => {
          const times = {};
          for (const task of tasks) {
            for (const [name, length] of Object.entries(timesOf(task))) times[name] = (times[name] || 0) + length;
          }
          const whole = Object.values(times).reduce((sum, length) => sum + length, 0);
          const names = Object.keys(times).filter((name) => times[name]).sort((a, b) => times[b] - times[a]);
          if (!names.length) return;
          $('split').append(
            make('p', 'The tasks took ' + duration(whole) + ' together, ' + percent(times[names[0]], whole) + ' of it '
              + phases[names[0]] + '.'),
            bar(times),
            table(['', 'use', 'time', 'share'], names.map((name) => [chip(name), phases[name], duration(times[name]), percent(times[name], whole)])));
        };
        const mostly = (task) => {
          const times = timesOf(task);
          const name = Object.keys(times).sort((a, b) => times[b] - times[a])[0];
          const whole = Object.values(times).reduce((sum, length) => sum + length, 0);
          return whole > 0 ? phases[name] + ', ' + percent(times[name], whole) : '';
        };
        const lastReason = (task) => {
          const reasons = (task.tries || []).map((attempt) => attempt.reason).filter(Boolean);
          return reasons.length ? reasons[reasons.length - 1] : '';
        };
        const describeRanking = () => {
          const slowest = ordered('slow').map((index) => tasks[index]).filter((task) => task.attempts > 0).slice(0, 10);
          const retried = ordered('retried').map((index) => tasks[index]).filter((task) => task.attempts > 1).slice(0, 10);
          const rank = (title, names, rows) => {
            if (!rows.length) return;
            const node = make('section');
            node.append(make('h2', title), table(names, rows));
            $('ranking').append(node);
          };
          if (slowest.length > 1) rank('Slowest', ['time', 'task', 'mostly'], slowest.map((task) => [duration(task.duration), link(task), mostly(task)]));
          rank('Most retried', ['attempts', 'task', 'ended', 'last reason'],
            retried.map((task) => [String(task.attempts), link(task), task.outcome, lastReason(task)]));
        };
        const choose = (name) => {
          outcome = outcome === name ? '' : name;
          for (const other of $('outcomes').children) other.setAttribute('aria-pressed', String(other.dataset.outcome === outcome));
          filter();
        };
        const describeOutcomes = () => {
          for (const [name, number] of Object.entries(run.outcomes)) {
            if (!number) continue;
            const node = button(' ' + number.toLocaleString('en') + ' ' + name, () => choose(name));
            node.prepend(make('span', marks[name], 'mark ' + name));
            node.dataset.outcome = name;
            node.setAttribute('aria-pressed', 'false');
            $('outcomes').append(node);
          }
        };
        const describeColours = () => {
          for (const name of Object.keys(phases)) {
            const item = make('li');
            item.append(chip(name), phases[name]);
            $('legend').append(item);
          }
        };

        """#

    /// The keys, and the start of the page.
    static let start = #"""
        const pageKeys = (event) => {
          const isTyping = /^(INPUT|SELECT)$/.test(document.activeElement.tagName);
          if (event.key === '/' && !isTyping) $('search').focus();
          else if (event.key !== 'Escape') return;
          else if (isZoomed() && !details.contains(document.activeElement)) resetZoom();
          else if (!details.hidden) close();
          else return;
          event.preventDefault();
        };
        const watch = () => {
          scroller.addEventListener('scroll', render);
          list.addEventListener('keydown', listKeys);
          list.addEventListener('click', (event) => {
            const row = event.target.closest('.row');
            if (row) activate(Number(row.id.slice(3)), !wide.matches);
          });
          document.addEventListener('keydown', pageKeys);
          document.addEventListener('click', (event) => {
            const anchor = event.target.closest('a[href^="#task="]');
            if (!anchor) return;
            event.preventDefault();
            show(anchor.getAttribute('href'));
          });
          $('search').addEventListener('input', () => { scroller.scrollTop = 0; filter(); });
          $('order').addEventListener('change', () => { scroller.scrollTop = 0; filter(); });
          $('group').addEventListener('change', regroup);
          $('fold').addEventListener('click', () => foldAll(true));
          $('unfold').addEventListener('click', () => foldAll(false));
          $('whole').addEventListener('click', resetZoom);
          window.addEventListener('hashchange', () => show(location.hash));
          window.addEventListener('resize', render);
          new ResizeObserver(drawTicks).observe($('plot'));
          watchDragging();
        };
        document.title = run.job + ': exit code ' + run.exitCode;
        $('scripted').hidden = false;
        $('group').value = tasks.length > 100 ? 'both' : 'none';
        describeRanking();
        describeTimes();
        describeOutcomes();
        describeColours();
        drawThroughput();
        regroup();
        watch();
        show(location.hash);

        """#
}
