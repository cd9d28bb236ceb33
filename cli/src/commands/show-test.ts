/** `tutti tests show`: a test, and the evidence for its state. */
import type { JsonRecord } from '@tutti/client';
import { cleanLine } from '@tutti/run-view/text';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { isRecord } from '../known-tests/read-pages.ts';
import { millisecondsOf, percentOf } from '../known-tests/shown-numbers.ts';
import { type TestPlace, testIdOf } from '../known-tests/test-ref.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { NOTHING, textAt, valuePath, valuesAt } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { renderTable } from '../terminal/table.ts';

export interface ShowTestOptions extends ConnectionOptions, TestPlace {
  readonly output: 'table' | 'json' | 'yaml';
}

/** Resolves with the exit code. Programs get the document of the server. */
export async function showTest(text: string, options: ShowTestOptions, io: Io): Promise<number> {
  const client = await connect(options, io);
  const id = await testIdOf(client, text, options);
  const { details } = await client.ask({ path: `/tests/${id}` });
  const test = isRecord(details) ? details : {};
  if (options.output === 'json') printDocument(test, io);
  else if (options.output === 'yaml') await printYaml(test, io);
  else {
    const variants = recordsAt(test, 'status.variants').flatMap((each) => variantLines(each, test));
    const held = recordsAt(test, 'quarantines').flatMap(quarantineLines);
    const lines = [...headLines(test), ...held, ...variants, ...changeLines(test)];
    io.screen.write(`${lines.join('\n')}\n`);
    for (const warning of valuesAt(test, ['warnings', '*'])) {
      io.complain(`tutti: ${cleanLine(String(warning))}\n`);
    }
  }
  return EXIT_CODES.done;
}

/** The value on one line, without control sequences: its text comes from other users. */
const at = (item: JsonRecord, path: string): string =>
  cleanLine(textAt(item, valuePath(path) ?? []));
const valueAt = (item: JsonRecord, path: string): unknown =>
  valuesAt(item, valuePath(path) ?? [])[0] ?? null;
const recordsAt = (item: JsonRecord, path: string): readonly JsonRecord[] =>
  valuesAt(item, valuePath(`${path}.*`) ?? []).filter(isRecord);

const TITLE_WIDTH = 14;
const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;
const timeOf = (item: JsonRecord, path: string): string => at(item, path).slice(0, SECONDS);

const factLines = (facts: readonly (readonly [string, string])[], indent = ''): readonly string[] =>
  facts.map(([title, value]) => `${indent}${`${title}:`.padEnd(TITLE_WIDTH)}${value}`);

function headLines(test: JsonRecord): readonly string[] {
  return factLines([
    ['Name', at(test, 'metadata.name')],
    ['Id', at(test, 'metadata.id')],
    ['Project', `${at(test, 'metadata.project')} in namespace ${at(test, 'metadata.namespace')}`],
    ['Technology', at(test, 'spec.technology')],
    ['State', at(test, 'status.state')],
    ['Runs lost', `${at(test, 'status.impact.runs')}, in which no other test failed`],
    ['First seen', timeOf(test, 'metadata.firstSeen')],
    [
      'Last seen',
      `${timeOf(test, 'metadata.lastSeen')} on version ${versionAt(test, 'metadata.lastVersion')}`,
    ],
  ]);
}

function quarantineLines(quarantine: JsonRecord): readonly string[] {
  const variant = valueAt(quarantine, 'variant_id');
  const isSpared = valueAt(quarantine, 'isSpared') === true;
  return [
    '',
    variant === null
      ? 'In quarantine:'
      : `Variant ${at(quarantine, 'variant_id')} is in quarantine:`,
    ...factLines(
      [
        ['Until', timeOf(quarantine, 'until')],
        ['By', `${at(quarantine, 'by')}, ${timeOf(quarantine, 'from')}`],
        ['Reason', at(quarantine, 'reason')],
        ...ifGiven(quarantine, 'link', () => ['Link', at(quarantine, 'link')]),
        ['Failures', isSpared ? 'do not count' : 'count, as it is broken'],
      ],
      '  ',
    ),
  ];
}

const versionAt = (item: JsonRecord, path: string): string => {
  const version = at(item, path);
  return version === NOTHING ? 'unknown' : version;
};

