import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../runtime/logger.ts';
import { loadConfiguredInsights } from './configured-insights.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

function createFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-insights-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const logged: string[] = [];
  const write = (line: string) => void logged.push(JSON.parse(line).msg);
  const put = (name: string, ...names: readonly string[]) => {
    const insights = names.map((each) => `- {name: ${each}, kind: ExecutionLog}\n`);
    writeFileSync(join(folder, name), `insights:\n${insights.join('')}`);
  };
  const load = () =>
    loadConfiguredInsights([folder], createLogger({ level: 'info', destination: { write } }));
  return { folder, put, load, logged };
}

const namesOf = async (configured: Awaited<ReturnType<typeof loadConfiguredInsights>>) =>
  (await configured.all()).map(({ name }) => name);

test('a file that became wrong hinders no other one, and its last good version stays', async () => {
  const { put, load, logged } = createFixture();
  put('a.yaml', 'a');
  put('b.yaml', 'b');
  const configured = await load();
  put('a.yaml', 'A');
  put('b.yaml', 'b', 'c');
  expect(await namesOf(configured)).toEqual(['a', 'b', 'c']);
  expect(await namesOf(configured)).toEqual(['a', 'b', 'c']);
  expect(logged).toEqual([
    expect.stringMatching(
      /^The definition of insights .*a\.yaml is not usable, its last good version stays in use: Not a valid insight definition: insights\[0\]\.name: .* \(line 2\)\.$/,
    ),
    'The insights were read anew.',
  ]);
});

test('files that make too many insights together change nothing until they are fewer', async () => {
  const { put, load, logged } = createFixture();
  put('a.yaml', 'a');
  const configured = await load();
  put(
    'b.yaml',
    ...Array.from({ length: COLLECTOR_LIMITS.insightsPerRequest }, (_, at) => `b${at}`),
  );
  expect(await namesOf(configured)).toEqual(['a']);
  put('b.yaml', 'b');
  expect(await namesOf(configured)).toEqual(['a', 'b']);
  expect(logged).toEqual([
    'The changed insights are not usable, the last good ones stay in use: There may be 32 insights at the end of each run, not 33.',
    'The insights were read anew.',
  ]);
});

test('entries that cannot be meant are logged with their file when it is read', async () => {
  const { folder, load, logged } = createFixture();
  const path = join(folder, 'a.yaml');
  const report = (field: string) =>
    `insights:\n- name: a\n  kind: SummaryReport\n  spec:\n    template:\n    - {name: t, kind: Table, datasource: tags, columns: {A: ${field}}}\n`;
  writeFileSync(path, report('metadata.nam'));
  const configured = await load();
  writeFileSync(path, report('status.jobs'));
  expect(await namesOf(configured)).toEqual(['a']);
  expect(await namesOf(configured)).toEqual(['a']);
  const remark = `${path}: Insight definition: insights[0].spec.template[0].columns.A: unknown field`;
  expect(logged).toEqual([
    `${remark} "metadata.nam", did you mean "metadata.name"? (line 6).`,
    `${remark} "status.jobs", there are "status.jobCount", "status.testCaseCount", "status.testCaseStatusSummary" (line 6).`,
    'The insights were read anew.',
  ]);
});
