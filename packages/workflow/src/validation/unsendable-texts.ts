/** Texts that cannot reach an environment unchanged. No shell keeps the character NUL, and no process gets so many variables. */
import {
  SENT_TEXT_LENGTH_MAX,
  VARIABLES_LENGTH_MAX,
  type WorkflowManifest,
} from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** The sections whose texts come into scripts, with whatever is in them. */
const SECTIONS = ['variables', 'secrets', 'defaults', 'hooks', 'jobs'] as const;
const NUL = '\0';

export function unsendableTextProblems(manifest: WorkflowManifest): readonly Problem[] {
  return [
    ...longVariableProblems(manifest, () => []),
    ...SECTIONS.flatMap((section) => problemsIn(manifest[section], () => [section])),
  ];
}

/** A path is only made where there is a problem: manifests may have a hundred thousand texts. */
function problemsIn(value: unknown, path: () => DocumentPath): readonly Problem[] {
  if (typeof value === 'string') return problemsOfText(value, path);
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, child]) =>
    problemsIn(child, () => [...path(), isList ? Number(key) : key]),
  );
}

/** Checks every set of variables, wherever it stands. */
function longVariableProblems(value: unknown, path: () => DocumentPath): readonly Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, child]) => {
    const childPath = () => [...path(), isList ? Number(key) : key];
    const inside = longVariableProblems(child, childPath);
    if (key !== 'variables' || lengthOf(child) <= VARIABLES_LENGTH_MAX) return inside;
    const message = `must have at most ${VARIABLES_LENGTH_MAX} characters in all`;
    return [{ path: childPath(), message }, ...inside];
  });
}

function lengthOf(variables: unknown): number {
  if (typeof variables !== 'object' || variables === null) return 0;
  return Object.entries(variables).reduce(
    (sum, [name, variable]) => sum + name.length + String(variable?.value ?? variable).length,
    0,
  );
}

function problemsOfText(text: string, path: () => DocumentPath): readonly Problem[] {
  if (text.length > SENT_TEXT_LENGTH_MAX) {
    return [{ path: path(), message: `must have at most ${SENT_TEXT_LENGTH_MAX} characters` }];
  }
  const at = text.indexOf(NUL);
  if (at === -1) return [];
  const message = 'the character NUL cannot reach an environment, leave it out';
  return [{ path: path(), message, piece: { at, length: 1 } }];
}
