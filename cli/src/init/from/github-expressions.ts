/** Expressions of GitHub Actions: the contexts that have other names here, and those that are not here. */
import { type Undone, type Values, valuesOf } from './translation.ts';

const FOREIGN = /(?<![\w.-])(?:github|vars|runner|job|strategy|hashFiles)\s*[.([]/;
const EXPRESSION = /\$\{\{(.*?)\}\}/gs;

/** A value with its expressions translated; what cannot be is left out and named. */
export function withoutForeign(value: unknown, place: string, undone: Undone): unknown {
  if (typeof value === 'string') return translatedText(value, place, undone);
  if (Array.isArray(value)) {
    return value.flatMap((each) => withoutForeign(each, place, undone) ?? []);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const kept = withoutForeign(each, `${place}: ${key}`, undone);
      return kept === undefined ? [] : [[key, kept]];
    }),
  );
}

/** Values of variables: the shell expands none of them there. */
export function variablesOf(env: unknown, place: string, undone: Undone): Values {
  return Object.fromEntries(
    Object.entries(valuesOf(withoutForeign(env, place, undone))).map(([name, value]) => {
      const text = String(value);
      const isExpanded = /[$%`\\]/.test(text.replace(EXPRESSION, ''));
      return [name, isExpanded ? { value: text, verbatim: true } : text];
    }),
  );
}

function translatedText(text: string, place: string, undone: Undone): string | undefined {
  const isCondition = /: if$/.test(place);
  const expressions = isCondition
    ? [text]
    : [...text.matchAll(EXPRESSION)].map(([, inner]) => inner);
  const foreign = expressions.find((each) => FOREIGN.test(each ?? ''));
  if (foreign !== undefined) {
    undone.add(place, `left out, since "${foreign.trim()}" has no equivalent.`);
    return undefined;
  }
  const renamed = (inner: string) => inner.replace(/(?<![\w.-])env(?=[.[])/g, 'variables');
  return isCondition ? renamed(text) : text.replace(EXPRESSION, renamed);
}
