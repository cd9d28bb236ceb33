/**
 * An existing agent in synchronous mode, with a short polling delay. It can be killed: then it sends nothing, and its command ends. It
 * knows no command twice, and has to be told of everything once.
 */
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, detailsOf, type Loose } from '../support/api.ts';
import { type ExistingAgent, registerExisting } from '../support/existing-agent.ts';
import { obey } from '../support/working-agent.ts';

/** `--polling_delay 1`, the shortest that such agents take but for none. */
const POLLING_DELAY_MS = 1_000;
/** Longer than any step, and than a server is away. */
const LIVENESS_SECONDS = 8;

export interface ExistingWorkerOptions {
  readonly name: string;
  readonly tags: readonly string[];
  /** Null for the first version. Its scripts come as files, and it does not send a lost result again. */
  readonly version: string | null;
  /** It works here. */
  readonly folder: string;
  /** Is called with each of its ids: it registers anew when the server does not know it. */
  readonly registered: (id: string) => void;
}

export class ExistingWorker {
  readonly #api: Api;
  #agent: ExistingAgent;
  readonly #options: ExistingWorkerOptions;
  readonly #killed = new AbortController();
  readonly #working: Promise<void>;

  private constructor(api: Api, agent: ExistingAgent, options: ExistingWorkerOptions) {
    this.#api = api;
    this.#agent = agent;
    this.#options = options;
    this.#working = this.#work();
  }

  static async start(api: Api, options: ExistingWorkerOptions): Promise<ExistingWorker> {
    mkdirSync(options.folder, { recursive: true });
    return new ExistingWorker(api, await register(api, options), options);
  }

  get ids(): readonly string[] {
    return [this.#agent.id];
  }

  /** Resolves when nothing of it is left. */
  async kill(): Promise<void> {
    this.#killed.abort();
    await this.#working;
  }

  get #isKilled(): boolean {
    return this.#killed.signal.aborted;
  }

  async #work(): Promise<void> {
    while (!this.#isKilled) {
      const answer = await orNull(this.#agent.poll());
      if (this.#isKilled) return;
      if (answer?.code === 200) await this.#obey(detailsOf(answer));
      else if (answer?.code === 404) await this.#registerAnew();
      else await this.#sleep();
    }
  }

  async #obey(command: Loose): Promise<void> {
    const { folder, version } = this.#options;
    const place = { workspaceDir: folder, scriptPath: folder, ...(version && { version }) };
    const { signal } = this.#killed;
    const result = await orNull(obey(this.#agent, command, place, signal));
    if (result === null) return;
    while (!this.#isKilled) {
      const answer = await orNull(this.#agent.post(result));
      if (answer !== null || version === null) return;
      await this.#sleep();
    }
  }

  async #registerAnew(): Promise<void> {
    const agent = await orNull(register(this.#api, this.#options));
    if (agent === null) await this.#sleep();
    else this.#agent = agent;
  }

  async #sleep(): Promise<void> {
    await pause(POLLING_DELAY_MS, undefined, { signal: this.#killed.signal }).catch(() => null);
  }
}

async function register(api: Api, options: ExistingWorkerOptions): Promise<ExistingAgent> {
  const { name, tags, version, folder } = options;
  const agent = await registerExisting(api, tags, {
    metadata: { name, ...(version === null ? {} : { version }) },
    spec: { script_path: folder, liveness_probe: LIVENESS_SECONDS },
  });
  options.registered(agent.id);
  return agent;
}

/** The answer to a request; null while the server is away. */
const orNull = <T>(request: Promise<T>): Promise<T | null> => request.catch(() => null);
