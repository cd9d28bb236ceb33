/** Verdicts of a toolkit of PyPI on workflows, by its own functions. */
import { join } from 'node:path';
import type { FeatureRun } from '../feature.ts';
import { runProgram } from '../program.ts';
import type { Subject } from '../subjects.ts';
import type { SchemaNode } from './random-document.ts';

const PROGRAM = join(import.meta.dirname, 'programs/published.py');

export class PublishedProgram {
  readonly #run: FeatureRun<Subject>;
  readonly #home: string;

  constructor(run: FeatureRun<Subject>, home: string) {
    this.#run = run;
    this.#home = home;
  }

  /** The schema of workflows, read where the toolkit has it. */
  async schema(): Promise<SchemaNode> {
    return (await this.#ask('schema', null)) as SchemaNode;
  }

  /** Why the toolkit refuses each workflow at its start; null for those that it takes. */
  async problems(workflows: readonly unknown[]): Promise<readonly (string | null)[]> {
    return (await this.#ask('problems', workflows)) as readonly (string | null)[];
  }

  /** Each text with its expressions evaluated; the error where that is one. */
  async values(texts: readonly string[], contexts: object): Promise<readonly Evaluated[]> {
    return (await this.#ask('values', { texts, contexts })) as readonly Evaluated[];
  }

  async #ask(command: string, given: unknown): Promise<unknown> {
    const options = { home: this.#home, input: JSON.stringify(given) };
    const { code, stdout, stderr } = await runProgram(
      this.#run.program,
      PROGRAM,
      [command],
      options,
    );
    if (code !== 0) throw new Error(`The toolkit ended with ${code}:\n${stderr}`);
    return JSON.parse(stdout);
  }
}

export interface Evaluated {
  readonly value?: unknown;
  readonly error?: string;
}
