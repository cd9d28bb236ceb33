import { createWorkflowReporter } from '@tutti/workflow/validation';
import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { createPaint } from '../terminal/style.ts';
import { type CheckedFile, strictly } from './checked-file.ts';
import { githubFormat } from './github-format.ts';
import { humanFormat } from './human-format.ts';
import { jsonFormat } from './json-format.ts';
import { sarifFormat } from './sarif-format.ts';
import { sarifSchema } from './sarif-schema.fixture.ts';

const report = createWorkflowReporter({ yaml, schemas: ajv });
const file = (name: string, text: string): CheckedFile => ({ name, text, report: report(text) });
const plain = { paint: createPaint(false), columns: 60 };

const VALID = 'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n';
const WRONG = `metadata: {name: x}
jobs:
  a:
    needs: [lint]
    steps:
      - run: |
          echo one
          echo "\${{ step.x }}"
`;

const WARNED = `metadata: {name: x}
jobs:
  a:
    steps:
      - run: echo "\${{ inputs.browsr }}"
inputs: {browser: {description: d}}
`;
const MESSAGE = 'there is no input "browsr", so this is empty';

const MANY = `metadata: {name: x}
jobs: {a: {steps: [${Array.from({ length: 60 }, () => '{}').join(', ')}]}}
`;

test('people see the message, the place, the line and a mark', () => {
  expect(humanFormat([file('a.yaml', WRONG)], plain)).toBe(`\
error: jobs.a.needs[0]: Job "a" has a dependency on job "lint" which does not exist.
 --> a.yaml:4:13
  |
4 |     needs: [lint]
  |             ^^^^
  = see tutti docs reference/language#job

error: jobs.a.steps[0].run: unknown context "step"
 --> a.yaml:8:21
  |
8 |           echo "\${{ step.x }}"
  |                     ^^^^ did you mean "steps"?
  = see tutti docs reference/language#contexts

2 problems in a.yaml.
`);
});

test('people see warnings of a valid workflow', () => {
  expect(humanFormat([file('a.yaml', WARNED)], plain)).toBe(`\
warning: jobs.a.steps[0].run: ${MESSAGE}
 --> a.yaml:5:31
  |
5 |       - run: echo "\${{ inputs.browsr }}"
  |                               ^^^^^^ did you mean "browser"?
  = see tutti docs reference/language#contexts

a.yaml is valid, with 1 warning.
`);
  expect(humanFormat([file('a.yaml', WRONG), file('b.yaml', WARNED)], plain)).toMatch(
    /\n\n2 problems in 1 of 2 files, and 1 warning\.\n$/,
  );
});

test('programs see warnings apart from problems', () => {
  const warned = file('a.yaml', WARNED);
  const { valid, problems, warnings, moreWarnings } = JSON.parse(jsonFormat([warned])).files[0];
  expect({ valid, problems, moreWarnings }).toEqual({ valid: true, problems: [], moreWarnings: 0 });
  expect(warnings).toEqual([
    {
      path: 'jobs.a.steps[0].run',
      message: MESSAGE,
      hint: 'did you mean "browser"?',
      ...{ line: 5, column: 31, endLine: 5, endColumn: 37 },
      text: 'browsr',
      link: 'tutti docs reference/language#contexts',
    },
  ]);
  expect(githubFormat([warned])).toBe(
    `::warning file=a.yaml,line=5,col=31,endLine=5,endColumn=37::jobs.a.steps[0].run: ${MESSAGE}, did you mean "browser"? (tutti docs reference/language#contexts)\n`,
  );
  const [{ results }] = JSON.parse(sarifFormat([warned], '1')).runs;
  expect(results).toMatchObject([{ ruleId: 'contexts', level: 'warning' }]);
});

test('strictly, warnings are errors', () => {
  const warned = file('a.yaml', WARNED);
  const strict = { ...warned, report: strictly(warned.report) };
  expect(humanFormat([strict], plain)).toMatch(/^error: jobs\.a[\s\S]*\n1 problem in a\.yaml\.\n$/);
  expect(JSON.parse(jsonFormat([strict])).files).toMatchObject([
    { valid: false, problems: [{ message: MESSAGE }], warnings: [] },
  ]);
  const valid = file('b.yaml', VALID);
  expect(strictly(valid.report)).toBe(valid.report);
});

test('people see that all is well', () => {
  expect(humanFormat([file('a.yaml', VALID)], plain)).toBe('a.yaml is valid.\n');
  expect(humanFormat([file('a.yaml', VALID), file('b.yaml', VALID)], plain)).toBe(
    'All 2 files are valid.\n',
  );
});

