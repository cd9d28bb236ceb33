/** The parts that a translation of another build server's workflow is made of. */
export type Values = Readonly<Record<string, unknown>>;

export interface Translation {
  readonly workflow: Values;
  /** Sentences about what has no equivalent. */
  readonly undone: readonly string[];
}

/** Collects what has no equivalent, with its place. */
export class Undone {
  readonly sentences: string[] = [];

  add(place: string, what: string): void {
    this.sentences.push(`${place}: ${what}`);
  }

  /** Names the keys of a map that are not in the given list. */
  keys(place: string, given: Values, known: readonly string[]): void {
    for (const key of Object.keys(given)) {
      if (!known.includes(key)) this.add(place, `"${key}" has no equivalent.`);
    }
  }
}

export const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

export const listOf = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
};

export const textsOf = (value: unknown): readonly string[] =>
  listOf(value)
    .flat(2)
    .filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
    .map(String);

/** Without the entries that have no value. */
export const given = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => {
      if (Array.isArray(value)) return value.length > 0;
      if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
      return value !== undefined && value !== null;
    }),
  );

/** The name of a job, as the language takes it. */
export const jobName = (name: string): string =>
  name.replace(/[^\w-]+/g, '-').replace(/^(?![a-z_])/i, '_');
