/** The tutti command as a process of its own, as people and scripts start it. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');

export interface CliProcess {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
  /** Reads no more of the output of this stream, as `head` does once it has seen enough. */
  stopReading(stream: 'stdout' | 'stderr'): void;
  /** Resolves with the match once standard output or standard error has it; rejects when the process ends before. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface CliOptions {
  readonly cwd: string;
  /** The command as it was installed; without it, that of the sources. */
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files or devices that the output goes to; what is not named is read. */
  readonly outputs?: { readonly stdout?: string; readonly stderr?: string };
}

/** The environment is empty but for what a shell needs and what is given. */
export function startCli(
  args: readonly string[],
  { cwd, command, env = {}, outputs = {} }: CliOptions,
): CliProcess {
  const { HOME = '/', PATH = '' } = process.env;
  const [stdout, stderr] = [outputs.stdout, outputs.stderr].map((path) =>
    path === undefined ? 'pipe' : openSync(path, 'a'),
  );
  const [program, ...words] = command === undefined ? [process.execPath, TUTTI] : [command];
  const child = spawn(program ?? '', [...words, ...args], {
    cwd,
    env: { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, ...env },
    stdio: ['ignore', stdout, stderr],
  });
  for (const opened of [stdout, stderr]) if (typeof opened === 'number') closeSync(opened);
  const output = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const said = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(`${output.stdout}\n${output.stderr}`);
        if (match === null) return;
        listeners.delete(look);
        resolve(match);
      };
      listeners.add(look);
      look();
      void ended.then((how) =>
        reject(new Error(`Ended (${how}) before ${pattern}:\n${output.stdout}\n${output.stderr}`)),
      );
    });
  return {
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    said,
    stopReading: (stream) => void child[stream]?.destroy(),
    kill: (signal) => void child.kill(signal),
  };
}

export interface CliResult {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const child = startCli(args, options);
  const code = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}
