/** Names a step of a job for readers. */
import { isUuid } from '@tutti/manifests';
import type { Frame, IdentifiedStep, Job } from './run.ts';

/** Names a step by its own name; a step without one by its position, as validation does. */
export function placeOfStep(job: Job, frame: Frame, step: IdentifiedStep): string {
  const ofJob = `jobs.${job.key}`;
  const called = step.name ?? givenId(step);
  if (called !== null) return `${ofJob}, step ${called}`;
  const index = indexOf(step, frame);
  const around = aroundStep(frame, step);
  return around === null ? `${ofJob}.steps[${index}]` : `${ofJob}, step ${index + 1} of ${around}`;
}

/** Names a step at the beginning of a sentence; `evaluated` is its name as it runs, if that is known. */
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

/** Steps without an id get one that nobody knows. One of a hook may have a number behind it, where the id was taken. */
const givenId = ({ id }: IdentifiedStep): string | null =>
  isUuid(id.replace(/-\d+$/, '')) || isUuid(id) ? null : id;

const CALLED_LENGTH_MAX = 1024;

/** Label of a hook step that does not run: its name, function, command or id, as they are written. */
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

/** The function or hook in which the position of the step is counted; null for the job itself. */
function aroundStep({ provider }: Frame, { hook }: IdentifiedStep): string | null {
  return hook === undefined ? (provider?.uses ?? null) : `hook "${hook.name}"`;
}

function indexOf({ hook }: IdentifiedStep, frame: Frame): number {
  const isBeside = (other: IdentifiedStep) =>
    other.hook?.name === hook?.name && other.hook?.part === hook?.part;
  return frame.steps.slice(0, frame.next).filter(isBeside).length;
}
