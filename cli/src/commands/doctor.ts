/** `tutti doctor`: what is wrong with the data of a server, and what can be done about it. */
import { countOf } from '@tutti/manifests';
import type { DoctorReport } from '@tutti/server';
import { asCalled } from '../command-name.ts';
import { type DataDirOption, dataDirOf, withRefusals } from '../data-directory.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type OutputFormat, printDocument } from '../output-format.ts';
import { cleanOutput } from '../run-view/style.ts';
import { sizeText } from '../size-text.ts';

export interface DoctorOptions extends DataDirOption {
  readonly repair?: boolean;
  readonly runs?: number;
  readonly output: OutputFormat;
}

type ToldCheck = DoctorReport['checks'][number];

/** Resolves with the exit code: 1 when something is wrong that was not repaired. */
export async function examineData(options: DoctorOptions, io: Io): Promise<number> {
  const { loadRecovery } = await import('@tutti/server');
  const { diagnose } = await loadRecovery();
  const dataDir = dataDirOf(options, io);
  const wish = { dataDir, repair: options.repair === true, runs: options.runs ?? null };
  const report = await withRefusals(async () => diagnose(wish));
  if (options.output === 'json') printDocument(report, io);
  else io.screen.write(cleanOutput(reportText(report, io), false));
  return left(report) === 0 ? EXIT_CODES.done : EXIT_CODES.failed;
}

const findingsOf = ({ checks }: DoctorReport) => checks.flatMap(({ findings }) => findings);

const left = (report: DoctorReport): number =>
  findingsOf(report).filter(({ isRepaired }) => !isRepaired).length;

function reportText(report: DoctorReport, io: Io): string {
  const { dataDir, isServerRunning, checks, kept } = report;
  const lines = [
    `Data of ${dataDir}${isServerRunning ? ', whose server runs' : ''}`,
    ...checks.flatMap(checkLines),
    ...(kept === null ? [] : [`What was there before the repair: ${kept}`]),
    endLine(report, io),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function stateOf({ isSkipped, findings }: ToldCheck): string {
  if (isSkipped) return 'skipped';
  return findings.every(({ isRepaired }) => isRepaired) ? 'ok' : 'WRONG';
}

function checkLines(check: ToldCheck): readonly string[] {
  const { name, facts, notes, findings } = check;
  const shown = Object.entries(facts).map(([fact, value]) => `${fact} ${factText(fact, value)}`);
  return [
    `  ${stateOf(check).padEnd(8)}${name.padEnd(10)}${shown.join(', ')}`.trimEnd(),
    ...notes.map((note) => `           ${note}`),
    ...findings.flatMap(findingLines),
  ];
}

const factText = (fact: string, value: number | string): string =>
  fact === 'bytes' && typeof value === 'number' ? `${value} (${sizeText(value)})` : String(value);

function findingLines({ what, repair, advice, isRepaired }: ToldCheck['findings'][number]) {
  return [
    `         - ${what}`,
    ...(repair === null ? [] : [`           ${isRepaired ? 'Repaired:' : '--repair'} ${repair}.`]),
    ...(advice === null ? [] : [`           What to do: ${advice}`]),
  ];
}

function endLine(report: DoctorReport, io: Io): string {
  const findings = findingsOf(report);
  if (findings.length === 0) return 'All is well.';
  const count = left(report);
  if (count === 0) return `${countOf(findings.length, 'finding')}, all repaired.`;
  const isMendable = findings.some(({ repair, isRepaired }) => repair !== null && !isRepaired);
  const command = asCalled(`tutti doctor --data-dir ${report.dataDir} --repair`, io.command);
  const hint = isMendable ? ` To repair what is safe, stop the server and run: ${command}` : '';
  return `${countOf(count, 'finding')} to see to.${hint}`;
}
