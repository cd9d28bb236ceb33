/** Workflow files of the forms that are in use: accepted, planned and run. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../cli/src/testing/run-command.ts';
import { type Answer, detailsOf, itemsOf, type Loose } from '../../support/api.ts';
import type { Inbox } from '../../support/inbox.ts';
import { startedId } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { claimTest } from '../feature.ts';
import { claimName, claimsOf } from '../subjects.ts';
import { featureText, WORKFLOWS } from './area.ts';
import { missingInOrder, observe } from './observation.ts';
import { reportPath, SAMPLES, type Sample } from './samples.ts';
import { openStandIns } from './stand-ins.ts';

/** As many run at a time as their agents can take. */
const AGENTS = ['one', 'two', 'three', 'four'];

let bench: Workbench;
let server: ServerChild;
let inbox: Inbox;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  inbox = await openStandIns(server);
  const options = { tags: ['linux', 'ssh', 'shell', 'node20'], namespaces: '*' };
  await Promise.all(AGENTS.map((name) => bench.agent(server, { ...options, name })));
});

afterAll(async () => {
  await inbox.close();
  await bench.close();
});

/** The commands know the functions of this server, and so those of its plugins. */
const configured = () => ({ env: { TUTTI_SERVER: server.url, TUTTI_TOKEN: server.token } });

for (const claim of claimsOf(WORKFLOWS)) {
  const sample = SAMPLES.find((each) => featureText(each) === claim.feature.text);
  if (sample === undefined) throw new Error(`No file is claimed by "${claim.feature.text}".`);
  claimTest(claimName(claim), (begins) => {
    begins();
    return holds(sample);
  });
}

async function holds(sample: Sample): Promise<void> {
  const { path, expected } = sample;
  const { warnings = [] } = expected;
  const validated = await runCommand(['validate', path], configured());
  expect(validated).toMatchObject({ code: 0, stderr: '' });
  const strictly = await runCommand(['validate', '--strict', path], configured());
  expect(strictly.code).toBe(warnings.length === 0 ? 0 : 1);
  expect(await plannedJobs(sample)).toEqual(expected.plan);
  const answer = await submit(sample);
  const actual = [detailsOf(answer).warnings ?? []].flat().map(String);
  expect(actual.map((text) => text.replace(/ \(line \d+\)$/, ''))).toEqual(warnings);
  const id = startedId(answer);
  const seen = await observe(server, id, expected);
  const log = seen.log.join('\n');
  expect(seen.end, log).toBe(expected.end);
  expect(seen.jobs).toEqual(expected.jobs);
  for (const key of ['functions', 'cases', 'outputs', 'files', 'gate'] as const) {
    if (expected[key] !== undefined) expect(seen[key], log).toEqual(expected[key]);
  }
  for (const entries of [...lifeOf(expected), ...(expected.order ?? [])]) {
    expect(missingInOrder(seen.events, entries), seen.events.join('\n')).toBeNull();
  }
  const inLog = [...actual.map((text) => `WARNING,${text}`), ...(expected.log ?? [])];
  expect(seen.log, log).toEqual(expect.arrayContaining(inLog));
  const never = ['no environment with', ...(expected.never ?? [])];
  expect(never.filter((text) => log.includes(text))).toEqual([]);
}

/** The events of every run: each job asks, works and is released, between the begin and the end. */
function lifeOf({ jobs, end }: Sample['expected']): readonly (readonly string[])[] {
  const last = end === 'DONE' ? 'WorkflowCompleted' : 'WorkflowCanceled';
  return Object.keys(jobs).map((job) => [
    'Workflow',
    `request ${job} on `,
    `run ${job}: `,
    `result ${job} `,
    `release ${job}`,
    last,
  ]);
}

interface PlannedJob {
  readonly key: string;
  readonly kind: string;
  readonly runsOn: readonly { readonly text: string }[];
  readonly jobs: readonly PlannedJob[];
}

async function plannedJobs({ path, expected }: Sample): Promise<readonly string[]> {
  const { code, stdout, stderr } = await runCommand(
    ['plan', path, '--format', 'json'],
    configured(),
  );
  expect([code, stderr !== '']).toEqual([0, expected.warnings !== undefined]);
  const plan: { readonly jobs: readonly PlannedJob[] } = JSON.parse(stdout);
  return plan.jobs.flatMap(plannedTexts);
}

function plannedTexts({ key, kind, runsOn, jobs }: PlannedJob): readonly string[] {
  const kinds = kind === 'steps' ? [] : [kind];
  const tags = runsOn.length === 0 ? [] : ['on', runsOn.map(({ text }) => text).join(' ')];
  return [[key, ...kinds, ...tags].join(' '), ...jobs.flatMap(plannedTexts)];
}

/** As clients do: the file itself, or a form where there is more to send. */
async function submit({ file, text, expected: { request = {} } }: Sample): Promise<Answer> {
  const { query, files, variables, inputs, lineEnds } = request;
  const type = request.type ?? (file.endsWith('.json') ? 'application/json' : 'application/x-yaml');
  const sent = lineEnds === 'CRLF' ? text.replaceAll('\n', '\r\n') : text;
  const isForm = [files, variables, inputs].some((each) => each !== undefined);
  const body = isForm ? await formOf(sent, request) : sent;
  const headers: Record<string, string> = isForm ? {} : { 'content-type': type };
  const parameters = query === undefined ? {} : { query };
  return await server.call('POST', '/workflows', { body, headers, ...parameters });
}

async function formOf(
  workflow: string,
  { files = {}, variables, inputs }: NonNullable<Sample['expected']['request']>,
): Promise<FormData> {
  const form = new FormData();
  form.set('workflow', new Blob([workflow]), 'workflow');
  if (variables !== undefined) form.set('variables', variables.join('\n'));
  if (inputs !== undefined) form.set('inputs', inputs.join('\n'));
  for (const [name, report] of Object.entries(files)) {
    form.set(name, new Blob([await readFile(reportPath(report))]), name);
  }
  return form;
}

/** Technologies of existing installations. */
const TECHNOLOGIES =
  /^(?:agilitest|cucumber5?|cypress|junit|katalon|playwright|postman|ranorex|robotframework|skf|soapui|uft)\//;

test('every function of every technology of existing installations is called', async () => {
  const all = SAMPLES.map(({ text }) => text).join('\n');
  const known = itemsOf(await server.call('GET', '/providers'));
  const names = known
    .map((each) => String((each as Loose).name))
    .filter((name) => TECHNOLOGIES.test(name));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !all.includes(name))).toEqual([]);
});
