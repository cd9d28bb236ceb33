/** Failures without what differs from one execution to the next: numbers, ids, times, addresses and places of files. */

import { FAILURE_LIMITS } from './limits.ts';

/** A failure as its report has it. */
export interface Failure {
  /** Such as `AssertionError`; empty if the report has none. */
  readonly type: string;
  readonly message: string;
  readonly stack: string;
}

interface Details {
  readonly type?: string | undefined;
  readonly message?: string | undefined;
  readonly text?: string | undefined;
}

/** The failure of a test case. */
export function failureOf(execution: {
  readonly failureDetails?: Details | null | undefined;
  readonly errorDetails?: Details | null | undefined;
}): Failure {
  const { failureDetails, errorDetails } = execution;
  const { type = '', message = '', text = '' } = failureDetails ?? errorDetails ?? {};
  return { type, message, stack: text };
}

/** The first lines of the stack that belong to the tests, as `function file`. */
export interface NormalFailure {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly string[];
}

/** The first that matches at a place counts. The quantifiers are bounded, so that no text takes long. */
const VARYING = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with it
  ['', /\u001b\[[\d;]{0,16}[a-z]/],
  ['<id>', /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/],
  ['<time>', /\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?)?/],
  ['<time>', /\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/],
  ['<address>', /\b0x[\da-f]{1,16}\b|@[\da-f]{5,16}\b/],
  ['<address>', /\b(?:localhost|(?:\d{1,3}\.){3}\d{1,3})(?::\d{1,5})?\b/],
  ['<temporary>', /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders)(?:\/[^\s'":,()]{0,256})?/],
  ['<temporary>', /\b[a-z]:(?:\\[\w.~-]{1,64}){0,8}\\temp(?:\\[^\s'":,()]{0,256})?/],
  ['<path>', /(?:\b[a-z]:)?[\w.@+~-]{0,64}(?:[/\\][\w.@+~-]{1,128}){2,32}/],
  [
    '<duration>',
    /\b\d{1,15}(?:\.\d{1,9})? ?(?:ms|[µu]s|ns|s|secs?|seconds?|mins?|minutes?|h|hours?)\b/,
  ],
  ['<hash>', /\b(?=[a-f]{0,64}\d)(?=\d{0,64}[a-f])[\da-f]{7,64}\b/],
  ['<number>', /\d{1,30}(?:[.,_]\d{1,30}){0,8}/],
] as const;
const EACH = new RegExp(VARYING.map(([, { source }]) => `(${source})`).join('|'), 'gi');
const NUMBER = /\d+/g;

/** One pass over the text. The last part of a path stays. */
export function normalText(text: string): string {
  const read = text.slice(0, FAILURE_LIMITS.readCharactersMax);
  const replaced = read.replace(EACH, (found, ...groups) => {
    const [name] = VARYING[groups.findIndex((group) => group !== undefined)] ?? [''];
    return name === '<path>' ? lastPart(found).replace(NUMBER, '<number>') : name;
  });
  return replaced.replace(/\s+/g, ' ').trim().slice(0, FAILURE_LIMITS.messageCharactersMax);
}

const lastPart = (path: string): string => path.split(/[/\\]/).at(-1) ?? '';

export const normalFailure = ({ type, message, stack }: Failure): NormalFailure => ({
  type: normalText(type),
  message: normalText(message),
  frames: ownFrames(stack),
});

/** Lines of stacks: with the name of a function, if any, and a file. The language of each is in its comment. */
const FRAMES = [
  // JavaScript: at name (file:1:2), at file:1:2.
  /^\s*at (?:(?<name>[^()]{1,300}?) \()?(?:file:\/\/)?(?<file>[^()]{1,400}?):\d+:\d+\)?$/,
  // Java, Kotlin, Scala: at package.Class.method(File.java:1).
  /^\s*at (?:[\w.@-]{1,100}\/)?(?<name>[\w.$<>]{1,300})\((?<file>[\w.$ -]{1,200}?)(?::\d+)?\)/,
  // .NET: at Namespace.Class.Method(arguments) in file:line 1.
  /^\s*at (?<name>[\w.`<>+[\]]{1,300})\([^()]{0,200}\)(?: in (?<file>.{1,300}?):line \d+)?$/,
  // Python: File "file", line 1, in name.
  /^\s*File "(?<file>[^"]{1,400})", line \d+(?:, in (?<name>.{1,200}))?$/,
  // PHP: #0 file(1): name().
  /^\s*#\d+ (?<file>[^()]{1,400})\(\d+\): (?<name>[\w\\:>-]{1,300})/,
  // Go, pytest, Robot Framework and others: file:1, file:1: text.
  /^\s*(?<file>[\w./\\@+~-]{1,300}\.\w{1,8}):\d+(?::\d+)?(?::? .{0,200}|:)?$/,
] as const;

/** Frames of runners, libraries and languages. */
const FOREIGN =
  /node_modules|\bnode:|internal\/|site-packages|dist-packages|\/lib\/python\d|_pytest\/|<frozen |^(?:java|javax|jdk|sun|kotlin|scala|groovy)\.|^com\.sun\.|^(?:org\.)?(?:junit|testng|gradle|hamcrest|assertj|mockito)\.|^org\.(?:apache\.maven|opentest4j|assertj|spockframework)\.|^(?:System|Microsoft|Xunit|NUnit)\.|vendor\/|\/go\/src\/|\bruntime\/|\/rustc\//;

/** The frames that belong to the tests and what they test, the innermost first. Lines are left out: they change with every edit. */
export function ownFrames(stack: string): readonly string[] {
  const frames: string[] = [];
  for (const line of stack.split('\n', FAILURE_LIMITS.stackLinesMax)) {
    const frame = frameOf(line.slice(0, FAILURE_LIMITS.lineCharactersMax).trimEnd());
    if (frame !== null) frames.push(frame);
    if (frames.length === FAILURE_LIMITS.framesMax) break;
  }
  return frames;
}

function frameOf(line: string): string | null {
  for (const pattern of FRAMES) {
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) continue;
    const { name = '', file = '' } = groups;
    if (FOREIGN.test(name) || FOREIGN.test(file)) return null;
    return `${name} ${lastPart(file)}`.trim().replace(NUMBER, '#');
  }
  return null;
}
