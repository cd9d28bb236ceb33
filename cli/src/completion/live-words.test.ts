import { expect, test } from 'vitest';
import type { Io } from '../terminal/io.ts';
import { liveWords } from './live-words.ts';

const SERVER = ['--server', 'http://127.0.0.1:1'];

/** The offered words, and how often the time limit started. The limit is over at once. */
async function offered(kind: Parameters<typeof liveWords>[0], line: readonly string[]) {
  let begun = 0;
  const begin = () => {
    begun += 1;
    return AbortSignal.abort();
  };
  const io = { env: { TUTTI_CLIENT_CONFIG: '/none' }, command: 'tutti' } as unknown as Io; // The rest is not used.
  return { words: await liveWords(kind, line, io, begin), begun };
}

test.each(['workflows', 'agents', 'subscriptions', 'namespaces', 'providers'] as const)(
  'the time for %s begins when the server is asked, and nothing is offered when it is over',
  async (kind) => {
    expect(await offered(kind, [...SERVER, '--token', 'T'])).toEqual({ words: [], begun: 1 });
    const noToken = [...SERVER, '--token-file', '/none'];
    expect(await offered(kind, noToken)).toEqual({ words: [], begun: 0 });
  },
);

test.each(['contexts', 'orchestrators', 'users'] as const)(
  'names of the configuration have no time: %s',
  async (kind) => {
    expect(await offered(kind, SERVER)).toEqual({ words: [], begun: 0 });
  },
);

test('gates of every server are offered where none answers in time', async () => {
  expect(await offered('gates', [...SERVER, '--token', 'T'])).toEqual({
    words: ['strict', 'passing'],
    begun: 1,
  });
});

test('pages of the documentation are offered without a server', async () => {
  const { words, begun } = await offered('pages', SERVER);
  expect(words).toContain('guides/init');
  expect(begun).toBe(0);
});
