import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger, type Logger } from '../../runtime/logger.ts';
import { loadConfiguredGates } from './configured-gates.ts';
import { GATE_LIMITS } from './limits.ts';

let folder: string;
let logged: { readonly msg: string; readonly err?: { readonly message: string } }[];
let logger: Logger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tutti-gates-'));
  logged = [];
  const write = (line: string) => void logged.push(JSON.parse(line));
  logger = createLogger({ level: 'info', destination: { write } });
});
afterEach(() => rmSync(folder, { recursive: true }));

const gate = (name: string, threshold = '50%'): string =>
  `- name: ${name}\n  rules:\n  - rule:\n      threshold: ${threshold}\n`;

function put(name: string, ...gates: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `qualitygates:\n${gates.join('')}`);
  return path;
}

const thresholdOf = async (
  gates: Awaited<ReturnType<typeof loadConfiguredGates>>,
  name: string,
): Promise<string | undefined> => (await gates.find(name))?.gate.rules[0]?.threshold;

// HTTP 4.10: GET: modes of the configuration, `strict` without one; the two that always exist.
test('strict and passing are always there', async () => {
  const gates = await loadConfiguredGates([], logger);
  expect(await thresholdOf(gates, 'strict')).toBe('100%');
  expect(await thresholdOf(gates, 'passing')).toBe('0%');
  expect(await gates.find('nightly')).toBeNull();
});

test('the gates of all files are known, of a directory those of its YAML files', async () => {
  mkdirSync(join(folder, 'many'));
  put('many/b.yml', gate('b'));
  put('many/a.yaml', gate('a'));
  put('many/notes.txt', gate('c'));
  put('many/.hidden.yaml', gate('d'));
  const gates = await loadConfiguredGates(
    [put('one.json', gate('one')), join(folder, 'many')],
    logger,
  );
  const known = await Promise.all(['one', 'a', 'b', 'c', 'd'].map((name) => gates.find(name)));
  expect(known.map((found) => found?.gate.name ?? null)).toEqual(['one', 'a', 'b', null, null]);
});

test('the last of several gates with one name counts, and the log says so', async () => {
  const paths = [put('first.yaml', gate('same', '10%')), put('second.yaml', gate('same', '20%'))];
  const gates = await loadConfiguredGates(paths, logger);
  const warning = 'Duplicate definitions found for quality gate "same", the last one is used.';
  expect(await thresholdOf(gates, 'same')).toBe('20%');
  expect((await gates.find('same'))?.warnings).toEqual([warning]);
  expect(logged.map(({ msg }) => msg)).toEqual([warning]);
});

describe('definitions that cannot be used keep the server from starting:', () => {
  test.each([
    ['no YAML', 'a: [', 'Not a valid YAML document: '],
    ['nothing', '', 'Not a valid quality gate definition: must be an object, not null (line 1).'],
    ['another document', 'gates: []', '"qualitygates" is missing'],
    [
      'an unknown key',
      'qualitygates:\n- name: a\n  rule: 1\n  rules: [{rule: {threshold: 1%}}]\n',
      'qualitygates[0]: unknown key "rule", did you mean "rules"?',
    ],
    [
      'a wrong threshold',
      `qualitygates:\n${gate('a', 'half')}`,
      'qualitygates[0].rules[0].rule.threshold: must be a percentage from "0%" to "100%", not "half" (line 5)',
    ],
    [
      'a wrong scope',
      `qualitygates:\n${gate('a')}      scope: test.\n`,
      'qualitygates[0].rules[0].rule.scope: [SCOPE ERROR] Invalid conditional test.:',
    ],
    [
      'a wrong scope of a gate',
      `qualitygates:\n- name: a\n  scope: job.name\n  rules: [{rule: {threshold: 1%}}]\n`,
      'qualitygates[0].scope: [SCOPE ERROR] Nonexisting context entry',
    ],
    [
      'two rules of one name',
      `qualitygates:\n- name: a\n  rules: [{name: r, rule: {threshold: 1%}}, {name: r, rule: {threshold: 2%}}]\n`,
      'Quality gate "a" has several rules with the name "r".',
    ],
    [
      'a gate that is built in',
      `qualitygates:\n${gate('strict')}`,
      'The quality gate "strict" is built in and cannot be defined anew.',
    ],
    ['too much', '#'.repeat(GATE_LIMITS.definitionBytes + 1), 'it may have 524288 bytes at most.'],
  ])('%s', async (_what, text, problem) => {
    const path = join(folder, 'gates.yaml');
    writeFileSync(path, text);
    const loading = loadConfiguredGates([path], logger);
    await expect(loading).rejects.toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining(`${path}: `),
    });
    await expect(loading).rejects.toThrow(problem);
  });

  test('a file that is not there', async () => {
    const path = join(folder, 'none.yaml');
    await expect(loadConfiguredGates([path], logger)).rejects.toThrow(
      `${path}: cannot be read: ENOENT`,
    );
  });

  test('too many files', async () => {
    for (let index = 0; index <= GATE_LIMITS.files; index++)
      put(`${index}.yaml`, gate(`g${index}`));
    await expect(loadConfiguredGates([folder], logger)).rejects.toThrow(
      'Quality gates may be defined in 64 files at most, not in 65.',
    );
  });
});