test('several files get a sum', () => {
  const files = [file('a.yaml', WRONG), file('b.yaml', VALID), file('c.yaml', '')];
  expect(humanFormat(files, plain)).toMatch(/\n\n3 problems in 2 of 3 files\.\n$/);
});

test('a long line is cut around the place, wide characters and tabs are as wide as they are shown', () => {
  const long = `metadata: {name: x}\nvariables: {A: ${'界'.repeat(30)}, B: 1, C: ${'z'.repeat(90)}}\njobs: {a: {steps: [{run: x}]}}\n`;
  expect(humanFormat([file('a.yaml', long)], plain)).toContain(`
2 | …${'界'.repeat(19)}, B: 1, C: zzzzz…
  | ${' '.repeat(44)}^ put it in quotes if it is a text
`);
  const tabs = 'metadata: {name: x}\njobs: {a: {steps:\t\t5}}\n';
  expect(humanFormat([file('a.yaml', tabs)], plain)).toContain(`
2 | jobs: {a: {steps:        5}}
  |                          ^
`);
});

test('control sequences are not shown', () => {
  const text = 'metadata: {name: x}\njobs: {a: {steps: "\u001b[2J"}}\n';
  expect(humanFormat([file('a\u001b[2J.yaml', text)], plain)).not.toContain('\u001b');
});

test('a problem without a place belongs to the file', () => {
  const text = `{"metadata": {}, "jobs": {"a": {"steps": [{"run": "${'x'.repeat(600_000)}"}]}}}`;
  expect(humanFormat([file('a.yaml', text)], plain)).toBe(`\
error: metadata: "name" is missing
  in a.yaml
  see tutti docs reference/language#workflow

1 problem in a.yaml.
`);
});

test('more than fifty problems are counted', () => {
  const many = file('a.yaml', MANY);
  expect(humanFormat([many], plain)).toMatch(
    /\n\na\.yaml: and 10 more problems\n\n60 problems in a\.yaml\.\n$/,
  );
  expect(githubFormat([many]).split('\n').at(-2)).toBe('::error file=a.yaml::and 10 more');
  expect(JSON.parse(jsonFormat([many])).files[0].moreProblems).toBe(10);
});

test('SARIF says how many problems were left out', () => {
  const many = file('a b.yaml', MANY);
  const [run] = JSON.parse(sarifFormat([many, file('b.yaml', WRONG)], '1')).runs;
  expect(run.invocations).toEqual([
    {
      executionSuccessful: true,
      toolExecutionNotifications: [
        {
          level: 'warning',
          message: { text: 'a b.yaml: and 10 more problems' },
          locations: [{ physicalLocation: { artifactLocation: { uri: 'a%20b.yaml' } } }],
        },
      ],
    },
  ]);
});

test('annotations for GitHub are escaped', () => {
  const text = 'metadata: {name: x}\njobs: {a: {"100%\\n": 1, steps: [{run: x}]}}\n';
  expect(githubFormat([file('a:b,c.yaml', text)])).toBe(
    '::error file=a%3Ab%2Cc.yaml,line=2,col=12,endLine=2,endColumn=20::' +
      'jobs.a: unknown key "100%25%0A" (tutti docs reference/language#job)\n',
  );
});

test('programs get every part of a problem', () => {
  expect(JSON.parse(jsonFormat([file('a.yaml', WRONG), file('b.yaml', VALID)]))).toEqual({
    files: [
      {
        file: 'a.yaml',
        valid: false,
        problems: [
          {
            path: 'jobs.a.needs[0]',
            message: 'Job "a" has a dependency on job "lint" which does not exist.',
            hint: null,
            line: 4,
            column: 13,
            endLine: 4,
            endColumn: 17,
            text: 'lint',
            link: 'tutti docs reference/language#job',
          },
          {
            path: 'jobs.a.steps[0].run',
            message: 'unknown context "step"',
            hint: 'did you mean "steps"?',
            line: 8,
            column: 21,
            endLine: 8,
            endColumn: 25,
            text: 'step',
            link: 'tutti docs reference/language#contexts',
          },
        ],
        warnings: [],
        moreProblems: 0,
        moreWarnings: 0,
      },
      {
        file: 'b.yaml',
        valid: true,
        problems: [],
        warnings: [],
        moreProblems: 0,
        moreWarnings: 0,
      },
    ],
  });
});

