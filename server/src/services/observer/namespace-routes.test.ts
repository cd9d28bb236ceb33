import { messages } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createTestApp } from '../../http/testing.ts';
import { namespaceRoutes } from './namespace-routes.ts';

const { app, admin, restricted } = await createTestApp({ routes: [namespaceRoutes] });

async function ask(query: string, scope?: object) {
  const authorization = scope === undefined ? admin : await restricted(scope);
  const url = `/namespaces${query}`;
  const { reason, message, details } = (
    await app.inject({ method: 'GET', url, headers: { authorization } })
  ).json();
  return { reason, message, details };
}

describe('GET /namespaces', () => {
  test.each([
    ['no restriction', undefined, '', ['*']],
    ['no restriction, for one operation', undefined, '?resource=agents&verb=list', ['*']],
    ['some namespaces', { namespaces: ['team-b', 'team-a'] }, '', ['team-a', 'team-b']],
    ['all namespaces by name', { namespaces: ['*'], verbs: ['get'] }, '', ['*']],
    [
      'an operation that is allowed',
      { namespaces: ['team-a'], resources: ['workflows'], verbs: ['list'] },
      '?resource=workflows&verb=list',
      ['team-a'],
    ],
    [
      'a verb that is not allowed',
      { namespaces: ['team-a'], verbs: ['list'] },
      '?resource=workflows&verb=delete',
      [],
    ],
    [
      'a resource that is not allowed',
      { namespaces: ['team-a'], resources: ['agents'] },
      '?resource=workflows&verb=list',
      [],
    ],
    ['publications alone', { namespaces: ['bus'], resources: ['publications'] }, '', ['bus']],
    [
      'the right to publish',
      { namespaces: ['bus'], resources: ['publications'] },
      '?resource=publications&verb=create',
      ['bus'],
    ],
    [
      'a right of all namespaces, in some of them',
      { namespaces: ['team-a'] },
      '?resource=commands&verb=create',
      [],
    ],
    ['no restriction, for such a right', undefined, '?resource=commands&verb=create', ['*']],
    [
      'metrics of all namespaces, in some of them',
      { namespaces: ['team-a'] },
      '?resource=metrics&verb=get',
      [],
    ],
    ['nothing', { namespaces: [] }, '', []],
    // HTTP 4.5: GET /namespaces: where the operation, or any, is allowed; `*` for everywhere.
    // HTTP 5: Rights by namespace, resource and verb; listings leave out the rest.
  ])('names the namespaces of a token with %s', async (_name, scope, query, items) => {
    expect(await ask(query, scope)).toEqual({
      reason: 'OK',
      message: 'Accessible namespaces',
      details: { items },
    });
  });

  test.each([
    '?resource=agents',
    '?verb=list',
    '?resource=foo',
    '?verb=foo',
    '?resource=&verb=get',
    '?resource=agents&verb',
    // HTTP 4.5: GET /namespaces: one without the other is Invalid, whatever its value, as are other values.
  ])('refuses %s without its counterpart', async (query) => {
    expect(await ask(query)).toEqual({
      reason: 'Invalid',
      message: messages.resourceWithoutVerb(),
      details: null,
    });
  });

  test.each([
    ['?resource=jobs&verb=list', 'resource', 'jobs'],
    ['?resource=agents&verb=watch', 'verb', 'watch'],
    ['?resource=&verb=', 'resource', ''],
  ])('refuses %s and names the possible values', async (query, name, value) => {
    const { reason, message } = await ask(query);
    expect(reason).toBe('Invalid');
    expect(message).toMatch(
      new RegExp(`^Parameter "${name}" must be one of .*, not "${value}"\\.$`),
    );
  });
});
