import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TESTED_LIMITS } from '../facts/tested.ts';
import {
  carryOver,
  createOutputState,
  endOutput,
  LINE_LENGTH_MAX,
  MASK_LENGTH_MAX,
  MASKS_LENGTH_MAX,
  MASKS_MAX,
  OUTPUTS_LENGTH_MAX,
  OUTPUTS_MAX,
  type OutputLines,
  type OutputState,
  readAhead,
  readOutput,
  TRANSFERS_MAX,
} from './output.ts';

const start = createOutputState();

/** Reads lines of standard output after a step began. */
const read = (lines: readonly string[], state: OutputState = start) =>
  readOutput(state, [{ stream: 'stdout', lines }]);

test.each<[line: string, log: string]>([
  ['ordinary', 'ordinary'],
  ['blanks at the end \t\r', 'blanks at the end'],
  ['  and at the start', '  and at the start'],
  ['', ''],
  ['::debug::m', 'DEBUG,m'],
  ['::notice::m', 'NOTICE,m'],
  ['::warning::m', 'WARNING,m'],
  ['::error::m', 'ERROR,m'],
  ['::error file=a.c,line=1,col=2::m: n::o', 'ERROR,m: n::o'],
  ['::warning file=C:\\a.c::m', 'WARNING,m'],
  ['::error::', 'ERROR,'],
  [' ::error::m', ' ::error::m'],
  ['x::error::m', 'x::error::m'],
  ['::ERROR::m', '::ERROR::m'],
  ['::errors::m', '::errors::m'],
  ['::debug a=b::m', '::debug a=b::m'],
  ['::unknown::m', '::unknown::m'],
  ['::set-output name=1a::x', '::set-output name=1a::x'],
  ['::set-output::x', '::set-output::x'],
  ['::missing-report::a.xml', '::missing-report::a.xml'],
  ['::missing-report type=a/b::', '::missing-report type=a/b::'],
  ['::stop-commands::two words', '::stop-commands::two words'],
  ['::version::  ', '::version::'],
  ['::checkout commit=main::a', '::checkout commit=main::a'],
  ['::', '::'],
])('the line %j is logged as %j', (line, log) => {
  expect(read([line])).toEqual({ state: start, logs: [log], requests: [] });
});

describe('what a run tests', () => {
  const COMMIT = '0123456789abcdef0123456789abcdef01234567';
  const of = (branch: string | null) => ({
    repository: 'https://a.b/c d.git',
    commit: COMMIT,
    branch,
  });

  test('is noted, each once, and not logged', () => {
    const line = `::checkout commit=${COMMIT}::https://a.b/c d.git`;
    const names = '\tgrafted, HEAD -> topic/1, tag: v1, origin/topic/1';
    const lines = ['::version:: api 7 ', '::version::db 2', '::version::api 7', line + names, line];
    const { state, logs } = read(lines);
    expect([state.tested, logs, state.statusOverride]).toEqual([
      { versions: ['api 7', 'db 2'], checkouts: [of('topic/1')] },
      [],
      null,
    ]);
    expect(read([`${line}\tHEAD, tag: v1`]).state.tested?.checkouts).toEqual([of(null)]);
    expect(carryOver(state).tested).toBeUndefined();
  });

  test('has bounds', () => {
    const { versionLength, versions } = TESTED_LIMITS;
    expect(read([`::version::${'x'.repeat(versionLength + 1)}`])).toMatchObject({
      logs: [`ERROR,Version ignored: it is longer than ${versionLength} characters.`],
      state: { statusOverride: 2 },
    });
    const many = Array.from({ length: versions + 1 }, (_, at) => `::version::v${at}`);
    const { state, logs } = read(many);
    expect(state.tested?.versions).toHaveLength(versions);
    expect(logs).toEqual([`ERROR,Version ignored: a step may name at most ${versions} versions.`]);
    const { repositoryLength, branchLength } = TESTED_LIMITS;
    const checkout = (repository: string, branch: string) =>
      `::checkout commit=${COMMIT}::${repository}\tHEAD -> ${branch}`;
    const long = [
      checkout('x'.repeat(repositoryLength + 1), 'main'),
      checkout('x', 'b'.repeat(branchLength + 1)),
    ];
    expect(read(long).state).toEqual(start);
  });
});

