/** Rules for the text of sources, each a pattern with what to say about it. */
import { blankText } from './blank-text.ts';
import { RIDDLE_OPENINGS } from './riddles.ts';
import type { SourceFile } from './source-files.ts';

export interface TextRule {
  readonly pattern: RegExp;
  readonly says: string;
  /** The searched text: the code without strings and comments, the code with its strings, or all of the text. */
  readonly in: 'code' | 'code-and-strings' | 'text';
}

/** One line per place where a rule is broken: path, line and what the rule says. */
export function breaches(file: SourceFile, rules: readonly TextRule[]): readonly string[] {
  return rules.flatMap((rule) => {
    const text = searched(file.text, rule.in);
    return [...text.matchAll(rule.pattern)].map(
      ({ index, 0: found }) =>
        `${file.path}:${text.slice(0, index).split('\n').length}: ${rule.says} (${found.trim()})`,
    );
  });
}

function searched(text: string, where: TextRule['in']): string {
  if (where === 'text') return text;
  return blankText(text, { keepStrings: where === 'code-and-strings' });
}

/** The pure packages get these things from their callers: time, chance, ids, the process, the network. */
export const PURITY_RULES: readonly TextRule[] = [
  {
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)/g,
    says: 'takes the time as an argument',
    in: 'code',
  },
  { pattern: /\bperformance\.now\b/g, says: 'takes the time as an argument', in: 'code' },
  { pattern: /\bMath\.random\b/g, says: 'takes chance as an argument', in: 'code' },
  { pattern: /(?<![.\w])crypto\b(?!\s*:)/g, says: 'takes ids as an argument', in: 'code' },
  { pattern: /(?<![.\w])process\./g, says: 'knows no process', in: 'code' },
  {
    pattern: /(?<![.\w])(?:setTimeout|setInterval|setImmediate)\b/g,
    says: 'sets no timer',
    in: 'code',
  },
  { pattern: /(?<![.\w])fetch\(/g, says: 'has no network', in: 'code' },
  { pattern: /['"]node:[^'"]+['"]/g, says: 'imports no module of Node', in: 'code-and-strings' },
];

export const IMPORT_RULES: readonly TextRule[] = [
  {
    pattern: /\bimport (?!type\b)[^;]*\bfrom 'node:https?'/g,
    says: 'takes it by process.getBuiltinModule: an import loads a second HTTP client',
    in: 'code-and-strings',
  },
];

export const EXPORT_RULES: readonly TextRule[] = [
  { pattern: /\bexport\s+\*/g, says: 'names what it exports', in: 'code' },
  { pattern: /\bexport\s+default\b/g, says: 'has no default export', in: 'code' },
];

