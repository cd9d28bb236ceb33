/** Sentences for authors that replace those of the YAML library. */
import type { YAMLError } from 'yaml';

/** `sign`: the bracket. */
export const bracketOpen = (sign: string): string =>
  `"${sign}" is not closed: "${sign === '{' ? '}' : ']'}" must follow, in the same line or in lines that are indented deeper; a text that begins with "${sign}" must be in quotes`;

/** Mistakes that have the same code in the library. Only its messages differ; no other file reads them. */
export type SaidKind =
  | 'no value'
  | 'over lines'
  | 'open quote'
  | 'open map'
  | 'open list'
  | 'other column'
  | 'at node end';

const KINDS: readonly (readonly [said: RegExp, kind: SaidKind])[] = [
  [/followed by map values/, 'no value'],
  [/^Implicit keys need/, 'over lines'],
  [/closing ["']quote/, 'open quote'],
  [/^Flow map .*end with a/, 'open map'],
  [/^Flow sequence .*end with a/, 'open list'],
  [/^All (?:mapping|sequence) items|^Sequence item without/, 'other column'],
  [/^Unexpected .* at node end$/, 'at node end'],
];

/** Null where the code is enough. */
export const kindOf = ({ message }: YAMLError): SaidKind | null =>
  KINDS.find(([said]) => said.test(message))?.[1] ?? null;

/** Our sentences for rare mistakes. The library's own sentences speak of tokens and nodes, and may quote a secret. */
const SENTENCES: readonly (readonly [said: RegExp, ours: (sign: string) => string])[] = [
  [
    /^(?:Not a YAML token|Block scalar header includes extra)/,
    () =>
      'nothing may follow the "|" or ">" that begins a block: put the text into the lines below, indented deeper, or in quotes',
  ],
  [
    /^Plain value cannot start with/,
    (sign) => `a text that begins with "${sign}" must be in quotes`,
  ],
  [
    /^Missing , or : between flow/,
    () =>
      'a "," is missing before this; a text that begins with a bracket must be in quotes as a whole',
  ],
  [
    /^Unexpected flow-(?:map|seq)-end/,
    (sign) => `"${sign}" closes nothing; a text that begins with it must be in quotes`,
  ],
  [
    /^Unexpected block-seq-ind/,
    () => 'a list begins in the line below its key; a text that begins with "- " must be in quotes',
  ],
  [
    /^(?:Anchor|Alias) cannot be an empty string/,
    (sign) => `a text that begins with "${sign}" must be in quotes`,
  ],
  [
    /^All (?:mapping|sequence) items|^Sequence item without/,
    () =>
      'the lines of a map or a list must begin in the same column, each with a key and ":", or with "- "',
  ],
  [/^Anchor ending in/, () => 'a text that begins with "&" must be in quotes'],
  [/^Missing directives-end/, () => 'a text that begins with "%" must be in quotes'],
  [/^Unexpected .* at node end$/, () => 'this belongs to nothing that stands before it'],
  [/^Unexpected .* in YAML stream/, () => 'this belongs to nothing that stands before it'],
  [
    /^Block scalar lines must not be less indented/,
    () => 'the lines of a block must be indented as deep as its first one',
  ],
];

/** `sign`: the character at the place. */
export function inOurWords({ message }: YAMLError, sign: string): string {
  const found = SENTENCES.find(([said]) => said.test(message));
  return found === undefined ? message.replace(/\.$/, '') : found[1](sign);
}
