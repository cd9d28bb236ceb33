/**
 * Parser of the patterns on the right of `~=`: the regular expressions whose search takes linear time. Look-around and back-references
 * cannot be searched so, and are refused. Lazy quantifiers are read as greedy ones, and groups do not capture. Both make no difference to
 * whether there is a match.
 */
import { patternError } from '../expression-error.ts';
import { PATTERN_LENGTH_MAX } from '../limits.ts';
import {
  type Assertion,
  type CharacterItem,
  complementOf,
  LINE_ENDS,
  type PatternNode,
  SPACES,
  setOf,
} from './pattern-syntax.ts';

const CLASS_ESCAPES: ReadonlyMap<string, readonly CharacterItem[]> = new Map<
  string,
  readonly CharacterItem[]
>([
  ['d', ['digit']],
  ['D', ['no-digit']],
  ['w', ['word']],
  ['W', ['other']],
  ['s', SPACES],
  ['S', complementOf(SPACES)],
]);

const CHARACTER_ESCAPES: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
]);

const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ['^', 'start'],
  ['$', 'end'],
  ['\\b', 'boundary'],
  ['\\B', 'inside'],
]);
/** Assertions of a pattern with the flag `m`. */
const LINE_ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ...ASSERTIONS,
  ['^', 'line-start'],
  ['$', 'line-end'],
]);

