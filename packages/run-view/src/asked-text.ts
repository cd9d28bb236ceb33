import type { FactOf } from '@tutti/workflow/facts';

/** The environment or generator that a job asks for. Calls of workflows look like generators. */
export function askedText(fact: FactOf<'EnvironmentRequested' | 'JobsAsked'>): string {
  if (fact.type === 'EnvironmentRequested') return 'asks for an environment';
  return fact.called === null
    ? `asks for its jobs: ${fact.event.generator}`
    : `calls ${fact.called.file}`;
}
