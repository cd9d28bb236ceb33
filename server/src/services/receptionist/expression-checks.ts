/** Syntax of all expressions of a manifest, so that a run does not fail in its third hour for a missing parenthesis. */
import { parseCondition, referencesIn } from '@tutti/expressions';
import { isOrchestratorError, type WorkflowManifest } from '@tutti/manifests';
import type { Problem } from '../../http/validate.ts';

type Path = Problem['path'];

export function expressionProblems(manifest: WorkflowManifest): readonly Problem[] {
  const sections = ['variables', 'concurrency', 'timeout-minutes', 'hooks', 'jobs'] as const;
  return sections.flatMap((section) => expressionProblemsIn(manifest[section], [section]));
}

/** What is evaluated: conditions may leave `${{ }}` out, all other texts are expressions only within it. */
export function expressionProblemsIn(root: unknown, rootPath: Path): readonly Problem[] {
  const problems: Problem[] = [];
  const check = (path: Path, read: () => void): void => {
    try {
      read();
    } catch (error) {
      if (!isOrchestratorError(error)) throw error;
      problems.push({ path, message: error.message });
    }
  };
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      if (isCondition(path)) check(path, () => parseCondition(value));
      else if (value.includes('${{')) check(path, () => referencesIn(value));
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        visit(child, [...path, Array.isArray(value) ? Number(key) : key]);
      }
    }
  };
  visit(root, rootPath);
  return problems;
}

const STEP_LISTS: ReadonlySet<unknown> = new Set(['steps', 'before', 'after']);
const UNITS: ReadonlySet<unknown> = new Set(['jobs', 'hooks']);

/** The `if` of a job, at any depth, of a hook and of their steps, but not an input of a provider that is called `if`. */
function isCondition(path: Path): boolean {
  if (path.at(-1) !== 'if') return false;
  const within = path.findIndex((key, index) => index % 2 === 0 && !UNITS.has(key));
  const inUnit = path.slice(within);
  return inUnit.length === 1 || (inUnit.length === 3 && STEP_LISTS.has(inUnit[0]));
}
