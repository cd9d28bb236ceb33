import { byteBatchSchema, OrchestratorError, type PostedBytes } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createValidator } from '../../../http/validate.ts';
import { LIMITS } from '../jobs/limits.ts';
import { readByteBatch } from './byte-batch.ts';

const schema = createValidator(byteBatchSchema);

type Part = readonly [text: string, marks?: Partial<PostedBytes>];

function bodyOf(parts: readonly Part[], more: object = {}): Buffer {
  const output = parts.map(([text, marks]) => {
    const bytes = Buffer.byteLength(text, 'utf8');
    return { stream: 'stdout', bytes, ...marks };
  });
  const head = { command_id: 'j/0', sequence: 4, output, ...more };
  return Buffer.from([JSON.stringify(head), '\n', ...parts.map(([text]) => text)].join(''));
}

function read(body: Buffer) {
  const post = readByteBatch({ content: body, isOurs: true });
  if (post.kind !== 'batch') throw new Error('Not a batch.');
  return post;
}

/** With their lines, which are made on demand. */
const outputOf = (body: Buffer) => read(body).output.map((each) => ({ ...each }));

test('a batch has the parts in their order, each with its lines', () => {
  const parts: Part[] = [
    ['a\n\nb\n'],
    ['c\n', { stream: 'stderr' }],
    ['é\r\nopen', { open: true }],
    ['\n', { stream: 'stderr' }],
    ['cut', { cut: true }],
  ];
  const body = bodyOf(parts, { oldest: 2 });
  expect(schema.problems(JSON.parse(body.toString().split('\n', 1)[0] ?? ''))).toEqual([]);
  expect(read(body)).toMatchObject({
    ...{ kind: 'batch', command_id: 'j/0', sequence: 4, oldest: 2 },
    ...{ exit_status: null, variables: null, next: false },
  });
  expect(outputOf(body)).toEqual([
    { stream: 'stdout', lines: ['a', '', 'b'] },
    { stream: 'stderr', lines: ['c'] },
    { stream: 'stdout', lines: ['é\r', 'open'], open: true },
    { stream: 'stderr', lines: [''] },
    { stream: 'stdout', lines: ['cut'], cut: true },
  ]);
});

test('long output comes in pieces of whole lines, and only the last one has a mark', () => {
  const line = fc.oneof(
    fc.constantFrom('', 'é', 'x'.repeat(64 * 1024 - 1), 'x'.repeat(64 * 1024), 'x'.repeat(300_000)),
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', '')),
    fc.constant('y'.repeat(20_000)),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), fc.boolean(), (lines, open) => {
      const text = lines.join('\n') + (open ? '.' : '\n');
      const output = outputOf(bodyOf([[text, open ? { open } : {}]]));
      const last = open ? [...lines.slice(0, -1), `${lines.at(-1)}.`] : lines;
      expect(output.flatMap((each) => each.lines)).toEqual(last);
      expect(output.map((each) => each.open === true)).toEqual(
        output.map((_, index) => open && index === output.length - 1),
      );
    }),
    { numRuns: 30 },
  );
});

const refusedFor = (why: string) =>
  new OrchestratorError('BadRequest', `Not a valid agent message: ${why}.`);

test.each([
  [
    'bytes that are no UTF-8',
    Buffer.concat([bodyOf([['a']]).subarray(0, -1), Buffer.of(0xff)]),
    'it is not UTF-8 text',
  ],
  ['no line end', Buffer.from('{}'), 'its first 32768 bytes have no line end'],
  ['no object', Buffer.from('[]\n'), 'expected a JSON object'],
  ['no command', bodyOf([], { command_id: null }), 'command_id is missing'],
  ['parts that are no objects', bodyOf([], { output: [1] }), 'output must be a list of objects'],
  [
    'more than its parts',
    bodyOf([['ab', { bytes: 1 }]]),
    'its parts have another length than its output',
  ],
  [
    'less than its parts',
    bodyOf([['ab', { bytes: 3 }]]),
    'its parts have another length than its output',
  ],
  [
    'half a byte',
    bodyOf([['ab', { bytes: 1.5 }]]),
    'its parts have another length than its output',
  ],
])('%s is refused', (_what, body, why) => {
  expect(() => readByteBatch({ content: body, isOurs: true })).toThrow(refusedFor(why));
});

// Bound: The first line of a batch that is posted as bytes.
test('a first line that is too long is refused', () => {
  const body = bodyOf([['a\n']], { x: 'x'.repeat(LIMITS.batchHeadBytes) });
  expect(() => readByteBatch({ content: body, isOurs: true })).toThrow(
    refusedFor('its first 32768 bytes have no line end'),
  );
});

// Bound: A batch of output that is posted as bytes.
test('a batch that is larger than agents of ours make is refused', () => {
  const body = bodyOf([['x'.repeat(LIMITS.postBytesHere)]]);
  expect(() => readByteBatch({ content: body, isOurs: true })).toThrow(
    /^A batch of output may have 1114112 bytes at most\.$/,
  );
});
