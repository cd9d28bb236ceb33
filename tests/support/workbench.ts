/** A server, its agents and their folders, as real processes. After a test, whatever its outcome, none of them remains. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, createApi } from './api.ts';
import { type Child, type LaunchOptions, launchChild } from './child.ts';
import { removeDatabases, testPostgres } from './test-databases.ts';

export interface ServerChild extends Api {
  readonly child: Child;
  readonly token: string;
  readonly dataDir: string;
}

export interface ServerOptions extends LaunchOptions {
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
  readonly allowPaths?: readonly string[];
  readonly userPerJob?: { readonly first: number; readonly last: number };
  readonly ownsProcess?: boolean;
  readonly slots?: number;
}

export interface AgentChild {
  /** The id of the agent, or the ids of its slots with commas between them. */
  readonly id: string;
  readonly name: string;
  readonly child: Child;
  /** Folder for its commands. */
  readonly workspaceDir: string;
}

export class Workbench {
  /** Folder of this test, removed at the end. */
  readonly folder: string;
  readonly #children: Child[] = [];
  readonly #dataDirs = new Set<string>();
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
    const { child, dataDir } = this.launchServer(options);
    const url = await child.whenReady;
    const token = (await readFile(join(dataDir, 'admin.token'), 'utf8')).trim();
    return { ...createApi(url, token), child, token, dataDir };
  }

  /** The same without waiting for readiness. */
  launchServer(options: ServerOptions): { readonly child: Child; readonly dataDir: string } {
    const dataDir = options.dataDir ?? this.path('server');
    const config = { port: options.port ?? 0, dataDir, logLevel: 'warn', ...options.config };
    this.#dataDirs.add(dataDir);
    return { child: this.#launch('server-process.ts', config, options), dataDir };
  }

  async agent(
    server: Pick<ServerChild, 'url' | 'token'>,
    options: AgentOptions,
  ): Promise<AgentChild> {
    const { url, token } = server;
    const name = options.name ?? 'agent';
    const workspaceDir = this.path(name);
    const all = { server: url, token, workspaceDir, ...options, name };
    const child = this.#launch('agent-process.ts', all);
    return { id: await child.whenReady, name, child, workspaceDir };
  }

  #launch(entry: string, argument: unknown, options?: LaunchOptions): Child {
    const postgres = testPostgres();
    const environment =
      postgres === null ? {} : { TUTTI_TEST_STORE: 'postgres', TUTTI_TEST_POSTGRES: postgres };
    const child = launchChild(entry, argument, {
      ...options,
      environment: { ...environment, ...options?.environment },
    });
    this.#children.push(child);
    return child;
  }

  /** The end of each process's standard error, for failures. */
  report(): string {
    return this.#children
      .filter(({ stderr }) => stderr !== '')
      .map(({ pid, stderr }) => `process ${pid}:\n${stderr}`)
      .join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill('SIGKILL')));
    const postgres = testPostgres();
    if (postgres !== null) await removeDatabases(postgres, this.#dataDirs);
    // Commands of agents that were killed may still write for a moment.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
