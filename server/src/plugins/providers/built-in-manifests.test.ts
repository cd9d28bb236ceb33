/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what hostile callers send. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelOs, isOrchestratorError, type WorkflowStep } from '@tutti/manifests';
import { formatFunctionName, type ProviderFunction } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import { builtInManifest, manifestPrefixes } from './built-in-manifests.ts';

const SYSTEMS = ['linux', 'macos', 'windows'] as const satisfies readonly ChannelOs[];

/** Texts that would be run, printed or expanded if they were not quoted. */
const HOSTILE = [
  "a'b",
  '$(echo BREACH)',
  '`echo BREACH`',
  'x; echo BREACH',
  'x\necho BREACH',
  'x && echo BREACH',
  '| echo BREACH',
  '"; echo BREACH; "',
  "'; echo BREACH; '",
  '${{ secrets.BREACH }}',
  'x#$(echo BREACH)',
  '$(echo BREACH)/y#`echo BREACH`',
  "a/'; echo BREACH; '/b#c",
] as const;

/** Every text input has the text; the others have what fits. */
function inputsWith({ inputs }: ProviderFunction, text: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([name]) => !name.startsWith('{'))
      .map(([name, { type, options = [] }]) => [name, sampleOf(name, type, options, text)]),
  );
}

function sampleOf(
  name: string,
  type: string | undefined,
  options: readonly string[],
  text: string,
): unknown {
  if (type === 'choice') return options[0];
  if (type === 'number') return 1;
  if (type === 'boolean') return true;
  if (name === 'data') return { global: { a: text }, test: { b: text } };
  return type === 'string' ? text : { key: text };
}

/** The steps; null where the function refuses such inputs, or has no steps for the system. */
async function stepsOf(
  called: ProviderFunction,
  text: string,
  os: ChannelOs,
): Promise<readonly WorkflowStep[] | null> {
  try {
    return await called.call(inputsWith(called, text), { os });
  } catch (error) {
    if (isOrchestratorError(error)) return null;
    throw error;
  }
}

const scriptsOf = (steps: readonly WorkflowStep[] | null): readonly string[] =>
  (steps ?? []).flatMap(({ run, shell }) => (run === undefined || shell !== 'bash' ? [] : [run]));

const forEach = (command: string): string => `
  while IFS= read -r -d '' script; do
    ${command} < /dev/null
    printf '\\0'
  done`;
const RUN_EACH = forEach('(eval "$script") 2> /dev/null');
const READ_EACH = forEach('/bin/bash -n -c "$script" 2>&1');

/** Output of a command for each of the scripts; one process for all, since starting it takes the time. */
function outputsOf(command: string, scripts: readonly string[], cwd = '/'): readonly string[] {
  // No program is found, so that only actions of the shell itself can show.
  const env = { PATH: cwd, OPENTF_VARIABLES: join(cwd, 'variables') };
  const input = scripts.map((script) => `${script}\0`).join('');
  const { stdout } = spawnSync('/bin/bash', ['-c', command], { cwd, env, input, encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

describe.each(manifestPrefixes)('the functions of %s', (prefix) => {
  test('are described, all with the prefix that the file is named after', async () => {
    const found = await builtInManifest(prefix);
    expect(found?.provider.functions.map((each) => each.prefix)).toEqual(
      found?.provider.functions.map(() => prefix),
    );
  });

  test.each(SYSTEMS)('make scripts for %s that its shell can read', async (os) => {
    const scripts = new Set<string>();
    for (const called of (await builtInManifest(prefix))?.provider.functions ?? []) {
      const steps = await stepsOf(called, 'path/to/a.file#case', os);
      for (const script of scriptsOf(steps)) scripts.add(script);
      for (const { run = '' } of steps ?? []) expect(run).not.toContain('${{');
    }
    expect(outputsOf(READ_EACH, [...scripts])).toEqual(Array.from(scripts, () => ''));
  });

  test('run nothing that an input says', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'hostile '));
    try {
      for (const called of (await builtInManifest(prefix))?.provider.functions ?? []) {
        const scripts: string[] = [];
        for (const text of HOSTILE) {
          scripts.push(...scriptsOf(await stepsOf(called, text, 'linux')));
        }
        const outputs = outputsOf(RUN_EACH, scripts, cwd);
        expect(outputs).toHaveLength(scripts.length);
        outputs.forEach((output, index) => {
          const where = `${formatFunctionName(called)}:\n${scripts[index]}`;
          expect(output.split('\n'), where).not.toContain('BREACH');
        });
      }
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  test('have no character of an input unquoted on Windows', async () => {
    for (const called of (await builtInManifest(prefix))?.provider.functions ?? []) {
      for (const text of ['a & echo BREACH', 'a | echo BREACH', 'a > BREACH', 'a" & echo BREACH']) {
        for (const { run = '', shell } of (await stepsOf(called, text, 'windows')) ?? []) {
          const bare = shell === 'cmd' ? run.split('\n').map(outsideQuotes).join('\n') : '';
          expect(bare, run).not.toMatch(/[&|>] ?(?:echo )?BREACH/);
        }
      }
    }
  });
});

/** The signs that cmd reads as syntax: neither escaped by a caret nor within quotes. */
function outsideQuotes(line: string): string {
  let isQuoted = false;
  let bare = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '^' && !isQuoted) at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted) bare += character;
  }
  return bare;
}

test('every file of the folder is a description', () => {
  const folder = new URL('./manifests/', import.meta.url);
  expect(readdirSync(folder).sort()).toEqual(manifestPrefixes.map((prefix) => `${prefix}.yaml`));
});
