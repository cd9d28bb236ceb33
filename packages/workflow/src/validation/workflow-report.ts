/** All mistakes in the text of a workflow with their places, for its author. */

import type { WorkflowManifest } from '@tutti/manifests';
import { dictionary } from '@tutti/manifests';
import {
  DOCUMENT_LIMITS,
  type DocumentPath,
  formatPath,
  type Problem,
  readYaml,
  type SchemaLibrary,
  type SourceSpan,
  sortProblems,
  type YamlLibrary,
} from '@tutti/manifests/documents';
import type { KnownFunctions } from './function-problems.ts';
import { createWorkflowCheck } from './workflow-problems.ts';
import type { WorkflowUse } from './workflow-use.ts';

export interface WorkflowDiagnostic {
  /** A warning leaves the document valid. */
  readonly severity: 'error' | 'warning';
  /** `jobs.build.steps[0]`; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
  /** The text that was probably meant, or that would be right. */
  readonly hint: string | null;
  /** The heading of the page that says more, which is docs/reference/language.md. */
  readonly topic: string;
  /** The page that has the heading, if it is another one. */
  readonly page?: string;
  /** Null for a problem without a place, as in documents that are too large to be read. */
  readonly span: SourceSpan | null;
}

export interface WorkflowReport {
  /** False when there are errors. */
  readonly isValid: boolean;
  /** Null when there are errors, and for documents of another kind. */
  readonly manifest: WorkflowManifest | null;
  /** In the order of the text, at most as many as people read. Warnings get the room that errors leave. */
  readonly diagnostics: readonly WorkflowDiagnostic[];
  /** Number of problems that `diagnostics` does not have. */
  readonly moreCount: number;
  /** Number of warnings among all problems. */
  readonly warningCount: number;
}

export interface ReportOptions {
  readonly yaml: YamlLibrary;
  readonly schemas: SchemaLibrary;
  /** API group of the server, if it has its own. */
  readonly apiGroup?: string | undefined;
  /** Functions that steps may call; any if absent. */
  readonly functions?: KnownFunctions | undefined;
  /** Other kinds of documents, recognised by their content. */
  readonly others?: readonly OtherKind[];
}

export interface OtherKind {
  /** Page of the documentation, in the folder docs. */
  readonly page: string;
  recognises(value: unknown): boolean;
  problems(value: unknown): readonly Problem[];
  /** The heading that says more of a problem. */
  topicOf(problem: Problem): string;
}

const CHECKING = 'checking-workflows';
const CHECKING_PAGE = 'guides/workflows';
/** Finding a place takes time. With more problems, the report may lack the first one in the text. */
const PLACED_MAX = 4 * DOCUMENT_LIMITS.problemsMax;

/** Reports on texts in YAML or JSON; never throws for mistakes in them. */
export function createWorkflowReporter(
  options: ReportOptions,
): (text: string, use?: WorkflowUse) => WorkflowReport {
  const check = createWorkflowCheck(() => options.schemas, options.apiGroup, options.functions);
  return (text, use) => {
    const source = readSource(options.yaml, text);
    if (source.document === null) return reportOf(source, []);
    const { value } = source.document;
    const kind = options.others?.find((each) => each.recognises(value)) ?? null;
    if (kind !== null) return reportOf(source, kind.problems(value), kind);
    const checked = check(value, use);
    const errors = checked.ok ? [] : checked.problems;
    const report = reportOf(source, [...errors, ...checked.warnings]);
    return checked.ok && report.isValid ? { ...report, manifest: checked.manifest } : report;
  };
}

const NOTHING = {
  isValid: true,
  manifest: null,
  diagnostics: [],
  moreCount: 0,
  warningCount: 0,
} as const;

/** Problems of the workflow in the document, beside those of the document itself. */
function reportOf(
  { document, diagnostics }: Source,
  found: readonly Problem[],
  kind: OtherKind | null = null,
): WorkflowReport {
  const problems = found.filter((problem) => document?.isUnsure(problem) !== true);
  if (problems.length + diagnostics.length === 0) return NOTHING;
  const { errors, warnings } = sortProblems(problems);
  const spanOf = document?.spanOf ?? (() => null);
  const placed = [...errors, ...warnings].slice(0, PLACED_MAX).map((problem) => ({
    ...diagnosticOf(problem, spanOf),
    ...(kind === null ? {} : { page: kind.page, topic: kind.topicOf(problem) }),
  }));
  const all = [...diagnostics, ...placed];
  const shown = firstOf(all);
  return {
    isValid: errors.length + diagnostics.length === 0,
    manifest: null,
    diagnostics: shown,
    moreCount: diagnostics.length + problems.length - shown.length,
    warningCount: warnings.length,
  };
}