test.each<[line: string, outputs: Record<string, string>]>([
  ['::set-output name=a::b', { a: 'b' }],
  ['::set-output   name=a-b_1::b::c', { 'a-b_1': 'b::c' }],
  ['::set-output name=a::', { a: '' }],
  ['::set-output name=__proto__::x', JSON.parse('{"__proto__": "x"}')],
])('the line %j sets an output and is not logged', (line, outputs) => {
  const { state, logs } = read([line]);
  expect(state.outputs).toStrictEqual(outputs);
  expect(logs).toEqual([]);
});

test('the last value of an output wins, also in a later batch', () => {
  const first = read(['::set-output name=a::1', '::set-output name=b::2']);
  expect(read(['::set-output name=a::3'], first.state).state.outputs).toEqual({ a: '3', b: '2' });
});

test.each<[line: string, request: object]>([
  ['::attach::/a/b.xml', { kind: 'attach', path: '/a/b.xml', parameters: {} }],
  ['::attach ::/a/b.xml', { kind: 'attach', path: '/a/b.xml', parameters: {} }],
  [
    '::attach type=application/xml, name = my report ,x=1=2:: C:\\a\\b.xml ',
    {
      kind: 'attach',
      path: 'C:\\a\\b.xml',
      parameters: { type: 'application/xml', name: 'my report', x: '1=2' },
    },
  ],
  ['::upload name=n::p', { kind: 'upload', path: 'p', parameters: { name: 'n' } }],
  ['::download file=f::', { kind: 'download', path: '', parameters: { file: 'f' } }],
  ['::download pattern=*.x::d', { kind: 'download', path: 'd', parameters: { pattern: '*.x' } }],
  ['::put file=f::d/e', { kind: 'put', path: 'd/e', parameters: { file: 'f' } }],
])('the line %j is a request', (line, request) => {
  expect(read([line])).toMatchObject({
    state: { statusOverride: null, transferCount: 1 },
    logs: [],
    requests: [request],
  });
});

describe('the type of a file', () => {
  const OURS = 'application/vnd.opentestfactory.shop-surefire';

  test.each(['attach', 'upload'])('that is nearly a report type is reported: ::%s', (command) => {
    const { state, logs, requests } = read([`::${command} type=${OURS}-xml::out/a.xml`]);
    expect(logs).toEqual([
      `WARNING,No test results are read of out/a.xml, as nothing reads the type "${OURS}-xml". Did you mean "${OURS}+xml"?`,
    ]);
    expect(state.statusOverride).toBeNull();
    expect(requests).toHaveLength(1);
  });

  test.each([
    `${OURS}+xml`,
    'application/xml',
    'text/html',
    'application/vnd.opentestfactory.shop-picture+png',
  ])('%s says nothing', (type) => {
    expect(read([`::attach type=${type}::a`]).logs).toEqual([]);
  });

  test('is told without what is masked', () => {
    expect(read(['::add-mask::shop', `::attach type=${OURS}::a`]).logs[0]).toContain(
      'the type "application/vnd.opentestfactory.***-surefire"',
    );
  });
});

describe('a parameter of a file', () => {
  test.each([
    ['attach', 'tpye', 'type'],
    ['attach', 'Name', 'name'],
    ['upload', 'typ', 'type'],
  ])('that is misspelt is reported: ::%s %s', (command, written, meant) => {
    const { state, logs, requests } = read([`::${command} ${written}=a::/f`]);
    expect(logs).toEqual([
      `WARNING,The parameter "${written}" of the workflow command ::${command} does nothing. Did you mean "${meant}"?`,
    ]);
    expect(state.statusOverride).toBeNull();
    expect(requests).toEqual([{ kind: command, path: '/f', parameters: { [written]: 'a' } }]);
  });

  test.each(['colour=red', 'type=a,types=b', 'x=1'])(
    'that is handed on is not: %s',
    (parameters) => {
      expect(read([`::attach ${parameters}::/f`]).logs).toEqual([]);
    },
  );
});

test('a parameter without a value fails the step, but the file is fetched', () => {
  const { state, logs, requests } = read(['::attach type=t, oops ,name=n::/f']);
  expect(logs).toEqual(['ERROR,Invalid workflow command parameter: oops.']);
  expect(state.statusOverride).toBe(2);
  expect(requests).toEqual([{ kind: 'attach', path: '/f', parameters: { type: 't', name: 'n' } }]);
});

