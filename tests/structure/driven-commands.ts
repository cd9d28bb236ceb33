/**
 * The commands that tests call, as their sources show: the first words of the arguments of the command line. Works on formatted TypeScript,
 * without a compiler. Words out of the tables of `test.each` do not count: those are mostly of wrong use.
 */
import { blankText } from './blank-text.ts';
import type { CommandFacts } from './command-facts.ts';

/** Functions that run the command line with the given arguments. */
const RUNNERS = ['runCommand', 'runCli', 'startCli', 'startOnTerminal'] as const;

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const DEFINITION = /\b(?:const|function) (\w+)(?: = (?:async )?)?\(/g;
/** Words of calls that reach no command, or no server: help, and a port that nothing listens at. */
const REACHES_NOTHING = /^(?:--help|-h|http:\/\/127\.0\.0\.1:1)$/;
/** A text; of a template, what comes before its first expression. */
const LITERAL = /(['"`])(.*?)(?:\1|\$\{)/g;
const LITERALS = /^(?:\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`\n]*`),?)*/;
/** A shell or another program that starts the command by its name. */
const BY_NAME = /\('tutti', (?=\[)/g;
/** Wrappers may be called by wrappers. */
const WRAPPINGS_MAX = 3;

/** The beginnings of a list of arguments: its first literal words, and the name of what follows them. */
interface Words {
  readonly words: readonly string[];
  readonly next: string | null;
}

interface Source {
  /** Without the contents of texts, for what is searched by brackets and names. */
  readonly code: string;
  /** The same with all that it has; positions are the same. */
  readonly text: string;
}

interface Definition {
  readonly name: string;
  readonly parameters: string;
  readonly start: number;
  readonly end: number;
}

/** The first words of each call of the command line in a test, but for those that reach nothing. */
export function commandLinesIn(source: string): readonly (readonly string[])[] {
  const read = { code: blankText(source), text: source };
  const definitions = definitionsIn(read);
  const runners = new Map<string, readonly string[]>(RUNNERS.map((name) => [name, []]));
  let found: readonly (readonly string[])[] = [];
  for (let round = 0; round < WRAPPINGS_MAX; round += 1) {
    found = linesOfRunners(read, definitions, runners);
  }
  const byName = [...source.matchAll(BY_NAME)].map(
    ({ 0: match, index }) => wordsOf(read, index + match.length).words,
  );
  return [...found, ...byName].filter(
    (words) => words.length > 0 && !words.some((word) => REACHES_NOTHING.test(word)),
  );
}

/** Adds the functions that hand their own arguments on to those that run the command line. */
function linesOfRunners(
  source: Source,
  definitions: readonly Definition[],
  runners: Map<string, readonly string[]>,
): readonly (readonly string[])[] {
  return [...runners].flatMap(([runner, prefix]) =>
    callsOf(source.code, runner).map((open) => {
      const { words, next } = wordsOf(source, open);
      const all = [...prefix, ...words];
      if (next === null) return all;
      const around = definitions.findLast(
        ({ start, end, parameters }) =>
          start < open && open < end && hasWord(parameters, next) && parameters.trim() !== '',
      );
      if (around !== undefined) runners.set(around.name, all);
      return around === undefined ? [...all, ...wordsOfList(source, next, open)] : all;
    }),
  );
}

function definitionsIn(source: Source): readonly Definition[] {
  return [...source.code.matchAll(DEFINITION)].map(({ 0: match, 1: name = '', index }) => {
    const open = index + match.length - 1;
    const close = endOf(source.code, open);
    const parameters = source.code.slice(open + 1, close);
    return { name, parameters, start: close, end: endOfStatement(source.code, close + 1) };
  });
}

function callsOf(code: string, name: string): readonly number[] {
  const calls = code.matchAll(new RegExp(`(?<![\\w$.]|function |const )${name}\\(`, 'g'));
  return [...calls].map(({ index }) => index + name.length);
}

/** Words of the list that opens there: of arguments, or of an array if that is the first argument. */
function wordsOf({ code, text }: Source, open: number): Words {
  const start = /^\(\s*\[/.exec(code.slice(open));
  const list = open + (start === null ? 1 : start[0].length);
  const content = text.slice(list, endOf(code, list - 1));
  const literals = LITERALS.exec(content)?.[0] ?? '';
  const next = /^\s*(?:\.\.\.)?([a-zA-Z_$][\w$]*)/.exec(content.slice(literals.length));
  return {
    words: [...literals.matchAll(LITERAL)].flatMap(([, , text = '']) => text.split(/\s+/)),
    next: next?.[1] ?? null,
  };
}

/** Words of the last list with that name before the position. */
function wordsOfList(source: Source, name: string, before: number): readonly string[] {
  const pattern = new RegExp(`\\bconst ${name}(?:: [\\w\\s[\\]]+)? = \\[`, 'g');
  const last = [...source.code.slice(0, before).matchAll(pattern)].at(-1);
  return last === undefined ? [] : wordsOf(source, last.index + last[0].length - 1).words;
}

const hasWord = (text: string, word: string): boolean =>
  text.match(/[\w$]+/g)?.includes(word) ?? false;

/** Position of the bracket that closes the one at `open`. */
function endOf(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    const char = code[at] ?? '';
    if (char in CLOSING) depth += 1;
    if (Object.values(CLOSING).includes(char)) depth -= 1;
    if (depth === 0) return at;
  }
  return code.length;
}

/** Where a definition ends: at a semicolon, or with the braces of a function. */
function endOfStatement(code: string, from: number): number {
  for (let at = from; at < code.length; at += 1) {
    const char = code[at] ?? '';
    if (char === ';') return at;
    if (!(char in CLOSING)) continue;
    at = endOf(code, at);
    if (char === '{' && code[at + 1] === '\n') return at;
  }
  return code.length;
}

/** The command that these words call, which has none below it; null where there is none. A noun alone lists; `report` saves. */
export function calledCommand(program: CommandFacts, words: readonly string[]): string | null {
  const alone = program.path.endsWith(' report') ? 'save' : 'list';
  const isVerb = program.commands.some(({ path }) => path === `${program.path} ${words[0]}`);
  const isAlone = words[0]?.startsWith('-') !== false || (alone === 'save' && !isVerb);
  const [word = '', ...rest] = isAlone ? [alone, ...words] : words;
  const called = program.commands.find(({ path, alias }) =>
    [path, alias].includes(`${program.path} ${word}`),
  );
  if (called === undefined) return null;
  return called.commands.length === 0 ? called.path : calledCommand(called, rest);
}
