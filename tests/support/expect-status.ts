import { expect } from 'vitest';
import { type Answer, bodyOf } from './api.ts';

const KEYS = ['apiVersion', 'code', 'details', 'kind', 'message', 'metadata', 'reason', 'status'];

/** The answer is a Status manifest with all its keys, and agrees with its code (specification 2.1). */
export function expectStatus(answer: Answer): void {
  const body = bodyOf(answer);
  expect(Object.keys(body).sort()).toEqual(KEYS);
  expect(body).toMatchObject({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    message: expect.any(String),
    status: answer.code < 300 ? 'Success' : 'Failure',
    code: answer.code,
  });
  const { details } = body;
  expect(details === null || (typeof details === 'object' && !Array.isArray(details))).toBe(true);
}
