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
  const problems: Problem[] = [];
  findLongVariables(manifest, [], problems);
  for (const section of SECTIONS) findTexts(manifest[section], [section], problems);
  return problems;
}

/** The search changes one path, and copies it for a problem: manifests may have a hundred thousand texts. */
function findTexts(value: unknown, path: (string | number)[], problems: Problem[]): void {
  if (typeof value === 'string') findInText(value, path, problems);
  else inChildren(value, path, (child) => findTexts(child, path, problems));
}

/** Checks every set of variables, wherever it stands. */
function findLongVariables(value: unknown, path: (string | number)[], problems: Problem[]): void {
  inChildren(value, path, (child) => {
    if (path.at(-1) === 'variables' && lengthOf(child) > VARIABLES_LENGTH_MAX) {
      const message = `must have at most ${VARIABLES_LENGTH_MAX} characters in all`;
      problems.push({ path: [...path], message });
    }
    findLongVariables(child, path, problems);
  });
}

function inChildren(
  value: unknown,
  path: (string | number)[],
  visit: (child: unknown) => void,
): void {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [key, child] of Object.entries(value)) {
    path.push(isList ? Number(key) : key);
    visit(child);
    path.pop();
  }
}

function lengthOf(variables: unknown): number {
  if (typeof variables !== 'object' || variables === null) return 0;
  return Object.entries(variables).reduce(
    (sum, [name, variable]) => sum + name.length + String(variable?.value ?? variable).length,
    0,
  );
}

function findInText(text: string, path: DocumentPath, problems: Problem[]): void {
  if (text.length > SENT_TEXT_LENGTH_MAX) {
    const message = `must have at most ${SENT_TEXT_LENGTH_MAX} characters`;
    problems.push({ path: [...path], message });
    return;
  }
  const at = text.indexOf(NUL);
  if (at === -1) return;
  const message = 'the character NUL cannot reach an environment, leave it out';
  problems.push({ path: [...path], message, piece: { at, length: 1 } });
}
