/** Notes and labels that existing clients write to merge requests and issues of GitLab about quality gates. */
import { expect, type TestContext } from 'vitest';
import { ended, oneJob, start } from '../../support/runs.ts';
import { reportStep } from '../../support/sample-run.ts';
import type { ServerChild } from '../../support/workbench.ts';
import { featuresOf } from '../feature.ts';
import { CLIENT_AREA } from './area.ts';
import { useClientServers } from './client-servers.ts';
import type { Ctl } from './ctl.ts';
import { openGitLab } from './gitlab.ts';

const servers = useClientServers();
const feature = featuresOf(CLIENT_AREA);
const TOKEN = 'of-gitlab';
const MERGE_REQUEST = 'projects/7/merge_requests/8';
const ISSUE = 'projects/7/issues/9';

/** Two test cases, one of which fails. */
const TESTED = oneJob('tested', [
  reportStep([
    { name: 'good', seconds: 1 },
    { name: 'bad', seconds: 1, outcome: '<failure message="broke" type="E">there</failure>' },
  ]),
]);

async function tested(server: ServerChild): Promise<string> {
  const id = await start(server, TESTED);
  await ended(server, id);
  return id;
}

const plugin = (...parameters: readonly string[]) =>
  parameters.flatMap((parameter) => ['--plugin', `gitlab:${parameter}`]);

async function shownBy(ctl: Ctl, words: readonly string[], code: number) {
  const said = await ctl.run(...words);
  expect([said.code, said.stderr.includes('ERROR')], said.stderr).toEqual([code, false]);
  return said;
}

const gitLab = (context: TestContext) => openGitLab(TOKEN, context);

feature('tells a merge request what a quality gate says', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await tested(server);
  const { url, target } = await gitLab(run.context);
  const place = plugin(`server=${url}`, 'project=7', 'mr=8', `token=${TOKEN}`);
  await shownBy(ctl, ['get', 'qualitygate', id, ...place, ...plugin('keep-history=true')], 102);
  const [note] = target(MERGE_REQUEST).notes;
  expect(note?.body).toContain('Quality gate status for mode strict');
  expect(note?.body).toContain('Quality gate failed');
  expect(note?.body).toMatch(/Tests: 2,\s*failed: 1,\s*passed: 1,\s*success ratio: 50%/);
  expect(note?.body).toContain('threshold: 100%');
});

feature('labels a merge request, and replaces what was said of it before', async (run) => {
  const { ctl, server } = await servers.open(run);
  const id = await tested(server);
  const { url, target } = await gitLab(run.context);
  const place = plugin(`server=${url}`, 'project=7', 'mr=8', 'issue=9', `token=${TOKEN}`);
  const gate = async (mode: string, code: number, ...parameters: readonly string[]) => {
    const words = ['get', 'qualitygate', id, `--mode=${mode}`, ...place, ...plugin(...parameters)];
    await shownBy(ctl, words, code);
    const { notes, labels } = target(MERGE_REQUEST);
    // The issue is told the same.
    expect(target(ISSUE).labels).toEqual(labels);
    expect(target(ISSUE).notes).toHaveLength(notes.length);
    return { count: notes.length, labels };
  };
  const failed = { count: 1, labels: ['QualityGate::Failed'] };
  expect(await gate('strict', 102, 'keep-history=false', 'label=default')).toEqual(failed);
  // One note for each mode; of the label, the last value alone.
  const passed = { count: 2, labels: ['QualityGate::Passed'] };
  expect(await gate('passing', 0, 'keep-history=false', 'label=default')).toEqual(passed);
  expect(await gate('passing', 0, 'keep-history=false', 'label=default')).toEqual(passed);
  const kept = { count: 3, labels: ['QualityGate::Passed', 'Own::Passed'] };
  expect(await gate('passing', 0, 'keep-history=true', 'label=Own', 'cats=1')).toEqual(kept);
});

feature('finds the merge request of its pipeline, also at the end of a run', async (run) => {
  const { url, target } = await gitLab(run.context);
  const env = {
    CI_SERVER_URL: url,
    CI_MERGE_REQUEST_PROJECT_ID: '7',
    CI_MERGE_REQUEST_IID: '8',
  };
  const { ctl } = await servers.open(run, { env });
  await ctl.write('tested.yaml', TESTED);
  const words = ['run', 'workflow', 'tested.yaml', '--mode=passing'];
  await shownBy(ctl, [...words, ...plugin(`token=${TOKEN}`, 'keep-history=false')], 0);
  expect(target(MERGE_REQUEST).notes[0]?.body).toContain('Quality gate passed');
  const refused = await ctl.run(...words, ...plugin('token=none', 'keep-history=false'));
  // The verdict is that of the gate all the same.
  expect([refused.code, refused.stderr]).toEqual([0, expect.stringContaining('401')]);
  expect(target(MERGE_REQUEST).notes).toHaveLength(1);
});