test.each<[line: string, logs: readonly string[]]>([
  [
    '::download fil=r.txt::x',
    ['ERROR,Unknown parameter "fil" of the workflow command ::download, did you mean "file"?'],
  ],
  [
    '::download fil=r.txt',
    ['ERROR,Unknown parameter "fil" of the workflow command ::download, did you mean "file"?'],
  ],
  ['::download file=::x', ['ERROR,The workflow command parameter "file" is empty.']],
  ['::download pattern=::x', ['ERROR,The workflow command parameter "pattern" is empty.']],
  [
    '::download =a,name=b::x',
    [
      'ERROR,Unknown parameter "" of the workflow command ::download.',
      'ERROR,Unknown parameter "name" of the workflow command ::download.',
    ],
  ],
  [
    '::put File=a::x',
    ['ERROR,Unknown parameter "File" of the workflow command ::put, did you mean "file"?'],
  ],
  ['::put file=::x', ['ERROR,The workflow command parameter "file" is empty.']],
  ['::download file::d1/', ['ERROR,Invalid workflow command parameter: file.']],
  ['::download file=a,b.txt::d1/', ['ERROR,Invalid workflow command parameter: b.txt.']],
  ['::put file=a,b.txt::x', ['ERROR,Invalid workflow command parameter: b.txt.']],
  [
    '::download r.txt,fil=a::x',
    [
      'ERROR,Invalid workflow command parameter: r.txt.',
      'ERROR,Unknown parameter "fil" of the workflow command ::download, did you mean "file"?',
    ],
  ],
])('the line %j chooses nothing, and is told', (line, expected) => {
  const { state, logs, requests } = read([line]);
  expect(logs).toEqual(expected);
  expect({ status: state.statusOverride, requests }).toEqual({ status: 2, requests: [] });
});

test('a download names a file or a pattern', () => {
  const { state, logs, requests } = read(['::download file=a,pattern=b::/f']);
  expect(logs).toEqual(['ERROR,Cannot specify both "file" and "pattern".']);
  expect({ status: state.statusOverride, requests }).toEqual({ status: 2, requests: [] });
});

// Language 3.8: A command for a file that fails makes it 2, which none that succeeds undoes.
test('a failed command is not made good by a later one', () => {
  expect(read(['::attach oops::/f', '::attach::/g']).state.statusOverride).toBe(2);
});

test('masked texts are hidden from then on, the longest first, on both streams', () => {
  const first = read(['a secret', '::add-mask::secret', 'a secret', '::add-mask::secret key']);
  expect(first.logs).toEqual(['a secret', 'a ***']);
  const second = readOutput(first.state, [
    { stream: 'stdout', lines: ['one secret key, two secrets', '::error::secret'] },
    { stream: 'stderr', lines: ['secret key'] },
  ]);
  expect(second.logs).toEqual(['one ***, two ***s', 'ERROR,***', '***']);
});

test.each(['::attach::', '::attach type=t:: '])('%j without a path fails the step', (line) => {
  const { state, logs, requests } = read([line]);
  expect(state.statusOverride).toBe(2);
  expect(logs).toEqual(['ERROR,The workflow command ::attach lacks its path.']);
  expect(requests).toEqual([]);
});

test('outputs and attachments are not masked', () => {
  const { state, requests } = read([
    '::add-mask::secret',
    '::set-output name=a::secret',
    '::attach::secret',
  ]);
  expect(state.outputs).toEqual({ a: 'secret' });
  expect(requests).toMatchObject([{ path: 'secret' }]);
});

test('an empty mask changes nothing', () => {
  expect(read(['::add-mask::', '::add-mask::  ', 'text'])).toMatchObject({
    state: { masks: [] },
    logs: ['text'],
  });
});

test('secrets known before the job are masked from the start', () => {
  expect(read(['my pass'], createOutputState(['', 'pass'])).logs).toEqual(['my ***']);
});

test('while commands are stopped all lines are dropped, until the token is given back', () => {
  const first = read([
    'a',
    '::stop-commands::T1',
    'b',
    '::error::c',
    '::T2::',
    '::set-output name=d::e',
  ]);
  expect(first).toMatchObject({ logs: ['a'], state: { stopToken: 'T1', outputs: {} } });
  const second = read(['f', '::T1:: ', 'g', '::error::h'], first.state);
  expect(second).toMatchObject({ logs: ['g', 'ERROR,h'], state: { stopToken: null } });
});

