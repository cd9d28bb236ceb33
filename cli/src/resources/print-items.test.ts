import { expect, test } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { readOutput } from './output.ts';
import { type Listing, printItems } from './print-items.ts';

const LISTING: Listing = {
  columns: [
    { title: 'NAME', cell: 'metadata.name' },
    { title: 'TAGS', cell: ({ tags }) => String(tags) },
    { title: 'ID', cell: 'metadata.id', isWide: true },
  ],
  idPath: 'metadata.id',
  emptyText: 'There are no things. Make one with: tutti thing',
};
const ITEMS = [
  { metadata: { name: 'one', id: 'id-1' }, tags: ['a', 'b'] },
  { metadata: { name: 'a longer\u001b[2J one', id: 'id-2' }, tags: [] },
];

/** An `Io` that records output. Printing uses nothing else of it. */
function memoryIo() {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const io = {
    screen: { write: (text: string) => void stdout.push(text) },
    complain: (text: string) => void stderr.push(text),
  } as unknown as Io; // The rest is not called.
  return { io, written: () => ({ stdout: stdout.join(''), stderr: stderr.join('') }) };
}

async function printed(output: string, items = ITEMS) {
  const { io, written } = memoryIo();
  await printItems(items, LISTING, readOutput(output), io);
  return written();
}

test.each([
  ['table', 'NAME          TAGS\none           a,b\na longer one\n'],
  ['wide', 'NAME          TAGS  ID\none           a,b   id-1\na longer one        id-2\n'],
  ['name', 'id-1\nid-2\n'],
  [
    'custom-columns=WHO:metadata.name,X:x',
    'WHO           X\none           <none>\na longer one  <none>\n',
  ],
  ['json', `${JSON.stringify(ITEMS, null, 2)}\n`],
])('things as %s', async (output, expected) => {
  expect(await printed(output)).toEqual({ stdout: expected, stderr: '' });
});

test('things as yaml are a list of documents', async () => {
  const { stdout } = await printed('yaml', ITEMS.slice(0, 1));
  expect(stdout).toBe('- metadata:\n    name: one\n    id: id-1\n  tags:\n    - a\n    - b\n');
});

test('a column without values gets a suggestion for its path', async () => {
  const { stderr } = await printed('custom-columns=A:metadata.nmae,B:metadata.id,C:tag.*');
  expect(stderr).toBe(
    'Nothing has "metadata.nmae", did you mean "metadata.name"?\n' +
      'Nothing has "tag.*", did you mean "tags.*"?\n',
  );
});

test.each(['table', 'wide', 'custom-columns=A:a'])(
  'no things as %s say what to do',
  async (output) => {
    expect(await printed(output, [])).toEqual({ stdout: '', stderr: `${LISTING.emptyText}\n` });
  },
);

test.each([
  ['json', '[]\n'],
  ['yaml', '[]\n'],
  ['name', ''],
])('no things as %s are for programs', async (output, expected) => {
  expect(await printed(output, [])).toEqual({ stdout: expected, stderr: '' });
});
