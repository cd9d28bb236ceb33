/** `tutti doctor`: reports problems with the surroundings and the data of a server, and their remedies. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, sizeText } from '@tutti/manifests';
import { cleanOutput } from '@tutti/run-view/text';
import type { DoctorReport } from '@tutti/server';
import { type ConnectionOptions, findConnection } from '../connection/connection.ts';
import { dataDirOf, withRefusals } from '../connection/data-directory.ts';
import { configurationSection } from '../doctor/configuration-section.ts';
import { diskSection } from '../doctor/disk-section.ts';
import { machineSection } from '../doctor/machine-section.ts';
import { type Places, placeSections } from '../doctor/place-sections.ts';
import { type Level, type Section, sectionLines, wrong } from '../doctor/section.ts';
import { serverSections } from '../doctor/server-sections.ts';
import { type OutputFormat, printDocument } from '../options/output-format.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { problemOf, UsageError } from '../terminal/problem.ts';

export interface DoctorOptions extends ConnectionOptions, Places {
  readonly repair?: boolean;
  readonly runs?: number;
  readonly output: OutputFormat;
}

type CheckReport = DoctorReport['checks'][number];

/** Resolves with the exit code: 1 when something is wrong that was not repaired. */
export async function examine(options: DoctorOptions, io: Io): Promise<number> {
  const { dataDir } = options;
  const folder = dataDirOf(dataDir === undefined ? {} : { dataDir }, io);
  // A repair is about data alone.
  const sections = options.repair === true ? [] : await surroundings(options, folder, io);
  const report = isDataMeant(options, folder, io) ? await examineData(options, folder) : null;
  const count = (level: Level) =>
    sections.flatMap(({ points }) => points).filter((point) => point.level === level).length;
  if (options.output === 'json') printDocument({ sections, ...report }, io);
  else io.screen.write(cleanOutput(reportText(sections, report, io), false));
  const isWell = count('wrong') === 0 && (report === null || left(report) === 0);
  return isWell ? EXIT_CODES.done : EXIT_CODES.failed;
}

async function surroundings(
  options: DoctorOptions,
  dataDir: string,
  io: Io,
): Promise<readonly Section[]> {
  return [
    machineSection(),
    ...(await connectionSections(options, io)),
    diskSection(dataDir),
    ...(await placeSections(options, dataDir, io)),
  ];
}

/** A configuration that cannot be used hides the server, and nothing else. */
async function connectionSections(options: DoctorOptions, io: Io): Promise<readonly Section[]> {
  try {
    const connection = await findConnection(options, io);
    return [
      configurationSection(options, connection, io),
      ...(await serverSections(connection, io)),
    ];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { what, next } = problemOf(error);
    return [{ name: 'Configuration', points: [wrong(what, next)] }];
  }
}

/** A missing data directory needs no check, unless the user names one. One whose runs are in a database has none. */
function isDataMeant({ dataDir, repair, runs }: DoctorOptions, folder: string, io: Io): boolean {
  if (existsSync(join(folder, 'store.json')) && repair !== true) return false;
  const isNamed = (dataDir ?? io.env.TUTTI_DATA_DIR ?? '') !== '';
  return (
    isNamed ||
    repair === true ||
    runs !== undefined ||
    existsSync(join(folder, 'store', 'tutti.db'))
  );
}

async function examineData(options: DoctorOptions, dataDir: string): Promise<DoctorReport> {
  const { loadRecovery } = await import('@tutti/server');
  const { diagnose } = await loadRecovery();
  const wish = { dataDir, repair: options.repair === true, runs: options.runs ?? null };
  return await withRefusals(async () => diagnose(wish));
}

function reportText(sections: readonly Section[], report: DoctorReport | null, io: Io): string {
  const lines = [
    ...sections.flatMap(sectionLines),
    ...(report === null ? [] : dataLines(report)),
    ...endLines(sections, report, io),
  ];
  return lines.map((line) => `${asCalled(line, io.command)}\n`).join('');
}

function endLines(
  sections: readonly Section[],
  report: DoctorReport | null,
  io: Io,
): readonly string[] {
  const points = sections.flatMap((section) => section.points);
  const count = (level: Level) => points.filter((point) => point.level === level).length;
  const [wrongs, looks] = [count('wrong'), count('attention')];
  return [
    ...(looks === 0 ? [] : [`To look at: ${countOf(looks, 'point')}.`]),
    ...(wrongs === 0 ? [] : [`Wrong: ${countOf(wrongs, 'point')}.`]),
    ...(report !== null && (wrongs === 0 || left(report) > 0) ? [dataEnd(report, io)] : []),
    ...(report === null && wrongs === 0 ? ['All is well.'] : []),
  ];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const findingsOf = ({ checks }: DoctorReport) => checks.flatMap(({ findings }) => findings);

const foundIn = (report: DoctorReport): number =>
  findingsOf(report).length + sum(report.checks.map(({ more }) => more.findings));

const left = (report: DoctorReport): number =>
  findingsOf(report).filter(({ isRepaired }) => !isRepaired).length +
  sum(report.checks.map(({ more }) => more.left));

function dataLines(report: DoctorReport): readonly string[] {
  const { dataDir, isServerRunning, checks, unchecked, kept } = report;
  return [
    `Data of ${dataDir}${isServerRunning ? ', whose server runs' : ''}`,
    ...checks.flatMap(checkLines),
    '  Not checked:',
    ...unchecked.map((what) => `         - ${what}`),
    ...(kept === null ? [] : [`What was there before the repair: ${kept}`]),
  ];
}

function stateOf({ isSkipped, findings, more }: CheckReport): string {
  if (isSkipped) return 'skipped';
  return more.left === 0 && findings.every(({ isRepaired }) => isRepaired) ? 'ok' : 'WRONG';
}

function checkLines(check: CheckReport): readonly string[] {
  const { name, facts, notes, findings, more } = check;
  const shown = Object.entries(facts).map(([fact, value]) => `${fact} ${factText(fact, value)}`);
  return [
    `  ${stateOf(check).padEnd(8)}${name.padEnd(10)}${shown.join(', ')}`.trimEnd(),
    ...notes.map((note) => `           ${note}`),
    ...findings.flatMap(findingLines),
    ...(more.findings === 0 ? [] : [`         - and ${more.findings} more`]),
  ];
}

const factText = (fact: string, value: number | string): string =>
  fact === 'bytes' && typeof value === 'number' ? `${value} (${sizeText(value)})` : String(value);

function findingLines({ what, repair, advice, isRepaired }: CheckReport['findings'][number]) {
  return [
    `         - ${what}`,
    ...(repair === null ? [] : [`           ${isRepaired ? 'Repaired:' : '--repair'} ${repair}.`]),
    ...(advice === null ? [] : [`           What to do: ${advice}`]),
  ];
}

function dataEnd(report: DoctorReport, io: Io): string {
  const found = foundIn(report);
  if (found === 0) return 'All is well.';
  const count = left(report);
  if (count === 0) return `${countOf(found, 'finding')}, all repaired.`;
  const isMendable = findingsOf(report).some(
    ({ repair, isRepaired }) => repair !== null && !isRepaired,
  );
  const command = asCalled(`tutti doctor --data-dir ${report.dataDir} --repair`, io.command);
  const hint = isMendable ? ` To repair what is safe, stop the server and run: ${command}` : '';
  return `${countOf(count, 'finding')} to see to.${hint}`;
}
