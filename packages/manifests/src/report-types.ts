/** The types of attachments that are read as test reports. */

/** Names of the formats in types, and in the ids of interpreters. */
export const FORMAT_SUFFIXES = {
  surefire: 'surefire+xml',
  robot: 'output+xml',
  cucumber: 'cucumber+json',
  trx: 'trx+xml',
  nunit: 'nunit+xml',
  xunit: 'xunit+xml',
  tap: 'tap',
  ctrf: 'ctrf+json',
  gotest: 'gotest+json',
} as const;

export type ReportFormat = keyof typeof FORMAT_SUFFIXES;

export interface ReportType {
  /** The tool that made the report, as the type names it. */
  readonly technology: string;
  readonly format: ReportFormat;
}

export const REPORT_FORMATS = Object.keys(FORMAT_SUFFIXES) as readonly ReportFormat[];

/** The prefix of all report types. */
export const REPORT_TYPE_PREFIX = 'application/vnd.opentestfactory.';
const TECHNOLOGY = /^[a-z0-9][a-z0-9._-]*$/;

/** Parameters, such as `; charset=utf-8`, do not change what a type is. */
export function withoutParameters(type: string): string {
  const end = type.indexOf(';');
  return end === -1 ? type : type.slice(0, end).trimEnd();
}

/** Reads a type `application/vnd.opentestfactory.{technology}-{format}`; null for any other type. */
export function reportTypeOf(written: string): ReportType | null {
  const type = withoutParameters(written);
  const lower = type.toLowerCase();
  if (!lower.startsWith(REPORT_TYPE_PREFIX)) return null;
  const format = REPORT_FORMATS.find((each) => lower.endsWith(`-${FORMAT_SUFFIXES[each]}`));
  if (format === undefined) return null;
  // The technology as written: it is shown, and part of the identity of a test case.
  const technology = type.slice(REPORT_TYPE_PREFIX.length, -FORMAT_SUFFIXES[format].length - 1);
  return TECHNOLOGY.test(technology.toLowerCase()) ? { technology, format } : null;
}

/** The technology of a report type; null for any other type. */
export function technologyOfType(type: string): string | null {
  return reportTypeOf(type)?.technology ?? null;
}