test('standard error is never read for commands, nor stopped', () => {
  const lines = ['::set-output name=a::b', '::error::c  ', '::stop-commands::T'];
  const stopped = read(['::stop-commands::T']).state;
  expect(readOutput(stopped, [{ stream: 'stderr', lines }])).toEqual({
    state: stopped,
    logs: ['::set-output name=a::b', '::error::c', '::stop-commands::T'],
    requests: [],
  });
});

test('masks and the stopped state go on to the next step, the rest stays with its step', () => {
  const { state } = read([
    '::add-mask::secret',
    '::set-output name=a::b',
    '::attach oops::/f',
    '::stop-commands::T',
  ]);
  expect(carryOver(state)).toEqual({ ...start, masks: ['secret'], stopToken: 'T' });
});

test('a long line is cut after masking, never within a character', () => {
  const secret = 's'.repeat(100);
  const state = createOutputState([secret]);
  const atTheEdge = 'x'.repeat(LINE_LENGTH_MAX - 50) + secret;
  expect(read([atTheEdge], state).logs).toEqual([`${'x'.repeat(LINE_LENGTH_MAX - 50)}***`]);
  const pairs = `x${'😀'.repeat(LINE_LENGTH_MAX / 2)}yz`;
  const kept = `x${'😀'.repeat(LINE_LENGTH_MAX / 2 - 1)}`;
  expect(read([pairs]).logs).toEqual([`${kept}... (4 more characters)`]);
  const plain = 'x'.repeat(LINE_LENGTH_MAX);
  expect(read([`${plain}y`]).logs).toEqual([`${plain}... (1 more character)`]);
});

describe('a line that comes in pieces', () => {
  const pieces = (
    lines: readonly string[],
    state = start,
    stream: 'stdout' | 'stderr' = 'stdout',
  ) =>
    readOutput(
      state,
      lines.map((line, index) => ({ stream, lines: [line], open: index < lines.length - 1 })),
    );

  test('is shown piece by piece, with blanks in between and without those at its end', () => {
    const { state, logs } = pieces(['abc ', 'def ', 'ghi ']);
    expect(logs).toEqual(['abc ', 'def ', 'ghi']);
    expect(state).toEqual(start);
  });

  test('hides what it masks, also where a piece ends', () => {
    const masked = createOutputState(['secret']);
    for (const stream of ['stdout', 'stderr'] as const) {
      const { logs } = pieces(['a sec', 'ret b secret', ' sec', 'retsec', 'ure'], masked, stream);
      expect(logs.join('')).toBe('a *** b *** ***secure');
    }
  });

  // Bound: The part of a long line that waits for masking.
  test('of which no end of a masked text comes costs as much piece by piece, and ends with a mask', () => {
    const piece = 'ab'.repeat(LINE_LENGTH_MAX / 2);
    let state = createOutputState(['ab'.repeat(50)]);
    const logs: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      const reading = readOutput(state, [{ stream: 'stdout', lines: [piece], open: true }]);
      ({ state } = reading);
      logs.push(...reading.logs);
      expect(JSON.stringify(state).length).toBeLessThan(5 * LINE_LENGTH_MAX);
    }
    expect(logs).toEqual(['***']);
    expect(readOutput(state, [{ stream: 'stdout', lines: ['end', 'next'] }]).logs).toEqual([
      'next',
    ]);
  });

  test('hides what it masks, however many colour codes a piece ends with', () => {
    const codes = '\x1b[1m'.repeat(2000);
    const { logs } = pieces(
      [`a ${[...'sec'].join(codes)}${codes}`, 'ret', ' b'],
      createOutputState(['secret']),
    );
    expect(logs.join('')).toBe('a *** b');
  });

  test('does so across batches, and whatever the other stream says in between', () => {
    const first = readOutput(createOutputState(['secret']), [
      { stream: 'stdout', lines: ['x', 'a sec'], open: true },
      { stream: 'stderr', lines: ['err'] },
    ]);
    const kept: OutputState = JSON.parse(JSON.stringify(first.state));
    const second = readOutput(kept, [{ stream: 'stdout', lines: ['ret', 'y'] }]);
    expect([...first.logs, ...second.logs]).toEqual(['x', 'err', 'a ***', 'y']);
  });

  test('is no command, as a whole or in a piece, and a command that long fails the step', () => {
    expect(pieces(['abc', '::error::x']).logs).toEqual(['abc', '::error::x']);
    const long = pieces(['::add-mask::abc', 'def', 'ghi']);
    expect(long.logs).toEqual([
      'ERROR,Workflow command ignored: it is longer than 65536 characters.',
    ]);
    expect(long.state).toEqual({ ...start, statusOverride: 2 });
  });

  test('is dropped while commands are stopped', () => {
    const stopped = read(['::stop-commands::T']).state;
    expect(pieces(['abc', '::T::'], stopped)).toMatchObject({
      logs: [],
      state: { stopToken: 'T' },
    });
  });

  test('is never longer in one piece of the log than lines are', () => {
    const masked = createOutputState(['s'.repeat(MASK_LENGTH_MAX)]);
    const { logs } = pieces(['a'.repeat(LINE_LENGTH_MAX), 'b'.repeat(LINE_LENGTH_MAX)], masked);
    expect(logs.map(({ length }) => length).every((length) => length <= LINE_LENGTH_MAX)).toBe(
      true,
    );
    expect(logs.join('')).toBe('a'.repeat(LINE_LENGTH_MAX) + 'b'.repeat(LINE_LENGTH_MAX));
  });
});

