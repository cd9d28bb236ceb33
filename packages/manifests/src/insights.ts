/** Definitions of insights, as teams write them (specification 4.9, wire facts 9.5). */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts';
import { closed } from './schema-parts.ts';

/** Limits, since everybody who may read a run can send definitions. */
export const INSIGHT_LIMITS = {
  /** Insights of one document. Teams have a handful. */
  insights: 256,
  /** Sections of one report. */
  sections: 256,
  /** Characters of the prefix before each line of a log. */
  outputPrefixLength: 256,
} as const;

const text = { type: 'string' } as const;
const expression = { type: 'string', maxLength: 2048 } as const;
/** The default is true. YAML authors write it without quotes, so it arrives as a boolean. */
const scope = { anyOf: [expression, { type: 'boolean' }] } as const;

/** The entries that all kinds of insights share; `spec` depends on the kind. */
export const insightsSchema = closed(
  {
    insights: {
      type: 'array',
      minItems: 1,
      maxItems: INSIGHT_LIMITS.insights,
      items: closed(
        {
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
        ['name', 'kind'],
      ),
    },
  },
  ['insights'],
) satisfies JSONSchema;

export type InsightsDocument = FromSchema<typeof insightsSchema>;
export type InsightKind = InsightsDocument['insights'][number]['kind'];

/** `spec` of each kind. */
export const insightSpecSchemas = {
  ExecutionLog: closed({
    'step-depth': { type: 'number' },
    'job-depth': { type: 'number' },
    'max-command-length': { type: 'number' },
    'output-prefix': { type: 'string', maxLength: INSIGHT_LIMITS.outputPrefixLength },
    verbose: text,
    'show-notifications': text,
  }),
  SummaryReport: closed({
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
  }),
  SurefireXmlReport: closed({ scope }),
} as const satisfies Record<InsightKind, JSONSchema>;

export type ExecutionLogSpec = FromSchema<typeof insightSpecSchemas.ExecutionLog>;
export type SummarySpec = FromSchema<typeof insightSpecSchemas.SummaryReport>;
export type SectionKind = NonNullable<SummarySpec['template']>[number]['kind'];

const axis = closed({
  data: {},
  title: text,
  min: { type: 'number' },
  max: { type: 'number' },
  ticks: {},
}) satisfies JSONSchema;
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
  orderBy: closed({ key: text, order: text }, ['key']),
  maxItems: { type: 'number' },
  primaryAxis,
  secondaryAxis: axis,
  legend: {},
  orientation: { type: 'string', enum: ['horizontal', 'vertical'] },
} as const satisfies Record<string, JSONSchema>;

/** A section of a `SummaryReport`, of each kind. */
export const sectionSchemas = {
  SummaryBlock: closed(section),
  Cloud: closed({ ...section, datasource: { type: 'string', enum: ['jobs'] } }, ['datasource']),
  Table: closed(
    {
      ...section,
      datasource: { type: 'string', enum: ['tags', 'testcases'] },
      columns: { type: 'object', additionalProperties: text },
    },
    ['datasource'],
  ),
  ProgressBar: closed(section, ['groupBy', 'datasource']),
  BarChart: closed(
    {
      ...section,
      primaryAxis: { ...primaryAxis, ...withData },
      secondaryAxis: { ...axis, ...withData },
    },
    ['datasource', 'primaryAxis', 'secondaryAxis'],
  ),
  ScatterChart: closed({ ...section, primaryAxis: { ...axis, ...withData } }, [
    'groupBy',
    'datasource',
    'primaryAxis',
  ]),
} as const satisfies Record<SectionKind, JSONSchema>;

/** A section of any kind, with the keys that only some kinds may have. */
const anySection = closed({ ...section, columns: { type: 'object', additionalProperties: text } }, [
  'name',
  'kind',
]) satisfies JSONSchema;

export type SectionDefinition = FromSchema<typeof anySection> & { readonly kind: SectionKind };
