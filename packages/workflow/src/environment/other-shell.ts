/** Script parts that all systems share when a step asks for another shell (wire facts 3.5). */

/** Errors end the script. As in other shells, the exit code of the last program is that of the step. */
export const powerShellText = (text: string): string =>
  [
    "$ErrorActionPreference = 'Stop'",
    text,
    'if (Test-Path -LiteralPath variable:LASTEXITCODE) { exit $LASTEXITCODE }',
  ].join('\n');

/** A template that names no place for the file takes it last. Plain `sh` stops at the first error, as bash does. */
export function fillTemplate(template: string, file: string): string {
  if (template.includes('{0}')) return template.replaceAll('{0}', file);
  return template === 'sh' ? `sh -e ${file}` : `${template} ${file}`;
}
