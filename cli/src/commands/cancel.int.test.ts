/** `tutti cancel` at a terminal asks before it cancels several runs that a selector chose. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { status } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { createPaint } from '../terminal/style.ts';
import { type CancelOptions, cancelWorkflows } from './cancel.ts';

/** A server with this number of live runs; it records the canceled ones. */
async function serverOf(count: number) {
  const canceled: string[] = [];
  const manifest = (index: number) => [
    `id-${index}`,
    { metadata: { workflow_id: `id-${index}`, name: 'n', creationTimestamp: `t${index}` } },
  ];
  const items = Object.fromEntries(Array.from({ length: count }, (_, index) => manifest(index)));
  const server = createServer(({ method, url = '' }, response) => {
    if (method === 'DELETE') canceled.push(/workflows\/([^?]+)/.exec(url)?.[1] ?? '');
    response.setHeader('x-processed-query', 'expand,labelSelector,fieldSelector');
    response.end(JSON.stringify(status('OK', '', { items })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, canceled };
}

/** A user at a terminal, who gives this answer. */
async function cancelWith(answer: string, count: number, more: Partial<CancelOptions> = {}) {
  const { url, canceled } = await serverOf(count);
  let asked = '';
  const io: Io = {
    command: 'tutti',
    env: {},
    input: (async function* () {
      yield Buffer.from(answer);
    })(),
    isInteractive: true,
    screen: {
      write: () => {},
      isTerminal: true,
      hasColors: false,
      paint: createPaint(false),
      columns: () => 80,
    },
    complain: (text) => {
      asked += text;
    },
    drained: async () => {},
    now: () => 0,
    onStop: () => () => {},
    onTick: () => () => {},
    outliveReaders: () => {},
    exit: () => {},
  };
  const options = { server: url, token: 'T', selector: 'team=web', ...more };
  const code = await cancelWorkflows([], options, io);
  return { code, asked, canceled };
}

test('a yes cancels all of them', async () => {
  expect(await cancelWith('y\n', 2)).toEqual({
    code: 0,
    asked: 'Cancel 2 workflows? [y/N] ',
    canceled: ['id-0', 'id-1'],
  });
});

test.each(['n\n', '\n', ''])('the answer %j cancels none', async (answer) => {
  expect(await cancelWith(answer, 2)).toEqual({
    code: 2,
    asked: 'Cancel 2 workflows? [y/N] Nothing was canceled.\n',
    canceled: [],
  });
});

test.each<[string, number, Partial<CancelOptions>]>([
  ['one alone', 1, {}],
  ['those that are meant for sure', 2, { yes: true }],
])('%s needs no confirmation', async (_what, count, more) => {
  const { code, asked, canceled } = await cancelWith('', count, more);
  expect([code, asked, canceled.length]).toEqual([0, '', count]);
});

test('a dry run cancels none, and needs no confirmation', async () => {
  const { asked } = await cancelWith('', 2, { dryRun: true });
  expect(asked).toBe('');
});
