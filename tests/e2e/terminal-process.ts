/** The tutti command on a pseudo-terminal of the system, and the screen that its text makes. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTestTerminal, type TestTerminal } from '../../cli/src/testing/terminal.ts';
import { eventually } from '../support/eventually.ts';

const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');

export interface TerminalProcess {
  /** Output of the process to the terminal. */
  raw(): string;
  screen(): readonly string[];
  lines(): readonly string[];
  /** The screens that could be seen: after each piece of text that does not end within a frame. */
  seen(): readonly (readonly string[])[];
  /** Resolves once the screen has it. */
  shows(pattern: RegExp): Promise<void>;
  type(text: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** The exit code. */
  readonly ended: Promise<number>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Wraps the command for a shell with job control; without it, there is no shell. */
  readonly shell?: ((command: string) => string) | undefined;
}

/** `script` of util-linux has the pseudo-terminal; the shell in it says which one that is, and takes its size. */
export function startOnTerminal(
  args: readonly string[],
  { cwd, env, columns = 80, rows = 24, shell }: TerminalOptions,
): TerminalProcess {
  const { HOME = '/', PATH = '' } = process.env;
  const device = join(cwd, `terminal-${crypto.randomUUID()}`);
  const tutti = [process.execPath, TUTTI, ...args].join(' ');
  const rest = shell === undefined ? `exec ${tutti}` : `set -m; ${shell(tutti)}`;
  const command = `tty > ${device}; stty cols ${columns} rows ${rows}; ${rest}`;
  const child = spawn('script', ['--quiet', '--flush', '--return', '-c', command, '/dev/null'], {
    cwd,
    env: {
      HOME,
      PATH: `${dirname(process.execPath)}:${PATH}`,
      SHELL: '/bin/sh',
      TERM: 'xterm-256color',
      ...env,
    },
  });
  const terminal = createTestTerminal(columns, rows, { endsLines: false });
  const seen: (readonly string[])[] = [];
  let raw = '';
  let writing = Promise.resolve();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    writing = writing.then(() => writeSeen(terminal, text, seen));
  });
  const ended = new Promise<number>((resolve) => {
    child.on('close', (code) => void writing.then(() => resolve(code ?? -1)));
  });
  const shows = async (pattern: RegExp) => {
    const look = () => pattern.test(terminal.screen().join('\n'));
    await eventually(`${pattern} on the terminal`, look, { withinMs: 20_000 }).catch((error) => {
      throw new Error(`${error}\n${terminal.lines().join('\n')}`);
    });
  };
  return {
    raw: () => raw,
    screen: () => terminal.screen(),
    lines: () => terminal.lines(),
    seen: () => seen,
    shows,
    type: (text) => void child.stdin.write(text),
    async resize(newColumns, newRows) {
      // A window and its pseudo-terminal change together; what was written before is there by then.
      await writing;
      terminal.resize(newColumns, newRows);
      const path = readFileSync(device, 'utf8').trim();
      const size = ['cols', `${newColumns}`, 'rows', `${newRows}`];
      const stty = spawn('stty', ['-F', path, ...size], { stdio: 'ignore' });
      await new Promise((resolve) => stty.on('close', resolve));
    },
    ended,
  };
}

async function writeSeen(
  terminal: TestTerminal,
  text: string,
  seen: (readonly string[])[],
): Promise<void> {
  await terminal.write(text);
  if (!terminal.modes().isDrawing) seen.push(terminal.screen());
}
