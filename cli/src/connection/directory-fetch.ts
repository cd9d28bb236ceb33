/**
 * Sends requests about runs to the owner of a data directory: another command's host, or else this process. Reads need no lock. A
 * change takes the lock until the command ends. Other requests need a server and fail.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Fetch, FetchRequest } from '@tutti/client';
import { messages, REASON_CODES } from '@tutti/manifests';
import { closeAtEnd } from '../terminal/at-end.ts';
import { codeOf } from '../terminal/file-problem.ts';
import type { Io } from '../terminal/io.ts';
import { engineConfig } from './engine-config.ts';
import { openSession } from './host.ts';
import { createLightFetch } from './light-fetch.ts';
import { type AnnouncedServer, runningServerOf } from './running-server.ts';

interface Place {
  readonly url: string;
  readonly token: string;
  /** The place is another process, so it may end at any time. */
  readonly isForeign: boolean;
}

/** Routes about stored runs and their tests. */
const OF_RUNS = /^\/(?:workflows|providers|qualitygates|tests|quarantine)(?:[/?]|$)/;
/** No process runs workflows here, so nothing was started. */
export class NoHostError extends Error {
  override readonly name = 'NoHostError';
  readonly code = 'ECONNREFUSED';
}

const startsRun = (method: string, path: string): boolean =>
  method === 'POST' && /^\/workflows(?:\/[^/]+\/rerun)?\/?$/.test(path);

/** Number of searches for another process after the last one has ended. */
const TRIES_MAX = 5;
/** A host that refuses new runs is mostly gone by then. It stays longer while other runs go on there, which is reported. */
const ENDS_WITHIN_MS = 2_000;
const LOOK_MS = 50;

/** `endsWithinMs` is the wait for an ending host. */
export function createDirectoryFetch(
  dataDir: string,
  io: Io,
  { endsWithinMs = ENDS_WITHIN_MS } = {},
): Fetch {
  const directory = new Directory(resolve(dataDir), io);
  const send = createLightFetch();
  return async (url, request) => {
    const { pathname, search } = new URL(url);
    if (!OF_RUNS.test(pathname)) return await send(url, request);
    for (let tries = 1; ; tries += 1) {
      const place = startsRun(request.method, pathname)
        ? directory.hostOfOthers()
        : await directory.placeFor(request.method);
      try {
        const answer = await sendTo(place, `${pathname}${search}`, request, send);
        if (!place.isForeign || answer.status !== UNAVAILABLE || tries >= TRIES_MAX) return answer;
        const text = await answer.text();
        if (!endsNow(text) || !(await directory.isLeft(place, endsWithinMs)))
          return withText(answer, text);
      } catch (error) {
        const isGone = place.isForeign && codeOf(error) === 'ECONNREFUSED';
        if (!isGone || tries >= TRIES_MAX) throw error;
        directory.leave(place);
      }
    }
  };
}

const UNAVAILABLE = REASON_CODES.ServiceUnavailable;

/** The host did nothing for this request. */
function endsNow(text: string): boolean {
  return text.includes(JSON.stringify(messages.serverEnds()).slice(0, -1));
}

/** An answer whose text was already read. */
function withText({ ok, status, statusText, url, headers, body }: Answer, text: string): Answer {
  return { ok, status, statusText, url, headers, body, text: async () => text };
}

function sendTo(
  { url, token }: Place,
  path: string,
  request: FetchRequest,
  send: Fetch,
): Promise<Answer> {
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  return send(`${url}${path}`, { ...request, headers });
}

class Directory {
  readonly #dataDir: string;
  readonly #io: Io;
  /** Addresses that a killed process left behind. */
  readonly #left = new Set<string>();
  #reader: Promise<Place> | null = null;
  #engine: Promise<Place> | null = null;

  constructor(dataDir: string, io: Io) {
    this.#dataDir = dataDir;
    this.#io = io;
  }

  leave({ url }: Place): void {
    this.#left.add(url);
  }

  #running(): AnnouncedServer | null {
    const announced = runningServerOf(this.#dataDir);
    return announced !== null && !this.#left.has(announced.url) ? announced : null;
  }

  hostOfOthers(): Place {
    const running = this.#running();
    if (running === null) throw new NoHostError('Nobody runs workflows of this directory.');
    return this.#place(running.url, true);
  }

  placeFor(method: string): Promise<Place> {
    if (this.#engine !== null) return this.#engine;
    const running = this.#running();
    if (running !== null) return Promise.resolve(this.#place(running.url, true));
    if (method !== 'GET') return this.#openEngine();
    this.#reader ??= this.#openReader();
    return this.#reader;
  }

  /** Resolves with whether the host of a place is gone, within the given time. */
  async isLeft({ url }: Place, withinMs: number): Promise<boolean> {
    const giveUpAtMs = performance.now() + withinMs;
    while (runningServerOf(this.#dataDir)?.url === url) {
      if (performance.now() >= giveUpAtMs) return false;
      await pause(LOOK_MS);
    }
    return true;
  }

  #place(url: string, isForeign: boolean): Place {
    const token = readFileSync(join(this.#dataDir, 'admin.token'), 'utf8').trim();
    return { url, token, isForeign };
  }

  async #openReader(): Promise<Place> {
    const { isOlderData, startReader } = await import('@tutti/server');
    const config = await engineConfig(this.#dataDir, this.#io.env);
    const reader = await startReader(config).catch((error: unknown) => {
      if (isOlderData(error)) return null;
      throw error;
    });
    // An engine upgrades the data to this version.
    if (reader === null) return await this.#openEngine();
    closeAtEnd(this.#io, () => reader.stop());
    if (reader.unended.length > 0) return await this.#openEngine();
    return this.#place(reader.url, false);
  }

  /** The engine without agents: no jobs run on it. */
  #openEngine(): Promise<Place> {
    this.#engine ??= this.#startEngine();
    return this.#engine;
  }

  async #startEngine(): Promise<Place> {
    const options = { dataDir: this.#dataDir, tags: [], maxParallel: 0, keepsWorkspaces: false };
    const { url, token, host } = await openSession(options, this.#io);
    if (host === null) {
      this.#engine = null;
      return { url, token, isForeign: true };
    }
    closeAtEnd(this.#io, () => host.close());
    // Clients cannot follow these runs before they have ended.
    await host.idle();
    for (const id of host.interrupted) this.#io.complain(interruptedText(id, this.#io.command));
    return { url, token, isForeign: false };
  }
}

/** `command` is how the command is called. */
export const interruptedText = (id: string, command: string): string =>
  `Workflow ${id} was interrupted: the process that ran it was ended. It is canceled now; "${command} run --from-failed ${id}" runs what is left of it.\n`;
