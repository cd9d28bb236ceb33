/** Rule for general errors of executions. Each goes to one test case, to an executed one if possible. */
import type { AttachmentId, NotificationEvent, RunEvent } from '@tutti/manifests';
import { factOf } from '../../facts/decode.ts';
import { GENERAL_ERRORS_LIMITS, placedErrors } from '../general-errors.ts';
import { jobOfAttachment, type Run } from '../run.ts';
import { must } from './must.ts';

/** Tests and errors that were reported for one attachment, and the test case that got the errors. */
interface Tally {
  actual: number;
  placed: number;
  hasTest: boolean;
  holder: string | null;
}

export class TestRules {
  readonly #tallies = new Map<AttachmentId, Tally>();

  check(before: Run, events: readonly RunEvent[], after: Run): void {
    for (const event of events) if (event.kind === 'Notification') this.#hear(event, after);
    for (const { attachmentId, test, errors } of placedErrors(before, after, events)) {
      const tally = this.#of(attachmentId);
      const holder = tally.holder ?? test.name;
      must(holder === test.name, `Errors of one report are shown with ${holder} and ${test.name}.`);
      tally.holder = holder;
      tally.placed += errors.length;
    }
    for (const [id, { actual, placed, hasTest }] of this.#tallies) {
      const expected = hasTest ? Math.min(actual, GENERAL_ERRORS_LIMITS.errors) : 0;
      must(placed === expected, `Of ${actual} errors in ${id}, ${placed} are shown.`);
    }
  }

  #hear(event: NotificationEvent, run: Run): void {
    const { spec } = event;
    const fact = factOf(event);
    for (const { attachment_origin: id, errorsList = [] } of spec.testResults ?? []) {
      if (jobOfAttachment(run, id) === null) continue;
      this.#of(id).hasTest = true;
      this.#of(id).actual += errorsList.length;
    }
    for (const { attachment_origin: id } of 'generalErrors' in fact ? fact.generalErrors : []) {
      if (id !== undefined && jobOfAttachment(run, id) !== null) this.#of(id).actual += 1;
    }
  }

  #of(id: AttachmentId): Tally {
    const tally = this.#tallies.get(id) ?? { actual: 0, placed: 0, hasTest: false, holder: null };
    this.#tallies.set(id, tally);
    return tally;
  }
}
