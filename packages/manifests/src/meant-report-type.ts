/** Misspelt types of attachments: nobody reads these files as reports, though their authors most likely meant that. */
import { nearestName } from './documents/nearest-name.ts';
import {
  FORMAT_SUFFIXES,
  REPORT_TYPE_PREFIX,
  reportTypeOf,
  withoutParameters,
} from './report-types.ts';

/** Longer ones are no typing mistakes. */
const TYPE_LENGTH_MAX = 256;

/** The report type that a misspelt one most likely means. Null for a correct type, and for one that means something else. */
export function meantReportType(written: string): string | null {
  const type = withoutParameters(written);
  if (type.length > TYPE_LENGTH_MAX || reportTypeOf(type) !== null) return null;
  const words = type.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const isOurs = words.some(isNearOurName);
  if (!isOurs && type.includes('/') && !hasOurEnding(type.toLowerCase())) return null;
  const { word, structure, before } = endOf(words);
  const suffix = suffixMeant(word, structure);
  if (suffix === null || (!isOurs && word === 'output')) return null;
  const technology = before.filter((each) => !isOfPrefix(each)).join('-');
  // A lone "junit" names the technology, too.
  const said = technology || (SYNONYMS.has(word) ? word : 'TECHNOLOGY');
  return `${REPORT_TYPE_PREFIX}${said}-${suffix}`;
}

const SUFFIXES = Object.values(FORMAT_SUFFIXES);

/** True for endings that are ours. Common endings mean nothing without our name before them. */
const hasOurEnding = (type: string): boolean =>
  SUFFIXES.some(
    (suffix) => suffix.includes('+') && !COMMON.has(suffix) && type.endsWith(`-${suffix}`),
  );

const COMMON: ReadonlySet<string> = new Set([FORMAT_SUFFIXES.robot]);

const isNearOurName = (word: string): boolean =>
  word === 'opentest' || nearestName(word, ['opentestfactory'], 4) !== null;

const isOfPrefix = (word: string): boolean =>
  isNearOurName(word) || ['application', 'text', 'vnd', 'vdn', 'vn', 'nvd'].includes(word);

const STRUCTURES = ['xml', 'json', 'text', 'txt', 'plain'];

interface TypeEnd {
  /** The word that probably names a format. */
  readonly word: string;
  /** The syntax, such as `xml`; null if the type names none. */
  readonly structure: string | null;
  readonly before: readonly string[];
}

/** Splits the end of a type. `surefirexml` counts as two words. */
function endOf(words: readonly string[]): TypeEnd {
  const last = words.at(-1) ?? '';
  const joined = /^(.{4,})(xml|json)$/.exec(last);
  if (joined?.[1] !== undefined && joined[2] !== undefined) {
    return { word: joined[1], structure: joined[2], before: words.slice(0, -1) };
  }
  const structure = words.length > 1 ? nearestName(last, STRUCTURES, 1) : null;
  const end = structure === null ? -1 : -2;
  return { word: words.at(end) ?? '', structure, before: words.slice(0, end) };
}

/** Popular names of formats that have other names in types. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['junit', FORMAT_SUFFIXES.surefire],
  ['robot', FORMAT_SUFFIXES.robot],
  ['robotframework', FORMAT_SUFFIXES.robot],
]);

const BY_WORD: ReadonlyMap<string, string> = new Map([
  ...SUFFIXES.map((suffix) => [suffix.replace(/\+.*$/, ''), suffix] as const),
  ...SYNONYMS,
]);

/** Shortest word for which near names are searched: short words resemble too many others. */
const NEAR_FROM_LETTERS = 6;

function suffixMeant(word: string, structure: string | null): string | null {
  const near =
    word.length < NEAR_FROM_LETTERS
      ? null
      : nearestName(
          word,
          [...BY_WORD.keys()].filter((each) => each.length >= NEAR_FROM_LETTERS),
          2,
        );
  const suffix = BY_WORD.get(word) ?? BY_WORD.get(near ?? '') ?? null;
  // In another syntax than XML, "output" can be anything.
  const isOther = suffix === FORMAT_SUFFIXES.robot && structure !== null && structure !== 'xml';
  return isOther ? null : suffix;
}