describe('while the server runs', () => {
  test('a file that changes is read anew, and a file that comes or goes is noticed', async () => {
    put('a.yaml', gate('a', '10%'));
    const gates = await loadConfiguredGates([folder], logger);
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    put('a.yaml', gate('a', '20%'));
    expect(await thresholdOf(gates, 'a')).toBe('20%');
    put('b.yaml', gate('b'));
    expect(await thresholdOf(gates, 'b')).toBe('50%');
    rmSync(join(folder, 'a.yaml'));
    expect(await gates.find('a')).toBeNull();
  });

  test('a definition that became wrong is told once, in one line with file and place, and its last good version stays', async () => {
    const path = put('a.yaml', gate('a', '10%'));
    const gates = await loadConfiguredGates([path], logger);
    put('a.yaml', gate('a', 'wrong'));
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    rmSync(path);
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    expect(logged.map(({ msg }) => msg)).toEqual([
      `The definition of quality gates ${path} is not usable, its last good version stays in use: Not a valid quality gate definition: qualitygates[0].rules[0].rule.threshold: must be a percentage from "0%" to "100%", not "wrong" (line 5).`,
      expect.stringMatching(
        /a\.yaml is not usable, its last good version stays in use: cannot be read: ENOENT/,
      ),
    ]);
    expect(logged.filter(({ err }) => err !== undefined)).toEqual([]);
    put('a.yaml', gate('a', '30%'));
    expect(await thresholdOf(gates, 'a')).toBe('30%');
  });

  test('a wrong file hinders no other one', async () => {
    put('a.yaml', gate('a', '10%'));
    put('b.yaml', gate('b', '10%'));
    const single = put('single.json', gate('single', '10%'));
    mkdirSync(join(folder, 'more'));
    const gates = await loadConfiguredGates([folder, single, join(folder, 'more')], logger);
    put('a.yaml', gate('a', 'wrong'));
    put('b.yaml', gate('b', '20%'));
    put('c.yaml', gate('c', 'new and wrong'));
    put('d.yaml', gate('d', '20%'));
    put('single.json', gate('single', '20%'));
    const found = await Promise.all(
      ['a', 'b', 'c', 'd', 'single'].map((name) => thresholdOf(gates, name)),
    );
    expect(found).toEqual(['10%', '20%', undefined, '20%', '20%']);
    expect(logged.map(({ msg }) => msg)).toEqual([
      expect.stringContaining('a.yaml is not usable, its last good version stays in use: '),
      expect.stringContaining('c.yaml is not usable, it is not used: '),
      'The quality gates were read anew.',
    ]);
    put('c.yaml', gate('c', '30%'));
    rmSync(join(folder, 'a.yaml'));
    expect(await thresholdOf(gates, 'c')).toBe('30%');
    expect(await gates.find('a')).toBeNull();
  });

  test('the last good definitions of a missing directory stay, and other files are read', async () => {
    mkdirSync(join(folder, 'many'));
    put('many/a.yaml', gate('a', '10%'));
    const path = put('b.yaml', gate('b', '10%'));
    const gates = await loadConfiguredGates([join(folder, 'many'), path], logger);
    rmSync(join(folder, 'many'), { recursive: true });
    put('b.yaml', gate('b', '20%'));
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    expect(await thresholdOf(gates, 'b')).toBe('20%');
    expect(logged.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(
        /many is not usable, its last good version stays in use: cannot be read: ENOENT/,
      ),
      'The quality gates were read anew.',
    ]);
  });

  test('too many files change nothing, and are told once', async () => {
    put('a.yaml', gate('a', '10%'));
    const gates = await loadConfiguredGates([folder], logger);
    for (let index = 0; index < GATE_LIMITS.files; index++) put(`${index}.yaml`, gate('b'));
    put('a.yaml', gate('a', '20%'));
    expect(await thresholdOf(gates, 'a')).toBe('10%');
    expect(await gates.find('b')).toBeNull();
    expect(logged.map(({ msg }) => msg)).toEqual([
      'The changed quality gates are not usable, the last good ones stay in use: Quality gates may be defined in 64 files at most, not in 65.',
    ]);
  });
});
