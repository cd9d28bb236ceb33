/** Reads a selector text from left to right; every refusal quotes the text and says where. */
import { OrchestratorError } from '@tutti/manifests';

const SPACE = /\s*/y;

export class Scanner {
  readonly text: string;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Position of the first unread character, counted from 0. */
  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.text.length;
  }

  /** The text that the pattern (which must be sticky) matches here, or null; it is then read. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.text)?.[0] ?? null;
    this.#at += taken?.length ?? 0;
    return taken;
  }

  /** True when there was white space. */
  skipSpace(): boolean {
    return this.take(SPACE) !== '';
  }

  expect(pattern: RegExp, expected: string): string {
    return this.take(pattern) ?? this.fail(`expected ${expected}`);
  }

  fail(problem: string, at: number = this.#at): never {
    const found = /^\S{1,20}/.exec(this.text.slice(at))?.[0];
    const where = found === undefined ? '' : ` before ${JSON.stringify(found)}`;
    throw new OrchestratorError(
      'Invalid',
      `Invalid expression ${JSON.stringify(this.text)}: ${problem} at position ${at + 1}${where}.`,
    );
  }
}
