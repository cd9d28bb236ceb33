/** The lines that `cargo test` and the test programs of Rust print. */
import type { TestResultDetails, TestResultStatus } from '@tutti/manifests';
import { detailsOf } from '../text/bounded-text.ts';

export type LibtestLine =
  | { readonly kind: 'program'; readonly suite: string; readonly build: string }
  | { readonly kind: 'running'; readonly planned: number }
  | { readonly kind: 'test'; readonly name: string; readonly said: string }
  | { readonly kind: 'failures' | 'successes' | 'result' }
  | { readonly kind: 'section'; readonly name: string }
  | { readonly kind: 'not-compiled'; readonly what: string }
  | { readonly kind: 'program-failed' }
  | { readonly kind: 'targets-failed' }
  | { readonly kind: 'panic'; readonly name: string }
  | { readonly kind: 'other' };

const PROGRAM = /^\s{2,}Running (?:unittests\b ?)?(?!`)(.*?)\s?(?:\((\S.*)\))?$/;
const DOC_TESTS = /^\s{2,}Doc-tests (\S+)$/;
const RUNNING = /^running (\d{1,9}) tests?$/;
const TEST = /^test (.+?)(?: - (?:should panic|compile fail|compile))* \.\.\. ?(.*)$/;
/** Of `--quiet`, which names those that fail alone. */
const QUIET_FAILURE = /^(.+) --- FAILED$/;
const SECTION = /^---- (.+) stdout ----$/;
const RESULT = /^test result: (?:ok|FAILED)\. \d+ passed; \d+ failed;/;
const NOT_COMPILED = /^error: could not compile `([^`]+)`(?: \(([^)]+)\))?/;
const PROGRAM_FAILED = /^error: (?:test|doctest|bench) failed, to rerun pass/;
const TARGETS_FAILED = /^error: \d+ targets? failed:$/;
const PANIC = /^thread '(.+?)'(?: \(\d+\))? panicked at /;

export function parseLibtestLine(line: string): LibtestLine {
  const test = TEST.exec(line);
  if (test !== null) return { kind: 'test', name: test[1] ?? '', said: (test[2] ?? '').trim() };
  const quiet = QUIET_FAILURE.exec(line);
  if (quiet !== null) return { kind: 'test', name: quiet[1] ?? '', said: 'FAILED' };
  const running = RUNNING.exec(line);
  if (running !== null) return { kind: 'running', planned: Number(running[1]) };
  if (line === 'failures:' || line === 'successes:') {
    return { kind: line === 'failures:' ? 'failures' : 'successes' };
  }
  const section = SECTION.exec(line);
  if (section !== null) return { kind: 'section', name: section[1] ?? '' };
  if (RESULT.test(line)) return { kind: 'result' };
  return ofCargo(line);
}

function ofCargo(line: string): LibtestLine {
  const program = PROGRAM.exec(line);
  if (program !== null) return programOf(program[1] ?? '', program[2]);
  const documented = DOC_TESTS.exec(line)?.[1];
  if (documented !== undefined) {
    return { kind: 'program', suite: `${documented} (doc-tests)`, build: documented };
  }
  const failed = NOT_COMPILED.exec(line);
  if (failed !== null) {
    const [, name = '', target] = failed;
    return { kind: 'not-compiled', what: target === undefined ? name : `${name} (${target})` };
  }
  if (PROGRAM_FAILED.test(line)) return { kind: 'program-failed' };
  if (TARGETS_FAILED.test(line)) return { kind: 'targets-failed' };
  const panic = PANIC.exec(line);
  return panic === null ? { kind: 'other' } : { kind: 'panic', name: panic[1] ?? '' };
}

/** `source` is the file of the tests; earlier versions of cargo tell the program alone. */
function programOf(source: string, program: string | undefined): LibtestLine {
  const path = program ?? source;
  const file = path.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const name = file.replace(/\.exe$/, '').replace(/-[0-9a-f]{16}$/, '');
  const hasSource = program !== undefined && source !== '';
  const suite = hasSource ? `${name} (${source.replaceAll('\\', '/')})` : name;
  return { kind: 'program', suite, build: path };
}

/** What stands behind the name of a test, if that is how it ended. */
export function outcomeOf(said: string): {
  readonly status: TestResultStatus;
  readonly reason: string;
  readonly duration: number;
} | null {
  const match = /^(ok|FAILED(?: \([^)]*\))?|ignored|bench:.*?)(?:, (.*?))?(?: <([\d.]+)s>)?$/.exec(
    said,
  );
  if (match === null) return null;
  const [, word = '', reason = '', seconds = '0'] = match;
  const status = word.startsWith('FAILED') ? 'FAILURE' : word === 'ignored' ? 'SKIPPED' : 'SUCCESS';
  return { status, reason, duration: Number(seconds) * 1000 };
}

/**
 * Panics of the language and of its library, by how their messages begin. That of `assert!(condition, "text")` is the text alone, as
 * that of `panic!("text")` is: what an author wrote is told as a failure.
 */
const OWN_PANICS =
  /^(?:called `|attempt to |index out of bounds|(?:range|slice) (?:start|end)? ?index|(?:start |end )?byte index|(?:insertion|removal|swap_remove) index|not (?:yet )?implemented|internal error: |(?:RefCell )?already (?:mutably )?borrowed|capacity overflow|divi(?:sion|de) by zero|source slice length|copy_from_slice|mid > len|cannot access a )/;

const PANIC_MESSAGE = /^thread '.+?'(?: \(\d+\))? panicked at .*:\d+:\d+:\n(.*)$/m;
/** As it was before Rust 1.73. */
const EARLIER_PANIC = /^thread '.+?' panicked at '([\s\S]*?)', .*:\d+:\d+$/m;
const EXPECTED_PANIC =
  /^(?:note: (?:test did not panic|panic did not contain)|Test (?:compiled|executable) succe).*$/m;
const RETURNED = /^Error: (.*)$/m;
const NOT_COMPILING = /^error(?:\[\w+\])?: .*$/m;

/** What is known of a test that failed, from what it printed. */
export function failureOf(text: string): {
  readonly status: 'FAILURE' | 'ERROR';
  readonly details: TestResultDetails;
} {
  const expected = EXPECTED_PANIC.exec(text)?.[0];
  if (expected !== undefined) return told('FAILURE', expected.replace(/^note: /, ''), text);
  const panic = PANIC_MESSAGE.exec(text)?.[1] ?? EARLIER_PANIC.exec(text)?.[1];
  if (panic !== undefined) return told(OWN_PANICS.test(panic) ? 'ERROR' : 'FAILURE', panic, text);
  const error = RETURNED.exec(text)?.[1] ?? NOT_COMPILING.exec(text)?.[0];
  return error === undefined ? told('FAILURE', '', text) : told('ERROR', error, text);
}

const told = (status: 'FAILURE' | 'ERROR', message: string, text: string) => ({
  status,
  details: detailsOf({ message, text }),
});
