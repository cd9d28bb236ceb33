/** The attachments of a run, found in its events as existing clients find them (clients facts 3.8). */
import type { Client, WorkflowReport } from '@tutti/client';
import type { LoggedEvent } from '@tutti/manifests';
import { fileNameOf } from './file-name.ts';

export interface Attachment {
  readonly uuid: string;
  readonly fileName: string;
  readonly type: string;
  /** Empty for files of the whole run, as `step` and `testCase` are. */
  readonly job: string;
  /** Origin of the file in its job: the number of the step, from 1; or a hook of the environment. */
  readonly step: string;
  readonly testCase: string;
  readonly os: string;
  readonly createdAt: string;
  /** Folder of the file within that of the job; empty for files of the whole run. */
  readonly folder: readonly string[];
}

export interface AttachmentList {
  readonly status: WorkflowReport['status'];
  readonly attachments: readonly Attachment[];
}

/** Kinds with facts about attachments. Others, mostly notifications, are not fetched. */
const KINDS = [
  'Workflow',
  'GeneratorResult',
  'ExecutionCommand',
  'ExecutionResult',
  'WorkflowResult',
];

export async function listAttachments(client: Client, workflowId: string): Promise<AttachmentList> {
  const finder = createAttachmentFinder();
  let status: WorkflowReport['status'] = 'PENDING';
  const fieldSelector = `kind in (${KINDS.join(',')})`;
  for await (const page of client.eventPages(workflowId, { fieldSelector })) {
    for (const event of page.events) finder.event(event);
    status = page.status;
  }
  return { status, attachments: finder.attachments() };
}

interface StepPlace {
  /** From 1. */
  readonly position: number;
  readonly testCase: string;
}

/** Finds attachments in the events of a run, in order. Other servers may leave out optional entries. */
export function createAttachmentFinder() {
  const jobNames = new Map<string, string>();
  const steps = new Map<string, StepPlace>();
  const found = new Map<string, Attachment>();

  function add(event: LoggedEvent): void {
    const metadata: Fields = event.metadata;
    const files = recordOf(metadata.attachments);
    const { attachments: paths }: Fields = { ...event };
    for (const path of textsOf(paths)) {
      const file = recordOf(files[path]);
      const uuid = textOf(file.uuid);
      if (uuid === '' || found.has(uuid)) continue;
      const place = event.kind === 'WorkflowResult' ? OF_RUN : placeOf(metadata, jobNames, steps);
      const about = { fileName: fileNameOf(path), type: textOf(file.type), ...place };
      const createdAt = textOf(metadata.creationTimestamp);
      found.set(uuid, { uuid, ...about, os: textOf(metadata.channel_os), createdAt });
    }
  }

  return {
    event(event: LoggedEvent): void {
      const metadata: Fields = event.metadata;
      if (event.kind === 'Workflow' || event.kind === 'GeneratorResult')
        addSteps(event.jobs, steps);
      else if (event.kind === 'ExecutionCommand') {
        if (metadata.step_sequence_id === -1) {
          jobNames.set(textOf(metadata.job_id), textOf(metadata.name));
        }
      } else add(event);
    },
    attachments: (): readonly Attachment[] => [...found.values()],
  };
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** Adds the steps of jobs, and of the jobs inside them. */
function addSteps(jobs: unknown, places: Map<string, StepPlace>): void {
  for (const job of Object.values(recordOf(jobs)).map(recordOf)) {
    const steps = Array.isArray(job.steps) ? job.steps.map(recordOf) : [];
    for (const [index, step] of steps.entries()) {
      const reference = textOf(recordOf(step.with).test);
      const testCase = reference.split('/').at(-1) ?? '';
      places.set(textOf(step.id), { position: index + 1, testCase });
    }
    if (isRecord(job.jobs)) addSteps(job.jobs, places);
  }
}

type Place = Pick<Attachment, 'job' | 'step' | 'testCase' | 'folder'>;

const OF_RUN: Place = { job: '', step: '', testCase: '', folder: [] };

function placeOf(
  metadata: Fields,
  jobNames: ReadonlyMap<string, string>,
  steps: ReadonlyMap<string, StepPlace>,
): Place {
  const job = jobNames.get(textOf(metadata.job_id)) ?? textOf(metadata.name);
  const [outermost] = textsOf(metadata.step_origin);
  const place = steps.get(outermost ?? textOf(metadata.step_id));
  if (place !== undefined) {
    const { position, testCase } = place;
    const folder = testCase === '' ? `${position}` : `${position}_${testCase}`;
    return { job, step: `${position}`, testCase, folder: [job, folder] };
  }
  const step = hookOf(metadata);
  const sequence = String(metadata.step_sequence_id ?? '');
  const name = textOf(metadata.name);
  return { job, step, testCase: '', folder: [job, step, `${sequence}_${name}`] };
}

const HOOKS = '/hooks';

/** The hook of a step of the environment itself. */
function hookOf({ annotations }: Fields): string {
  const hooks = Object.entries(recordOf(annotations)).find(([name]) => name.endsWith(HOOKS))?.[1];
  return textOf(recordOf(hooks).channel) || 'other';
}
