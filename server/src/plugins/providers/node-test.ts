/** `node-test`: runs tests with the test runner of Node.js and attaches their report. */
import type { ChannelOs, InputDeclarations, WorkflowStep } from '@tutti/manifests';
import { attach, commandLine, defineProvider, quoteSh, scriptStep } from '@tutti/sdk';

/** In the directory of the step, under a name that is unlikely to be taken. */
const REPORT = 'node-test-report.xml';
const REPORT_TYPE = 'application/vnd.opentestfactory.node-test-surefire+xml';

const inputs = {
  test: {
    description: 'A file or a pattern of files, and perhaps one test: `test/**/*.test.js#adds`.',
    type: 'string',
    required: true,
  },
} as const satisfies InputDeclarations;

const functionOf = (category: string) => ({
  prefix: 'node-test',
  category,
  version: 'v1',
  description: 'Runs tests of node:test.',
  inputs,
  steps: ({ test }: { readonly test: string }, { os }: { readonly os: ChannelOs }) => [
    testStep(os, test),
  ],
});

/** `execute` is the function that every test technology has. */
export const nodeTestProvider = defineProvider({
  name: 'node-test',
  functions: ['execute', 'node-test'].map(functionOf),
});

/** The exit code is that of the tests; the report is attached whatever it is. */
function testStep(os: ChannelOs, test: string): WorkflowStep {
  const command = commandLine(os, nodeArguments(test));
  const attachReport = attach(os, REPORT, { type: REPORT_TYPE, name: 'report.xml' });
  const lines = os === 'windows' ? cmdLines(command, attachReport) : shLines(command, attachReport);
  return scriptStep(os, lines);
}

function nodeArguments(test: string): readonly string[] {
  const at = test.indexOf('#');
  const files = at < 0 ? test : test.slice(0, at);
  const name = at < 0 ? '' : test.slice(at + 1);
  return [
    'node',
    '--test',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=junit',
    `--test-reporter-destination=${REPORT}`,
    ...(name === '' ? [] : [`--test-name-pattern=^${escapePattern(name)}$`]),
    // What follows is never an option, even if it begins with a dash.
    '--',
    ...(files === '' ? [] : [files]),
  ];
}

/** The option is a regular expression, the name of a test is not. */
function escapePattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function shLines(command: string, attachReport: string): readonly string[] {
  const report = quoteSh(REPORT);
  return [
    `rm -f ${report}`,
    'status=0',
    `${command} || status=$?`,
    `if [ -f ${report} ]; then ${attachReport}; fi`,
    'exit $status',
  ];
}

function cmdLines(command: string, attachReport: string): readonly string[] {
  return [
    `@if exist ${REPORT} del ${REPORT}`,
    `@${command}`,
    '@set "TEST_STATUS=%ERRORLEVEL%"',
    `@if exist ${REPORT} ${attachReport.replace(/^@/, '')}`,
    '@exit /b %TEST_STATUS%',
  ];
}
