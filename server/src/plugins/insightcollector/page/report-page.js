// The script of a report: filters, sorts and turns the pages of its tables. Everything it shows it shows as text.

/** Rows that are printed of one table. */
const PRINT_ROWS = 5000;
const LONG_TEXT = 160;
const SIGNS = { success: '✓', failure: '✕', error: '!', skipped: '–', cancelled: '⊘' };

for (const table of document.querySelectorAll('[data-table]')) enhance(table);

function enhance(block) {
  const state = { filter: '', outcome: '', sort: -1, isDown: false, page: 0 };
  const size = Number(block.dataset.page);
  const body = block.querySelector('tbody');
  const controls = block.querySelector('.controls');
  const status = controls.querySelector('[role=status]');
  let read = null;
  /** The data is read when it is first asked for: a report opens without it. */
  const data = () => {
    read ??= readData(document.getElementById(block.dataset.table));
    return read;
  };
  let chosen = null;

  const show = (countMax = size) => {
    chosen ??= choose(data(), state);
    const from = countMax === size ? state.page * size : 0;
    const rows = chosen.slice(from, from + countMax);
    body.replaceChildren(...rows.map((row) => rowOf(data(), row)));
    announce(from, rows.length);
  };
  const announce = (from, count) => {
    const all = chosen.length;
    status.textContent = all === 0 ? 'No rows' : `${from + 1} to ${from + count} of ${all}`;
    const [previous, next] = controls.querySelectorAll('[data-step]');
    previous.disabled = from === 0;
    next.disabled = from + count >= all;
  };
  const change = (changes) => {
    Object.assign(state, { page: 0 }, changes);
    chosen = null;
    show();
  };

  listen(controls, change, (step) => {
    state.page += step;
    show();
  });
  addSorting(block, state, change);
  addPrinting(block, show, size);
  controls.hidden = false;
  block.querySelector('.unscripted')?.remove();
  const rows = body.rows.length;
  const [previous, next] = controls.querySelectorAll('[data-step]');
  previous.disabled = true;
  // Further pages are only known with the data; a first page that is not full is the only one.
  next.disabled = rows < size;
}

function listen(controls, change, turn) {
  let timer = 0;
  const filter = controls.querySelector('input');
  filter.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => change({ filter: filter.value.trim().toLowerCase() }), 120);
  });
  const outcome = controls.querySelector('select');
  outcome?.addEventListener('change', () => change({ outcome: outcome.value }));
  for (const button of controls.querySelectorAll('[data-step]')) {
    button.addEventListener('click', () => turn(Number(button.dataset.step)));
  }
}

function addSorting(block, state, change) {
  const headings = [...block.querySelectorAll('thead th')];
  headings.forEach((heading, index) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener('click', () => {
      const isDown = state.sort === index && !state.isDown;
      for (const other of headings) other.removeAttribute('aria-sort');
      heading.setAttribute('aria-sort', isDown ? 'descending' : 'ascending');
      change({ sort: index, isDown });
    });
  });
}

/** On paper there are no pages to turn, and nothing to open. */
function addPrinting(block, show, size) {
  const left = block.querySelector('.left');
  addEventListener('beforeprint', () => {
    show(PRINT_ROWS);
    const shown = block.querySelector('tbody').rows.length;
    const status = block.querySelector('[role=status]').textContent;
    left.hidden = shown < PRINT_ROWS;
    left.textContent = `These are rows ${status}.`;
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.open = true;
      details.dataset.closed = '';
    }
  });
  addEventListener('afterprint', () => {
    left.hidden = true;
    show(size);
    for (const details of document.querySelectorAll('details[data-closed]')) {
      details.open = false;
      delete details.dataset.closed;
    }
  });
}

function readData(element) {
  const { rows, columns } = JSON.parse(element.textContent);
  const at = columns.map(({ words, values }) =>
    words === undefined ? (row) => values[row] : (row) => words[values[row]],
  );
  return { rows, columns, at, texts: [] };
}

/** Numbers of the rows that are shown, in their order. */
function choose(data, { filter, outcome, sort, isDown }) {
  const outcomeColumn = data.columns.findIndex(({ kind }) => kind === 'outcome');
  const rows = [];
  for (let row = 0; row < data.rows; row += 1) {
    if (outcome !== '' && data.at[outcomeColumn](row) !== outcome) continue;
    if (filter !== '' && !textOf(data, row).includes(filter)) continue;
    rows.push(row);
  }
  return sort < 0 ? rows : rows.sort(compareBy(data.at[sort], isDown ? -1 : 1));
}

function textOf({ at, texts }, row) {
  texts[row] ??= at
    .map((value) => value(row))
    .join('\n')
    .toLowerCase();
  return texts[row];
}

function compareBy(at, sign) {
  return (left, right) => {
    const [a, b] = [at(left), at(right)];
    if (a === b) return left - right;
    // Rows without a value come last, whichever way.
    if (a === '' || b === '') return a === '' ? 1 : -1;
    return a < b ? -sign : sign;
  };
}

function rowOf({ columns, at }, row) {
  const line = document.createElement('tr');
  columns.forEach(({ kind }, index) => {
    const cell = document.createElement('td');
    if (kind === 'duration' || kind === 'number') cell.className = 'number';
    cell.append(contentOf(at[index](row), kind));
    line.append(cell);
  });
  return line;
}

function contentOf(value, kind) {
  if (typeof value === 'number') return kind === 'duration' ? duration(value) : String(value);
  if (kind === 'outcome' && Object.hasOwn(SIGNS, value)) return badge(value);
  if (kind === 'time') return value.slice(0, 19).replace('T', ' ');
  const [message, ...rest] = value.split('\n');
  if (kind === 'details' && rest.length > 0 && message.length <= LONG_TEXT)
    return folded(message, rest.join('\n'));
  if (value.length <= LONG_TEXT && rest.length === 0) return breakable(value);
  const [line = ''] = value.trim().split('\n', 1);
  return folded(line, value);
}

function folded(line, text) {
  const summary = document.createElement('summary');
  summary.append(breakable(line.length > LONG_TEXT ? `${line.slice(0, LONG_TEXT)}…` : line));
  const details = document.createElement('details');
  const whole = withText('pre', text);
  whole.tabIndex = 0;
  details.append(summary, whole);
  return details;
}

/** Qualified names and paths go on in the next line behind a separator, not in the middle of a word. */
function breakable(text) {
  const element = document.createElement('bdi');
  text.split(/(?<=[./_#:\\@])(?=\p{L})/u).forEach((piece, index) => {
    if (index > 0) element.append(document.createElement('wbr'));
    element.append(piece);
  });
  return element;
}

function badge(outcome) {
  const sign = withText('span', SIGNS[outcome]);
  sign.setAttribute('aria-hidden', 'true');
  const element = document.createElement('span');
  element.className = `badge ${outcome}`;
  element.append(sign, ` ${outcome}`);
  return element;
}

function withText(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function duration(ms) {
  if (ms < 1) return ms <= 0 ? '0 ms' : '< 1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor((ms % 3_600_000) / 60_000)];
  return hours > 0
    ? `${hours} h ${minutes} min`
    : `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
