/** Tests of what existing programs do with our server: one for each subject of a feature, side by side. */
import { type TestContext, test } from 'vitest';
import { need } from '../support/found-tool.ts';
import { type Installed, installed } from './installation.ts';
import { clearVerdict, writeVerdict } from './results.ts';
import { type Area, claimName, claimsOf, labelOf, readTitle, type Subject } from './subjects.ts';

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
  claim: string,
  body: (begins: () => void, context: TestContext) => Promise<void>,
  item = '',
): void {
  test.concurrent(`${item}${claim}`, async (context) => {
    clearVerdict(claim);
    await body(() => writeVerdict(claim, 'fails'), context);
    writeVerdict(claim, 'works');
  });
}

/** Tells how tests of the features of an area are written: `feature(text, body)`, also with an item before the text (`8.71: text`). */
export function featuresOf<S extends Subject>(area: Area & { readonly subjects: readonly S[] }) {
  let runs = 0;
  return (title: string, body: FeatureBody<S>): void => {
    const { item, text } = readTitle(title);
    const claims = claimsOf(area).filter(({ feature }) => feature.text === text);
    if (claims.length === 0) throw new Error(`${area.title} has no feature "${text}".`);
    for (const claim of claims) {
      // The claims of an area are of its subjects.
      const subject = claim.subject as S;
      runs += 1;
      const id = `run${runs}`;
      const whole = async (begins: () => void, context: TestContext) => {
        const program = need(await installed(subject), labelOf(subject), context);
        begins();
        await body({ subject, program, id, context });
      };
      claimTest(claimName(claim), whole, item);
    }
  };
}
