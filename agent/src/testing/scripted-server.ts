/** The server's side of the agent protocol over real HTTP, as far as a test scripts it. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type OutputBatch,
  type PostedBytes,
  REASON_CODES,
  type Reason,
  status,
} from '@tutti/manifests';
import type { CommandResult } from '../protocol.ts';

/** Fate of a POST: stored, refused with a reason, or the connection breaks before or after storing. */
export type PostFate = 'store' | 'break' | 'store-and-break' | Reason;

export interface PollRecord {
  readonly agentId: string;
  readonly last: string | null;
  readonly running: string | null;
  readonly prefer: string | undefined;
  readonly token: string | undefined;
}

export interface ScriptedServer {
  readonly url: string;
  readonly registrations: readonly unknown[];
  readonly polls: readonly PollRecord[];
  /** Batches that were stored, each once. */
  readonly batches: readonly OutputBatch[];
  /** Bodies of all POSTs of batches as they came, repetitions too. */
  readonly posts: readonly string[];
  /** `details.error` from the agent's reports. */
  readonly errors: readonly string[];
  /** Ids of the files that the agent said it wrote. */
  readonly written: readonly string[];
  /** Files the agent sent, by file id. */
  readonly received: ReadonlyMap<string, Buffer>;
  readonly deregistered: readonly string[];
  /** Files the agent may fetch, by file id. */
  readonly files: Map<string, Buffer>;
  /** Extra fields in the answer to a stored batch, if any. */
  onStored: (batch: OutputBatch) => Readonly<Record<string, unknown>> | null;
  /** Decides about each POST of a batch; may wait. Every one is stored if absent. */
  onPost: (batch: OutputBatch) => PostFate | Promise<PostFate>;
  /** Registrations are kept at once, and answered when this resolves. */
  onRegister: () => Promise<void>;
  /** The answer to registrations and polls instead of the usual one; null for the usual one. */
  refuseWith: Reason | null;
  /** The answer to files instead of the usual one; null for the usual one. */
  refuseFilesWith: Reason | null;
  /** Hands out a command; a `run` until a poll names it. */
  give(command: Readonly<Record<string, unknown>>): void;
  /** Forgets all agents. */
  forget(): void;
  /** Breaks all connections. */
  breakConnections(): void;
  /** Closes all connections; resolves when it no longer listens. */
  goAway(): Promise<void>;
  /** Listens again, at the same address. */
  comeBack(): Promise<void>;
  /** All lines of a command's stream that were stored. */
  linesOf(commandId: string, stream?: 'stdout' | 'stderr'): string[];
  /** Null while it is not stored. */
  resultOf(commandId: string): CommandResult | null;
  close(): Promise<void>;
}

export async function createScriptedServer(): Promise<ScriptedServer> {
  const peer = new ScriptedPeer();
  await peer.listen();
  return peer;
}

interface HeldPoll {
  readonly response: ServerResponse;
  readonly last: string | null;
}

class ScriptedPeer implements ScriptedServer {
  readonly registrations: unknown[] = [];
  readonly polls: PollRecord[] = [];
  readonly batches: OutputBatch[] = [];
  readonly posts: string[] = [];
  readonly errors: string[] = [];
  readonly written: string[] = [];
  readonly received = new Map<string, Buffer>();
  readonly deregistered: string[] = [];
  readonly files = new Map<string, Buffer>();
  onStored: ScriptedServer['onStored'] = () => null;
  onPost: ScriptedServer['onPost'] = () => 'store';
  onRegister: ScriptedServer['onRegister'] = async () => undefined;
  refuseWith: Reason | null = null;
  refuseFilesWith: Reason | null = null;
  url = '';
  readonly #agents = new Set<string>();
  readonly #commands: Readonly<Record<string, unknown>>[] = [];
  readonly #server: Server;
  #held: HeldPoll | null = null;

