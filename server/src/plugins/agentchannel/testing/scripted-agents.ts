/** Agents that do what a test says, one request at a time: ours, and as others have written them. */
import { parseAgentId } from '@tutti/manifests';
import type { Agent } from '../jobs/agent.ts';
import { type Answer, eventually, type Loose, type TestServer } from './test-server.ts';

/** One registration, whatever the agent speaks. It outlives its server: `server` may be replaced by one on the same data. */
class ScriptedAgent {
  server: TestServer;
  readonly id: string;

  constructor(server: TestServer, id: string) {
    this.server = server;
    this.id = id;
  }

  /** The agent as the server knows it. */
  get known(): Agent {
    return this.server.channel.agent(parseAgentId(this.id));
  }

  get path(): string {
    return `/agents/${this.id}`;
  }

  post(body: object): Promise<Answer> {
    return this.server.call('POST', this.path, { body });
  }

  /** Posts a batch as bytes. */
  postBytes(head: object, text: string): Promise<Answer> {
    const headers = { 'content-type': 'application/octet-stream' };
    const body = `${JSON.stringify(head)}\n${text}`;
    return this.server.call('POST', this.path, { body, headers });
  }

  getFile(fileId: unknown): Promise<Answer> {
    return this.server.call('GET', `${this.path}/files/${fileId}`);
  }

  sendFile(fileId: unknown, body: string | ReadableStream): Promise<Answer> {
    return this.server.call('POST', `${this.path}/files/${fileId}`, { body });
  }

  /** The agent's entry in the listing; null when it is not listed. */
  async listed(): Promise<{
    readonly phase: string;
    readonly currentJobID: string | null;
    readonly lastCommunicationTimestamp: string;
  } | null> {
    const { body } = await this.server.call('GET', '/agents');
    const items = body?.items;
    if (!Array.isArray(items)) throw new Error('The listing has no items.');
    return items.find(({ metadata }) => metadata.agent_id === this.id)?.status ?? null;
  }

  async isIn(phase: string): Promise<void> {
    await eventually(async () => {
      const status = await this.listed();
      if (status?.phase !== phase) throw new Error(`It is ${status?.phase}, not ${phase}.`);
    });
  }
}

interface Registration {
  readonly name?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Loose;
  readonly spec?: Loose;
}

async function register(server: TestServer, registration: Registration): Promise<string> {
  const { name = 'agent', tags = ['linux'], metadata = {}, spec = {} } = registration;
  const { body } = await server.call('POST', '/agents', {
    body: {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'AgentRegistration',
      metadata: { name, ...metadata },
      spec: { tags, ...spec },
    },
  });
  const details = body?.details;
  if (typeof details !== 'object' || details === null || !('uuid' in details)) {
    throw new Error(`Not registered: ${JSON.stringify(body)}`);
  }
  return String(details.uuid);
}

const detailsOf = ({ body }: Answer): Loose => {
  const details = body?.details;
  // Orders are objects; a test that gets none fails at what it looks for.
  return (details ?? {}) as Loose;
};

interface Batch {
  readonly sequence?: number;
  readonly oldest?: number;
  readonly lines?: readonly string[];
  readonly exitStatus?: number;
  readonly variables?: readonly string[] | null;
  /** The last line has no end. */
  readonly cut?: boolean;
}

/** Speaks `tutti.v1`. */
export class OwnAgent extends ScriptedAgent {
  /** The last command it accepted, and the one it runs. */
  last: string | null = null;
  running: string | null = null;

  /** Registers, and asks for work once, which it is not waiting for. */
  static async register(server: TestServer, registration: Registration = {}): Promise<OwnAgent> {
    const agent = await OwnAgent.registerOnly(server, registration);
    await agent.poll();
    return agent;
  }

  static async registerOnly(
    server: TestServer,
    registration: Registration = {},
  ): Promise<OwnAgent> {
    const spec = { protocol: 'tutti.v1', script_path: '/tmp', ...registration.spec };
    return new OwnAgent(server, await register(server, { ...registration, spec }));
  }

