/** Definitions that come in a request (specification 4.10). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definition, type GateFixture, openGateFixture, UNKNOWN } from './testing.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await openGateFixture();
});
afterAll(() => fixture.close());

describe('POST: the definition', () => {
  const yaml = definition(`[{name: half, rule: {scope: "test.job == 'job-0'", threshold: 50%}}]`);
  const json = JSON.stringify({
    qualitygates: [
      {
        name: 'mine',
        rules: [{ name: 'half', rule: { scope: "test.job == 'job-0'", threshold: '50%' } }],
      },
    ],
  });
  const form = (part: string, content: string, file = '; filename="gates.yaml"') =>
    `--b\r\ncontent-disposition: form-data; name="${part}"${file}\r\n\r\n${content}\r\n--b--\r\n`;
  const JSON_PART = '\r\ncontent-type: application/json';
  const formType = 'multipart/form-data; boundary=b';

  test.each<[string, string, string | null]>([
    ['JSON', json, 'application/json'],
    ['YAML', yaml, 'application/x-yaml'],
    ['JSON that is called YAML', json, 'application/x-yaml'],
    ['YAML of another name', yaml, 'text/yaml; charset=utf-8'],
    ['YAML that is called plain text', yaml, 'text/plain; charset=utf-8'],
    ['YAML without a content type', yaml, null],
    ['a file of a form', form('qualitygates', yaml), formType],
    ['a file of a form, in JSON', form('qualitygates', json), formType],
    ['a field of a form', form('qualitygates', yaml, ''), formType],
    ['a field of a form that says to be JSON', form('qualitygates', json, JSON_PART), formType],
    [
      'a field of a form that says to be JSON, in YAML',
      form('qualitygates', yaml, JSON_PART),
      formType,
    ],
    // HTTP 4.10: POST: a definition in a body or a form; the mode must be given.
  ])('comes as %s', async (_what, body, type) => {
    const id = await fixture.addRun(['success', 'failure', 'failure', 'success']);
    const answer = await fixture.post(id, body, { type });
    expect(answer).toMatchObject({ code: 200, reason: 'OK', message: '' });
    expect(answer.details).toEqual({
      status: 'SUCCESS',
      rules: {
        half: {
          result: 'SUCCESS',
          scope: "test.job == 'job-0'",
          success_ratio: '50%',
          tests_failed: 1,
          tests_in_scope: 2,
          tests_passed: 1,
          threshold: '50%',
        },
      },
    });
  });

  // HTTP 4.10: POST: a definition in a body or a form; the mode must be given.
  test('4.10: in a field that says to be JSON and is none is Invalid', async () => {
    const id = await fixture.addRun(['success']);
    const answer = await fixture.post(id, form('qualitygates', '{ x', JSON_PART), {
      type: formType,
    });
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  test('has only so much text in the other fields of its form', async () => {
    const id = await fixture.addRun(['success']);
    const field = (name: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${'x'.repeat(400_000)}\r\n`;
    const body = `${field('a')}${field('b')}${field('c')}${form('qualitygates', yaml)}`;
    expect(await fixture.post(id, body, { type: formType })).toMatchObject({
      code: 413,
      message: 'The fields of a request may have 1048576 bytes at most in all.',
    });
  });

  test('of which the mode chooses one; of several with one name the last one, with a warning', async () => {
    const id = await fixture.addRun(['failure']);
    const rule = (threshold: string) =>
      `\n- name: mine\n  rules: [{rule: {threshold: ${threshold}}}]`;
    const other = '\n- name: other\n  rules: [{rule: {threshold: 100%}}]';
    const body = `qualitygates:${rule('100%')}${other}${rule('0%')}\n`;
    const warning = 'Duplicate definitions found for quality gate "mine", the last one is used.';
    expect((await fixture.post(id, body)).details).toMatchObject({
      status: 'SUCCESS',
      warnings: [warning],
    });
    const otherAnswer = await fixture.post(id, body, { query: '?mode=other' });
    expect(otherAnswer.details).toMatchObject({ status: 'FAILURE', rules: { 'rule-1': {} } });
    expect(otherAnswer.details).not.toHaveProperty('warnings');
  });

  test('may call a gate strict, and has no strict gate otherwise', async () => {
    const id = await fixture.addRun(['failure']);
    const body = definition('[{rule: {threshold: 0%}}]', 'strict');
    const query = '?mode=strict';
    expect((await fixture.post(id, body, { query })).details.status).toBe('SUCCESS');
    const without = await fixture.post(id, definition('[{rule: {threshold: 0%}}]'), { query });
    expect(without).toMatchObject({
      code: 422,
      message: 'Quality gate strict not found in definition file.',
    });
  });

  test('with a wrong scope fails, and says so for that rule', async () => {
    const id = await fixture.addRun(['success']);
    const body = definition(
      '[{name: a, rule: {scope: "test.", threshold: 0%}}, {name: b, rule: {threshold: 0%}}]',
    );
    expect((await fixture.post(id, body)).details).toMatchObject({
      status: 'FAILURE',
      rules: {
        a: { result: 'INVALID_SCOPE', message: expect.stringContaining('[SCOPE ERROR]') },
        b: { result: 'SUCCESS' },
      },
    });
  });

  test('takes true and false for scopes, as they are written in YAML', async () => {
    const id = await fixture.addRun(['success', 'failure']);
    const body = definition(
      '[{name: all, rule: {scope: true, threshold: 50%}}, {name: none, rule: {scope: false, threshold: 100%}}]',
    );
    expect((await fixture.post(id, body)).details).toMatchObject({
      status: 'SUCCESS',
      rules: {
        all: { result: 'SUCCESS', scope: 'true', tests_in_scope: 2 },
        none: { result: 'NOTEST', scope: 'false', tests_in_scope: 0 },
      },
    });
  });

  test('keeps the name of a rule whatever it is', async () => {
    const body = definition('[{name: __proto__, rule: {threshold: 0%}}]');
    const { details } = await fixture.post(await fixture.addRun(['success']), body);
    expect(Object.keys(details.rules)).toEqual(['__proto__']);
  });

  test.each(['', '?mode=', '?timeout=1'])('without a mode (%j) is Invalid', async (query) => {
    const answer = await fixture.post(await fixture.addRun([]), yaml, { query });
    expect(answer).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Missing quality gate mode.',
      details: null,
    });
  });

  test.each<[string, string, string | null, string]>([
    [
      'an unknown mode',
      definition('[{rule: {threshold: 0%}}]', 'other'),
      null,
      'Quality gate mine not found in definition file.',
    ],
    [
      'no definition',
      '',
      null,
      'Not a valid quality gate definition: must be an object, not null (line 1).',
    ],
    ['no JSON', '{', 'application/json', 'Not a valid JSON document: '],
    ['no YAML', 'a: [', null, 'Not a valid YAML document: '],
    ['no text', '\xff\xfe\xff', null, 'Not a valid '],
    [
      'another document',
      '{"jobs": {}}',
      'application/json',
      'Not a valid quality gate definition: ',
    ],
    [
      'a rule without a threshold',
      definition('[{rule: {scope: "true"}}]'),
      null,
      '"threshold" is missing',
    ],
    ['a gate without rules', definition('[]'), null, 'qualitygates[0].rules: must not be empty'],
    [
      'a threshold that is a number',
      definition('[{rule: {threshold: 100}}]'),
      null,
      'must be a percentage',
    ],
    [
      'an unknown outcome',
      definition('[{rule: {threshold: 1%, failure-status: [bad]}}]'),
      null,
      'must be one of',
    ],
    [
      'a form without the part',
      form('gates', yaml),
      formType,
      'The part "qualitygates" is missing.',
    ],
  ])('%s is Invalid', async (_what, body, type, message) => {
    const answer = await fixture.post(await fixture.addRun([]), body, { type });
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid', status: 'Failure' });
    expect(answer.message).toContain(message);
  });

  test('that is too large is PayloadTooLarge', async () => {
    const id = await fixture.addRun([]);
    const large = `#${'x'.repeat(512 * 1024)}`;
    expect((await fixture.post(id, large)).reason).toBe('PayloadTooLarge');
    const inForm = await fixture.post(id, form('qualitygates', large), { type: formType });
    expect(inForm).toMatchObject({
      reason: 'PayloadTooLarge',
      message: 'The part "qualitygates" may have 524288 bytes at most.',
    });
  });

  test('of an unknown workflow is NotFound, of a running one is RUNNING', async () => {
    expect(await fixture.post(UNKNOWN, yaml)).toMatchObject({
      code: 404,
      message: `Workflow ${UNKNOWN} not found.`,
    });
    const id = await fixture.addRun([], { status: 'RUNNING' });
    expect((await fixture.post(id, yaml)).details).toEqual({ status: 'RUNNING' });
  });
});
