// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowManifest } from '@tutti/manifests';
import { planWorkflow } from '@tutti/workflow/plan';
import { expect, test } from 'vitest';
import { createPaint } from '../terminal/style.ts';
import { mermaidFormat } from './mermaid-format.ts';
import { treeFormat } from './tree-format.ts';

const steps = [{ run: 'npm test' }];
const manifest: WorkflowManifest = {
  metadata: { name: 'shop' },
  inputs: { site: { description: 'd', required: true } },
  jobs: {
    build: { 'runs-on': ['linux', '${{ inputs.site }}'], steps },
    unit: {
      needs: 'build',
      'runs-on': '${{ matrix.os }}',
      strategy: { matrix: { os: ['linux', 'windows'] } },
      steps: [...steps, { uses: 'a/b@v1', if: 'always()' }],
    },
    parts: {
      needs: 'build',
      strategy: { matrix: '${{ fromJSON(needs.build.outputs.p) }}' },
      steps,
    },
    rescue: { needs: ['unit', 'parts'], if: 'failure() && "#<quoted>"', steps },
  },
};
const plan = planWorkflow(manifest);
const paint = createPaint(false);

test('the tree shows where each job runs, its needs, and values that only the run knows', () => {
  expect(treeFormat(plan, { paint, hasSteps: false })).toBe(`\
shop in namespace default
├─ build  on linux, \${{ inputs.site }}  1 step
├─ unit  matrix: 2 jobs  needs build
│  ├─ unit (linux)  on linux  2 steps
│  └─ unit (windows)  on windows  2 steps
├─ parts  matrix  needs build  its matrix depends on what is only known in the run
└─ rescue  on any environment  1 step  needs unit, parts  if failure() && "#<quoted>"
A run must be given: site.
`);
});

test('the tree shows the tags of bundles with jobs that only the run knows', () => {
  const jobs = {
    called: { 'runs-on': 'n1', uses: 'r/wf.yaml@x' },
    parts: {
      'runs-on': ['linux', '${{ matrix.x }}'],
      strategy: { matrix: '${{ fromJSON(inputs.site) }}' },
      steps,
    },
    given: { 'runs-on': 'n3', jobs: { inside: { generator: 'a/b@v1' } } },
  };
  expect(treeFormat(planWorkflow({ ...manifest, jobs }), { paint, hasSteps: false })).toBe(`\
shop in namespace default
├─ called  uses  on n1  the workflow r/wf.yaml@x gives its jobs
├─ parts  matrix  on linux, \${{ matrix.x }}  its matrix depends on what is only known in the run
└─ given  1 job
   └─ inside  generator  on n3  the generator a/b@v1 gives its jobs
A run must be given: site.
`);
});

test('the tree shows steps if wanted', () => {
  const { jobs, ...rest } = plan;
  expect(treeFormat({ ...rest, jobs: jobs.slice(1, 2) }, { paint, hasSteps: true })).toBe(`\
shop in namespace default
└─ unit  matrix: 2 jobs  needs build
   ├─ unit (linux)  on linux
   │    run  npm test
   │    uses a/b@v1  if always()
   └─ unit (windows)  on windows
        run  npm test
        uses a/b@v1  if always()
A run must be given: site.
`);
});

test('the flowchart has a box for each job, an arrow for each need, and a frame for each bundle', () => {
  expect(mermaidFormat(plan)).toBe(`\
flowchart LR
  job1["build<br>linux, \${{ inputs.site }}"]
  subgraph job2["unit<br>\${{ matrix.os }}"]
    job3["unit (linux)<br>linux"]
    job4["unit (windows)<br>windows"]
  end
  job5["parts<br>its matrix depends on what is only known in the run"]
  job6["rescue<br>if failure() && #quot;#35;#lt;quoted#gt;#quot;"]
  job1 --> job2
  job1 --> job5
  job2 --> job6
  job5 --> job6
  classDef idle stroke-dasharray: 4
`);
});

test('control sequences are not shown', () => {
  const jobs = { a: { steps, strategy: { matrix: { os: ['\u001b[2Jlinux'] } } } };
  const hostile = planWorkflow({ ...manifest, metadata: { name: 'a\u001b[2J' }, jobs });
  expect(treeFormat(hostile, { paint, hasSteps: true })).not.toContain('\u001b');
  expect(mermaidFormat(hostile)).not.toContain('\u001b');
});
