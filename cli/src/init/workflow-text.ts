/** The text of a first workflow, with comments for beginners. */
import type { PlacedFinding } from './find-tests.ts';
import type { Input, Preparation, TestStep } from './finding.ts';
import type { Remote } from './git-remote.ts';
import { SOURCES_VARIABLE, unexpanded } from './sources-variable.ts';

export interface FirstWorkflow {
  readonly name: string;
  /** The tag of the operating system that it is written on. */
  readonly system: string;
  /** The file that the text is for. */
  readonly file: string;
  readonly findings: readonly PlacedFinding[];
  /** The repository with the tests; null if none is known. */
  readonly remote: Remote | null;
}

export function workflowText(workflow: FirstWorkflow): string {
  const { system, findings, remote } = workflow;
  const jobs =
    findings.length === 0
      ? starterJob(system)
      : findings.flatMap((each) => jobLines(each, system, remote));
  const head = headLines(workflow);
  return `${[...head, 'jobs:', ...jobs].join('\n')}\n`;
}

function headLines({ name, file, findings, remote }: FirstWorkflow): readonly string[] {
  const title = [
    `# Run it with: tutti run ${file}`,
    '# All that a workflow can have: tutti docs reference/language',
    'metadata:',
    `  name: ${quoted(name)}`,
    '',
  ];
  if (findings.length === 0) return title;
  return [
    ...title,
    'variables:',
    '  # Where the sources are. A run on your own machine has the folder that it was started in.',
    '  # On other machines, the first step of each job has to bring them into this folder.',
    `  ${SOURCES_VARIABLE}: ${quoted(elsewhere(remote))}`,
    '',
  ];
}

/** The folder that the sources are checked out into. */
const CHECKOUT = 'sources';

/** The folder with the tests in a job that checked them out. */
export const elsewhere = (remote: Remote | null): string =>
  [CHECKOUT, unexpanded(remote?.path ?? '')].filter((part) => part !== '').join('/');

/** Holds where no run on the own machine gave another folder. */
const isElsewhere = (remote: Remote | null): string =>
  `variables.${SOURCES_VARIABLE} == '${elsewhere(remote).replaceAll("'", "''")}'`;

/** Logs show the name of the step, also where it is skipped. */
const CHECKOUT_NAME = 'Sources on a server';

const NOTHING =
  'echo ::error::Nothing was checked out. The comment in the workflow says what to write. && exit 1';

/** The first step, for documents that a program writes. */
export const checkoutStep = (remote: Remote | null): Readonly<Record<string, unknown>> => ({
  name: CHECKOUT_NAME,
  if: isElsewhere(remote),
  ...(remote === null
    ? {
        run: NOTHING.replace(' The comment in the workflow says what to write.', ''),
        // The directory of other steps is not there.
        'working-directory': '.',
      }
    : { uses: 'actions/checkout@v3', with: { repository: remote.url, path: CHECKOUT } }),
});

/** The first step, which a run on the own machine skips. */
function checkoutLines(remote: Remote | null): readonly string[] {
  const head = [`      - name: ${CHECKOUT_NAME}`, `        if: ${quoted(isElsewhere(remote))}`];
  const uses = (lead: string, url: string) => [
    `${lead}uses: actions/checkout@v3`,
    `${lead}with: {repository: ${quoted(url)}, path: ${CHECKOUT}}`,
  ];
  if (remote !== null) return [...head, ...uses('        ', remote.url)];
  return [
    '      # Write these lines in place of the "run" below, with the address of your repository:',
    ...uses('      #   ', 'https://git.example.com/project.git'),
    ...head,
    `        run: ${NOTHING}`,
  ];
}

function jobLines(
  finding: PlacedFinding,
  system: string,
  remote: Remote | null,
): readonly string[] {
  const { job, title, folder, programs } = finding;
  const path = `\${{ variables.${SOURCES_VARIABLE} }}`;
  const directory = quoted(folder === '' ? path : `${path}/${unexpanded(folder)}`);
  return [
    `  # ${oneLine(folder === '' ? title : `${title} in ${folder}`)}.`,
    `  ${job}:`,
    '    # The tags of the machines that may run the job.',
    `    runs-on: ${system}`,
    '    steps:',
    ...checkoutLines(remote),
    ...finding.preparations.flatMap((each) =>
      preparationLines(each, each.isOfRoot === true ? quoted(path) : directory, remote),
    ),
    ...(programs.length === 0 ? [] : [`      # Needs ${programs.join(' and ')}.`]),
    ...finding.notes.map((note) => `      # ${oneLine(note)}`),
    ...stepLines(finding.step),
    `        working-directory: ${directory}`,
    '',
  ];
}

function preparationLines(
  { commands, note, isDone }: Preparation,
  directory: string,
  remote: Remote | null,
): readonly string[] {
  const [first = ''] = commands;
  const run =
    commands.length > 1
      ? ['- run: |', ...commands.map((each) => `    ${each}`)]
      : [`- run: ${plainOrQuoted(first)}`];
  const condition = isDone ? [`  if: ${quoted(isElsewhere(remote))}`] : [];
  const above = isDone ? 'Was done in this folder; checked out sources need it.' : note;
  return [
    ...(above === '' ? [] : [`# ${above}`]),
    ...run,
    ...condition,
    `  working-directory: ${directory}`,
  ].map((line) => `      ${line}`);
}

function stepLines(step: TestStep): readonly string[] {
  if ('run' in step) return [`      - run: ${step.run}`];
  const inputs = Object.entries(step.with);
  return [
    `      - uses: ${step.uses}`,
    ...(inputs.length === 0 ? [] : ['        with:']),
    ...inputs.map(([name, value]) => {
      return `          ${name}: ${inputText(value)}`;
    }),
  ];
}

function inputText(value: Input): string {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? quoted(value) : `[${value.map(quoted).join(', ')}]`;
}

const starterJob = (system: string): readonly string[] => [
  '  hello:',
  '    # The tags of the machines that may run the job.',
  `    runs-on: ${system}`,
  '    steps:',
  '      - run: echo "It runs."',
  '      # In place of this, call your tests. There are functions for many tools (tutti docs reference/tools):',
  '      # - uses: pytest/pytest@v1',
  '      # And a report of any tool becomes test cases (tutti docs guides/results):',
  '      # - run: echo "::attach type=application/vnd.opentestfactory.TOOL-surefire+xml::report.xml"',
  '',
];

/** The text for YAML, with quotes only where needed. */
const quoted = (text: string): string =>
  /^[a-z_./][\w./-]*$/i.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n|~)$/i.test(text)
    ? text
    : `'${oneLine(text).replaceAll("'", "''")}'`;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

/** A command is plain text of YAML unless it has signs of YAML. */
const plainOrQuoted = (command: string): string =>
  /^[a-z][^:#"'\\]*$/i.test(command) ? command : `'${command.replaceAll("'", "''")}'`;
