/** Programs of others that are meant to work unmodified, and what of them the suite shows. */

/** One version of a program, started in one way. */
export interface Subject {
  /** The package of PyPI. */
  readonly program: string;
  readonly version: string;
  /** Options that make it another thing, such as `--async`. */
  readonly mode?: string;
}

export interface Feature {
  /** A use of our server by the program: a sentence, which is also the name of its tests. */
  readonly text: string;
  /** Subjects without the feature. They are not tested. */
  readonly without?: readonly Subject[];
  /** A note for users of the program, beside the verdict. */
  readonly note?: string;
}

/** The subjects that are asked for the same features, and these: one table of the document. */
export interface Area {
  readonly title: string;
  /** An introduction for readers of the table. */
  readonly about?: string;
  readonly subjects: readonly Subject[];
  readonly features: readonly Feature[];
}

/** One subject with one feature: what a test shows, and a cell of the table. */
export interface Claim {
  readonly subject: Subject;
  readonly feature: Feature;
}

export const labelOf = ({ program, version, mode }: Subject): string =>
  [program, version, ...(mode === undefined ? [] : [mode])].join(' ');

export const claimsOf = ({ subjects, features }: Area): readonly Claim[] =>
  features.flatMap((feature) =>
    subjects
      .filter((subject) => feature.without?.includes(subject) !== true)
      .map((subject) => ({ subject, feature })),
  );

/** The item of the clients' checklist, before the words of a feature in a test title. Users do not know the items. */
const ITEM = /^\d+\.\d+: /;

/** A title such as `8.71: waits`, in its item (empty if there is none) and the words of the feature. */
export function readTitle(title: string): { readonly item: string; readonly text: string } {
  const [item = ''] = ITEM.exec(title) ?? [];
  return { item, text: title.slice(item.length) };
}

/** The text of a claim: also the name of its test, behind the item of the checklist that it shows. */
export const claimName = ({ subject, feature }: Claim): string =>
  `${labelOf(subject)} ${feature.text}`;
