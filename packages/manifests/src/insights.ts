/** Definitions of insights, as teams write them (specification 4.9, wire facts 9.5). */
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/** Definitions come from anybody who may read a run. */
export const INSIGHT_LIMITS = {
  /** Insights of one document. Teams have a handful. */
  insights: 256,
  /** Sections of one report. */
  sections: 256,
  /** Characters of the prefix of a log, which stands before each of its lines. */
  outputPrefixLength: 256,
} as const;

const text = { type: 'string' } as const;
const expression = { type: 'string', maxLength: 2048 } as const;
/** Whoever writes the default, true, does so without quotes. */
const scope = { anyOf: [expression, { type: 'boolean' }] } as const;

/** What all kinds have; `spec` depends on the kind. */
export const insightsSchema = {
  type: 'object',
  properties: {
    insights: {
      type: 'array',
      minItems: 1,
      maxItems: INSIGHT_LIMITS.insights,
      items: {
        type: 'object',
        properties: {
          name: {
            title: 'a name of small letters, digits and hyphens',
            type: 'string',
            maxLength: 256,
            pattern: '^[a-z][a-z0-9-]*$',
          },
          kind: { type: 'string', enum: ['ExecutionLog', 'SummaryReport', 'SurefireXmlReport'] },
          title: text,
          if: { ...expression, description: 'Expression over `workflow`; default `always()`.' },
          spec: { type: 'object' },
        },
        required: ['name', 'kind'],
        additionalProperties: false,
      },
    },
  },
  required: ['insights'],
  additionalProperties: false,
} as const satisfies JSONSchema;

export type InsightsDocument = FromSchema<typeof insightsSchema>;
export type InsightKind = InsightsDocument['insights'][number]['kind'];

/** `spec` of each kind. */
export const insightSpecSchemas = {
  ExecutionLog: {
    type: 'object',
    properties: {
      'step-depth': { type: 'number' },
      'job-depth': { type: 'number' },
      'max-command-length': { type: 'number' },
      'output-prefix': { type: 'string', maxLength: INSIGHT_LIMITS.outputPrefixLength },
      verbose: text,
      'show-notifications': text,
    },
    additionalProperties: false,
  },
  SummaryReport: {
    type: 'object',
    properties: {
      scope,
      scripts: text,
      style: text,
      template: {
        type: 'array',
        maxItems: INSIGHT_LIMITS.sections,
        items: {
          type: 'object',
          properties: {
            name: text,
            kind: {
              type: 'string',
              enum: ['SummaryBlock', 'Cloud', 'Table', 'ProgressBar', 'BarChart', 'ScatterChart'],
            },
          },
          required: ['name', 'kind'],
        },
      },
    },
    additionalProperties: false,
  },
  SurefireXmlReport: {
    type: 'object',
    properties: { scope },
    additionalProperties: false,
  },
} as const satisfies Record<InsightKind, JSONSchema>;

export type ExecutionLogSpec = FromSchema<typeof insightSpecSchemas.ExecutionLog>;
export type SummarySpec = FromSchema<typeof insightSpecSchemas.SummaryReport>;
export type SectionKind = NonNullable<SummarySpec['template']>[number]['kind'];

const axis = {
  type: 'object',
  properties: {
    data: {},
    title: text,
    min: { type: 'number' },
    max: { type: 'number' },
    ticks: {},
  },
  additionalProperties: false,
} as const satisfies JSONSchema;
const primaryAxis = {
  ...axis,
  properties: { ...axis.properties, reversed: { type: 'boolean' } },
} as const satisfies JSONSchema;
const withData = { required: ['data'] } as const;

const section = {
  name: text,
  kind: text,
  datasource: { type: 'string', enum: ['jobs', 'tags', 'testcases'] },
  scope,
  if: expression,
  skipIfNotFound: { type: 'boolean' },
  groupBy: text,
  data: {},
  aggregateFunction: { type: 'string', enum: ['count', 'sum', 'avg', 'min', 'max'] },
  orderBy: {
    type: 'object',
    properties: { key: text, order: text },
    required: ['key'],
    additionalProperties: false,
  },
  maxItems: { type: 'number' },
  primaryAxis,
  secondaryAxis: axis,
  legend: {},
  orientation: { type: 'string', enum: ['horizontal', 'vertical'] },
} as const satisfies Record<string, JSONSchema>;

/** A section of a `SummaryReport`, of each kind. */
export const sectionSchemas = {
  SummaryBlock: { type: 'object', properties: section, additionalProperties: false },
  Cloud: {
    type: 'object',
    properties: { ...section, datasource: { type: 'string', enum: ['jobs'] } },
    required: ['datasource'],
    additionalProperties: false,
  },
  Table: {
    type: 'object',
    properties: {
      ...section,
      datasource: { type: 'string', enum: ['tags', 'testcases'] },
      columns: { type: 'object', additionalProperties: text },
    },
    required: ['datasource'],
    additionalProperties: false,
  },
  ProgressBar: {
    type: 'object',
    properties: section,
    required: ['groupBy', 'datasource'],
    additionalProperties: false,
  },
  BarChart: {
    type: 'object',
    properties: {
      ...section,
      primaryAxis: { ...primaryAxis, ...withData },
      secondaryAxis: { ...axis, ...withData },
    },
    required: ['datasource', 'primaryAxis', 'secondaryAxis'],
    additionalProperties: false,
  },
  ScatterChart: {
    type: 'object',
    properties: { ...section, primaryAxis: { ...axis, ...withData } },
    required: ['groupBy', 'datasource', 'primaryAxis'],
    additionalProperties: false,
  },
} as const satisfies Record<SectionKind, JSONSchema>;

/** A section of any kind, with the keys that only some kinds may have. */
const anySection = {
  type: 'object',
  properties: { ...section, columns: { type: 'object', additionalProperties: text } },
  required: ['name', 'kind'],
  additionalProperties: false,
} as const satisfies JSONSchema;

export type SectionDefinition = FromSchema<typeof anySection> & { readonly kind: SectionKind };
