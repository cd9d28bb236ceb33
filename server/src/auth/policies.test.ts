import { describe, expect, test } from 'vitest';
import type { Resource, Verb } from './access.ts';
import { accessByPolicies, parsePolicyFile } from './policies.ts';

const GROUP = 'opentestfactory.org';
const document = (spec: unknown, more: object = {}): string =>
  JSON.stringify({ apiVersion: `abac.${GROUP}/v1alpha1`, kind: 'Policy', spec, ...more });

const parse = (...lines: readonly string[]) =>
  parsePolicyFile(lines.join('\n'), '/etc/policies.jsonl', GROUP);

const POLICIES = parse(
  '# those of team a',
  document({ user: 'alice', namespace: 'a', resource: 'workflows' }),
  '',
  document({ group: 'readers', namespace: 'b', resource: '*', readonly: true, apiGroup: '*' }),
  document({ group: 'admins', namespace: '*', resource: 'agents', readonly: false }),
);

describe('requests that policies allow', () => {
  const alice = { name: 'Alice', uid: 'alice', groups: new Set(['readers']) };
  const admin = { name: 'Root', uid: 'root', groups: new Set(['readers', 'admins']) };
  const nobody = { name: 'Nobody', uid: 'readers', groups: new Set(['alice']) };
  test.each<[string, typeof alice, Verb, Resource, '*' | readonly string[]]>([
    ['of the user', alice, 'create', 'workflows', ['a']],
    ['of the user and of the group', alice, 'get', 'workflows', ['a', 'b']],
    ['of the group, for every resource', alice, 'list', 'agents', ['b']],
    ['that only reads, to write', alice, 'delete', 'agents', []],
    ['in all namespaces', admin, 'delete', 'agents', '*'],
    ['in all namespaces and in one', admin, 'list', 'agents', '*'],
    ['of another resource', admin, 'create', 'workflows', []],
    ['to users named like groups', nobody, 'list', 'workflows', []],
  ])('%s', (_, user, verb, resource, expected) => {
    const access = accessByPolicies(user, POLICIES);
    expect(access.subject).toBe(user.uid);
    const namespaces = expected === '*' ? '*' : new Set(expected);
    expect(access.namespaces(resource, verb)).toEqual(namespaces);
    expect(access.namespaces(resource, verb)).toBe(access.namespaces(resource, verb));
  });
});

test.each<[string, string, string]>([
  ['text', 'alice may', 'not a JSON object'],
  ['a list', '[]', 'not a JSON object'],
  ['another version', document({}, { apiVersion: 'v1' }), `must be abac.${GROUP}/v1alpha1`],
  ['another kind', document({}, { kind: 'Role' }), '"kind" must be Policy'],
  ['no spec', document(undefined), '"spec" must be an object'],
  ['an unknown key beside the spec', document({}, { status: {} }), 'unknown key "status"'],
  [
    'a restriction that is misspelt',
    document({ user: 'a', namespace: 'a', resource: '*', readOnly: true }),
    'unknown key "readOnly", did you mean "readonly"?',
  ],
  ['nobody', document({ namespace: 'a', resource: '*' }), 'must have either "user"'],
  [
    'a user and a group',
    document({ user: 'a', group: 'b', namespace: 'a', resource: '*' }),
    'must have either "user"',
  ],
  ['an empty group', document({ group: '', namespace: 'a', resource: '*' }), 'must be a text'],
  ['no namespace', document({ user: 'a', resource: '*' }), '"namespace" must be'],
  ['a bad namespace', document({ user: 'a', namespace: 'A b', resource: '*' }), '"namespace" must'],
  ['no resource', document({ user: 'a', namespace: 'a' }), '"resource" must be * or one of agents'],
  [
    'an unknown resource',
    document({ user: 'a', namespace: 'a', resource: 'secrets' }),
    '"resource" must be * or one of agents',
  ],
  [
    'a misspelt spec',
    '{"apiVersion": "x", "Spec": {}}',
    'unknown key "Spec", did you mean "spec"?',
  ],
  [
    'a misspelt version',
    document({ user: 'a', namespace: 'a', resource: '*' }).replace('apiVersion', 'api_version'),
    'unknown key "api_version", did you mean "apiVersion"?',
  ],
  [
    'a text for true',
    document({ user: 'a', namespace: 'a', resource: '*', readonly: 'true' }),
    '"readonly" must be true or false',
  ],
])('%s is refused, with its line', (_, line, why) => {
  const work = () => parse('#', line);
  expect(work).toThrow('The policy file /etc/policies.jsonl is not usable: line 2: ');
  expect(work).toThrow(why);
});