/** Flags of the whole pattern. */
const FLAGS = /\(\?([ims]+)\)/y;
const ASSERTION = /[\^$]|\\[bB]/y;
const CODE_ESCAPE = /\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})/y;
/** Case never matters, so that asking for it is allowed, and asking for the contrary is not. */
const GROUP_START = /\((?:\?(?:([ims]*)(?:-([ms]+))?:|P?<[a-zA-Z_]\w*>))?/y;
const SPECIAL_GROUP = /\(\?(?![ims]*(?:-[ms]+)?:|P?<[a-zA-Z_])/y;
const QUANTIFIER = /([*+?]|\{(\d{1,4})(,(\d{1,4})?)?\})(\??)/y;

/** Parses a pattern; throws `Invalid` with the position. */
export function parsePattern(pattern: string): PatternNode {
  if (pattern.length > PATTERN_LENGTH_MAX) {
    throw patternError(pattern, 0, `longer than ${PATTERN_LENGTH_MAX} characters`);
  }
  return new PatternParser(pattern).parse();
}

class PatternParser {
  readonly #pattern: string;
  #at = 0;
  /** Flags in force at this position. */
  #flags: ReadonlySet<string> = new Set();

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): PatternNode {
    this.#flags = new Set(this.#take(FLAGS)?.[1]);
    const node = this.#parseChoice();
    if (this.#at < this.#pattern.length) throw this.#error('unexpected ")"');
    return node;
  }

  #parseChoice(): PatternNode {
    const first = this.#parseSequence();
    const options = [first];
    while (this.#skip('|')) options.push(this.#parseSequence());
    return options.length === 1 ? first : { kind: 'choice', options };
  }

  #parseSequence(): PatternNode {
    const items: PatternNode[] = [];
    while (this.#at < this.#pattern.length && !this.#isNext('|') && !this.#isNext(')')) {
      items.push(this.#parseItem());
    }
    return { kind: 'sequence', items };
  }

  #parseItem(): PatternNode {
    if (this.#take(QUANTIFIER) !== null) throw this.#error('nothing to repeat', -1);
    const assertion = this.#take(ASSERTION);
    const item = assertion === null ? this.#parseAtom() : this.#assertion(assertion[0]);
    const quantifier = this.#take(QUANTIFIER);
    if (quantifier === null) return item;
    if (assertion !== null) throw this.#error('nothing to repeat', -1);
    return this.#repeat(item, quantifier);
  }

  #assertion(written: string): PatternNode {
    const known = this.#flags.has('m') ? LINE_ASSERTIONS : ASSERTIONS;
    const assertion = known.get(written);
    if (assertion === undefined) throw this.#error('unexpected assertion');
    return { kind: 'assertion', assertion };
  }

  #repeat(item: PatternNode, quantifier: RegExpExecArray): PatternNode {
    if (this.#take(QUANTIFIER) !== null) throw this.#error('nothing to repeat', -1);
    const { min, max } = boundsOf(quantifier);
    if (min > max) throw this.#error('the least number of repetitions exceeds the most', -1);
    return { kind: 'repetition', item, min, max };
  }

  #parseAtom(): PatternNode {
    if (this.#isNext('(')) return this.#parseGroup();
    if (this.#skip('[')) return this.#parseClass();
    if (this.#skip('.')) {
      const excluded = this.#flags.has('s') ? [] : LINE_ENDS;
      return { kind: 'set', set: setOf(excluded, true) };
    }
    return { kind: 'set', set: setOf(this.#parseCharacter()) };
  }

  #parseGroup(): PatternNode {
    if (this.#take(SPECIAL_GROUP) !== null) {
      throw this.#error('look-around and other special groups are not supported', -1);
    }
    const start = this.#at;
    const around = this.#flags;
    const [, added = '', removed = ''] = this.#take(GROUP_START) ?? [];
    this.#flags = new Set([...around, ...added].filter((flag) => !removed.includes(flag)));
    const node = this.#parseChoice();
    this.#flags = around;
    if (!this.#skip(')'))
      throw this.#error('the group that begins here has no end', start - this.#at);
    return node;
  }

  /** The rest of `[...]`, whose opening bracket is read. */
  #parseClass(): PatternNode {
    const start = this.#at - 1;
    const negated = this.#skip('^');
    const items: CharacterItem[] = [];
    while (!this.#skip(']')) {
      if (this.#at >= this.#pattern.length) {
        throw this.#error('the class that begins here has no end', start - this.#at);
      }
      items.push(...this.#parseClassItem());
    }
    return { kind: 'set', set: setOf(items, negated) };
  }

  /** One character, one escape, or a range such as `a-z`. */
  #parseClassItem(): readonly CharacterItem[] {
    const first = this.#parseClassCharacter();
    const next = this.#pattern.slice(this.#at, this.#at + 2);
    if (!next.startsWith('-') || next === '-]' || next === '-') return first;
    this.#at += 1;
    const last = this.#parseClassCharacter();
    const range = [this.#single(first), this.#single(last)] as const;
    if (range[0] > range[1]) throw this.#error('the range is out of order', -1);
    return [range];
  }

  #parseClassCharacter(): readonly CharacterItem[] {
    // Inside brackets `\b` is the backspace, elsewhere a word boundary.
    if (this.#pattern.startsWith('\\b', this.#at)) {
      this.#at += 2;
      return [[0x08, 0x08]];
    }
    return this.#parseCharacter();
  }

  #single([item, ...others]: readonly CharacterItem[]): number {
    if (typeof item !== 'object' || others.length > 0 || item[0] !== item[1]) {
      throw this.#error('a range needs single characters', -1);
    }
    return item[0];
  }

  #parseCharacter(): readonly CharacterItem[] {
    if (this.#isNext('\\')) return this.#parseEscape();
    return this.#literal();
  }

  #parseEscape(): readonly CharacterItem[] {
    const code = this.#take(CODE_ESCAPE);
    if (code !== null) return singleton(Number.parseInt(code[1] ?? code[2] ?? '', 16));
    this.#at += 1;
    const letter = this.#pattern[this.#at] ?? '';
    const set = CLASS_ESCAPES.get(letter) ?? singletonOf(CHARACTER_ESCAPES.get(letter));
    if (set === undefined) return this.#literalEscape(letter);
    this.#at += 1;
    return set;
  }

  /** A backslash before anything but letters and digits takes it literally. */
  #literalEscape(character: string): readonly CharacterItem[] {
    if (character === '') throw this.#error('nothing after the backslash', -1);
    if (/[1-9]/.test(character)) throw this.#error('back-references are not supported', -1);
    if (/[a-zA-Z0]/.test(character)) throw this.#error(`unknown escape "\\${character}"`, -1);
    return this.#literal();
  }

  #literal(): readonly CharacterItem[] {
    const code = this.#pattern.charCodeAt(this.#at);
    this.#at += 1;
    return singleton(code);
  }

  #isNext(text: string): boolean {
    return this.#pattern.startsWith(text, this.#at);
  }

  #skip(text: string): boolean {
    const found = this.#isNext(text);
    if (found) this.#at += text.length;
    return found;
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#pattern);
    this.#at += taken?.[0].length ?? 0;
    return taken;
  }

  /** `offset` is added to where the parser stands. */
  #error(problem: string, offset = 0): Error {
    return patternError(this.#pattern, this.#at + offset, problem);
  }
}

function boundsOf(quantifier: RegExpExecArray): { readonly min: number; readonly max: number } {
  const [, symbol, least = '', upper, most] = quantifier;
  if (symbol === '*') return { min: 0, max: Number.POSITIVE_INFINITY };
  if (symbol === '+') return { min: 1, max: Number.POSITIVE_INFINITY };
  if (symbol === '?') return { min: 0, max: 1 };
  const min = Number(least);
  if (upper === undefined) return { min, max: min };
  return { min, max: most === undefined ? Number.POSITIVE_INFINITY : Number(most) };
}

function singleton(code: number): readonly CharacterItem[] {
  return [[code, code]];
}

function singletonOf(code: number | undefined): readonly CharacterItem[] | undefined {
  return code === undefined ? undefined : singleton(code);
}
