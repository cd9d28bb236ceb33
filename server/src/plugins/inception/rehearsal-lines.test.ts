/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: lines of scripts. */
import { expect, test } from 'vitest';
import { callBuiltIn } from '../providers/provider-scripts.fixture.ts';
import { attachmentsOf, linesOf, preparationsOf } from './rehearsal-lines.ts';

const TYPE = 'application/vnd.opentestfactory.junit-surefire+xml';

/** Path and parameters of the file that a line attaches, and the name or pattern that it means. */
const read = (script: string, isWindows = false) =>
  attachmentsOf(linesOf([script]), isWindows).map(({ request, name, isPattern }) => [
    request.path,
    request.parameters,
    isPattern ? { pattern: name } : name,
  ]);

test.each<[line: string, path: string, parameters: object, meant: unknown]>([
  ['::attach::report.xml', 'report.xml', {}, 'report.xml'],
  ['echo ::attach::report.xml', 'report.xml', {}, 'report.xml'],
  [
    '  echo "::attach type=t::`pwd`/x/report.xml"',
    '`pwd`/x/report.xml',
    { type: 't' },
    'report.xml',
  ],
  [
    `echo "::attach type=${TYPE},name=n::$PWD/report.xml"`,
    '$PWD/report.xml',
    { type: TYPE, name: 'n' },
    'report.xml',
  ],
  [`echo '::attach type=t::'"$PWD"/'a b.xml'`, '$PWD/a b.xml', { type: 't' }, 'a b.xml'],
  [`echo ::attach::"$PWD"/'it'\\''s & 100%.xml'`, "$PWD/it's & 100%.xml", {}, "it's & 100%.xml"],
  ['echo "::attach::$PWD/none.xml"', '$PWD/none.xml', {}, 'none.xml'],
  ['# ::attach type=t::*.xml', '*.xml', { type: 't' }, { pattern: '*.xml' }],
  [
    `for tutti_report in 'a b'/out/*.xml; do\n  if [ -f "$tutti_report" ]; then tutti_found=1; echo '::attach type=t::'"$PWD/$tutti_report"; fi\ndone`,
    'a b/out/*.xml',
    { type: 't' },
    { pattern: '*.xml' },
  ],
  [
    'for tutti_report in output.xml; do\n  if [ -f "$tutti_report" ]; then tutti_found=1; echo ::attach::"$PWD/$tutti_report"; fi\ndone',
    'output.xml',
    {},
    'output.xml',
  ],
  [
    'for tutti_report in "$tutti_folder"/out/*.xml; do\n  if [ -f "$tutti_report" ]; then tutti_found=1; echo ::attach::"$PWD/$tutti_report"; fi\ndone',
    '**/out/*.xml',
    {},
    { pattern: '*.xml' },
  ],
])('a rehearsal attaches what %s says', (line, path, parameters, meant) => {
  expect(read(`#!/bin/sh\n${line}\necho done`)).toEqual([[path, parameters, meant]]);
});

test.each<[line: string, path: string, meant: unknown]>([
  ['@echo ::attach type=t::%CD%\\out\\report.xml', '%CD%\\out\\report.xml', 'report.xml'],
  ["@echo ::attach type=t::%CD%\\it's ^& 100%%.xml", "%CD%\\it's & 100%.xml", "it's & 100%.xml"],
  ['@rem ::attach type=t::*.txt', '*.txt', { pattern: '*.txt' }],
  [
    '@for %%F in ("x\\*.xml") do @if exist "%%~fF" echo ::attach type=t::%%~fF',
    'x\\*.xml',
    { pattern: '*.xml' },
  ],
  [
    '@for %%F in ("100%%\\output.xml") do @if exist "%%~fF" echo ::attach type=t::%%~fF',
    '100%\\output.xml',
    'output.xml',
  ],
  [
    '@for /r "." %%D in (.) do @for %%F in ("%%D\\out\\*.xml") do @if exist "%%~fF" echo ::attach type=t::%%~fF',
    '**\\out\\*.xml',
    { pattern: '*.xml' },
  ],
  [
    '@for /r "a b" %%D in (.) do @for /d %%E in ("%%D\\*-x") do @for %%F in ("%%E\\T-*.xml") do @if exist "%%~fF" echo ::attach type=t::%%~fF',
    '**\\T-*.xml',
    { pattern: 'T-*.xml' },
  ],
])('on Windows it attaches what %s says', (line, path, meant) => {
  expect(read(line, true)).toEqual([[path, { type: 't' }, meant]]);
});

test.each([
  [
    false,
    [
      'for tutti_report in "$tutti_folder"/*.xml; do',
      '  if [ -f "$tutti_report" ]; then tutti_found=1; echo ::attach::"$PWD/$tutti_report"; fi',
      'done',
      "done < <(find 'a b' -type d -print0 2>/dev/null | LC_ALL=C sort -z)",
      `[ -n "$tutti_found" ] || echo '::warning::There is no report a b/**/*.xml to attach.'`,
      'for tutti_report in *.txt; do',
      '  if [ -f "$tutti_report" ]; then tutti_found=1; echo ::attach::"$PWD/$tutti_report"; fi',
      'done',
    ],
  ],
  [
    true,
    [
      '@for /r "a b" %%D in (.) do @for %%F in ("%%D\\*.xml") do @if exist "%%~fF" echo ::attach::%%~fF',
      '@for /r "a b" %%D in (.) do @if exist "%%D\\*.xml" set "TUTTI_FOUND=1"',
      '@if not defined TUTTI_FOUND echo ::warning::There is no report a b/**/*.xml to attach.',
      '@for %%F in ("*.txt") do @if exist "%%~fF" echo ::attach::%%~fF',
    ],
  ],
])(
  'a missing file is reported with the path of the description, if the script would report it (Windows: %s)',
  (isWindows, lines) => {
    expect(
      attachmentsOf(lines, isWindows).map(({ request, isOptional }) => [request.path, isOptional]),
    ).toEqual([
      ['a b/**/*.xml', false],
      ['*.txt', true],
    ]);
  },
);

test('a rehearsal attaches no report folder', async () => {
  for (const os of ['linux', 'windows'] as const) {
    const [{ run: script = '' } = {}] = await callBuiltIn('playwright/npx@v1', {}, os);
    expect(script).toContain('::attach type=application/vnd.tutti.report-folder+gzip::');
    const names = read(script, os === 'windows').map(([, , name]) => name);
    expect(names).toEqual(['pw_junit_report.xml', 'index.html']);
  }
});

test.each([
  'if [ -f report.xml ]; then echo "::attach::$PWD/report.xml"; fi',
  'test -f report.xml && echo ::attach::report.xml',
  'echo "see ::attach::report.xml"',
  'echo "::upload::$PWD/report.xml"',
  "printf '::attach::%s' report.xml",
])('a rehearsal does not guess what %s would attach', (line) => {
  expect(read(line)).toEqual([]);
});

test('files are prepared by comments', () => {
  const lines = [
    '# ::inception file=data 1.xml::report.xml',
    '@rem ::inception file=b::a b.xml',
    'echo ::inception file=c::d',
  ];
  expect(preparationsOf(lines)).toEqual([
    { file: 'data 1.xml', name: 'report.xml' },
    { file: 'b', name: 'a b.xml' },
  ]);
});
