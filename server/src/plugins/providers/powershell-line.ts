/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: scripts of shells, and expressions. */
/** A line of a cmd script that lets PowerShell do what cmd cannot. */
import { OrchestratorError } from '@tutti/manifests';

/** Longest line that cmd reads, in characters. */
const CMD_LINE_LENGTH_MAX = 8191;

/** The script has no double quotes and nothing from outside, which it reads out of these variables. */
export function powerShell(
  script: string,
  variables: Readonly<Record<string, string>>,
): readonly string[] {
  return [
    ...Object.entries(variables).map(([name, value]) => setLine(name, value)),
    // On many systems scripts of files may not run; a command may.
    `@powershell -NoProfile -NonInteractive -Command "$ErrorActionPreference='Stop'; ${script.replaceAll('%', '%%')}" || exit /b`,
  ];
}

/** Within quotes only these characters mean something else. */
function setLine(name: string, value: string): string {
  const line = `@set "${name}=${value.replaceAll('%', '%%').replaceAll('${{', () => "${{ '${{' }}")}"`;
  if (!/[\0\r\n"]/.test(value) && line.length <= CMD_LINE_LENGTH_MAX) return line;
  throw new OrchestratorError(
    'Invalid',
    `${JSON.stringify(value.slice(0, 100))} cannot be part of a script.`,
  );
}
