import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { commentsOf, longSentencesOf } from './comments.ts';
import { functionsOf } from './functions.ts';
import { isTestCode, readSourceFiles, type SourceFile } from './source-files.ts';
import {
  breaches,
  COMMENT_RULES,
  EXPORT_RULES,
  IMPORT_RULES,
  LOG_RULES,
  NAME_RULES,
  PURITY_RULES,
  SECRECY_RULES,
  STATUS_RULES,
  TABLE_RULES,
  TEST_RULES,
  type TextRule,
  TYPE_RULES,
  WORD_RULES,
} from './source-rules.ts';

const FILE_LINES_MAX = 500;
const PARAMETERS_MAX = 4;
/** Functions with as many parameters as they may have. */
const FULL_FUNCTIONS_MAX = 215;
const FUNCTION_LINES_MAX = 69;
/** Words of a sentence in a comment. No comment needs an exception: longer sentences have two ideas. */
const WORDS_MAX = 20;

const files = readSourceFiles();
const sources = files.filter(({ path }) => !isTestCode(path));
const all = (from: readonly SourceFile[], rules: readonly TextRule[]) =>
  from.flatMap((file) => breaches(file, rules));

const examples: readonly (readonly [
  rules: readonly TextRule[],
  text: string,
  isBroken: boolean,
])[] = [
  [PURITY_RULES, 'const now = Date.now();', true],
  [PURITY_RULES, 'const now = new Date();', true],
  [PURITY_RULES, 'const date = new Date(text);', false],
  [PURITY_RULES, '// Date.now() would do', false],
  [PURITY_RULES, 'crypto.randomUUID();', true],
  [PURITY_RULES, 'options.crypto', false],
  [PURITY_RULES, `import { readFile } from 'node:fs';`, true],
  [PURITY_RULES, 'process.env', true],
  [PURITY_RULES, 'child.process.kill()', false],
  [IMPORT_RULES, `import http from 'node:http';`, true],
  [IMPORT_RULES, `import type { Agent } from 'node:http';`, false],
  [IMPORT_RULES, `import { a } from './a.ts';\nimport type b from 'node:http';`, false],
  [EXPORT_RULES, `export * from './a.ts';`, true],
  [EXPORT_RULES, `export { a } from './a.ts';`, false],
  [EXPORT_RULES, 'export default a;', true],
  [TYPE_RULES, 'enum A { b }', true],
  [TYPE_RULES, 'const a = { enum: [1] };', false],
  [TYPE_RULES, 'a as any', true],
  [TABLE_RULES, 'const NAMES: Readonly<Record<string, string>> = { a };', true],
  [TABLE_RULES, 'const NAMES = dictionary<string>({ a });', false],
  [TABLE_RULES, '  const found: Record<string, number> = {};', true],
  [TABLE_RULES, 'if (name in table) return;', true],
  [TABLE_RULES, "if ('name' in table) return;", false],
  [TABLE_RULES, 'for (const name in table) use(name);', true],
  [TABLE_RULES, 'const found = Object.fromEntries(entries);\nreturn found[name];', true],
  [TABLE_RULES, 'const found = Object.fromEntries(entries);\nreturn found;', false],
  [LOG_RULES, `logger.warn({ agent_id: agent.id }, 'gone');`, true],
  [LOG_RULES, `context.logger.warn({ job_id, why }, 'refused');`, true],
  [LOG_RULES, `request.log.error({ error }, 'failed');`, true],
  [LOG_RULES, `logger.warn({ err: error, agentId: agent.id }, 'gone');`, false],
  [STATUS_RULES, 'reply.code(404)', true],
  [STATUS_RULES, 'reply.code(REASON_CODES.NotFound)', false],
  [STATUS_RULES, 'reply.code(204).send()', false],
  [STATUS_RULES, `status('OK', message)`, false],
  [WORD_RULES, 'a ready sentence', false],
  [COMMENT_RULES, '/** What a fact says. */', true],
  [COMMENT_RULES, '/**\n * A fact.\n * Of a run. */', true],
  [COMMENT_RULES, '  // Kept. Those of others go.', true],
  [COMMENT_RULES, 'next(); // How far it is.', true],
  [COMMENT_RULES, '/** Content of a fact. See what it says. */', false],
  [COMMENT_RULES, `says('What?'); const at = 'https://a/What';`, false],
  [NAME_RULES, 'const isTold = true;', true],
  [NAME_RULES, 'this.#tellAll();', true],
  [NAME_RULES, 'JOBS_TOLD', true],
  [NAME_RULES, 'noteMasksTold()', true],
  [NAME_RULES, 'intellij; satellite; foretold', false],
  [NAME_RULES, "print('told');", false],
  [TEST_RULES, `test.only('a', () => {})`, true], // Text that the rule must find, and no test.
];

test.each(examples)('rules %# on %j', (rules, text, isBroken) => {
  expect(breaches({ path: 'a.ts', text }, rules).length > 0).toBe(isBroken);
});

test('what a run masks is known to those alone who carry it out, or hide it', () => {
  const entitled =
    /^server\/src\/(?:store\/|services\/arranger\/|plugins\/agentchannel\/|services\/observer\/shown-events\.ts$)/;
  const others = sources.filter(({ path }) => path.startsWith('server/') && !entitled.test(path));
  expect(all(others, SECRECY_RULES)).toEqual([]);
});

