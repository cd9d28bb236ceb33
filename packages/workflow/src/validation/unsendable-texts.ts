/** Texts that cannot reach an environment as they are written: no shell keeps the character NUL. */
import type { WorkflowManifest } from '@tutti/manifests';
import type { DocumentPath, Problem } from '@tutti/manifests/documents';

/** The sections whose texts come into scripts, with whatever is in them. */
const SECTIONS = ['variables', 'secrets', 'defaults', 'hooks', 'jobs'] as const;
const NUL = '\0';

export function unsendableTextProblems(manifest: WorkflowManifest): readonly Problem[] {
  return SECTIONS.flatMap((section) => problemsIn(manifest[section], () => [section]));
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

function problemsOfText(text: string, path: () => DocumentPath): readonly Problem[] {
  const at = text.indexOf(NUL);
  if (at === -1) return [];
  const message = 'the character NUL cannot reach an environment, leave it out';
  return [{ path: path(), message, piece: { at, length: 1 } }];
}
