/** The comments of a source as text, each with its first line. */
import { type Sentence, sentencesOf } from './prose.ts';

export interface Comment {
  readonly line: number;
  readonly text: string;
}

/** A comment has its own lines, or follows code. Texts with these marks are no comments. */
const COMMENT = /^[ \t]*\/\*[\s\S]*?\*\/|(?<=^[ \t]*|[;,{}()] )\/\/ .*(?:\n[ \t]*\/\/ .*)*/gm;
const MARK = /^[ \t]*(?:\/\*+|\/\/|\*+(?!\/)) ?|[ \t]*\*+\/$/gm;
/** Lines for tools, and the tags of parameters, which begin a sentence. */
const FOR_TOOLS = /^[ \t]*(?:@|biome-ignore).*$/gm;

export function commentsOf(source: string): readonly Comment[] {
  return [...source.matchAll(COMMENT)].map(({ index, 0: text }) => ({
    line: source.slice(0, index).split('\n').length,
    text: text.replace(MARK, '').replace(FOR_TOOLS, ''),
  }));
}

/** The sentences of a source's comments with more than so many words. */
export const longSentencesOf = (source: string, wordsMax: number): readonly Sentence[] =>
  commentsOf(source)
    .flatMap(({ text }) => sentencesOf(text))
    .filter(({ words }) => words > wordsMax);
