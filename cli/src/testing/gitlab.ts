/** A test double of GitLab: a real HTTP server with the part of its REST API, version 4, for verdicts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const GITLAB_TOKEN = 'glpat-of-the-test';

export interface Gitlab {
  readonly url: string;
  /** Method and path, in the order of the requests. */
  readonly requests: readonly string[];
  /** Merge requests and issues, by paths such as `merge_requests/12`. */
  readonly targets: ReadonlyMap<string, GitlabTarget>;
  /** From now on, requests that fit are answered so. */
  answer(
    pattern: RegExp,
    answer: (response: ServerResponse, request: IncomingMessage) => void,
  ): void;
  close(): Promise<void>;
}

export interface GitlabTarget {
  notes: { readonly id: number; readonly body: string }[];
  labels: string[];
}

/** A project `group/shop` with id 7, merge request 12 and issue 3. A page has two notes. */
export async function openGitlab(): Promise<Gitlab> {
  const requests: string[] = [];
  const special: (readonly [
    RegExp,
    (response: ServerResponse, request: IncomingMessage) => void,
  ])[] = [];
  const targets = new Map<string, GitlabTarget>();
  for (const name of ['merge_requests/12', 'issues/3'])
    targets.set(name, { notes: [], labels: [] });
  let lastId = 100;
  const server = createServer(async (request, response) => {
    const content = await text(request);
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    const found = special.find(([pattern]) => pattern.test(`${method} ${url}`));
    if (found !== undefined) return found[1](response, request);
    const reply = (code: number, body: unknown, headers = {}) =>
      void response.writeHead(code, headers).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${GITLAB_TOKEN}`) {
      return reply(401, { message: '401 Unauthorized' });
    }
    const { pathname, searchParams } = new URL(url, 'http://gitlab');
    const [, name = '', rest = ''] =
      /^\/api\/v4\/projects\/(?:7|group%2Fshop)\/(\w+\/\d+)(.*)$/.exec(pathname) ?? [];
    const target = targets.get(name);
    if (target === undefined) return reply(404, { message: '404 Not found' });
    const body = content === '' ? {} : JSON.parse(content);
    if (method === 'POST' && rest === '/notes') {
      lastId += 1;
      target.notes.push({ id: lastId, body: body.body });
      return reply(201, { id: lastId, body: body.body });
    }
    if (method === 'GET' && rest === '/notes') {
      const page = Number(searchParams.get('page'));
      const newest = target.notes.toReversed();
      const items = newest.slice(2 * (page - 1), 2 * page);
      return reply(200, items, { 'x-next-page': newest.length > 2 * page ? String(page + 1) : '' });
    }
    if (method === 'DELETE' && rest.startsWith('/notes/')) {
      target.notes = target.notes.filter(({ id }) => rest !== `/notes/${id}`);
      return void response.writeHead(204).end();
    }
    if (method === 'PUT' && rest === '') {
      const removed = body.remove_labels.split(',');
      const kept = target.labels.filter((label) => !removed.includes(label));
      target.labels = [...new Set([...kept, ...body.add_labels.split(',')])];
      return reply(200, { labels: target.labels });
    }
    return reply(404, { error: '404 Not Found' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    targets,
    answer: (pattern, answer) => void special.unshift([pattern, answer]),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
