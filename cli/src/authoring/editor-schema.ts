/** The schema beside a workflow, which editors read. Git ignores it, so that a clone does not have it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { STANDARD_INPUT } from '../terminal/workflow-source.ts';
import { schemaText } from './schema-text.ts';

/** The data directory of runs there, which git ignores. */
const FOLDER = '.tutti';
const SCHEMA = 'workflow.schema.json';
/** The first line of a workflow. */
export const EDITOR_LINE = `# yaml-language-server: $schema=./${FOLDER}/${SCHEMA}`;

/** Writes the schema into the directory of a workflow. Throws an error of the file system. */
export async function writeEditorSchema(directory: string): Promise<void> {
  const folder = resolve(directory, FOLDER);
  const { localFunctions } = await import('@tutti/server/local-functions');
  // As a server makes it.
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) writeFileSync(join(folder, '.gitignore'), '*\n', { mode: 0o600 });
  writeFileSync(join(folder, SCHEMA), await schemaText(await localFunctions(folder)));
}

/** Brings the schema back where the workflow names it and it is missing. */
export async function restoreEditorSchema(file: string, text: string): Promise<void> {
  if (file === STANDARD_INPUT || !text.startsWith(`${EDITOR_LINE}\n`)) return;
  if (existsSync(join(dirname(file), FOLDER, SCHEMA))) return;
  try {
    await writeEditorSchema(dirname(file));
  } catch {
    // An editor without it still shows the workflow.
  }
}
