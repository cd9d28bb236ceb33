/** Counts agents by their phase, and lists jobs that none of them can take. */
import type { Client, JsonRecord } from '@tutti/client';
import { valuePath, valuesAt } from '../resources/value-path.ts';
import { problemOf } from '../terminal/problem.ts';
import { attention, ok, type Point, type Section, wrong } from './section.ts';

/** Number of runs to check, and of jobs to name: enough to find the missing tag. */
const RUNS_MAX = 20;
const JOBS_SHOWN = 5;

export async function agentsSection(client: Client): Promise<Section> {
  return { name: 'Agents', points: await points(client) };
}

async function points(client: Client): Promise<readonly Point[]> {
  try {
    const agents = await client.list('agents');
    return [...phasePoints(agents), ...(await waitingPoints(client, agents))];
  } catch (error) {
    const { what, why, next } = problemOf(error);
    return [wrong([what, ...why].join(' '), next)];
  }
}

const at = (item: object, path: string): readonly unknown[] =>
  valuesAt(item, valuePath(path) ?? []);

function phasePoints(agents: readonly JsonRecord[]): readonly Point[] {
  if (agents.length === 0) {
    return [
      attention(
        'there are none: jobs wait',
        'start one on a machine that is to run jobs: "tutti agent --server URL --token-file FILE".',
      ),
    ];
  }
  const phases = agents.map((agent) => String(at(agent, 'status.phase')[0] ?? 'unknown'));
  const counts = [...new Set(phases)].map(
    (phase) => `${phases.filter((each) => each === phase).length} ${phase}`,
  );
  const lost = agents.filter((_agent, index) => phases[index] === 'UNREACHABLE');
  const names = lost.slice(0, JOBS_SHOWN).map((agent) => String(at(agent, 'metadata.name')[0]));
  const more = lost.length > names.length ? `, and ${lost.length - names.length} more` : '';
  return [
    ok(counts.join(', ')),
    ...(lost.length === 0
      ? []
      : [
          attention(
            `unreachable: ${names.join(', ')}${more}`,
            'look at their machines and their logs; "tutti agents delete ID" removes one for good.',
          ),
        ]),
  ];
}

interface WaitingJob {
  readonly run: string;
  readonly job: string;
  readonly tags: readonly string[];
}

async function waitingPoints(
  client: Client,
  agents: readonly JsonRecord[],
): Promise<readonly Point[]> {
  const runs = await client.list('workflows', {
    fieldSelector: 'status.phase in (PENDING, RUNNING)',
  });
  const jobs: WaitingJob[] = [];
  for (const run of runs.slice(0, RUNS_MAX)) {
    const id = String(at(run, 'metadata.workflow_id')[0]);
    const events: object[] = [];
    const pages = client.eventPages(id, { fieldSelector: 'metadata.step_sequence_id==-1' });
    for await (const page of pages) events.push(...page.events);
    jobs.push(...waitingJobs(id, events));
  }
  const offers = agents.map((agent) => at(agent, 'spec.tags').flat().map(String));
  const stuck = jobs.filter(
    ({ tags }) => !offers.some((offered) => tags.every((tag) => offered.includes(tag))),
  );
  const shown = stuck
    .slice(0, JOBS_SHOWN)
    .map(({ run, job, tags }) => `${job} of ${run} (${tags.join(', ')})`);
  const more = stuck.length > shown.length ? `, and ${stuck.length - shown.length} more` : '';
  if (stuck.length === 0) return jobs.length === 0 ? [] : [ok(`waiting jobs: ${jobs.length}`)];
  return [
    attention(
      `no agent has the tags that these jobs ask for: ${shown.join('; ')}${more}`,
      'start an agent with these tags, or correct runs-on of the workflow.',
    ),
  ];
}

/** Jobs that asked for an environment and have none; the events show requests and offers. */
function waitingJobs(run: string, events: readonly object[]): readonly WaitingJob[] {
  const waiting = new Map<string, WaitingJob>();
  for (const item of events) {
    const job = String(at(item, 'metadata.job_id')[0] ?? '');
    if (at(item, 'kind')[0] === 'ExecutionCommand') {
      const tags = at(item, 'runs-on').flat().map(String);
      waiting.set(job, { run, job: String(at(item, 'metadata.name')[0] ?? job), tags });
    } else if (job !== '') waiting.delete(job);
  }
  return [...waiting.values()];
}