test('long-lived processes load no second HTTP client', () => {
  const lasting = sources.filter(({ path }) => /^(?:server|agent)\//.test(path));
  expect(all(lasting, IMPORT_RULES)).toEqual([]);
});

test('lines of the log of the server name what they are about as all others do', () => {
  const server = sources.filter(({ path }) => path.startsWith('server/'));
  expect(all(server, LOG_RULES)).toEqual([]);
});

test('the pure packages read no clock, draw no ids and touch nothing outside', () => {
  // `client` talks to a server, and `import-config` reads files: that is their work.
  const pure = sources.filter(({ path }) => /^packages\/(?!(?:client|import-config)\/)/.test(path));
  expect(all(pure, PURITY_RULES)).toEqual([]);
});

test('exports are named, one by one', () => {
  // Tools look for the default export of their own configuration, and of a reporter.
  expect(
    all(
      files.filter(({ path }) => !/\.config\.ts$|\/node-test-reporter\.mjs$/.test(path)),
      EXPORT_RULES,
    ),
  ).toEqual([]);
});

test('types are neither enums nor any', () => {
  expect(all(files, TYPE_RULES)).toEqual([]);
});

test('tables with keys from outside have no prototype', () => {
  const others = sources.filter(
    ({ path }) =>
      /^(?:server|packages|agent)\//.test(path) &&
      // Their keys are those of this repository.
      !/\/(?:openapi[\w-]*|reference\/[\w-]+|[\w-]*\.fixture)\.ts$|\/testing\//.test(path),
  );
  expect(all(others, TABLE_RULES)).toEqual([]);
});

test('numbers of HTTP are known in one place', () => {
  const others = sources.filter(
    ({ path }) => path.startsWith('server/') && !path.startsWith('server/src/http/'),
  );
  expect(all(others, STATUS_RULES)).toEqual([]);
});

test('nothing is unfinished, and nothing knows the machine it was written on', () => {
  // Its patterns and examples would be found in itself.
  const others = files.filter(({ path }) => !path.startsWith('tests/structure/source-rules'));
  expect(all(others, WORD_RULES)).toEqual([]);
});

test('comments name the thing first', () => {
  // The examples of this file break the rule.
  const others = files.filter(({ path }) => path !== 'tests/structure/source-rules.test.ts');
  expect(all(others, COMMENT_RULES)).toEqual([]);
});

test('names say what is done', () => {
  expect(all(files, NAME_RULES)).toEqual([]);
});

test(`no sentence of a comment has more than ${WORDS_MAX} words`, () => {
  expect(files.flatMap(({ text }) => commentsOf(text)).length).toBeGreaterThan(10_000);
  const long = files.flatMap((file) =>
    longSentencesOf(file.text, WORDS_MAX).map(({ text }) => `${file.path}: ${text}`),
  );
  expect(long).toEqual([]);
});

test.each([
  ['/** One two three. Four five six seven. */', ['Four five six seven.']],
  [
    '/**\n * One two\n * three four.\n *\n * @param a five six seven eight\n */',
    ['One two three four.'],
  ],
  ['a(); // One two\n// three four.', ['One two three four.']],
  ["const a = 'http://one two three four';", []],
  ['// biome-ignore lint/a/b: one two three four', []],
])('the long sentences of %j are %j', (source, texts) => {
  expect(longSentencesOf(source, 3).map(({ text }) => text)).toEqual(texts);
});

test('every test runs, against the real modules', () => {
  const others = files.filter(({ path }) => !path.startsWith('tests/structure/source-rules'));
  expect(all(others, TEST_RULES)).toEqual([]);
});

test('no file is called after nothing', () => {
  const vague = /^(?:utils?|commons?|helpers?|libs?|core|misc)$/;
  const names = files.flatMap(({ path }) =>
    path
      .split('/')
      .filter((piece) => vague.test(posix.parse(piece).name))
      .map(() => path),
  );
  expect(names).toEqual([]);
});

test('files are named in kebab-case', () => {
  const isKebab = (path: string) => /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(posix.basename(path));
  expect(files.map(({ path }) => path).filter((path) => !isKebab(path))).toEqual([]);
});

test(`no file has more than ${FILE_LINES_MAX} lines`, () => {
  const long = sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > FILE_LINES_MAX)
    .map(({ path, lines }) => `${path}: ${lines}`);
  expect(long).toEqual([]);
});

test(`no function has more than ${FUNCTION_LINES_MAX} lines`, () => {
  const long = sources.flatMap(({ path, text }) =>
    functionsOf(text)
      .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
      .map(({ name, lines }) => `${path}#${name}: ${lines}`),
  );
  expect(long).toEqual([]);
});

test(`no function has more than ${PARAMETERS_MAX} parameters, and few have as many`, () => {
  const found = sources.flatMap(({ path, text }) =>
    functionsOf(text)
      .filter(({ parameters }) => parameters >= PARAMETERS_MAX)
      .map(({ name, parameters }) => ({ place: `${path}#${name}`, parameters })),
  );
  expect(found.filter(({ parameters }) => parameters > PARAMETERS_MAX)).toEqual([]);
  expect(found.length).toBeLessThanOrEqual(FULL_FUNCTIONS_MAX);
});
