/** The schemas that a toolkit publishes: events are held against them by the toolkit itself, as its plugins do it. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Loose } from '../../support/api.ts';
import type { Workbench } from '../../support/workbench.ts';
import type { Installed } from '../installation.ts';
import { runProgram } from '../program.ts';

const GROUP = 'opentestfactory.org';

/** The versions of a kind that the toolkit has a schema for, with their group. */
export function versionsOf({ folder }: Installed, kind: string): readonly string[] {
  const lib = join(folder, 'lib');
  const [python = ''] = readdirSync(lib);
  const schemas = join(lib, python, 'site-packages/opentf/schemas', GROUP);
  return readdirSync(schemas)
    .filter((version) => existsSync(join(schemas, version, `${kind}.json`)))
    .map((version) => `${GROUP}/${version}`);
}

/** The toolkit's error for each event; null for a valid one. */
export async function problemsOf(
  bench: Workbench,
  toolkit: Installed,
  events: readonly Loose[],
): Promise<readonly (string | null)[]> {
  const home = bench.path('schemas');
  const input = events.map((event) => `${JSON.stringify(question(event))}\n`).join('');
  const program = join(import.meta.dirname, 'programs/validate.py');
  const { code, stdout, stderr } = await runProgram(toolkit, program, [], { home, input });
  if (code !== 0) throw new Error(`The schemas could not be asked:\n${stderr}`);
  const answers = stdout.split('\n').slice(0, -1);
  if (answers.length !== events.length) throw new Error(`${answers.length} answers: ${stderr}`);
  return answers.map((line) => JSON.parse(line));
}

/** The specification (2.9) names results and notifications without a group; published schemas always have one. */
function question(event: Loose) {
  const { kind, apiVersion } = event;
  const version = apiVersion === 'v1' ? `${GROUP}/v1alpha1` : apiVersion;
  return { schema: `${version}/${kind}`, document: { ...event, apiVersion: version } };
}