// Bound: Outputs of a job; variables of a run.
test('outputs are bounded in number and in length', () => {
  const many = read(
    Array.from({ length: OUTPUTS_MAX + 1 }, (_, i) => `::set-output name=o${i}::x`),
  );
  expect(Object.keys(many.state.outputs)).toHaveLength(OUTPUTS_MAX);
  expect(many.logs).toEqual(['ERROR,Output "o256" ignored: a step may have at most 256 outputs.']);
  expect(many.state.statusOverride).toBe(2);
  const long = read([
    `::set-output name=a::${'x'.repeat(OUTPUTS_LENGTH_MAX)}`,
    '::set-output name=b::x',
  ]);
  expect(Object.keys(long.state.outputs)).toEqual(['a']);
  expect(long.state.statusOverride).toBe(2);
});

// Bound: Attachments and transfers of a step.
test('requests are bounded per step', () => {
  const lines = Array.from({ length: TRANSFERS_MAX + 1 }, (_, i) => `::attach::/f${i}`);
  const { requests, logs, state } = endOutput(read(lines));
  expect(requests).toHaveLength(TRANSFERS_MAX);
  expect(logs).toEqual([
    'ERROR,File /f1024 ignored: a step may attach or transfer at most 1024 files.',
  ]);
  expect(state.statusOverride).toBe(2);
  expect(read(['::attach::/g'], state).requests).toEqual([]);
  expect(read(['::attach::/g'], carryOver(state)).requests).toHaveLength(1);
});

test('one line counts the files beyond the bound, and the reports among them', () => {
  const type = 'application/vnd.opentestfactory.junit-surefire+xml';
  const lines = Array.from({ length: TRANSFERS_MAX }, (_, i) => `::attach::/f${i}`);
  const { state: full } = read(lines);
  const more = ['::attach::/a', `::attach type=${type}::/b`, '::attach type=text/plain::/c'];
  const { state: begun, logs: none } = read(more, full);
  expect(none).toEqual([]);
  const { state, logs } = endOutput(read([`::upload type=${type}::/d`, '::put file=x::e'], begun));
  expect(logs).toEqual([
    'ERROR,File /a and 4 more ignored: a step may attach or transfer at most 1024 files.',
  ]);
  expect(state.missingReports).toEqual({ first: '/b', count: 2 });
  expect(carryOver(state)).toEqual(start);
});

test('reports that are not there are counted, and nothing is logged of them', () => {
  const type = 'application/vnd.opentestfactory.junit-surefire+xml';
  const absent = [
    `::missing-report type=${type}::target/a::b, c/*.xml`,
    `::missing-report type=${type}; charset=utf-8::d.xml`,
  ];
  const { state, logs, requests } = read([...absent, '::missing-report type=text/html::e.html']);
  expect([logs, requests, state.statusOverride]).toEqual([[], [], null]);
  expect(state.absentReports).toEqual({ first: 'target/a::b, c/*.xml', count: 2 });
  expect(carryOver(state)).toEqual(start);
});

