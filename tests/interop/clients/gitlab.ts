/** The part of GitLab that clients need: notes and labels of merge requests and issues, kept as GitLab keeps them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { TestContext } from 'vitest';

export interface Note {
  readonly id: number;
  readonly body: string;
}

/** One merge request, or one issue. */
export interface Target {
  readonly notes: readonly Note[];
  readonly labels: readonly string[];
}

export interface GitLab {
  readonly url: string;
  /** `projects/7/merge_requests/8`; empty for what nobody wrote to. */
  target(path: string): Target;
}

interface Kept {
  notes: Note[];
  labels: string[];
}

const PATH = /^\/api\/v4\/(projects\/[^/]+\/[^/]+\/[^/]+)(?:\/notes(?:\/(\d+))?)?$/;

/** Takes requests that have this token alone. Ends with the test. */
export async function openGitLab(token: string, { onTestFinished }: TestContext): Promise<GitLab> {
  const targets = new Map<string, Kept>();
  const targetAt = (path: string): Kept => {
    const known = targets.get(path) ?? { notes: [], labels: [] };
    targets.set(path, known);
    return known;
  };
  let ids = 0;
  const answer = async (request: IncomingMessage): Promise<readonly [number, unknown]> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://gitlab');
    const [, path, noteId] = PATH.exec(pathname) ?? [];
    const body = new URLSearchParams(await textOf(request));
    if (searchParams.get('private_token') !== token) return [401, { message: '401 Unauthorized' }];
    if (path === undefined) return [404, { message: '404 Not Found' }];
    const kept = targetAt(path);
    if (noteId !== undefined) return removeNote(kept, Number(noteId));
    if (!pathname.endsWith('/notes')) return labelled(kept, request.method, searchParams);
    // The newest one is the first.
    if (request.method === 'GET') return [200, kept.notes];
    ids += 1;
    const note = { id: ids, body: body.get('body') ?? '' };
    kept.notes.unshift(note);
    return [201, note];
  };
  const server = createServer((request, response) => {
    answer(request)
      .then(([code, body]) => {
        response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      })
      .catch((error: unknown) => response.destroy(new Error('No answer.', { cause: error })));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return { url: `http://127.0.0.1:${address.port}`, target: targetAt };
}

function removeNote(kept: Kept, id: number): readonly [number, unknown] {
  kept.notes = kept.notes.filter((note) => note.id !== id);
  return [204, null];
}

function labelled(
  kept: Kept,
  method: string | undefined,
  query: URLSearchParams,
): readonly [number, unknown] {
  if (method !== 'PUT') return [200, { labels: kept.labels }];
  const named = (name: string) => query.get(name)?.split(',') ?? [];
  const removed = named('remove_labels');
  const left = kept.labels.filter((label) => !removed.includes(label));
  kept.labels = [...new Set([...left, ...named('add_labels')])];
  return [200, { labels: kept.labels }];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
