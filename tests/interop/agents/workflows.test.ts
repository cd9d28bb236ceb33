/** Whole workflows on existing agents. */
import { afterAll, beforeAll, expect } from 'vitest';
import { ended, logTexts, oneJob, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { startAgent } from './agent-program.ts';
import { AGENTS } from './area.ts';

let bench: Workbench;
let server: ServerChild;
const feature = featuresOf(AGENTS);

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

feature('runs the steps of a job, and tells their output and exit codes', async (run) => {
  const { tag } = await startAgent(bench, server, run);
  const steps = [
    sh('echo "naïve <$HOME>" | sed s/HOME/x/; echo to stderr >&2'),
    sh('exit 3', { 'continue-on-error': true }),
    sh('pwd'),
  ];
  const id = await start(server, oneJob('steps', steps, { 'runs-on': ['linux', tag] }));
  expect(await ended(server, id)).toBe('DONE');
  const texts = await logTexts(server, id);
  expect(texts).toEqual(expect.arrayContaining(['to stderr', 'Status code was: 3']));
});