export const TYPE_RULES: readonly TextRule[] = [
  { pattern: /(?<![\w$.#])enum\s+\w+\s*\{/g, says: 'has no enum', in: 'code' },
  { pattern: /\bas any\b|:\s*any\b|<any>/g, says: 'has no any', in: 'code' },
];

/**
 * Tables with keys from outside have no prototype: `{}` has a `constructor` that nobody put there. `in` finds it, too. For the parts that
 * serve others; a command line reads what its own user writes.
 */
export const TABLE_RULES: readonly TextRule[] = [
  {
    pattern: /^(?:export )?const \w+: (?:Readonly<)?Record<string, [^=;]*> = \{/gm,
    says: 'makes a table by dictionary(), or is a Map',
    in: 'code',
  },
  {
    pattern: /\b(?:const|let) \w+: (?:Readonly<)?Record<string, [^=;]*> = \{\s*\}/g,
    says: 'makes a table by dictionary(), or is a Map',
    in: 'code',
  },
  {
    pattern: /(?<![\w.'"`])[a-z]\w* in (?!Object\.prototype)(?=[\w(])/g,
    says: 'asks with Object.hasOwn: "in" finds what every object has',
    in: 'code',
  },
  {
    pattern: /\bconst (\w+)(?=[^=;]* = Object\.fromEntries\()(?=[\s\S]*?\b\1\[(?![\d'"]))/g,
    says: 'looks keys up in a Map, not in what Object.fromEntries makes',
    in: 'code',
  },
];

/** Only those who carry runs out see what these mask; all others get what may be shown. */
export const SECRECY_RULES: readonly TextRule[] = [
  { pattern: /\.history\(/g, says: 'reads events as they may be shown', in: 'code' },
  {
    pattern: /\bRUN_MASKS\b|\bmaskEntries\b|\bmasksIn\b/g,
    says: 'does not know what is masked',
    in: 'code',
  },
];

/** A search in the log for a run, a job or an agent finds all its lines under one name. */
export const LOG_RULES: readonly TextRule[] = [
  {
    pattern: /\blog(?:ger)?\.(?:trace|debug|info|warn|error|fatal)\(\s*\{[^}]*?\b[a-z]+_[a-z_]+\b/g,
    says: 'names the fields of the log as code does: workflowId, jobId, agentId',
    in: 'code',
  },
  {
    pattern: /\blog(?:ger)?\.(?:trace|debug|info|warn|error|fatal)\(\s*\{\s*error\b/g,
    says: 'logs errors as err',
    in: 'code',
  },
];

/** A status is a reason; its number has one home. 204 may be said: it has no body, hence no Status manifest and no reason. */
export const STATUS_RULES: readonly TextRule[] = [
  {
    pattern: /\.(?:code|status)\(\s*(?!204)[2-5]\d\d\s*[,)]/g,
    says: 'answers with a reason, not with a number',
    in: 'code',
  },
  {
    pattern: /\b(?:statusCode|code)\s*:\s*[2-5]\d\d\b/g,
    says: 'answers with a reason, not with a number',
    in: 'code',
  },
];

/** Written so that this file does not break the rule itself. */
const word = (...pieces: readonly string[]) => new RegExp(`\\b${pieces.join('')}\\b`, 'g');

export const WORD_RULES: readonly TextRule[] = [
  { pattern: word('TO', 'DO'), says: 'is finished', in: 'text' },
  { pattern: word('FIX', 'ME'), says: 'is finished', in: 'text' },
  { pattern: word('XX', 'X'), says: 'is finished', in: 'text' },
  { pattern: word('for', ' now'), says: 'is finished', in: 'text' },
  {
    pattern: /\/(?:home|root|work)\/\w+/g,
    says: 'names no folder of one machine',
    in: 'text',
  },
  { pattern: word('@ts-', '(?:ignore|nocheck)'), says: 'has no errors to hide', in: 'text' },
];

/** Comments whose sentences a stranger understands at first reading. */
export const COMMENT_RULES: readonly TextRule[] = [
  {
    pattern: new RegExp(
      String.raw`(?:^[ \t]*(?:/\*)?\*|(?<![:\w])//)(?:.*[.:;?!])? (?:${RIDDLE_OPENINGS.join('|')})\b.*`,
      'gm',
    ),
    says: 'names the thing first',
    in: 'text',
  },
];

/** Names say what is done: report, log, print, publish, send, answer, notify. */
export const NAME_RULES: readonly TextRule[] = [
  {
    pattern:
      /\w*(?:(?<![a-z])(?:un)?(?:tell(?:s|ing|er)?|told)|Tell(?:s|ing|er)?|(?:T|Unt)old|TELL|TOLD)(?![a-z])\w*/g,
    says: 'is named after what is done: report, print, publish, send',
    in: 'code',
  },
];

export const TEST_RULES: readonly TextRule[] = [
  {
    pattern: /\b(?:test|it|describe)\.(?:skip|only|todo|fails)\b/g,
    says: 'skips no test and is not the only one',
    in: 'code',
  },
  { pattern: /\bvi\.(?:mock|doMock)\(/g, says: 'mocks no module of ours', in: 'code' },
];
