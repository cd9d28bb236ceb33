import { createRunLog } from '@tutti/run-view/testing';
import { expect, test } from 'vitest';
import { createEventListing } from './event-listing.ts';

test('a step that has no name but a long command leaves room for the other columns', () => {
  const run = `printf '${'x'.repeat(200)}'`;
  const log = createRunLog({ main: { 'runs-on': 'linux', steps: [{ id: 's', run }] } });
  log.request('main');
  log.offer('main');
  log.step('main', 's', run);
  const { listing, learn } = createEventListing();
  const column = listing.columns.find(({ title }) => title === 'STEP');
  const shown = log.events.map((event) => {
    learn(event);
    return typeof column?.cell === 'function' ? column.cell({ ...event }) : '';
  });
  expect(shown.at(-1)).toBe(`printf '${'x'.repeat(31)}…`);
});
