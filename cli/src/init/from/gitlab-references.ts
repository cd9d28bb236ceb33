/** References of GitLab to other parts of the pipeline, as in `script: !reference [build, script]`. */
import { type Undone, type Values, valuesOf } from './translation.ts';

/** Begins the text that stands for a reference. */
const MARK = '!reference ';
const WRITTEN = /^!reference[ \t]*\[([^\]\n]*)\]/;
/** References lead to references; GitLab follows ten. */
const DEPTH_MAX = 10;
/** Each copies what it leads to. */
const REFERENCES_MAX = 200;

/** The line with a text in place of the reference in a column, from 1. */
export function withMark(line: string, column: number): string {
  const mark = (_all: string, path: string) => JSON.stringify(`${MARK}${path}`);
  return line.slice(0, column - 1) + line.slice(column - 1).replace(WRITTEN, mark);
}

/** Replaces references by the values that they name. It leaves out those without a value, and names them. */
export function withReferences(source: Values, undone: Undone): Values {
  let count = 0;
  const followed = (value: unknown, place: string, depth: number): unknown => {
    if (typeof value === 'string' && value.startsWith(MARK)) {
      count += 1;
      const found =
        depth < DEPTH_MAX && count <= REFERENCES_MAX ? target(value, source) : undefined;
      if (found !== undefined) return followed(found, place, depth + 1);
      undone.add(place, `left out: ${value} leads nowhere in this file.`);
      return undefined;
    }
    // A list in a list of commands is part of it.
    if (Array.isArray(value)) return value.flatMap((each) => followed(each, place, depth) ?? []);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(
      ([key, each]) =>
        [key, followed(each, place === '' ? key : `${place}: ${key}`, depth)] as const,
    );
    return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  };
  return valuesOf(followed(source, '', 0));
}

function target(reference: string, source: Values): unknown {
  const keys = reference
    .slice(MARK.length)
    .split(',')
    .map((key) => key.trim().replace(/^(["'])(.*)\1$/, '$2'));
  return keys.reduce<unknown>((value, key) => valuesOf(value)[key], source);
}
