import { atOnce } from '@tutti/manifests';
import { parseFieldSelector } from '@tutti/selectors';
import { expect, test } from 'vitest';
import { workflowId } from '../../store/conformance/samples.ts';
import { EVENT_FACTS_LIMITS, EventFacts } from './event-facts.ts';

const { bytes, eventsMin } = EVENT_FACTS_LIMITS;
const NONE: ReturnType<typeof parseFieldSelector>['conditions'] = [];
const [RUN, OTHER] = [workflowId(1), workflowId(2)];

function learn(facts: EventFacts, id: typeof RUN, count: number, masks = 0, name = ''): void {
  const question = facts.of(id, masks, NONE);
  for (let seq = question.seen + 1; seq <= count; seq += 1) {
    question.learn(seq, { kind: 'a', metadata: { name: `${name}${seq}` } });
  }
}

const seen = (facts: EventFacts, id: typeof RUN, masks = 0): number =>
  facts.of(id, masks, NONE).seen;

test('facts from one question about a large run help the next', () => {
  const facts = new EventFacts();
  learn(facts, RUN, eventsMin + 5);
  expect([seen(facts, RUN), seen(facts, OTHER)]).toEqual([eventsMin + 5, 0]);
  const { conditions } = parseFieldSelector('metadata.name==7');
  expect(atOnce(facts.of(RUN, 0, conditions).decide(1, facts.of(RUN, 0, conditions).seen))).toEqual(
    { chosen: [7], open: [] },
  );
});

test('small runs keep no facts', () => {
  const facts = new EventFacts();
  learn(facts, RUN, eventsMin - 1);
  expect(seen(facts, RUN)).toBe(0);
});

test('a run that masks more is another one', () => {
  const facts = new EventFacts();
  learn(facts, RUN, eventsMin);
  expect(seen(facts, RUN, 1)).toBe(0);
  learn(facts, RUN, eventsMin + 1, 1);
  expect([seen(facts, RUN, 1), seen(facts, RUN, 0)]).toEqual([eventsMin + 1, 0]);
});

test('the run that was not asked about for longest goes first, and none takes more than all together may', () => {
  const facts = new EventFacts();
  const long = 'x'.repeat(500);
  const ids = [1, 2, 3].map(workflowId);
  const fill = Math.floor(bytes / 3_000);
  for (const id of ids.slice(0, 2)) learn(facts, id, fill, 0, long);
  expect(seen(facts, ids[0] ?? RUN)).toBe(fill);
  learn(facts, ids[2] ?? RUN, 100 * fill, 0, long);
  const known = seen(facts, ids[2] ?? RUN);
  expect(known).toBeGreaterThan(fill);
  expect(known).toBeLessThan(100 * fill);
  expect(ids.map((id) => seen(facts, id) > 0)).toEqual([false, false, true]);
});
