/** Definitions of quality gates, as teams write them (specification 4.10, wire facts 9.4). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { closed } from './schema-parts.ts';

/** Limits, since everybody who may judge a run can send definitions. */
export const QUALITY_GATE_LIMITS = {
  /** Gates of one document. Teams have a handful. */
  gates: 256,
  /** Rules of one gate; each is evaluated for each test case. */
  rules: 64,
  /** A name of a gate or a rule, in characters. */
  nameLength: 256,
  /** A scope, in characters: some twenty comparisons. */
  scopeLength: 2048,
} as const;

const name = {
  type: 'string',
  minLength: 1,
  maxLength: QUALITY_GATE_LIMITS.nameLength,
} as const satisfies JSONSchema;

const scope = {
  // The default is true. YAML authors write it without quotes, so it arrives as a boolean.
  anyOf: [{ type: 'string', maxLength: QUALITY_GATE_LIMITS.scopeLength }, { type: 'boolean' }],
  description: 'Expression over `test`; without one, all test cases.',
} as const satisfies JSONSchema;

const count = { type: 'integer', minimum: 0 } as const satisfies JSONSchema;

const ruleSchema = closed(
  {
    name,
    rule: {
      ...closed(
        {
          scope,
          threshold: {
            title: 'a percentage from "0%" to "100%"',
            type: 'string',
            pattern: '^(100|\\d{2}|\\d)%$',
          },
          'max-failed': {
            ...count,
            description: 'Test cases in scope that may fail. Then a threshold is not required.',
          },
          max: {
            ...count,
            description: 'Test cases that may be in scope. Then a threshold is not required.',
          },
          'failure-status': {
            type: 'array',
            items: { enum: ['failure', 'error', 'blocked', 'success', 'skipped'] },
            description: 'Outcomes that count as failed; default failure, error and blocked.',
          },
        },
        [],
      ),
      if: { anyOf: [{ required: ['max-failed'] }, { required: ['max'] }] },
      else: { required: ['threshold'] },
    },
  },
  ['rule'],
) satisfies JSONSchema;

/** A document of definitions. It may also have the head of a manifest. */
export const qualityGatesSchema = closed(
  {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    qualitygates: {
      type: 'array',
      minItems: 1,
      maxItems: QUALITY_GATE_LIMITS.gates,
      items: closed(
        {
          name,
          scope,
          rules: {
            type: 'array',
            minItems: 1,
            maxItems: QUALITY_GATE_LIMITS.rules,
            items: ruleSchema,
          },
        },
        ['name', 'rules'],
      ),
    },
  },
  ['qualitygates'],
) satisfies JSONSchema;

export type QualityGatesDocument = FromSchema<typeof qualityGatesSchema>;
