/** `tutti causes show`: a cause with a sample, and the tests, versions, agents and runs that it failed in. */
import type { JsonRecord } from '@tutti/client';
import { isUuid } from '@tutti/manifests';
import { cleanLine } from '@tutti/run-view/text';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { isRecord } from '../known-tests/read-pages.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import { NOTHING, textAt, valuePath, valuesAt } from '../resources/value-path.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { renderTable } from '../terminal/table.ts';

export interface ShowCauseOptions extends ConnectionOptions {
  readonly output: 'table' | 'json' | 'yaml';
}

/** Resolves with the exit code. Programs get the document of the server. */
export async function showCause(id: string, options: ShowCauseOptions, io: Io): Promise<number> {
  if (!isUuid(id)) {
    throw new UsageError(`"${id}" is no id of a cause.`, 'see the ids with "tutti causes".');
  }
  const client = await connect(options, io);
  const { details } = await client.ask({ path: `/causes/${id}` });
  const cause = isRecord(details) ? details : {};
  if (options.output === 'json') printDocument(cause, io);
  else if (options.output === 'yaml') await printYaml(cause, io);
  else io.screen.write(`${linesOf(cause).join('\n')}\n`);
  return EXIT_CODES.done;
}

/** The value on one line, without control sequences: its text comes from other users. */
const at = (item: JsonRecord, path: string): string =>
  cleanLine(textAt(item, valuePath(path) ?? []));
const recordsAt = (item: JsonRecord, path: string): readonly JsonRecord[] =>
  valuesAt(item, valuePath(`${path}.*`) ?? []).filter(isRecord);

const TITLE_WIDTH = 11;
const SECONDS = 'YYYY-MM-DDThh:mm:ss'.length;
const timeOf = (item: JsonRecord, path: string): string => at(item, path).slice(0, SECONDS);
const versionOf = (item: JsonRecord, path: string): string => {
  const version = at(item, path);
  return version === NOTHING ? 'unknown' : version;
};

function linesOf(cause: JsonRecord): readonly string[] {
  const facts = [
    ['Cause', at(cause, 'metadata.name')],
    ['Id', at(cause, 'metadata.id')],
    ['Project', `${at(cause, 'metadata.project')} in namespace ${at(cause, 'metadata.namespace')}`],
    ['Failures', at(cause, 'status.failures')],
    ['New since', seenAt(cause, 'status.since')],
    ['Last seen', seenAt(cause, 'status.last')],
  ];
  const sample = String(valuesAt(cause, ['status', 'sample'])[0] ?? '');
  return [
    ...facts.map(([title, value]) => `${`${title}:`.padEnd(TITLE_WIDTH)}${value}`),
    ...['', 'Sample:', ...sample.split('\n').map((line) => `  ${cleanLine(line)}`)],
    ...tableOf(recordsAt(cause, 'status.tests'), 'Tests:', {
      FAILURES: (test) => at(test, 'failures'),
      NAME: (test) => `${at(test, 'suite')}#${at(test, 'name')}`,
      JOB: (test) => at(test, 'job'),
      TEST_ID: (test) => at(test, 'test_id'),
    }),
    ...tableOf(recordsAt(cause, 'status.versions'), 'Versions:', {
      FAILURES: (version) => at(version, 'failures'),
      VERSION: (version) => versionOf(version, 'version'),
    }),
    ...tableOf(recordsAt(cause, 'status.environments'), 'Environments:', {
      FAILURES: (environment) => at(environment, 'failures'),
      AGENT: (environment) => at(environment, 'agent'),
      TAGS: (environment) => at(environment, 'tags'),
    }),
    ...tableOf(recordsAt(cause, 'status.runs'), 'Runs:', {
      FAILURES: (run) => at(run, 'failures'),
      AT: (run) => timeOf(run, 'at'),
      VERSION: (run) => versionOf(run, 'version'),
      BRANCH: (run) => at(run, 'branch'),
      WORKFLOW_ID: (run) => at(run, 'workflow_id'),
    }),
  ];
}

const seenAt = (cause: JsonRecord, path: string): string =>
  `${timeOf(cause, `${path}.at`)}, version ${versionOf(cause, `${path}.version`)}, workflow ${at(cause, `${path}.workflow_id`)}`;

function tableOf(
  items: readonly JsonRecord[],
  title: string,
  cells: Readonly<Record<string, (item: JsonRecord) => string>>,
): readonly string[] {
  if (items.length === 0) return [];
  const columns = Object.values(cells);
  const rows = items.map((item) => columns.map((cell) => cell(item)));
  return ['', title, ...renderTable(Object.keys(cells), rows)];
}
