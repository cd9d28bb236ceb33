/** `tutti agents describe`: an agent, its current work, and the jobs that wait for it. */
import type { Client, JsonRecord } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { labelOfStep } from '@tutti/workflow/step-label';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { chosenId } from '../resources/chosen-ids.ts';
import { textAt, valuePath, valuesAt } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { renderTable } from '../terminal/table.ts';
import { AGENTS } from './agents.ts';

export interface DescribeAgentOptions extends ConnectionOptions {
  readonly output: 'table' | 'json' | 'yaml';
}

/** Resolves with the exit code. Programs get the answer of the server: the agent, its work and its queue. */
export async function describeAgent(
  text: string,
  options: DescribeAgentOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const id = await chosenId(text, AGENTS, client);
  const { details } = await client.ask({ path: `/agents/${id}/queue` });
  const seen = isRecord(details) ? details : {};
  if (options.output === 'json') printDocument(seen, io);
  else if (options.output === 'yaml') await printYaml(seen, io);
  else {
    const step = await stepOf(client, seen);
    const lines = [...agentLines(seen, step), ...queueLines(seen), ...otherLines(seen)];
    io.screen.write(`${lines.join('\n')}\n`);
  }
  return EXIT_CODES.done;
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value on one line, without control sequences: its text comes from other users. */
const at = (item: unknown, path: string): string => cleanLine(textAt(item, valuePath(path) ?? []));
const recordsAt = (item: JsonRecord, name: string): readonly JsonRecord[] =>
  valuesAt(item, [name, '*']).filter(isRecord);

function agentLines({ agent, work }: JsonRecord, step: string | null): readonly string[] {
  const since = at(agent, 'status.drainingTimestamp');
  const isDraining = valuesAt(agent, ['status', 'draining'])[0] === true;
  const facts = [
    ['Name', at(agent, 'metadata.name')],
    ['Id', at(agent, 'metadata.agent_id')],
    ['Namespaces', at(agent, 'metadata.namespaces')],
    ['Tags', at(agent, 'spec.tags')],
    ['Version', at(agent, 'metadata.version')],
    ['Registered', at(agent, 'metadata.creationTimestamp')],
    ['Last contact', at(agent, 'status.lastCommunicationTimestamp')],
    ['Phase', at(agent, 'status.phase')],
    ...(isDraining ? [['Draining', `since ${since}: it takes no further job`]] : []),
    ...(isRecord(work) ? workFacts(work, step) : [['Job', workText(agent)]]),
  ];
  return facts.map(
    ([title = '', value = '']) => `${`${title}:`.padEnd(TITLE_WIDTH)}${cleanLine(value)}`,
  );
}

const TITLE_WIDTH = 14;

/** A token may see an agent without seeing all namespaces whose jobs run there. */
const workText = (agent: unknown): string =>
  at(agent, 'status.phase') === 'BUSY' ? 'not shown to this token' : '<none>';

const workFacts = (work: JsonRecord, step: string | null): readonly string[][] => [
  ['Job', `${at(work, 'metadata.name')} (${at(work, 'metadata.id')})`],
  [
    'Workflow',
    `${at(work, 'metadata.workflow_id')} in namespace ${at(work, 'metadata.namespace')}`,
  ],
  ['Since', at(work, 'status.startTime')],
  ...(step === null ? [] : [['Step', step]]),
];

function queueLines(seen: JsonRecord): readonly string[] {
  const jobs = recordsAt(seen, 'items');
  const count = Number(seen.count ?? jobs.length);
  if (count === 0) return ['', 'No job waits that it could take.'];
  const rows = jobs.map((job, index) => [`${index + 1}`, ...jobCells(job)]);
  const table = renderTable(['#', ...JOB_TITLES], rows);
  return ['', `Jobs that wait and that it could take, in their order: ${count}`, ...table];
}

function otherLines(seen: JsonRecord): readonly string[] {
  const jobs = recordsAt(seen, 'others');
  const count = Number(seen.othersCount ?? jobs.length);
  if (count === 0) return [];
  const rows = jobs.map((job) => [...jobCells(job), whyNot(job)]);
  const table = renderTable([...JOB_TITLES, 'WHY NOT'], rows);
  return ['', `Other jobs that wait: ${count}`, ...table];
}

const JOB_TITLES = ['JOB', 'NAMESPACE', 'RUNS_ON', 'WAITS_SINCE', 'WORKFLOW_ID'];

const jobCells = (job: JsonRecord): readonly string[] => [
  at(job, 'metadata.name'),
  at(job, 'metadata.namespace'),
  at(job, 'spec.runs-on'),
  at(job, 'status.requestTime').slice(0, 'YYYY-MM-DDThh:mm:ss'.length),
  at(job, 'metadata.workflow_id'),
];

function whyNot(job: JsonRecord): string {
  const missing = valuesAt(job, ['status', 'missingTags', '*']);
  if (missing.length === 0) return 'it is not for this namespace';
  return `it lacks ${missing.length === 1 ? 'tag' : 'tags'} ${cleanLine(missing.join(', '))}`;
}

/** Label of the step in the workflow; null if there is none, or the token may not read the run. */
async function stepOf(client: Client, { work }: JsonRecord): Promise<string | null> {
  if (!isRecord(work)) return null;
  const [id] = valuesAt(work, ['metadata', 'step_id']);
  if (typeof id !== 'string') return null;
  const query = { fieldSelector: 'kind==Workflow', per_page: '1' };
  const path = `/workflows/${at(work, 'metadata.workflow_id')}/status`;
  const { details } = await client.ask({ path, query }).catch(() => ({ details: null }));
  const steps = valuesAt(details, ['items', '*', 'jobs', '*', 'steps', '*']);
  const step = steps.find((each) => isRecord(each) && each.id === id);
  const label = isRecord(step) ? labelOfStep(step) : null;
  return label === null ? id : label.text;
}
