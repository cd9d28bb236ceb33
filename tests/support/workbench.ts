/**
 * A server, its agents and the folders they work in, as real processes. Whatever happens in a test, nothing of it is left
 * afterwards.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, createApi } from './api.ts';
import { type Child, startChild } from './child.ts';

export interface ServerChild extends Api {
  readonly child: Child;
  readonly token: string;
  readonly dataDir: string;
}

export interface ServerOptions {
  /** Merged over the configuration of every test server. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The folder of a server that ran before. */
  readonly dataDir?: string;
  readonly port?: number;
}

export interface AgentOptions {
  readonly tags: readonly string[];
  readonly name?: string;
  readonly namespaces?: string;
}

export interface AgentChild {
  readonly id: string;
  readonly name: string;
  readonly child: Child;
  /** Its commands run here. */
  readonly workspaceDir: string;
}

export class Workbench {
  /** A folder of this test, removed in the end. */
  readonly folder: string;
  readonly #children: Child[] = [];
  #folders = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Workbench> {
    return new Workbench(await mkdtemp(join(tmpdir(), 'tutti-test-')));
  }

  /** The path of a new name below the folder. */
  path(name: string): string {
    this.#folders += 1;
    return join(this.folder, `${name}-${this.#folders}`);
  }

  async server(options: ServerOptions = {}): Promise<ServerChild> {
    const dataDir = options.dataDir ?? this.path('server');
    const config = { port: options.port ?? 0, dataDir, logLevel: 'warn', ...options.config };
    const child = await startChild('server-process.ts', config);
    this.#children.push(child);
    const token = (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim();
    return { ...createApi(child.ready, token), child, token, dataDir };
  }

  async agent(
    server: Pick<ServerChild, 'url' | 'token'>,
    options: AgentOptions,
  ): Promise<AgentChild> {
    const name = options.name ?? 'agent';
    const workspaceDir = this.path(name);
    const child = await startChild('agent-process.ts', {
      server: server.url,
      token: server.token,
      workspaceDir,
      ...options,
      name,
    });
    this.#children.push(child);
    return { id: child.ready, name, child, workspaceDir };
  }

  /** The end of what each process wrote to standard error, for failures. */
  report(): string {
    return this.#children
      .filter(({ stderr }) => stderr !== '')
      .map(({ pid, stderr }) => `process ${pid}:\n${stderr}`)
      .join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill('SIGKILL')));
    // Commands of agents that were killed may still write for a moment.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
