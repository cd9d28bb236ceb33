/** Insights out of documents that people write. */
import { findBuiltInFunction, referencesOf, STATUS_FUNCTIONS } from '@tutti/expressions';
import {
  type InsightKind,
  type InsightsDocument,
  insightSpecSchemas,
  insightsSchema,
  isOrchestratorError,
  OrchestratorError,
  type SectionDefinition,
  type SummarySpec,
  sectionSchemas,
} from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { parseTestScope, type WrittenScope } from '@tutti/workflow';
import { locatedProblem, type SourceDocument, wrongDocument } from '../../http/documents.ts';
import { createValidator, type Problem, problemsByKind } from '../../http/validate.ts';
import { sentence } from '../../runtime/sentence.ts';
import { checkField, fieldsOf } from './summary/section-fields.ts';
import { conditionRemarks, sectionRemarks } from './summary/section-remarks.ts';

/** One entry of `insights`. */
export type InsightDefinition = InsightsDocument['insights'][number];

const KIND = 'insight definition';
const document = createValidator(insightsSchema);

const specProblems = problemsByKind(insightSpecSchemas);
const sectionShapeProblems = problemsByKind(sectionSchemas);

/** The insights of a document, of several with one name the first. Throws `Invalid` with all that is wrong. */
export function insightsOf(source: SourceDocument): readonly InsightDefinition[] {
  const ofShape = document.problems(source.value);
  if (ofShape.length > 0) throw wrongDocument(KIND, source, ofShape);
  // The schema was checked above.
  const { insights } = source.value as InsightsDocument;
  const problems = insights.flatMap((insight, index) =>
    problemsOf(insight).map(({ path, message }) => ({
      path: ['insights', index, ...path],
      message,
    })),
  );
  if (problems.length > 0) throw wrongDocument(KIND, source, problems);
  const seen = new Set<string>();
  return insights.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/**
 * Warnings about entries of the chosen insights that are valid and cannot be meant: one sentence each with its place. For a document whose
 * insights could be read.
 */
export function remarksOn(
  source: SourceDocument,
  isChosen: (name: string) => boolean = () => true,
): readonly string[] {
  // `insightsOf` has checked the schema.
  const { insights } = source.value as InsightsDocument;
  const found = insights.flatMap((insight, index) =>
    isChosen(insight.name) ? within(['insights', index], remarksOf(insight)) : [],
  );
  const shown = found.slice(0, DOCUMENT_LIMITS.problemsMax).map((problem) => {
    return sentence(`Insight definition: ${locatedProblem(problem, source.placeOf(problem))}`);
  });
  const rest = found.length - shown.length;
  return rest > 0 ? [...shown, `Insight definition: ... and ${rest} more of that kind.`] : shown;
}

function remarksOf({ if: condition, kind, spec = {} }: InsightDefinition): readonly Problem[] {
  const ofSpec = kind === 'SummaryReport' ? within(['spec'], remarksOfSummary(spec)) : [];
  return [...conditionRemarks(condition), ...ofSpec];
}

function remarksOfSummary(spec: object): readonly Problem[] {
  // The schemas of the spec and of its sections have been checked.
  const { template = [] } = spec as SummarySpec;
  return template.flatMap((section, index) =>
    within(['template', index], sectionRemarks(section as SectionDefinition)),
  );
}

function problemsOf(insight: InsightDefinition): readonly Problem[] {
  const { kind, spec = {} } = insight;
  const ofSpec = specProblems[kind](spec);
  return [
    ...refusedBy(['if'], () => checkCondition(insight.if ?? '', ['workflow'])),
    ...within(['spec'], ofSpec),
    // The schema of the spec has been checked where its content is looked at.
    ...(ofSpec.length > 0 ? [] : within(['spec'], contentProblems(kind, spec as SummarySpec))),
  ];
}

/** Other kinds have a scope at most, too. */
function contentProblems(kind: InsightKind, { scope, template }: SummarySpec): readonly Problem[] {
  const ofScope = refusedBy(['scope'], () => parseTestScope(scope ?? null));
  if (kind !== 'SummaryReport') return ofScope;
  const ofSections = (template ?? []).flatMap((section, index) =>
    within(['template', index], sectionProblems(section)),
  );
  return [...ofScope, ...ofSections];
}

type Section = NonNullable<SummarySpec['template']>[number];

function sectionProblems(section: Section): readonly Problem[] {
  const { if: condition, scope } = section;
  const ofShape = sectionShapeProblems[section.kind](section);
  return [
    ...ofShape,
    // The shape of a section was checked, so it has the keys of one.
    ...(ofShape.length > 0 ? [] : fieldProblems(section as SectionDefinition)),
    ...refusedBy(['if'], () => checkCondition(textOf(condition), null)),
    ...refusedBy(['scope'], () => parseTestScope(scopeOf(scope))),
  ];
}

function fieldProblems(section: SectionDefinition): readonly Problem[] {
  return fieldsOf(section).flatMap(({ path, text }) => refusedBy(path, () => checkField(text)));
}

const scopeOf = (value: unknown): WrittenScope =>
  typeof value === 'boolean' ? value : textOf(value);

/** The schema reports a value that is no text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Throws `Invalid` for what cannot be evaluated; null allows all contexts. */
function checkCondition(text: string, contexts: readonly string[] | null): void {
  const references = referencesOf(text);
  const context = references.contexts.find((name) => contexts?.includes(name) === false);
  if (context !== undefined) throw invalid(`unknown context "${context}"`);
  const called = references.functions.find((name) => !isFunction(name));
  if (called !== undefined) throw invalid(`unknown function "${called}"`);
}

const invalid = (why: string): OrchestratorError => new OrchestratorError('Invalid', why);

function isFunction(name: string): boolean {
  const isStatus = STATUS_FUNCTIONS.some((known) => known === name.toLowerCase());
  return isStatus || findBuiltInFunction(name) !== undefined;
}

function refusedBy(path: Problem['path'], check: () => unknown): readonly Problem[] {
  try {
    check();
    return [];
  } catch (error) {
    if (isOrchestratorError(error)) return [{ path, message: error.message }];
    throw error;
  }
}

function within(path: Problem['path'], problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}
