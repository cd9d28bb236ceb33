/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: what hostile callers send. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelOs, isOrchestratorError, type WorkflowStep } from '@tutti/manifests';
import { formatFunctionName, type ProviderFunction } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import { builtInManifest, manifestPrefixes } from './built-in-manifests.ts';

const SYSTEMS = ['linux', 'macos', 'windows'] as const satisfies readonly ChannelOs[];

/** What would be run, printed or expanded if it were not quoted. */
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

describe.each(manifestPrefixes)('the functions of %s', (prefix) => {
  test('are described, all with the prefix that the file is named after', async () => {
    const found = await builtInManifest(prefix);
    expect(found?.provider.functions.map((each) => each.prefix)).toEqual(
      found?.provider.functions.map(() => prefix),
    );
  });

  test.each(SYSTEMS)('make scripts for %s that its shell can read', async (os) => {
    for (const called of (await builtInManifest(prefix))?.provider.functions ?? []) {
      const steps = await stepsOf(called, 'path/to/a.file#case', os);
      for (const script of scriptsOf(steps)) execFileSync('bash', ['-n'], { input: script });
      for (const { run = '' } of steps ?? []) expect(run).not.toContain('${{');
    }
  });

  test('run nothing that an input says', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'hostile '));
    try {
      for (const called of (await builtInManifest(prefix))?.provider.functions ?? []) {
        for (const text of HOSTILE) {
          for (const script of scriptsOf(await stepsOf(called, text, 'linux'))) {
            // No program is found, so that only what the shell itself does can show.
            const env = { PATH: cwd, OPENTF_VARIABLES: join(cwd, 'variables') };
            const run = spawnSync('/bin/bash', ['-c', script], { cwd, env, encoding: 'utf8' });
            const where = `${formatFunctionName(called)} with ${text}:\n${script}`;
            expect(run.stdout.split('\n'), where).not.toContain('BREACH');
          }
        }
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

/** What cmd reads as syntax: neither escaped by a caret nor within quotes. */
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
