/** Sentences of documents, without code, links and marks. */

export interface Sentence {
  readonly text: string;
  readonly words: number;
}

/** Names such as "e.g." are not used; what follows a stop and a blank begins a sentence. */
const END = /(?<=[.!?])["')\]*_]*\s+(?=["'([*_`]*[\p{Lu}\d~…])|(?<=[.!?]) (?=~)|<br>/u;
const WORD = /[\p{L}\d]/u;
const CODE = /^ *(`{3,})[\s\S]*?^ *\1`*$/gm;

/** Headings are no sentences. Items of lists and cells of tables end where the next begins. */
export function sentencesOf(document: string): readonly Sentence[] {
  const text = document
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(CODE, '\n\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/(`+)[^`]+?\1/g, '~')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return blocksOf(text)
    .flatMap((block) => block.split(END))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .map((sentence) => ({ text: sentence, words: wordsIn(sentence) }))
    .filter(({ words }) => words > 2);
}

function blocksOf(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => {
      if (/^#/.test(line) || /^[\s|:-]*$/.test(line)) return ['\0'];
      if (/^\s*\|/.test(line)) return ['\0', line.replace(/(?<!\\)\|/g, '\0'), '\0'];
      const item = /^\s*(?:[-*]|\d+\.) (.*)$/.exec(line);
      return item === null ? [line] : ['\0', item[1] ?? ''];
    })
    .join('\n')
    .split('\0');
}

/** A piece of code counts as one. */
const wordsIn = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => WORD.test(word) || word.includes('~')).length;

/** The length that this part of the sentences does not exceed. */
export function lengthAt(sentences: readonly Sentence[], part: number): number {
  const lengths = sentences.map(({ words }) => words).sort((left, right) => left - right);
  return lengths[Math.floor(lengths.length * part)] ?? 0;
}

/** Beginnings and words that make readers ask "who?" or "what?". Name the thing instead, then say what it does. */
const RIDDLES: readonly RegExp[] = [
  /^(?:Of|Whoever|Whose|Those (?:that|of|who|which))\b/,
  /^Who\b(?!.*\?$)/,
  /^What (?:is|are|was|were) (?:told|said|left|meant|had|asked|there)\b/,
  /\b(?:told|tells)\b/,
  /\bthose (?:that|who|which)\b/i,
  /\bthat which\b/i,
  /\bwhat (?:is there|there is)\b/,
  /\bthat there (?:is|are)\b/,
  /\bwhatever becomes? of\b/,
  /\banew\b/,
];

/** The texts of the sentences that have one. */
export const riddlesIn = (sentences: readonly Sentence[]): readonly string[] =>
  sentences.map(({ text }) => text).filter((text) => RIDDLES.some((riddle) => riddle.test(text)));
