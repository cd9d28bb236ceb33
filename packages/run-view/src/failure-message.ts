/** Chooses the lines of a failure that say what was wrong, out of messages with code, stack traces and logs. */
import { cleanOutput } from './clean-text.ts';

/** A failed test case, as the report of a tool has it. */
export interface FailureDetails {
  readonly message?: string;
  readonly type?: string;
  readonly text?: string;
}

export const FAILURE_LINES_MAX = 5;

/** Values that were compared, as Playwright, Jest, Vitest and Rust write them. */
const FACT =
  /^\s*(?:(?:Locator|Expected|Received|Actual|Timeout)[\w ]*:\s*\S|(?:left|right): |[-+] ?\S)/;
const FACTS_MAX = FAILURE_LINES_MAX - 1;
/** A message that only names the place: those of Playwright and Rust. */
const TITLE = /^(?:\S+\.[cm]?[jt]sx?:\d+:\d+ |thread '.*' (?:\(\d+\) )?panicked at )/;
/** Stack frames, code with line numbers, rules, and the heads of failures of Playwright and Rust. */
const BESIDE =
  /^\s*(?:(?:at|❯)\s|Traceback|thread '.*panicked at |note: run with |File "|>?\s*\d+\s*\||[|^~\s─-]+$|\[[^\]]*\] › )/;
const LOG_BEGINS = /^\s*Call log:/;

/** Safe to show. At most `FAILURE_LINES_MAX` lines; a further `…` stands for more of the message. */
export function failureMessage(details: FailureDetails): readonly string[] {
  const message = linesOf(details.message);
  const text = linesOf(details.text);
  const explanation = message.length === 0 || TITLE.test(message[0] ?? '') ? saidIn(text) : message;
  const known = new Set(explanation.map((line) => line.trim()));
  const facts = withoutLog(text).filter((line) => FACT.test(line) && !known.has(line.trim()));
  const all = [...explanation, ...facts];
  const shown = all.length === 0 ? linesOf(details.type) : chosen(all);
  const rest = all.length > shown.length ? ['…'] : [];
  const margin = Math.min(...shown.map((line) => line.search(/\S/)));
  return [...shown.map((line) => line.slice(margin)), ...rest].map((line) =>
    cleanOutput(line, false),
  );
}

const linesOf = (text = ''): readonly string[] =>
  text.split(/\r?\n/).filter((line) => line.trim() !== '');

/** The text as it is if nothing else is in it. */
function saidIn(text: readonly string[]): readonly string[] {
  const said = withoutLog(text).filter((line) => !BESIDE.test(line));
  return said.length === 0 ? text : said;
}

function withoutLog(text: readonly string[]): readonly string[] {
  const end = text.findIndex((line) => LOG_BEGINS.test(line));
  return end < 0 ? text : text.slice(0, end);
}

/** The first lines and the facts, in their order. */
function chosen(lines: readonly string[]): readonly string[] {
  if (lines.length <= FAILURE_LINES_MAX) return lines;
  const facts = lines.filter((line) => FACT.test(line)).slice(0, FACTS_MAX);
  const others = lines.filter((line) => !facts.includes(line));
  const kept = new Set([...others.slice(0, FAILURE_LINES_MAX - facts.length), ...facts]);
  return lines.filter((line) => kept.has(line)).slice(0, FAILURE_LINES_MAX);
}