  /** Opens a poll, which is held for so many seconds. */
  poll(waitSeconds = 0, signal?: AbortSignal): Promise<Answer> {
    const query = new URLSearchParams();
    if (this.last !== null) query.set('last', this.last);
    if (this.running !== null) query.set('running', this.running);
    return this.server.call('GET', `${this.path}?${query}`, {
      headers: { prefer: `wait=${waitSeconds}` },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Waits for an order; a `run` is accepted. */
  async work(): Promise<Loose> {
    const answer = await this.poll(20);
    if (answer.code !== 200) throw new Error(`No order, but ${answer.code}: ${answer.text}`);
    const order = detailsOf(answer);
    if (order.kind === 'run') this.accept(String(order.command_id));
    return order;
  }

  accept(commandId: string): void {
    this.last = commandId;
    this.running = commandId;
  }

  /** Posts output of the command that runs, or with `exitStatus` its result; answers the code. */
  async send(batch: Batch, commandId = this.running): Promise<number> {
    const { sequence = 0, oldest, lines = [], cut = false, exitStatus, variables = null } = batch;
    const { code } = await this.post({
      command_id: commandId,
      sequence,
      oldest,
      output: lines.length === 0 ? [] : [{ stream: 'stdout', lines, ...(cut ? { cut } : {}) }],
      ...(exitStatus === undefined ? {} : { exit_status: exitStatus, variables }),
    });
    const isOver = exitStatus !== undefined || code === 409;
    if (isOver && code < 500 && this.running === commandId) this.running = null;
    return code;
  }

  /**
   * Ends a command, the one that runs unless it is said, and takes the next one out of the answer. Null when there is none. A lost answer
   * is not looked at.
   */
  async sendForNext(
    commandId = this.running,
    { isLost = false, released = false } = {},
  ): Promise<Loose | null> {
    const result = { command_id: commandId, sequence: 0, output: [], exit_status: 0, released };
    const { code, body } = await this.post({ ...result, variables: null, next: true });
    if (code !== 200) throw new Error(`The result was answered with ${code}.`);
    if (isLost) return null;
    if (this.running === commandId) this.running = null;
    const order = body?.details;
    if (typeof order !== 'object' || order === null || !('command_id' in order)) return null;
    this.accept(String(order.command_id));
    return { ...order };
  }

  /** Waits for a command, and ends it; answers the order. */
  async run(batch: Batch = {}): Promise<Loose> {
    const order = await this.work();
    const code = await this.send({ exitStatus: 0, ...batch });
    if (code !== 200) throw new Error(`The result was answered with ${code}.`);
    return order;
  }
}

/** Speaks as agents of versions 1 and 2 do; nothing is said on its own. */
export class ExistingAgent extends ScriptedAgent {
  static async register(
    server: TestServer,
    version: string | null,
    registration: Registration = {},
  ): Promise<ExistingAgent> {
    const metadata = version === null ? {} : { namespaces: 'default', version };
    const spec = { encoding: 'utf-8', script_path: '/tmp', ...registration.spec };
    return new ExistingAgent(server, await register(server, { ...registration, metadata, spec }));
  }

  poll(signal?: AbortSignal): Promise<Answer> {
    return this.server.call('GET', this.path, signal === undefined ? {} : { signal });
  }

  /** One order; throws when there is none. */
  async order(): Promise<Loose> {
    const answer = await this.poll();
    if (answer.code !== 200) throw new Error(`No order, but ${answer.code}: ${answer.text}`);
    return detailsOf(answer);
  }

  /** Asks until there is an order. */
  work(): Promise<Loose> {
    return eventually(() => this.order());
  }

  /** The result of a command, as version 2 posts it in synchronous mode. */
  async result(stdout: readonly string[] = [], more: Loose = {}): Promise<void> {
    const { code, text } = await this.post({
      stdout,
      stderr: [],
      exit_status: 0,
      variables: null,
      ...more,
    });
    if (code !== 200) throw new Error(`The result was answered with ${code}: ${text}`);
  }
}
