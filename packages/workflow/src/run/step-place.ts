/** Which step of a job is meant, for readers. */
import { isUuid } from '@tutti/manifests';
import type { Frame, IdentifiedStep, Job } from './run.ts';

/** By what its author calls it; what has no name by its position, as validation names it. */
export function placeOfStep(job: Job, frame: Frame, step: IdentifiedStep): string {
  const ofJob = `jobs.${job.key}`;
  const called = step.name ?? givenId(step);
  if (called !== null) return `${ofJob}, step ${called}`;
  const index = indexOf(step, frame);
  const around = aroundStep(frame, step);
  return around === null ? `${ofJob}.steps[${index}]` : `${ofJob}, step ${index + 1} of ${around}`;
}

/** The same to begin a sentence; `evaluated` is its name as it runs, if that is known. */
export function sentenceSubject(
  job: Job,
  frame: Frame,
  step: IdentifiedStep,
  evaluated: string | null,
): string {
  const ofJob = `job "${job.name}"`;
  const called = evaluated ?? step.name ?? givenId(step);
  if (called !== null) return `Step "${called}" of ${ofJob}`;
  const position = `Step ${indexOf(step, frame) + 1}`;
  const around = aroundStep(frame, step);
  return around === null ? `${position} of ${ofJob}` : `${position} of ${around} in ${ofJob}`;
}

/** Steps without an id get one that nobody knows; one of a hook may have a number behind it, where the id was taken. */
const givenId = ({ id }: IdentifiedStep): string | null =>
  isUuid(id.replace(/-\d+$/, '')) || isUuid(id) ? null : id;

const CALLED_LENGTH_MAX = 1024;

/** What a step of a hook is called where it does not run: its name, its function, its command or its id, as they are written. */
export function calledAsWritten(step: IdentifiedStep): string {
  const { name, uses, run, 'use-workspace': used } = step;
  const choice = used === undefined ? 'keep-workspace' : 'use-workspace';
  const texts = [name, uses, firstLine(run), givenId(step), choice];
  return (texts.find((text) => text?.trim()) ?? choice).slice(0, CALLED_LENGTH_MAX);
}

const firstLine = (text = ''): string =>
  text
    .split(/\r?\n/)
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';

/** What its position is counted in, where that is not the job itself. */
function aroundStep({ provider }: Frame, { hook }: IdentifiedStep): string | null {
  return hook === undefined ? (provider?.uses ?? null) : `hook "${hook.name}"`;
}

function indexOf({ hook }: IdentifiedStep, frame: Frame): number {
  const isBeside = (other: IdentifiedStep) =>
    other.hook?.name === hook?.name && other.hook?.part === hook?.part;
  return frame.steps.slice(0, frame.next).filter(isBeside).length;
}
