/** `tutti gate`: whether the test results of a run are good enough, as an exit code (clients facts 3.6). */
import type { GateReport, JsonRecord } from '@tutti/client';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { printDocument, printYaml } from '../options/output-format.ts';
import type { GitlabParameters } from '../options/plugin-option.ts';
import { readOutput } from '../resources/output.ts';
import { type Listing, printItems } from '../resources/print-items.ts';
import { valuesAt } from '../resources/value-path.ts';
import { complainOf } from '../runs/report-warnings.ts';
import { workflowRef } from '../runs/workflow-ref.ts';
import type { Io } from '../terminal/io.ts';
import { readNamedBytes } from '../terminal/named-file.ts';
import { UsageError } from '../terminal/problem.ts';
import { asArgument } from '../terminal/shell-argument.ts';
import { announceVerdict } from '../verdict/announce-verdict.ts';
import { exitCodeOf, gateLines } from '../verdict/gate-lines.ts';
import { placeFor } from '../verdict/gitlab-place.ts';

export interface GateOptions extends ConnectionOptions {
  readonly gate?: string | undefined;
  /** Path of a definition that has the gate. */
  readonly definition?: string | undefined;
  /** Leaves out results that the run took over from earlier runs. */
  readonly alone?: boolean;
  /** Places to which the verdict is published. */
  readonly plugin?: GitlabParameters | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly output: string;
}

const DEFAULT_GATE = 'strict';

/** Judges a run, by default the newest one, by a quality gate. Resolves with the exit code. */
export async function askGate(
  workflowId: string | undefined,
  options: GateOptions,
  io: Io,
): Promise<number> {
  const { definition, gate, timeout, output } = options;
  if (definition !== undefined && gate === undefined) {
    throw new UsageError(
      '--definition needs --gate: a definition may have several gates.',
      'name the one to judge by: tutti gate ID --gate NAME --definition FILE',
    );
  }
  const gitlab = placeFor(options.plugin, io);
  const content = definition === undefined ? undefined : new Blob([readNamedBytes(definition)]);
  const client = await connect(options, io);
  const otherwise = workflowId === undefined ? undefined : byName(workflowId);
  const id = await workflowRef(client, workflowId, { what: 'to judge', otherwise }, io);
  const mode = gate ?? DEFAULT_GATE;
  const takenOver = options.alone !== true;
  const query = { mode, definition: content, takenOver, waitMs: timeout };
  const report = await client.gate(id, query);
  complainOf(report.warnings, io);
  await printReport({ id, mode, report }, output, io);
  // Programs that read the output get nothing else there.
  const print = (text: string) => (isTable(output) ? io.screen.write(text) : io.complain(text));
  await announceVerdict(client, { workflowId: id, mode, report }, { gitlab, print }, io);
  return exitCodeOf(report.status);
}

const isTable = (output: string): boolean => ['table', 'wide'].includes(readOutput(output).kind);

async function printReport(
  { id, mode, report }: { readonly id: string; readonly mode: string; readonly report: GateReport },
  format: string,
  io: Io,
): Promise<void> {
  const output = readOutput(format);
  switch (output.kind) {
    case 'json':
      printDocument(report.document, io);
      return;
    case 'yaml':
      await printYaml(report.document, io);
      return;
    case 'table':
    case 'wide':
      io.screen.write(`${gateLines(id, mode, report).join('\n')}\n`);
      return;
    case 'name':
    case 'custom-columns':
      await printItems(ruleItems(report), RULES, output, io);
  }
}

/** The rules as the document has them, each with its name. */
function ruleItems({ document, rules }: GateReport): readonly JsonRecord[] {
  return rules.map(({ name }) => {
    const [rule] = valuesAt(document, ['details', 'rules', name]);
    return { name, ...(typeof rule === 'object' && rule !== null && rule) };
  });
}

const RULES: Listing = {
  columns: [],
  idPath: 'name',
  emptyText: 'The gate has no rules.',
};

const byName = (text: string): string =>
  `to judge by the gate of that name, write: tutti gate --gate ${asArgument(text)}`;
