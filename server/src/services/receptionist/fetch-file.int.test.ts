/** Files that the server fetches, from a server that answers as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ALL_NETWORKS, OutgoingPolicy } from '../../runtime/outgoing-policy.ts';
import { fetchFile } from './fetch-file.ts';

const ANYWHERE = new OutgoingPolicy({ privateNetworks: ALL_NETWORKS });
const INTERNET = new OutgoingPolicy({ privateNetworks: [] });

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** `HOST` in an answer's location is where the server listens. */
async function serve(answers: Readonly<Record<string, Answer>>) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answers[request.url ?? ''];
    if (answer === undefined) response.writeHead(404).end('nothing here');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, port, asked };
}

const send =
  (content: string): Answer =>
  (_request, response) =>
    response.end(content);

const redirect =
  (location: string, code = 302): Answer =>
  (_request, response) =>
    response.writeHead(code, { location }).end();

async function fetched(
  url: string,
  policy = ANYWHERE,
  signal = new AbortController().signal,
): Promise<string> {
  const options = { policy, signal };
  const chunks: Buffer[] = [];
  for await (const chunk of fetchFile({ name: 'data', url }, options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const failure = (url: string, why: string): string =>
  `The resource file "data" could not be fetched from ${url}: ${why}.`;

// Language 1.9: Files with an address are fetched.
test('a file is fetched, with the credentials of its address and its query', async () => {
  const { host, asked } = await serve({ '/a?b=c': send('content') });
  expect(await fetched(`http://me:p%40ss@${host}/a?b=c`)).toBe('content');
  const credentials = Buffer.from('me:p@ss').toString('base64');
  expect(asked[0]?.headers.authorization).toBe(`Basic ${credentials}`);
});

test.each([301, 302, 303, 307, 308])('a redirect of code %i is followed', async (code) => {
  const { host } = await serve({ '/a': redirect('b', code), '/b': send('there') });
  expect(await fetched(`http://${host}/a`)).toBe('there');
});

test('credentials are for the server that the workflow names, not for where it leads', async () => {
  const other = await serve({ '/b': send('there') });
  const { host } = await serve({ '/a': redirect(`http://localhost:${other.port}/b`) });
  expect(await fetched(`http://me:pass@${host}/a`)).toBe('there');
  expect(other.asked[0]?.headers.authorization).toBeUndefined();
});

test.each<[what: string, path: string, why: string]>([
  ['is not there', '/none', 'the answer was 404 Not Found'],
  ['leads in circles', '/circle', 'it is redirected more than 5 times'],
  ['leads to another protocol', '/ftp', 'it is redirected to ftp:'],
  ['leads nowhere', '/nowhere', 'it is redirected to no address'],
])('a file that %s is refused with the reason', async (_what, path, why) => {
  const { host } = await serve({
    '/circle': redirect('/circle'),
    '/ftp': redirect('ftp://example.org/x'),
    '/nowhere': redirect('http://['),
  });
  const url = `http://${host}${path}`;
  await expect(fetched(url)).rejects.toMatchObject({
    reason: 'Invalid',
    message: failure(url, why),
  });
});

test('a refusal shows neither credentials nor queries', async () => {
  const { host } = await serve({});
  const shown = failure(`http://${host}/a`, 'the answer was 404 Not Found');
  await expect(fetched(`http://me:pass@${host}/a?key=x`)).rejects.toThrow(shown);
});

test.each(['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433'])(
  'unless it is allowed, nothing is asked at %s',
  async (name) => {
    const { port, asked } = await serve({ '/a': send('secret') });
    const request = fetched(`http://${name}:${port}/a`, INTERNET);
    await expect(request).rejects.toThrow('is an address of a private network');
    expect(asked).toEqual([]);
  },
);

// Bound: Files that the server fetches for a workflow.
test('a file that breaks off, and one that takes too long, are refused', async () => {
  const { host } = await serve({
    '/broken': (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    },
    '/slow': (_request, response) => response.write('half'),
  });
  await expect(fetched(`http://${host}/broken`)).rejects.toMatchObject({ reason: 'Invalid' });
  const slow = new AbortController();
  const request = fetched(`http://${host}/slow`, ANYWHERE, slow.signal);
  slow.abort();
  await expect(request).rejects.toThrow('it took too long');
});
