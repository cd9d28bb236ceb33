/** The sentence about the jobs because of which a run failed. */
import type { Job } from './run.ts';

const NAMES_MAX = 5;
const SENTENCE = /^Jobs? ".*" (?:and \d+ more )?failed\.$/;

export function failureSentence(failed: readonly Pick<Job, 'name'>[]): string {
  const names = failed.slice(0, NAMES_MAX).map((job) => `"${job.name}"`);
  const more = failed.length > names.length ? ` and ${failed.length - names.length} more` : '';
  return `${failed.length === 1 ? 'Job' : 'Jobs'} ${names.join(', ')}${more} failed.`;
}

export const isFailureSentence = (reason: string): boolean => SENTENCE.test(reason);