// Bound: Masks of a job.
test('masks are bounded in number and in length, and a refused one fails the step', () => {
  const many = read(Array.from({ length: MASKS_MAX + 1 }, (_, i) => `::add-mask::secret${i}`));
  expect(many.state.masks).toHaveLength(MASKS_MAX);
  expect(many.state.statusOverride).toBe(2);
  const long = read([`::add-mask::${'x'.repeat(MASK_LENGTH_MAX + 1)}`]);
  expect(long.state).toMatchObject({ masks: [], statusOverride: 2 });
  const large = Array.from({ length: 33 }, (_, i) => `::add-mask::${i}${'x'.repeat(8000)}`);
  const all = read(large);
  expect(all.state).toMatchObject({ statusOverride: 2 });
  expect(all.state.masks).toHaveLength(Math.floor(MASKS_LENGTH_MAX / 8002));
});

const piece = fc.constantFrom(
  ...[
    '::',
    'attach',
    'set-output name=',
    'add-mask',
    'stop-commands',
    'T',
    'a',
    ' ',
    '=',
    ',',
    '\n',
  ],
);
const lines = fc.array(
  fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  ),
);

test('any output can be read, in batches as at once, and the state survives as JSON', () => {
  fc.assert(
    fc.property(lines, fc.nat(), (all, where) => {
      const cut = where % (all.length + 1);
      const whole = read(all);
      const first = read(all.slice(0, cut));
      const kept: OutputState = JSON.parse(JSON.stringify(first.state));
      const second = read(all.slice(cut), kept);
      expect(second.state).toEqual(whole.state);
      expect([...first.logs, ...second.logs]).toEqual(whole.logs);
      expect([...first.requests, ...second.requests]).toEqual(whole.requests);
    }),
  );
});

test('reading changes no state that was given', () => {
  const given = Object.freeze(createOutputState(['x']));
  read(['::add-mask::y', '::set-output name=a::b', '::attach::/f', '::stop-commands::T'], given);
  expect(given).toEqual(createOutputState(['x']));
});

test('a line made of blanks costs no more than its length', () => {
  const blanks = ' '.repeat(200_000);
  const commands = ['attach', 'error', 'set-output', 'warning'].map(
    (name) => `::${name}${blanks}x`,
  );
  expect(read(commands).logs).toHaveLength(commands.length);
});

test('however a long line is cut, nothing of a masked text is shown', () => {
  const text = fc.stringMatching(/^[ab]{0,40}$/);
  const mask = fc.stringMatching(/^[ab]{2,6}$/);
  fc.assert(
    fc.property(
      text,
      fc.array(mask, { maxLength: 3 }),
      fc.array(fc.nat(40)),
      (line, masks, cuts) => {
        const places = [0, ...cuts.map((cut) => Math.min(cut, line.length)), line.length];
        const sorted = [...places].sort((one, other) => one - other);
        const batch = sorted.slice(1).map((end, index) => ({
          stream: 'stdout' as const,
          lines: [line.slice(sorted[index], end)],
          open: index < sorted.length - 2,
        }));
        const whole = read([line], createOutputState(masks)).logs.join('');
        const { logs, state } = readOutput(createOutputState(masks), batch);
        // Masked texts that touch may be one where the line was cut in between.
        expect(logs.join('').replaceAll('******', '***')).toBe(whole.replaceAll('******', '***'));
        expect(state.held).toBeUndefined();
      },
    ),
  );
});

test('a mask is what is left without the blanks around it', () => {
  expect(read(['::add-mask::  TOKEN', 'a TOKEN']).logs).toEqual(['a ***']);
});

test('a mask may be written with the codes that other services want, which may make several lines of it', () => {
  const { logs } = read([
    '::add-mask::100%25 sure%0Asecond%0D%0Athird',
    'so 100% sure',
    'the third',
  ]);
  expect(logs).toEqual(['so ***', 'the ***']);
  expect(read(['::add-mask::a%25b', 'a%25b a%b']).logs).toEqual(['*** ***']);
});

