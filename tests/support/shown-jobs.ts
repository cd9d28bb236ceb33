/** The jobs of a run on its page, held against what they are. */
import { emptyRunStory, type RunDocument, reduceRunStory, runDocument } from '@tutti/run-view';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Api, detailsOf } from './api.ts';
import { allEvents } from './runs.ts';

const WORDS = {
  WAITING: 'waiting',
  RUNNING: 'running',
  SUCCEEDED: 'passed',
  FAILED: 'failed',
  CANCELED: 'canceled',
  SKIPPED: 'skipped',
} as const;

type Jobs = readonly Pick<RunDocument['jobs'][number], 'name' | 'status'>[];

/** For a machine that does much else. */
const PATIENCE = { timeout: 60_000 };

/** Waits until the list of the page has exactly these jobs, in their states and order. */
export async function expectJobs(page: Page, jobs: Jobs): Promise<void> {
  const cells = page.getByRole('treegrid', { name: 'Jobs' }).locator('[role=row] > :first-child');
  const wanted = jobs.map(({ name, status }) => `${WORDS[status]}${name}`);
  await expect.poll(() => cells.allTextContents(), PATIENCE).toEqual(wanted);
}

/** The jobs as the server has them after an event. */
export async function jobsAt(api: Api, id: string, seq: number): Promise<Jobs> {
  const answer = await api.call('GET', `/workflows/${id}/view`, { query: `at=${seq}` });
  return detailsOf(answer).jobs as Jobs;
}

/** The jobs as all events make them. */
export async function foldedJobs(api: Api, id: string): Promise<Jobs> {
  const events = await allEvents(api, id);
  return runDocument(events.reduce(reduceRunStory, emptyRunStory)).jobs;
}
