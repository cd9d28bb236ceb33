/** Quality gates out of documents that people write. */
import {
  isOrchestratorError,
  type QualityGatesDocument,
  qualityGatesSchema,
} from '@tutti/manifests';
import {
  duplicateRules,
  parseTestScope,
  type QualityGate,
  readQualityGates,
  type WrittenScope,
} from '@tutti/workflow';
import { type SourceDocument, wrongDocument } from '../../http/documents.ts';
import { createValidator, type Problem } from '../../http/validate.ts';

const KIND = 'quality gate definition';
const validator = createValidator(qualityGatesSchema);

/** The gates of a document. Throws `Invalid` with all problems except wrong scopes: these are results of their rules. */
export function gatesOf(document: SourceDocument): readonly QualityGate[] {
  return readQualityGates(checked(document));
}

/** Reads definitions that stay. A wrong scope is `Invalid` when they are loaded, not only when they are used. */
export function gatesOfChecked(document: SourceDocument): readonly QualityGate[] {
  const definitions = checked(document);
  const problems = scopeProblems(definitions);
  if (problems.length > 0) throw wrongDocument(KIND, document, problems);
  return readQualityGates(definitions);
}

function checked(document: SourceDocument): QualityGatesDocument {
  const ofShape = validator.problems(document.value);
  if (ofShape.length > 0) throw wrongDocument(KIND, document, ofShape);
  // The schema was checked above.
  const definitions = document.value as QualityGatesDocument;
  const duplicates = duplicateRules(definitions);
  if (duplicates.length > 0) throw wrongDocument(KIND, document, duplicates);
  return definitions;
}

function scopeProblems({ qualitygates }: QualityGatesDocument): readonly Problem[] {
  return qualitygates.flatMap((gate, index) => [
    ...scopeProblem(gate.scope, ['qualitygates', index, 'scope']),
    ...gate.rules.flatMap(({ rule }, ruleIndex) =>
      scopeProblem(rule.scope, ['qualitygates', index, 'rules', ruleIndex, 'rule', 'scope']),
    ),
  ]);
}

function scopeProblem(scope: WrittenScope | undefined, path: Problem['path']): readonly Problem[] {
  try {
    parseTestScope(scope ?? null);
    return [];
  } catch (error) {
    if (isOrchestratorError(error)) return [{ path, message: error.message }];
    throw error;
  }
}

export interface FoundGate {
  readonly gate: QualityGate;
  /** Warnings for the author of the definition, as sentences. */
  readonly warnings: readonly string[];
}

/** The gate with that name; of several the last one. Null when there is none. */
export function findGate(gates: readonly QualityGate[], name: string): FoundGate | null {
  const named = gates.filter((gate) => gate.name === name);
  const gate = named.at(-1);
  if (gate === undefined) return null;
  return { gate, warnings: named.length > 1 ? [duplicateWarning(name)] : [] };
}

export const duplicateWarning = (name: string): string =>
  `Duplicate definitions found for quality gate "${name}", the last one is used.`;
