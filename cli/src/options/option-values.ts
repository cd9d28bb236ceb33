/** Values of options, read from text. */
import { availableParallelism } from 'node:os';
import { AGENT_LIMITS } from '@tutti/manifests';
import { UsageError } from '../terminal/problem.ts';

/** Adds one `name=value`. A second value for a name is refused. */
export function addPair(option: string) {
  return (text: string, before: Readonly<Record<string, string>> = {}) => {
    const split = text.indexOf('=');
    if (split <= 0) {
      throw new UsageError(
        `${option} takes name=value, not "${text}".`,
        'write a name, then =, then the value behind it.',
      );
    }
    const [name, value] = [text.slice(0, split), text.slice(split + 1)];
    // The values may be secrets.
    if (Object.hasOwn(before, name) && before[name] !== value) {
      throw new UsageError(`${option} gives "${name}" twice, with two values.`, LEAVE_OUT);
    }
    return { ...before, [name]: value };
  };
}

/** Advice for a name that is given twice. */
export const LEAVE_OUT = 'leave one of them out.';

/** Adds one `name=path` unsplit: names and paths may contain the sign, so splitting needs the known names. */
export function addFile(option: string) {
  return (text: string, before: readonly string[] = []): readonly string[] => {
    if (text.includes('=', 1)) return [...before, text];
    throw new UsageError(
      `${option} takes name=path, not "${text}".`,
      'write the name of the file in the workflow, then =, then its path.',
    );
  };
}

/** Adds a pair whose value is sent as a line. A line break is refused, because it would set further names. */
export function addLine(option: string) {
  const add = addPair(option);
  return (text: string, before?: Readonly<Record<string, string>>) => {
    const after = add(text, before);
    if (!/[\r\n]/.test(text)) return after;
    const name = JSON.stringify(text.slice(0, text.indexOf('=')));
    throw new UsageError(
      `${option} takes one line, and what is given for ${name} has several, or a line end behind it.`,
      'write texts of several lines into the workflow, or send them as a file: name it in resources.files, give it with -f name=path, and have a step fetch it with ::put file=name::path.',
    );
  };
}

/** Adds one path. */
export const addPath = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

/** Splits `a, b` and adds its parts; empty parts are left out. */
export function addList(text: string, before: readonly string[] = []): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  return [...before, ...parts.filter((part) => part !== '')];
}

/** Adds names of a list. An empty name is an error, because it would change the meaning of a restricting list. */
export function addNames(option: string) {
  return (text: string, before: readonly string[] = []): readonly string[] => {
    const names = addList(text);
    if (names.length === text.split(',').length) return [...before, ...names];
    throw new UsageError(
      `${option} takes names with commas between them, and one of "${text}" is empty.`,
      'write one between all commas, or leave commas out.',
    );
  };
}

const UNITS_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `15m`, `1h`, `30d` in milliseconds. */
export function readDuration(text: string): number {
  const match = /^(\d+)\s*([smhd])$/.exec(text.trim());
  const unit = Object.entries(UNITS_MS).find(([name]) => name === match?.[2]);
  const ms = Number(match?.[1]) * (unit?.[1] ?? Number.NaN);
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new UsageError(`Not a duration: "${text}".`, 'write a number and s, m, h or d, as in 1h.');
}

/** A number of seconds (0 allowed) or a duration, in milliseconds. */
export function readSeconds(text: string): number {
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : readDuration(text);
  if (Number.isSafeInteger(ms)) return ms;
  throw new UsageError(`Not a time: "${text}".`, 'write seconds, or a number and s, m, h or d.');
}

/** Adds names of a list that has only a few known ones, in upper or lower case. */
export function addChoices<Choice extends string>(option: string, choices: readonly Choice[]) {
  const add = addNames(option);
  return (text: string, before: readonly Choice[] = []): readonly Choice[] => {
    const chosen = add(text).map((name) => {
      const choice = choices.find((one) => one.toLowerCase() === name.toLowerCase());
      if (choice !== undefined) return choice;
      throw new UsageError(
        `${option} takes ${choices.join(', ')}, not "${name}".`,
        'write one or more of these, with commas between them.',
      );
    });
    return [...before, ...chosen];
  };
}

/** A number of at least one. */
export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(count) && count > 0) return count;
  throw new UsageError(`Not a number of things: "${text}".`, 'write a whole number of 1 or more.');
}

/** A number of slots, or `auto` for the number of processors. */
export const readSlots = (text: string): number => slotsOf(text, availableParallelism());

/** A large machine has more processors than an agent may have slots. */
export function slotsOf(text: string, processors: number): number {
  const most = AGENT_LIMITS.polls;
  if (text === 'auto') return Math.min(processors, most);
  const count = Number(text);
  if (/^\d+$/.test(text.trim()) && count >= 1 && count <= most) return count;
  throw new UsageError(
    `--slots takes 1 to ${most} or auto, not "${text}".`,
    'write a whole number, or auto for one per processor.',
  );
}

/** A whole number; 0 is allowed. */
export function readWhole(option: string) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(number)) return number;
    throw new UsageError(
      `${option} takes a whole number, not "${text}".`,
      'write a whole number of 0 or more.',
    );
  };
}