function variantLines(variant: JsonRecord, test: JsonRecord): readonly string[] {
  const id = at(variant, 'id');
  const place = recordsAt(test, 'spec.variants').find((each) => each.id === variant.id) ?? {};
  const uses = valueAt(place, 'uses') === null ? '' : `, ${at(place, 'uses')}`;
  const strip = at(variant, 'strip').replaceAll('S', '.');
  const facts = [
    ['State', `${at(variant, 'state')}${sinceOf(variant, 'since')}`],
    ...ifGiven(variant, 'brokenSince', () => ['Broken', sinceOf(variant, 'brokenSince').trim()]),
    ['Flake rate', percentOf(valueAt(variant, 'flakeRate'))],
    ...ifGiven(variant, 'failures', () => ['Failures', failuresOf(variant)]),
    ...ifGiven(variant, 'probability', () => ['Probability', probabilitiesOf(variant)]),
    ...ifGiven(variant, 'duration', () => ['Duration', durationsOf(variant)]),
    ...ifGiven(variant, 'passesToRecover', () => ['Recovery', recoveryOf(variant)]),
    ['Outcomes', strip === NOTHING ? NOTHING : strip],
  ] as const;
  return [
    '',
    `Variant ${id}: job ${at(place, 'job')}${uses}`,
    ...factLines(facts, '  '),
    ...contradictionLines(variant),
  ];
}

type Fact = readonly [string, string];

const ifGiven = (item: JsonRecord, path: string, fact: () => Fact): readonly Fact[] =>
  valueAt(item, path) === null ? [] : [fact()];

function sinceOf(variant: JsonRecord, path: string): string {
  if (valueAt(variant, path) === null) return '';
  const version = versionAt(variant, `${path}.version`);
  return ` since ${timeOf(variant, `${path}.at`)}, version ${version}, workflow ${at(variant, `${path}.workflow_id`)}`;
}

function failuresOf(variant: JsonRecord): string {
  const [low, high] = [0, 1].map((end) =>
    percentOf(valuesAt(variant, ['failures', 'interval', String(end)])[0]),
  );
  return `${at(variant, 'failures.count')} of ${at(variant, 'failures.of')} executions, a rate between ${low} and ${high}`;
}

const probabilitiesOf = (variant: JsonRecord): string =>
  `${percentOf(valueAt(variant, 'probability'))} that it is flaky, ${percentOf(valueAt(variant, 'brokenProbability'))} that it is broken`;

function durationsOf(variant: JsonRecord): string {
  const [p50, p90, p95] = ['p50', 'p90', 'p95'].map((name) =>
    millisecondsOf(valueAt(variant, `duration.${name}`)),
  );
  return `${p50} in half of the executions, up to ${p90} in 90 %, up to ${p95} in 95 %`;
}

const recoveryOf = (variant: JsonRecord): string =>
  `${at(variant, 'passesInRow')} of ${at(variant, 'passesToRecover')} passes in a row`;

function contradictionLines(variant: JsonRecord): readonly string[] {
  const contradictions = recordsAt(variant, 'contradictions');
  if (contradictions.length === 0) return [];
  const rows = contradictions.map((each) => [
    versionAt(each, 'version'),
    timeOf(each, 'at'),
    at(each, 'workflow_ids'),
  ]);
  const table = renderTable(['VERSION', 'AT', 'WORKFLOWS'], rows);
  return ['  Failed and passed on one version:', ...table.map((line) => `    ${line}`)];
}

function changeLines(test: JsonRecord): readonly string[] {
  const isOfState = (change: JsonRecord) => valueAt(change, 'kind') === 'state';
  const changes = recordsAt(test, 'journal');
  const states = changes
    .filter(isOfState)
    .map((each) => [
      timeOf(each, 'at'),
      `${at(each, 'change.from')} to ${at(each, 'change.to')}`,
      versionAt(each, 'change.version'),
      at(each, 'change.workflow_id'),
    ]);
  const others = changes
    .filter((each) => !isOfState(each))
    .map((each) => [
      timeOf(each, 'at'),
      at(each, 'kind'),
      at(each, 'change.by'),
      at(each, 'change.reason'),
    ]);
  return [
    ...tableLines('Changes of its state:', ['AT', 'STATE', 'VERSION', 'WORKFLOW'], states),
    ...tableLines('Changes of its quarantine:', ['AT', 'CHANGE', 'BY', 'REASON'], others),
  ];
}

const tableLines = (
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] => (rows.length === 0 ? [] : ['', title, ...renderTable(columns, rows)]);
