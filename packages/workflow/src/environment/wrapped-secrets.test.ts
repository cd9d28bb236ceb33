/** Masked texts that programs break into lines, as their encoders, terminals and formatters do. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputState, type OutputState, type OutputStream, readOutput } from './output.ts';

const SECRET = 'eyJhbGciOiJFUzI1NiJ9.Qx7_kZ/Rt5+Ypl0-vB3nM.8qWs2Ed4Fr6end';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const pairs = (text: string) => hex(text).replace(/..(?=.)/g, '$& ');
const lines = (text: string, width: number) => text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];

/** Each line in a batch of its own. */
function logsOf(output: readonly string[], stream: OutputStream = 'stdout') {
  let state: OutputState = createOutputState(['another-secret', SECRET]);
  const logs: string[] = [];
  for (const line of output) {
    const reading = readOutput(state, [{ stream, lines: [line] }]);
    // As it is kept between batches.
    state = JSON.parse(JSON.stringify(reading.state));
    logs.push(...reading.logs);
  }
  return { logs, state };
}

/** More is never shown of an encoded secret: eight bytes, in the largest encoding. */
const SHOWN_MAX = 24;

/** Pieces of an encoded secret that one would find if they were shown. */
const piecesOf = (encoded: string): readonly string[] =>
  Array.from({ length: Math.max(0, encoded.length - SHOWN_MAX) }, (_, at) =>
    encoded.slice(at, at + SHOWN_MAX),
  );

const FORMS: readonly (readonly [name: string, width: number, encode: (text: string) => string])[] =
  [
    ['base64', 76, base64],
    ['openssl base64', 64, base64],
    // Sixteen signs or more have to stand before the break.
    ['a narrow terminal', 50, (text) => text],
    ['xxd -p', 60, hex],
    ['od -An -tx1', 48, pairs],
  ];

test.each(FORMS)('%s in lines of %i signs', (_, width, encode) => {
  for (const before of ['', ':', 'u:', 'Authorization: Bearer '.repeat(3)]) {
    const encoded = encode(`${before}${SECRET} and what follows`);
    for (const stream of ['stdout', 'stderr'] as const) {
      const { logs, state } = logsOf([...lines(encoded, width), 'another line'], stream);
      const pieces = piecesOf(encode(SECRET)).filter((piece) => logs.join('').includes(piece));
      expect(pieces).toEqual([]);
      expect(logs.join('\n')).toContain('***');
      expect(logs.at(-1)).toBe('another line');
      expect(state.wrapped).toBeUndefined();
    }
  }
});

const address = (at: number, radix = 16) => at.toString(radix).padStart(radix === 8 ? 7 : 8, '0');
const readable = (part: string) => part.replace(/[^ -~]/g, '.');

const DUMPS: readonly (readonly [name: string, line: (part: string, at: number) => string])[] = [
  [
    'xxd',
    (part, at) => {
      const words = hex(part).replace(/.{4}(?=.)/g, '$& ');
      return `${address(at)}: ${words.padEnd(39)}  ${readable(part)}`;
    },
  ],
  ['xxd -i', (part) => `  0x${pairs(part).replaceAll(' ', ', 0x')},`],
  ['od -tx1', (part, at) => `${address(at, 8)} ${pairs(part)}`],
  [
    'hexdump -C',
    (part, at) => {
      const halves = [pairs(part.slice(0, 8)), pairs(part.slice(8))].join('  ');
      return `${address(at)}  ${halves.padEnd(48)}  |${readable(part)}|`;
    },
  ],
];

test.each(DUMPS)('%s in lines of sixteen bytes', (_, lineOf) => {
  for (const before of ['', 'key=', 'Authorization: Bearer ']) {
    const parts = lines(`${before}${SECRET} and what follows`, 16);
    const logged = logsOf(parts.map((part, index) => lineOf(part, 16 * index))).logs;
    const bytes = logged.map((line) => line.replace(/^[\da-f]{7,}:? |0x|[ ,]/g, '')).join('');
    const traces = (text: string) => lines(text, 8).filter(({ length }) => length === 8);
    expect(traces(SECRET).filter((piece) => logged.join('').includes(piece))).toEqual([]);
    expect(lines(hex(SECRET), 18).filter((piece) => bytes.includes(piece))).toEqual([]);
    expect(logged.join('')).toContain('***');
  }
});

test('a secret beside the bytes of a dump is hidden, whatever the bytes are', () => {
  const dump = `00000000: ${pairs('0123456789abcdef')}  ${SECRET}`;
  expect(logsOf([dump, dump]).logs).toEqual(Array(2).fill(dump.replace(SECRET, '***')));
});

// Bound: Masked texts that continue over lines of output.
test('whatever stands before it, however wide the lines are: little of Base64 is left', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 60 }),
      fc.string({ maxLength: 60 }),
      fc.integer({ min: 20, max: 90 }),
      (before, after, width) => {
        const encoded = base64(`${before}${SECRET}${after}`);
        const first = Math.ceil((Buffer.byteLength(before) * 8) / 6);
        const last = Math.floor(((Buffer.byteLength(before) + SECRET.length) * 8) / 6);
        const shown = logsOf(lines(encoded, width)).logs.join('');
        const left = piecesOf(encoded.slice(first, last)).filter((piece) => shown.includes(piece));
        expect(left).toEqual([]);
      },
    ),
  );
});

test('a key of several lines in Base64 is hidden', () => {
  const body = lines(base64(`${'0123456789abcdef'.repeat(8)}`), 64);
  const key = ['-----BEGIN KEY-----', ...body, '-----END KEY-----'].join('\n');
  const { logs } = readOutput(createOutputState([key]), [
    { stream: 'stdout', lines: lines(base64(key), 76) },
  ]);
  const left = piecesOf(base64(key)).filter((piece) => logs.join('').includes(piece));
  expect(left).toEqual([]);
});

test.each([
  ['a command in between', ['::debug::x'], ['DEBUG,x']],
  ['a line of the other stream is between them', [], []],
])('%s', (_, between, shown) => {
  const [first = '', second = ''] = lines(base64(SECRET), 40);
  const { logs } = readOutput(createOutputState([SECRET]), [
    { stream: 'stdout', lines: [first] },
    { stream: 'stderr', lines: ['other'] },
    { stream: 'stdout', lines: [...between, second] },
  ]);
  expect(logs).toEqual(['***', 'other', ...shown, '***']);
});

test('a text that begins like a secret and then differs is hidden up to there', () => {
  const start = createOutputState([SECRET]);
  const { logs } = readOutput(start, [
    { stream: 'stdout', lines: [`key: ${SECRET.slice(0, 20)}`, 'next line', SECRET.slice(20)] },
  ]);
  expect(logs).toEqual(['key: ***', 'next line', SECRET.slice(20)]);
});

test('a step that is stopped within an encoded secret shows no half of it', () => {
  const start = createOutputState([SECRET]);
  const [first = '', second = ''] = lines(base64(SECRET), 40);
  const { logs } = readOutput(start, [
    { stream: 'stdout', lines: [first, second.slice(0, 20)], cut: true },
    { stream: 'stderr', lines: [hex(SECRET).slice(0, 50)], cut: true },
  ]);
  expect(logs).toEqual(['***', '***', '***']);
});

test('lines of other texts in Base64 stay as they are', () => {
  const other = lines(base64('a text that is no secret, '.repeat(20)), 76);
  expect(logsOf(other).logs).toEqual(other);
});
