import { UnreachableError } from '@tutti/client';
import { OrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { readOutput } from './output.ts';
import type { Listing } from './print-items.ts';
import { watchItems } from './watch-items.ts';

const LISTING: Listing = {
  columns: [
    { title: 'NAME', cell: 'name' },
    { title: 'PHASE', cell: 'phase' },
    { title: 'AGE', cell: 'age', isWide: true, isRunning: true },
  ],
  idPath: 'id',
  emptyText: 'There are no things.',
};

const a = { id: '1', name: 'a', phase: 'IDLE' };
const b = { id: '2', name: 'b', phase: 'BUSY' };

interface Terminal {
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Gives these lists (or fails with these errors), one at each look, then is stopped. */
async function watched(
  looks: readonly (readonly object[] | Error)[],
  output = 'table',
  { isTerminal = false, columns = 80, rows = 24 }: Terminal = {},
) {
  const writes: string[] = [];
  const complaints: string[] = [];
  let stop = () => {};
  const io = {
    screen: {
      write: (text: string) => void writes.push(text),
      isTerminal,
      columns: () => columns,
      rows: () => rows,
    },
    complain: (text: string) => void complaints.push(text),
    drained: async () => {},
    onStop: (handler: () => void) => {
      stop = handler;
      return () => {};
    },
    onTick: (handler: () => void) => {
      queueMicrotask(handler);
      return () => {};
    },
  } as unknown as Io; // The rest is not called.
  const left = [...looks];
  const read = async () => {
    const next = left.shift();
    if (left.length === 0) stop();
    if (next instanceof Error) throw next;
    return (next ?? []).map((each) => ({ ...each }));
  };
  const watching = { read, listing: LISTING, output: readOutput(output) };
  const code = await watchItems(watching, io);
  return { code, writes, stdout: writes.join(''), stderr: complaints.join('') };
}

const looks = [
  [a],
  [a],
  [a, b],
  [
    { ...a, phase: 'BUSY', seen: 1 },
    { ...b, seen: 1 },
  ],
];

test.each([
  ['table', 'NAME  PHASE\na     IDLE\nb     BUSY\na     BUSY\n'],
  ['custom-columns=N:name', 'N\na\nb\n'],
  ['name', '1\n2\n'],
  [
    'json',
    `${[a, b, looks[3]?.[0], looks[3]?.[1]].map((item) => `${JSON.stringify(item)}\n`).join('')}`,
  ],
])('a pipe for %s gets new and changed items', async (output, text) => {
  expect(await watched(looks, output)).toMatchObject({ code: 0, stdout: text, stderr: '' });
});

test('a time that goes on is no change', async () => {
  const aged = [1, 2, 3].map((age) => [{ ...a, age, phase: age < 3 ? 'IDLE' : 'BUSY' }]);
  expect((await watched(aged, 'wide')).stdout).toBe(
    'NAME  PHASE  AGE\na     IDLE   1\na     BUSY   3\n',
  );
});

test('yaml is a document for each change', async () => {
  const { stdout } = await watched([[a], [a]], 'yaml');
  expect(stdout).toBe('---\nid: "1"\nname: a\nphase: IDLE\n');
});

test('an item that left and returns is new', async () => {
  expect((await watched([[a], [], [a]], 'name')).stdout).toBe('1\n1\n');
});

test('an empty list is reported once, and is no row', async () => {
  const { stdout, stderr } = await watched([[], [], [a]]);
  expect([stdout, stderr]).toEqual(['NAME  PHASE\na     IDLE\n', 'There are no things.\n']);
});

test('a terminal redraws the table in place after a change', async () => {
  const { writes } = await watched([[a], [a], [a, b], []], 'table', { isTerminal: true });
  expect(writes).toEqual([
    'NAME  PHASE\na     IDLE\n',
    '\u001b[2A\r\u001b[JNAME  PHASE\na     IDLE\nb     BUSY\n',
    '\u001b[3A\r\u001b[JThere are no things.\n',
  ]);
});

test('a terminal that is too small has the last rows, cut to its width', async () => {
  const many = Array.from({ length: 9 }, (_, index) => ({ id: index, name: `n${index}`, phase: 'IDLE' }));
  const { stdout } = await watched([many], 'table', { isTerminal: true, columns: 9, rows: 5 });
  expect(stdout).toBe('NAME  P…\n… 7 more\nn7    I…\nn8    I…\n');
}); // biome-ignore format: one line for what is listed

test('a server that restarts is waited for, and said to be away once', async () => {
  const away = new UnreachableError('http://server', 'connection', 'refused');
  const { code, stdout, stderr } = await watched([[a], away, away, [a, b]], 'name');
  expect([code, stdout]).toEqual([0, '1\n2\n']);
  expect(stderr).toBe(
    'tutti: The server cannot be reached; trying again until Ctrl-C.\ntutti: The server is back.\n',
  );
});

test('a message about an unreachable server stands above the table of a terminal', async () => {
  const away = new UnreachableError('http://server', 'connection', 'refused');
  const { writes } = await watched([[a], away, [a]], 'table', { isTerminal: true });
  const [table, erased] = ['NAME  PHASE\na     IDLE\n', '\u001b[2A\r\u001b[J'];
  expect(writes).toEqual([table, erased, table, erased, table]);
});

test.each([
  ['away from the start', [new UnreachableError('http://server', 'connection', 'refused'), []]],
  ['one that refuses', [[a], new OrchestratorError('Forbidden', 'No.'), []]],
])('a server that is %s ends it', async (_case, failing) => {
  await expect(watched(failing)).rejects.toThrow();
});

test('a list of which nothing changes any more is shown, and over', async () => {
  let written = '';
  const io = {
    screen: {
      write: (text: string) => {
        written += text;
      },
    },
    drained: async () => {},
    onStop: () => () => {},
  } as unknown as Io; // Nothing else is called: there is no second look.
  const output = readOutput('name');
  const ended = { read: async () => [a], listing: LISTING, output, isOver: () => true };
  expect([await watchItems(ended, io), written]).toEqual([0, '1\n']);
});
