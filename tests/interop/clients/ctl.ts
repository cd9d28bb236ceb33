/** `opentf-ctl` with a configuration of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import type { FeatureRun } from '../feature.ts';
import type { Installed } from '../installation.ts';
import { type Ended, Program, type ProgramOptions, runProgram } from '../program.ts';
import type { Subject } from '../subjects.ts';

type Settings = Readonly<Record<string, unknown>>;
type Server = Pick<ServerChild, 'url' | 'token'>;

export interface CtlOptions {
  /** Settings of the orchestrator; they override those of every test. */
  readonly orchestrator?: Settings;
  readonly user?: Settings;
  readonly context?: Settings;
  readonly env?: Readonly<Record<string, string>>;
}

/** Output of a command, in lines without the empty ones. */
export interface CtlEnded extends Ended {
  readonly lines: readonly string[];
}

export class Ctl {
  /** Commands run here; the configuration is below. */
  readonly home: string;
  readonly #program: Installed;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(program: Installed, home: string, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.home = home;
    this.#env = env;
  }

  /** One that reads its configuration where programs look for it if nothing else is said. */
  static async open(
    program: Installed,
    server: Server,
    home: string,
    options: CtlOptions = {},
  ): Promise<Ctl> {
    const ctl = new Ctl(program, home, options.env ?? {});
    await mkdir(join(home, '.opentf'), { recursive: true });
    await ctl.write('.opentf/config', configuration(server, options));
    return ctl;
  }

  /** Writes a file where commands run: text as it is, anything else as JSON, which is YAML too. Answers its name. */
  async write(name: string, content: unknown): Promise<string> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(join(this.home, name), text);
    return name;
  }

  /** Starts a command that the test ends, or waits for. */
  start(words: readonly string[], options: Partial<ProgramOptions> = {}): Program {
    const env = { ...this.#env, ...options.env };
    return new Program(this.#program, 'opentf-ctl', words, { home: this.home, ...options, env });
  }

  async run(...words: readonly string[]): Promise<CtlEnded> {
    return withLines(await this.start(words).whenEnded);
  }

  /** The same, with answers to what it asks for. */
  async answer(input: string, ...words: readonly string[]): Promise<CtlEnded> {
    return withLines(await this.start(words, { input }).whenEnded);
  }

  /** A file of the package, by its whole path, as the program that completes command lines. */
  module(path: string, ...words: readonly string[]): Promise<Ended> {
    return runProgram(this.#program, path, words, { home: this.home });
  }
}

/** The client of a test, with a home of its own. */
export function openCtl(
  bench: Workbench,
  server: Server,
  { program, id }: FeatureRun<Subject>,
  options?: CtlOptions,
): Promise<Ctl> {
  return Ctl.open(program, server, bench.path(id), options);
}

/** As `config generate` writes it, without its delays. */
export function configuration({ url, token }: Server, options: CtlOptions = {}): Settings {
  const { orchestrator = {}, user = {}, context = {} } = options;
  return {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'CtlConfig',
    'current-context': 'default',
    contexts: [{ name: 'default', context: { orchestrator: 'here', user: 'me', ...context } }],
    orchestrators: [
      {
        name: 'here',
        orchestrator: {
          server: url,
          'insecure-skip-tls-verify': false,
          'warmup-delay': 0,
          'polling-delay': 1,
          'max-retry': 1,
          // Where the oldest clients find a service.
          ports: {},
          ...orchestrator,
        },
      },
    ],
    users: [{ name: 'me', user: { token, ...user } }],
  };
}

function withLines(ended: Ended): CtlEnded {
  return { ...ended, lines: ended.stdout.split('\n').filter((line) => line.trim() !== '') };
}

/** The cells of a table, whatever its columns are parted by. */
export const cellsOf = (line: string | undefined): readonly string[] =>
  (line ?? '').trim().split(line?.includes('  ') ? / {2,}/ : ',');

/** The id that `run workflow` prints: its second word. */
export function idOf({ stdout, stderr }: Ended): string {
  const id = stdout.split(/\s+/)[1];
  if (id === undefined || id === '') throw new Error(`No workflow was started: ${stderr}`);
  return id;
}
