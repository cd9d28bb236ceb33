/** `GET /workflows/{workflow_id}/log/search`: searches the whole execution log, and answers while it searches. */
import { isAscii } from 'node:buffer';
import { OrchestratorError } from '@tutti/manifests';
import { LOG_SEARCH_LIMITS } from '../run-page-limits.ts';
import {
  createLineFilter,
  createTextBegin,
  LINE_FEED,
  type LineFilter,
  type LogLine,
  type LogSource,
  type LogStretch,
  type NumberedLog,
  placeOf,
  stretchesFrom,
} from './log-lines.ts';

export interface SearchQuestion extends LineFilter {
  readonly text: string;
  readonly isPattern: boolean;
  readonly ignoresCase: boolean;
  readonly limit: number;
}

type Hit = readonly [number: number, column: number, text: string];

/** Answers the column of a match, from 0; -1 without one. */
type Find = (text: string) => number;

/** Throws `Invalid` for a malformed pattern, and for none. */
async function createFind({ text, isPattern, ignoresCase }: SearchQuestion): Promise<Find> {
  const { length } = LOG_SEARCH_LIMITS;
  if (text === '' || text.length > length) {
    throw new OrchestratorError('Invalid', `Parameter "q" must have 1 to ${length} characters.`);
  }
  if (isPattern) {
    const { createTextSearch } = await import('@tutti/expressions/text-search');
    const hasMatch = createTextSearch(text, { ignoresCase });
    return (line) => (hasMatch(line) ? 0 : -1);
  }
  if (!ignoresCase) return (line) => line.indexOf(text);
  const lower = text.toLowerCase();
  return (line) => line.toLowerCase().indexOf(lower);
}

/** Lines of JSON: hits as `[number, column, text]`, and at the end what was counted. */
export async function searchLog(
  source: LogSource,
  question: SearchQuestion,
): Promise<AsyncIterable<string>> {
  const find = await createFind(question);
  return new Search(await placeOf(source, 1), question, find).answers(source);
}

class Search {
  readonly #log: NumberedLog;
  readonly #question: SearchQuestion;
  readonly #find: Find;
  readonly #isWanted: (line: LogLine) => boolean;
  readonly #buckets: number[] = Array.from({ length: LOG_SEARCH_LIMITS.buckets }, () => 0);
  #count = 0;

  constructor(log: NumberedLog, question: SearchQuestion, find: Find) {
    this.#log = log;
    this.#question = question;
    this.#find = find;
    this.#isWanted = createLineFilter(question);
  }

  async *answers(source: LogSource): AsyncGenerator<string> {
    const { lines, bytes } = this.#log;
    for await (const stretch of stretchesFrom(source, { line: 0, byte: 0 }, bytes)) {
      if (!this.#isIn(stretch)) continue;
      const hits = [...this.#hitsIn(stretch)];
      if (hits.length > 0) yield `${JSON.stringify({ hits })}\n`;
    }
    const end = { count: this.#count, total: lines, buckets: this.#buckets };
    yield `${JSON.stringify(end)}\n`;
  }

  /** A text is looked for in many lines at once, since most of them do not have it. */
  #isIn({ content }: LogStretch): boolean {
    return this.#question.isPattern || this.#find(content.toString()) !== -1;
  }

  /** Looks at the bytes of each line. To make an object of each would take longer than the search itself. */
  *#hitsIn({ before, byte, content }: LogStretch): Generator<Hit> {
    const encoding = isAscii(content) ? 'latin1' : 'utf8';
    const beginOf = createTextBegin(content);
    for (let from = 0, number = before + 1; from < content.length; number += 1) {
      const to = content.indexOf(LINE_FEED, from);
      const text = content.toString(encoding, beginOf(from, to), to);
      const column = this.#find(text);
      if (column !== -1) {
        const line = { number, byte: byte + from, content: content.subarray(from, to) };
        if (this.#isWanted(line)) yield* this.#counted(number, column, text);
      }
      from = to + 1;
    }
  }

  *#counted(number: number, column: number, text: string): Generator<Hit> {
    this.#count += 1;
    const bucket = Math.floor(((number - 1) * this.#buckets.length) / this.#log.lines);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    if (this.#count > this.#question.limit) return;
    const from = Math.max(0, column - LOG_SEARCH_LIMITS.textLength / 4);
    yield [number, column, text.slice(from, from + LOG_SEARCH_LIMITS.textLength)];
  }
}
