/** Files that `actions/create-file` writes, as a reader of YAML 1.1 takes them: PyYAML. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { installedProgram } from '../support/debian-program.ts';
import { type Found, findProgram, need } from '../support/found-tool.ts';
import { ended, logOf, start } from '../support/runs.ts';
import { technologyBench } from './bench.ts';

const { shared } = await technologyBench();

/** Packages of Debian are for its own Python, which need not be the first. */
const DEBIAN_PYTHON = '/usr/bin/python3';

const hasYaml = (python: string): boolean => spawnSync(python, ['-c', 'import yaml']).status === 0;

function pythonWithYaml(): Found<string> {
  const first = findProgram('python3');
  if (first !== null && hasYaml(first)) return { tool: first };
  if (!hasYaml(DEBIAN_PYTHON)) installedProgram('python3', ['python3-yaml']);
  return hasYaml(DEBIAN_PYTHON)
    ? { tool: DEBIAN_PYTHON }
    : { missing: 'there is no python3 with yaml' };
}

const READ = 'import json, yaml; print("read:" + json.dumps(yaml.safe_load(open("data.yaml"))))';

test('PyYAML takes texts for texts, and numbers and booleans for what they are', async (context) => {
  const python = need(pythonWithYaml(), 'PyYAML', context);
  const data = {
    texts: ['yes', 'off', 'n', '12:30', '=', '~', '2001-01-01', '0o7', '017', '1_000', '1e3', ''],
    on: { null: 'null', '1': 'one' },
    script: "echo 'yes'\nexit 1\n",
    odd: ['\u0085', '\u2028', '\ufeff', '\u007f', '😀', 'a: b', '- a'],
    others: [true, false, null, 12, -1.5, 1e21, 1.5e-7],
  };
  const steps = [
    { uses: 'actions/create-file@v1', with: { data, format: 'yaml', path: 'data.yaml' } },
    { run: `'${python}' -c '${READ}'` },
  ];
  const id = await start(shared.server, {
    metadata: { name: 'yaml' },
    jobs: { main: { 'runs-on': 'linux', steps } },
  });
  await ended(shared.server, id);
  const [, read = ''] = /read:(\{.*)$/m.exec(await logOf(shared.server, id)) ?? [];
  expect(JSON.parse(read)).toEqual(data);
});