test.each<[what: string, files: readonly CheckedFile[]]>([
  ['no problem', [file('a.yaml', VALID)]],
  ['problems in one of two files', [file('dir/a b.yaml', WRONG), file('b.yaml', VALID)]],
  ['a problem without a place', [file('a.yaml', `metadata: ${' '.repeat(600_000)}{}`)]],
  ['a problem of the whole document', [file('a.yaml', '')]],
  ['a problem of the syntax', [file('a.yaml', 'a: [1\nb: 2')]],
  ['odd names', [file('..\\ä "1" 100%\u0007.yaml', WRONG), file('/x/[y]#z?.yaml', WRONG)]],
  ['more problems than are told', [file('a.yaml', MANY)]],
  ['one file twice', [file('a.yaml', WRONG), file('a.yaml', WRONG)]],
])('SARIF of %s has what version 2.1.0 requires', (_, files) => {
  const log = JSON.parse(sarifFormat(files, '1.2.3'));
  const isSarif = new ajv.Ajv2019({ allErrors: true }).compile(sarifSchema);
  expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true);
  const [{ tool, results }] = log.runs;
  const rules = tool.driver.rules.map(({ id }: { id: string }) => id);
  for (const { ruleId } of results) expect(rules).toContain(ruleId);
});

test('SARIF has the place, the rule and the path of a problem', () => {
  const log = JSON.parse(
    sarifFormat([file('dir/a b.yaml', WRONG), file('b.yaml', VALID)], '1.2.3'),
  );
  expect(log).toMatchObject({
    version: '2.1.0',
    $schema: expect.stringContaining('sarif-2.1.0'),
    runs: [
      {
        tool: { driver: { name: 'tutti', version: '1.2.3' } },
        columnKind: 'utf16CodeUnits',
        artifacts: [{ location: { uri: 'dir/a%20b.yaml' } }, { location: { uri: 'b.yaml' } }],
      },
    ],
  });
  const [run] = log.runs;
  expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(['contexts', 'job']);
  expect(run.results[1]).toEqual({
    ruleId: 'contexts',
    level: 'error',
    message: {
      text: 'jobs.a.steps[0].run: unknown context "step", did you mean "steps"? (tutti docs reference/language#contexts)',
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'dir/a%20b.yaml' },
          region: {
            startLine: 8,
            startColumn: 21,
            endLine: 8,
            endColumn: 25,
            snippet: { text: 'step' },
          },
        },
        logicalLocations: [{ fullyQualifiedName: 'jobs.a.steps[0].run' }],
      },
    ],
  });
});

test('no format shows the values of secrets', () => {
  const wrong = `metadata: {name: x}
secrets:
  PIN: 98765432109
  LIST: [hidden-1]
jobs: {a: {steps: [{run: x}]}}
`;
  const inline = 'metadata: {name: x}\nsecrets: {A: hidden-2, PIN: 98765432109}\njobs: 1\n';
  for (const text of [wrong, inline, 'secrets: hidden-3\n']) {
    const files = [file('a.yaml', text)];
    const all = [
      humanFormat(files, plain),
      jsonFormat(files),
      githubFormat(files),
      sarifFormat(files, '1'),
    ];
    for (const shown of all) {
      expect(shown).toContain('secrets');
      expect(shown).not.toMatch(/9876|hidden/);
    }
  }
  expect(humanFormat([file('a.yaml', wrong)], plain)).toContain('  PIN: ***');
});

test('with secrets in one line, the mark is under the name', () => {
  const text =
    'metadata: {name: x}\nsecrets: {A: hidden, "B-C": 3}\njobs: {a: {steps: [{run: x}]}}\n';
  expect(humanFormat([file('a.yaml', text)], plain)).toContain(`
2 | secrets: {A: ***, "B-C": ***}
  |                   ^^^^^
`);
});

test('no format shows the credentials of an address', () => {
  const text =
    'metadata: {name: x}\njobs: {a: {steps: [{rn: "git clone https://u:pw55@h"}]}}\nmore: https://pw55@h\n';
  const files = [file('a.yaml', text)];
  expect(humanFormat(files, plain)).toContain('{rn: "git clone https://***@h"}');
  for (const shown of [humanFormat(files, plain), jsonFormat(files), sarifFormat(files, '1')]) {
    expect(shown).not.toContain('pw55');
  }
});

test('the mark is under the mistake, behind hidden text of its line', () => {
  const text = 'metadata: {name: x}\njobs: {a: {steps: [{run: "https://u:pw@h", rn: x}]}}\n';
  expect(humanFormat([file('a.yaml', text)], plain)).toContain(`
2 | jobs: {a: {steps: [{run: "https://***@h", rn: x}]}}
  |                                           ^^ did you mean "run"?
`);
});