test.each(['stdout', 'stderr'] as const)(
  'of a last line on %s that has no end, as its command was stopped, the beginning of a mask is hidden',
  (stream) => {
    const state = createOutputState(['Sup3rSecret']);
    const last = { stream, lines: ['a Sup3', 'partial Sup3rSecr'], cut: true };
    expect(readOutput(state, [last]).logs).toEqual(['a Sup3', 'partial ***']);
    const pieces = [
      { stream, lines: ['partial '], open: true },
      { stream, lines: ['Sup3rSecr'], cut: true },
    ];
    expect(readOutput(state, pieces).logs.join('')).toBe('partial ***');
  },
);

test('the lines of a group stand below its title, to the end of the group or of the step', () => {
  const { logs, state } = read([
    ...['a', '::group::  Install it', 'b', '', '  c', '::warning::d', '::group::Test', 'e'],
    ...['::endgroup::', 'f', '::endgroup::', '::group::', 'g'],
  ]);
  expect(logs).toEqual([
    'a',
    'Install it',
    '  b',
    '',
    '    c',
    'WARNING,d',
    'Test',
    '  e',
    'f',
    '  g',
  ]);
  expect(read(['h'], state).logs).toEqual(['  h']);
  expect(readOutput(carryOver(state), [{ stream: 'stderr', lines: ['i'] }]).logs).toEqual(['i']);
});

test('titles of groups are masked, and groups are no commands where these are stopped', () => {
  const { logs } = read([
    '::add-mask::abc',
    '::group::an abc',
    'abc',
    '::stop-commands::T',
    '::endgroup::',
    '::T::',
    'b',
  ]);
  expect(logs).toEqual(['an ***', '  ***', '  b']);
});

test('lines that are read together equal lines that are read one by one', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      'a',
      'b \t',
      '10 %\r20 %\r',
      'é\u00a0',
      '::error::m',
      '::group::g',
      '::endgroup::',
    ),
    fc.constantFrom(
      '::add-mask::key',
      'a key',
      '::stop-commands::t',
      '::t::',
      '::set-output name=a::b',
    ),
    fc.constantFrom('x'.repeat(LINE_LENGTH_MAX), 'x'.repeat(LINE_LENGTH_MAX + 1)),
  );
  const part = fc.record({
    stream: fc.constantFrom('stdout' as const, 'stderr' as const),
    lines: fc.array(line, { minLength: 1, maxLength: 8 }),
    open: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const oneByOne = parts.flatMap(({ stream, lines, open }) =>
        lines.map((each, index) => ({
          ...{ stream, lines: [each] },
          open: open && index === lines.length - 1,
        })),
      );
      expect(readOutput(start, parts)).toEqual(readOutput(start, oneByOne));
    }),
  );
});

/** Long lines with a masked text in each form, and everywhere its beginning. */
const longLines = (): readonly string[] => {
  const secret = 'Pa55w0rd+of/Team';
  const [base64, hex] = (['base64', 'hex'] as const).map((form) =>
    Buffer.from(secret).toString(form),
  );
  const line = `${base64} ${hex} \\\\u0050a&#80;\x1b[1m ${secret.slice(0, -1)} ${secret} `.repeat(
    400,
  );
  return [line, `${line}${secret}`, `${line}${base64}`, `${line}${line}${line}`];
};

test.each<[what: string, form: Partial<OutputLines>]>([
  ['whole lines', {}],
  ['a line that goes on', { open: true }],
  ['a line without its end', { cut: true }],
])('%s: reading ahead changes nothing, and has pauses', (_, form) => {
  const state = read(['::add-mask::Pa55w0rd+of/Team']).state;
  for (const line of longLines()) {
    const output: OutputLines = { stream: 'stdout', lines: [line], ...form };
    const plain = readOutput(state, [output]);
    expect(plain.logs.join()).not.toContain('Pa55w0rd+of/Team');
    expect([...readAhead(state, output)].length).toBeGreaterThan(400);
    expect(readOutput(state, [output])).toEqual(plain);
    const goesOn: OutputLines = { stream: 'stdout', lines: [line] };
    const after = readOutput(plain.state, [goesOn]);
    expect([...readAhead(plain.state, goesOn)].length).toBeGreaterThan(400);
    expect(readOutput(plain.state, [goesOn])).toEqual(after);
  }
});
