/** Output of `--debug` on standard error: each request, and the origin of errors. It never shows tokens or bodies. */
import type { Fetch } from '@tutti/client';
import { cleanOutput } from '@tutti/run-view/text';
import { codeOf } from './file-problem.ts';
import { writeBeside } from './in-place.ts';
import type { Io } from './io.ts';
import { withoutCredentials } from './shown-address.ts';

/** `TUTTI_DEBUG`, which `--debug` sets. */
export const isDebugging = ({ TUTTI_DEBUG: value = '' }: Io['env']): boolean =>
  !['', '0', 'false'].includes(value);

/** The `Io` with debug output, if `--debug` is among the arguments. */
export function withDebugOption(argv: readonly string[], io: Io): Io {
  if (!isGiven('--debug', argv)) return io;
  // Not copied: reading some properties has effects, such as opening standard input.
  return Object.create(io, { env: { value: { ...io.env, TUTTI_DEBUG: '1' }, enumerable: true } });
}

/** Whether an option of all commands is among the arguments. */
export function isGiven(option: string, argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes(option);
}

/** Reports each request when its answer begins. */
export function createDebugFetch(inner: Fetch, io: Pick<Io, 'complain' | 'now' | 'screen'>): Fetch {
  return async (url, request) => {
    const beganMs = io.now();
    const print = (outcome: string) => {
      const asked = `${request.method} ${withoutCredentials(url)}`;
      const line = `debug: ${asked} ${outcome}, ${io.now() - beganMs} ms\n`;
      writeBeside(io.screen, () => io.complain(cleanOutput(line, false)));
    };
    try {
      const answer = await inner(url, request);
      print(String(answer.status));
      return answer;
    } catch (error) {
      print(`failed (${reasonOf(error)})`);
      throw error;
    }
  };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null;
  return codeOf(error) ?? codeOf(cause) ?? (error instanceof Error ? error.name : String(error));
}

/** The stack of an error, with those of its causes. */
export function traceText(error: unknown): string {
  const texts: string[] = [];
  let current = error;
  while (current instanceof Error && texts.length < CAUSES_MAX) {
    texts.push(current.stack ?? current.message);
    current = current.cause;
  }
  const lines = withoutCredentials(texts.join('\nbecause of ')).split('\n');
  return lines.map((line) => `debug: ${cleanOutput(line, false)}\n`).join('');
}

const CAUSES_MAX = 5;