  constructor() {
    this.#server = createServer((request, response) => {
      this.#route(request, response).catch(() => response.destroy());
    });
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    const address = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${address.port}/prefix`;
  }

  async goAway(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.breakConnections();
    await closed;
  }

  comeBack(): Promise<void> {
    return this.listen(Number(new URL(this.url).port));
  }

  give(command: Readonly<Record<string, unknown>>): void {
    this.#commands.push(command);
    this.#answerPoll();
  }

  forget(): void {
    this.#agents.clear();
    if (this.#held !== null) answer(this.#held.response, 'NotFound');
    this.#held = null;
  }

  breakConnections(): void {
    this.#held = null;
    this.#server.closeAllConnections();
  }

  linesOf(commandId: string, stream: 'stdout' | 'stderr' = 'stdout'): string[] {
    return (
      this.batches
        .filter((batch) => batch.command_id === commandId)
        // Batches that are under way together may come in any order.
        .toSorted((a, b) => a.sequence - b.sequence)
        .flatMap((batch) => batch.output)
        .filter((part) => part.stream === stream)
        .flatMap(({ lines }) => (typeof lines === 'string' ? lines.split('\n') : lines))
    );
  }

  resultOf(commandId: string): CommandResult | null {
    const last = this.batches.findLast((batch) => batch.command_id === commandId);
    if (last?.exit_status === undefined) return null;
    return { exit_status: last.exit_status, variables: last.variables ?? null };
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goAway();
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const [, agentId, , fileId] = url.pathname.slice('/prefix/'.length).split('/');
    const body = await bodyOf(request);
    if (this.refuseWith !== null) answer(response, this.refuseWith);
    else if (agentId === undefined) await this.#register(body, response);
    else if (!this.#agents.has(agentId)) answer(response, 'NotFound');
    else if (fileId !== undefined) this.#file(request, fileId, body, response);
    else if (request.method === 'GET') this.#poll(request, url, agentId, response);
    else if (request.method === 'POST') await this.#post(documentOf(request, body), response);
    else this.#deregister(agentId, response);
  }

  async #register(body: Buffer, response: ServerResponse): Promise<void> {
    this.registrations.push(JSON.parse(body.toString()));
    const uuid = randomUUID();
    this.#agents.add(uuid);
    await this.onRegister();
    answer(response, 'Created', { uuid, version: '0.0.0' });
  }

  #deregister(agentId: string, response: ServerResponse): void {
    this.#agents.delete(agentId);
    this.deregistered.push(agentId);
    answer(response, 'OK');
  }

  #poll(request: IncomingMessage, url: URL, agentId: string, response: ServerResponse): void {
    const last = url.searchParams.get('last');
    this.polls.push({
      agentId,
      last,
      running: url.searchParams.get('running'),
      prefer: request.headers.prefer?.toString(),
      token: request.headers.authorization,
    });
    this.#held = { response, last };
    response.on('close', () => {
      if (this.#held?.response === response) this.#held = null;
    });
    this.#answerPoll();
  }

  #answerPoll(): void {
    if (this.#held === null) return;
    const { last, response } = this.#held;
    if (last !== null && this.#commands[0]?.command_id === last) this.#takeRun();
    const [next] = this.#commands;
    if (next === undefined) return;
    if (next.kind !== 'run') this.#commands.shift();
    this.#held = null;
    answer(response, 'OK', next);
  }

  /** A `run` that the agent has named is delivered; a `cancel` of the same command is not. */
  #takeRun(): void {
    if (this.#commands[0]?.kind === 'run') this.#commands.shift();
  }

  async #post(body: string, response: ServerResponse): Promise<void> {
    const document = JSON.parse(body);
    if (document.details !== undefined) {
      this.errors.push(document.details.error);
      answer(response, 'OK');
      return;
    }
    if (document.received !== undefined) {
      this.written.push(document.received);
      answer(response, 'OK');
      return;
    }
    this.posts.push(body);
    const fate = await this.onPost(document);
    if (fate === 'store' || fate === 'store-and-break') this.#store(document);
    if (fate === 'break' || fate === 'store-and-break') response.destroy();
    else if (fate === 'store') answer(response, 'OK', this.onStored(document));
    else answer(response, fate);
  }

  #store(batch: OutputBatch): void {
    const isRepeated = this.batches.some(
      (known) => known.command_id === batch.command_id && known.sequence === batch.sequence,
    );
    if (!isRepeated) this.batches.push(batch);
  }

  #file(request: IncomingMessage, fileId: string, body: Buffer, response: ServerResponse): void {
    const content = this.files.get(fileId);
    if (this.refuseFilesWith !== null) {
      answer(response, this.refuseFilesWith);
    } else if (request.method === 'POST') {
      this.received.set(fileId, body);
      answer(response, 'OK');
    } else if (content === undefined) {
      answer(response, 'NotFound');
    } else {
      response.end(content);
    }
  }
}

/** The JSON of a post; a batch of bytes with its lines as texts. */
function documentOf({ headers }: IncomingMessage, body: Buffer): string {
  if (headers['content-type'] === 'application/json') return body.toString();
  const end = body.indexOf('\n');
  const head = JSON.parse(body.toString('utf8', 0, end));
  let at = end + 1;
  const output = head.output.map(({ bytes, ...part }: PostedBytes) => {
    const text = body.toString('utf8', at, at + bytes);
    at += bytes;
    return { ...part, lines: text.replace(/\n$/, '').split(/\r?\n/) };
  });
  return JSON.stringify({ ...head, output });
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, reason: Reason, details: object | null = null): void {
  response.writeHead(REASON_CODES[reason], { 'content-type': 'application/json' });
  response.end(
    reason === 'NoContent' ? undefined : JSON.stringify(status(reason, reason, details)),
  );
}
