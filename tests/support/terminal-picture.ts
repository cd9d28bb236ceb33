/** Draws the output of a command on a terminal, as a picture for the documents. */
import { stripVTControlCharacters } from 'node:util';

const COLOURS = new Map([
  ['1', 'bold'],
  ['2', 'dim'],
  ['31', 'red'],
  ['32', 'green'],
  ['33', 'yellow'],
  ['36', 'blue'],
  ['90', 'dim'],
]);
const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}
.bold{font-weight:600}.dim{fill:#9198a1}.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#f2cc60}.blue{fill:#79c0ff}`;
/** Stack traces fill a screen, and differ from machine to machine. */
const TRACE = /│ {2,}(?!.*(?:✖|AssertionError))|│ (?:ℹ|$)|│ *$|│ test at|│ ✖ failing/;
const LINE = 20;
const ESCAPE = String.fromCharCode(27);

export function terminalPicture(command: string, output: string): string {
  const lines = withoutTraces(output.trimEnd().split('\n'));
  const texts = [`$ ${command}`, ...lines].map(
    (line, row) => `<text x="20" y="${(row + 2) * LINE}">${spansOf(line)}</text>`,
  );
  const height = (lines.length + 3) * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 ${height}" role="img" aria-label="A terminal after a run: a test case failed, and why">
<style>${STYLE}</style>
<rect width="860" height="${height}" rx="8" fill="#0d1117"/>
${texts.join('\n')}
</svg>
`;
}

/** One mark for lines that are left out in a row. */
function withoutTraces(lines: readonly string[]): readonly string[] {
  const kept = lines.map((line) => (TRACE.test(stripVTControlCharacters(line)) ? '  ⋯' : line));
  return kept.filter((line, index) => line !== '  ⋯' || kept[index - 1] !== line);
}

function spansOf(line: string): string {
  const [, id = ''] = /^Workflow (\S+) started/.exec(line) ?? [];
  const shown = line.replace(id, id.slice(0, 8));
  const [first = '', ...others] = shown.split(ESCAPE);
  const on = new Set<string>();
  const spans = others.map((part) => {
    const [, code = '', text = ''] = /^\[(\d+)m(.*)$/.exec(part) ?? [];
    const colour = COLOURS.get(code);
    if (colour !== undefined) on.add(colour);
    else if (code === '22') for (const each of ['bold', 'dim']) on.delete(each);
    else on.clear();
    return text === '' ? '' : `<tspan class="${[...on].join(' ')}">${escaped(text)}</tspan>`;
  });
  return `${escaped(first)}${spans.join('')}`;
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
