/** Tests of what existing programs do with our server: one for each subject of a feature, side by side. */
import { type TestContext, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { type Installed, installed } from './installation.ts';
import { clearVerdict, writeVerdict } from './results.ts';
import { type Area, claimName, claimsOf, labelOf, type Subject } from './subjects.ts';

export interface FeatureRun<S extends Subject> {
  readonly subject: S;
  readonly program: Installed;
  /** No other run of the file has it: for tags, names and folders. */
  readonly id: string;
  readonly context: TestContext;
}

export type FeatureBody<S extends Subject> = (run: FeatureRun<S>) => Promise<void>;

/** A test whose verdict is the one of a claim. `body` calls `begins` when all that it needs is there. */
export function claimTest(
  name: string,
  body: (begins: () => void, context: TestContext) => Promise<void>,
): void {
  test.concurrent(name, async (context) => {
    clearVerdict(name);
    await body(() => writeVerdict(name, 'fails'), context);
    writeVerdict(name, 'works');
  });
}

/** Tells how tests of the features of an area are written: `feature(text, body)`. */
export function featuresOf<S extends Subject>(area: Area & { readonly subjects: readonly S[] }) {
  let runs = 0;
  return (text: string, body: FeatureBody<S>): void => {
    const claims = claimsOf(area).filter(({ feature }) => feature.text === text);
    if (claims.length === 0) throw new Error(`${area.title} has no feature "${text}".`);
    for (const claim of claims) {
      const name = claimName(claim);
      // The claims of an area are of its subjects.
      const subject = claim.subject as S;
      runs += 1;
      const id = `run${runs}`;
      claimTest(name, async (begins, context) => {
        const program = need(await installed(subject), labelOf(subject), context);
        begins();
        await body({ subject, program, id, context });
      });
    }
  };
}