/** As many as anybody reads, errors before warnings, in the order of the text. */
function firstOf(diagnostics: readonly WorkflowDiagnostic[]): readonly WorkflowDiagnostic[] {
  const ordered = diagnostics.toSorted(order);
  const of = (severity: WorkflowDiagnostic['severity']) =>
    ordered.filter((each) => each.severity === severity);
  const shown = new Set([...of('error'), ...of('warning')].slice(0, DOCUMENT_LIMITS.problemsMax));
  return ordered.filter((each) => shown.has(each));
}

interface ReadSource {
  readonly value: unknown;
  readonly spanOf: (problem: Problem) => SourceSpan | null;
  /** True where a mistake in the document itself may have caused this problem. */
  readonly isUnsure: (problem: Problem) => boolean;
}

interface Source {
  /** Mistakes in the document itself. */
  readonly diagnostics: readonly WorkflowDiagnostic[];
  /** Null when the document cannot be read. */
  readonly document: ReadSource | null;
}

function readSource(yaml: YamlLibrary, text: string): Source {
  const large = text.length > DOCUMENT_LIMITS.yamlLength ? readJson(text) : null;
  if (large !== null) return large;
  const reading = readYaml(yaml, text);
  if (reading.ok) {
    return { diagnostics: [], document: { ...reading.document, isUnsure: () => false } };
  }
  const diagnostics = reading.problems.map(({ message, span }) => ({
    severity: 'error' as const,
    path: '',
    message,
    hint: null,
    topic: CHECKING,
    page: CHECKING_PAGE,
    span,
  }));
  return { diagnostics, document: reading.document };
}

/** JSON may be larger than YAML, as a server takes it; its mistakes have no places. Null for any other text. */
function readJson(text: string): Source | null {
  try {
    const value: unknown = JSON.parse(text);
    return { diagnostics: [], document: { value, spanOf: () => null, isUnsure: () => false } };
  } catch {
    return null;
  }
}

function order({ span: left }: WorkflowDiagnostic, { span: right }: WorkflowDiagnostic): number {
  if (left === null || right === null) return 0;
  return left.line - right.line || left.column - right.column;
}

function diagnosticOf(
  problem: Problem,
  spanOf: (problem: Problem) => SourceSpan | null,
): WorkflowDiagnostic {
  const { path, key, message, hint = null, topic, isWarning } = problem;
  return {
    severity: isWarning === true ? 'warning' : 'error',
    path: formatPath(path),
    message,
    hint,
    topic: topic ?? topicOf(path, key),
    span: spanOf(placeOf(problem)),
  };
}

/** The name of a secret is its place: readers must not see the value. */
function placeOf(problem: Problem): Problem {
  const { path, key } = problem;
  const name = path.at(-1);
  if (path[0] !== 'secrets' || key !== undefined || typeof name !== 'string') return problem;
  return { ...problem, path: path.slice(0, -1), key: name };
}

/** Sections of the page by the last key of a path. */
const TOPICS: Readonly<Record<string, string>> = dictionary<string>({
  after: 'steps-of-hooks',
  before: 'steps-of-hooks',
  concurrency: 'concurrency',
  events: 'events-of-hooks',
  hooks: 'hooks',
  if: 'conditions',
  inputs: 'inputs',
  jobs: 'job',
  matrix: 'matrices',
  steps: 'step',
  variables: 'variables',
});

/** Sections of the page by kind of resource. */
const RESOURCE_TOPICS: Readonly<Record<string, string>> = dictionary<string>({
  files: 'files',
  repositories: 'repositories',
  testmanagers: 'test-managers',
});

function topicOf(path: DocumentPath, ownKey?: string): string {
  const [section, kind = ownKey] = path;
  if (section === 'resources') return RESOURCE_TOPICS[String(kind)] ?? 'resources';
  if (section === 'outputs') return 'outputs';
  const key = path.findLast((each) => typeof each === 'string' && Object.hasOwn(TOPICS, each));
  return TOPICS[String(key)] ?? 'workflow';
}
