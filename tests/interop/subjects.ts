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
  /** What the program does with our server: a sentence, which is also the name of its tests. */
  readonly text: string;
  /** What the program has not: these subjects are not asked. */
  readonly without?: readonly Subject[];
  /** What users of the program should know beside the verdict. */
  readonly note?: string;
}

/** The subjects that are asked for the same features, and these: one table of the document. */
export interface Area {
  readonly title: string;
  /** What readers of the table have to know. */
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

/** The text of a claim: also the name of its test. */
export const claimName = ({ subject, feature }: Claim): string =>
  `${labelOf(subject)} ${feature.text}`;
