import { createRedactor } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { type REDACT_EVENT, REDACTION_LIMITS, redactedInThread } from './redaction.ts';

const LONG = 'x'.repeat(REDACTION_LIMITS.lengthHere);
const jsonOf = (script: string) =>
  JSON.stringify({ kind: 'ExecutionCommand', metadata: { name: 'n' }, scripts: [script] });

/** Carries tasks out, and notes whose they are. */
function threadsOf(shares: string[]) {
  return {
    run: async (task: typeof REDACT_EVENT, input: never, { share }: { readonly share: string }) => {
      shares.push(share);
      return (await task.load())(input);
    },
  };
}

test.each([
  ['secret', `secret ${LONG}`, '*** x'],
  ['', `::add-mask::told\n${LONG}`, '::add-mask::***'],
])('a large event is redacted in a thread (masked: "%s")', async (mask, script, begin) => {
  const shares: string[] = [];
  const redactor = createRedactor(mask === '' ? [] : [mask]);
  const shown = await redactedInThread(threadsOf(shares), redactor, jsonOf(script), 'team');
  expect(JSON.parse(shown ?? '').scripts[0].slice(0, begin.length)).toBe(begin);
  expect(shares).toEqual(['team']);
});

test.each([
  ['a small one', 'secret', jsonOf('secret')],
  ['one of a run that masks nothing', '', jsonOf(LONG)],
])('%s is left to the caller', async (_, mask, json) => {
  const shares: string[] = [];
  const redactor = createRedactor(mask === '' ? [] : [mask]);
  expect(await redactedInThread(threadsOf(shares), redactor, json, 'team')).toBeNull();
  expect(shares).toEqual([]);
});
