/** Writes existing configurations into a folder of a test, and runs the command on them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type CommandResult, runCommand } from '../testing/run-command.ts';

export interface Imported extends CommandResult {
  /** All lines with an item, without their indentation. */
  readonly lines: readonly string[];
}

export class ImportBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'tutti-import-test-'));
  #runs = 0;

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes texts unchanged, and other values as JSON, which is also YAML. */
  write(files: Readonly<Record<string, unknown>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(
        this.path(name),
        typeof content === 'string' ? content : JSON.stringify(content),
      );
    }
  }

  /** Words that begin with `@` are paths below the folder, which output is shown without. */
  async run(...words: readonly string[]): Promise<Imported> {
    const args = words.map((word) => word.replaceAll('@', `${this.folder}/`));
    const result = await runCommand(['import-config', ...args]);
    const stdout = result.stdout.replaceAll(`${this.folder}/`, '');
    const stderr = result.stderr.replaceAll(`${this.folder}/`, '');
    const lines = stdout.split('\n').filter((line) => line.startsWith('  '));
    return { ...result, stdout, stderr, lines: lines.map((line) => line.trim()) };
  }

  /** Imports these files alone; answers the lines about them, and the configuration that was written, null if none was. */
  async import(
    files: Readonly<Record<string, unknown>>,
    ...options: readonly string[]
  ): Promise<{ readonly lines: readonly string[]; readonly config: unknown }> {
    this.#runs += 1;
    const run = `run${this.#runs}`;
    this.write(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`${run}/${name}`, text])),
    );
    const { lines, stderr } = await this.run(`@${run}`, '--save-to', `@${run}-out`, ...options);
    if (stderr !== '') throw new Error(stderr);
    const shown = lines.map((line) => line.replaceAll(`${run}/`, ''));
    return { lines: shown, config: this.#config(`${run}-out`) };
  }

  #config(folder: string): unknown {
    try {
      const text = readFileSync(this.path(`${folder}/server.yaml`), 'utf8');
      return parse(text.replaceAll(this.path(`${folder}/`), ''));
    } catch {
      return null;
    }
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The file of a service with one context of these settings. */
export const serviceFile = (context: object, kind = 'ServiceConfig'): object => ({
  apiVersion: 'opentestfactory.org/v1beta2',
  kind,
  'current-context': 'default',
  contexts: [{ name: 'default', context }],
});
