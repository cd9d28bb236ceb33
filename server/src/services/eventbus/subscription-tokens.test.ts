import { expect, test } from 'vitest';
import { NO_ACCESS } from '../../auth/access.ts';
import type { NamespaceScope } from '../../bus/subscription-record.ts';
import { subscriptionTokens } from './subscription-tokens.ts';

const A = new Set(['a']);
const B = new Set(['b']);
const BOTH = new Set(['a', 'b']);
const NONE = new Set<string>();

test.each<
  [string, { scope: NamespaceScope; commands: NamespaceScope; now: NamespaceScope }, boolean]
>([
  ['all that it had', { scope: '*', commands: '*', now: '*' }, true],
  ['nothing of all', { scope: '*', commands: '*', now: NONE }, false],
  ['one of all', { scope: '*', commands: '*', now: A }, false],
  ['one of two', { scope: BOTH, commands: BOTH, now: A }, false],
  ['the one of two that it carried out', { scope: BOTH, commands: A, now: A }, true],
  ['the other one', { scope: BOTH, commands: A, now: B }, false],
  ['the one that it reaches', { scope: A, commands: '*', now: A }, true],
  ['nothing, of nothing', { scope: A, commands: B, now: NONE }, true],
])('a token that may carry out %s', async (_name, { scope, commands, now }, counts) => {
  const namespaces = (resource: string) => (resource === 'results' ? now : scope);
  const authenticate = async () => ({ ...NO_ACCESS, namespaces });
  const { refusal } = subscriptionTokens({ authority: { authenticate }, insecureLogin: false });
  const why = await refusal('token', { scope, commands });
  expect(why).toBe(counts ? null : 'Its token may carry out fewer commands than when it was made.');
});
