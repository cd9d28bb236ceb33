import { status } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { describeAnswer, judge, saysNothing } from './answers.ts';

const gone = status('NotFound', 'Agent a not known.');
const invalid = status('Invalid', 'Not a valid AgentRegistration manifest.', { error: 'No tags.' });

test.each([
  [200, status('OK', 'Stored.'), 'done'],
  [201, status('Created', 'Registered.'), 'done'],
  [204, undefined, 'done'],
  [401, undefined, 'refused'],
  [403, status('Forbidden', 'No.'), 'refused'],
  [404, gone, 'unknown-agent'],
  [404, undefined, 'unavailable'],
  [409, undefined, 'unwanted'],
  [422, invalid, 'rejected'],
  [400, '<html>', 'unavailable'],
  [429, status('TooManyRequests', 'Later.'), 'unavailable'],
  [500, status('InternalError', 'Internal error.'), 'unavailable'],
  [502, undefined, 'unavailable'],
  [302, undefined, 'unavailable'],
])('code %i with %o means %s', (code, body, verdict) => {
  expect(judge({ code, body })).toBe(verdict);
});

test.each([
  [404, undefined, true],
  [404, gone, false],
  [422, invalid, false],
  [429, status('TooManyRequests', 'Later.'), true],
  [500, status('InternalError', 'Internal error.'), false],
  [502, undefined, true],
  [502, '<html>', true],
  [503, status('ServiceUnavailable', 'Later.'), true],
  [504, undefined, true],
])('code %i with %o says nothing of the request: %s', (code, body, expected) => {
  expect(saysNothing({ code, body })).toBe(expected);
});

test.each([
  [{ code: 422, body: invalid }, 'Not a valid AgentRegistration manifest. No tags.'],
  [{ code: 404, body: gone }, 'Agent a not known.'],
  [{ code: 502, body: undefined }, 'The server answered with code 502.'],
])('%o is described as "%s"', (answer, text) => {
  expect(describeAnswer(answer)).toBe(text);
});
