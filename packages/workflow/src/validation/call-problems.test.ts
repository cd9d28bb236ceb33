// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { formatProblem } from '@tutti/manifests/documents';
import * as ajv from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import * as yaml from 'yaml';
import { createWorkflowCheck } from './workflow-problems.ts';
import type { WorkflowUse } from './workflow-use.ts';

const check = createWorkflowCheck(() => ajv);

const RESOURCES = `resources:
  files: [a.yaml]
  repositories: [{name: shop, type: git, repository: team/shop, endpoint: "https://example.org"}]
`;
const call = (uses: string) => `metadata: {name: x}\njobs: {a: {uses: ${JSON.stringify(uses)}}}\n`;

function problemsOf(text: string, use?: WorkflowUse): readonly string[] {
  const checked = check(yaml.parse(text), use);
  const problems = [...(checked.ok ? [] : checked.problems), ...checked.warnings];
  return problems.map((problem) => formatProblem(problem));
}

describe('a call in a workflow that is started', () => {
  test.each([
    './a.yaml',
    'shop/tests/checks.yaml@v1',
    'shop/checks.yaml',
    'https://example.org/team/shop.git/checks.yaml@main',
    '${{ resources.repositories.shop }}/checks.yaml@v1',
    '${{ variables.FILE }}',
  ])('%s can be', (uses) => {
    expect(problemsOf(`${call(uses)}${RESOURCES}variables: {FILE: ./a.yaml}\n`)).toEqual([]);
  });

  const says = (uses: string, why: string) =>
    `jobs.a.uses: Job "a" calls "${uses.replace('u:p@', '***@')}", but ${why}`;
  test.each([
    ['./b.yaml', '"b.yaml" is not in "resources.files". Did you mean "a.yaml"?'],
    [
      'shpo/checks.yaml@v1',
      '"shpo" is no repository of the resources; files that come with the run are called as "./NAME". Did you mean "shop"?',
    ],
    [
      'checks.yaml',
      'expected REPOSITORY/PATH@REF; files that come with the run are called as "./NAME".',
    ],
    ['shop/../x', '"../x" is no path of a file in a repository.'],
    ['shop/x@-x', '"-x" is no branch, tag or commit.'],
    [
      'https://u:p@example.org/x.git/x.yaml',
      'credentials in an address would be shown: declare the repository in the resources.',
    ],
  ])('%s is refused', (uses, why) => {
    expect(problemsOf(`${call(uses)}${RESOURCES}`)).toEqual([says(uses, why)]);
  });

  test('of a resource that is not there is warned of', () => {
    const uses = '${{ resources.repositories.shpo }}/checks.yaml';
    expect(problemsOf(`${call(uses)}${RESOURCES}`)).toEqual([
      'jobs.a.uses: there is no resource repository "shpo", so this is empty, did you mean "shop"?',
    ]);
  });
});

describe('a called workflow', () => {
  test('calls any repository, as those of the workflow that is started are not known', () => {
    for (const use of ['called', 'called-in-repository'] as const) {
      expect(problemsOf(call('other/checks.yaml@v1'), use)).toEqual([]);
      expect(problemsOf(call('other/../x'), use)).not.toEqual([]);
    }
  });

  test('calls other files of its repository, if it is in one', () => {
    const text = call('./parts/b.yaml');
    expect(problemsOf(text, 'called-in-repository')).toEqual([]);
    expect(problemsOf(text, 'called')).toEqual([
      'jobs.a.uses: Job "a" calls "./parts/b.yaml", but "parts/b.yaml" is not in "resources.files".',
    ]);
    expect(problemsOf(call('./../b.yaml'), 'called-in-repository')).toEqual([
      'jobs.a.uses: Job "a" calls "./../b.yaml", but "../b.yaml" is no path of a file in a repository.',
    ]);
  });

  test('reads the repositories of the workflow that is started, and its own files alone', () => {
    const steps = (text: string) => `metadata: {name: x}\njobs: {a: {steps: [{run: "${text}"}]}}\n`;
    const repository = steps('${{ resources.repositories.any.endpoint }}');
    expect(problemsOf(repository)).toHaveLength(1);
    expect(problemsOf(repository, 'called')).toEqual([]);
    expect(problemsOf(steps('${{ resources.files.any }}'), 'called')).toHaveLength(1);
  });

  test('has neither values of secrets nor repositories nor test managers of its own', () => {
    const text = `metadata: {name: x}
jobs: {a: {steps: [{run: x}]}}
secrets: {A: '', B: value}
resources:
  repositories: [{name: a, type: git, repository: a, endpoint: b}]
  testmanagers: [{name: a, type: tm, testmanager: a, endpoint: b}]
`;
    const why = 'in a called workflow: those of the workflow that is started count.';
    expect(problemsOf(text)).toEqual([]);
    expect(problemsOf(text, 'called')).toEqual([
      `secrets.B: The secret "B" must have no value ${why}`,
      `resources.repositories: There must be no repositories ${why}`,
      `resources.testmanagers: There must be no test managers ${why}`,
    ]);
  });
});
