/** Workflow commands: lines of output that speak to the orchestrator (wire facts part 5). */
import type { Checkout } from '../facts/tested.ts';

export type TransferKind = 'attach' | 'upload' | 'download' | 'put';

export interface CommandParameters {
  readonly values: Readonly<Record<string, string>>;
  /** Pieces that are not `name=value`. */
  readonly invalid: readonly string[];
}

export type WorkflowCommand =
  | { readonly kind: 'set-output'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'transfer';
      readonly transfer: TransferKind;
      readonly parameters: CommandParameters;
      readonly path: string;
    }
  | { readonly kind: 'missing-report'; readonly type: string; readonly path: string }
  | { readonly kind: 'version'; readonly text: string }
  | ({ readonly kind: 'checkout' } & Checkout)
  | { readonly kind: 'message'; readonly level: string; readonly message: string }
  | { readonly kind: 'add-mask'; readonly text: string }
  | { readonly kind: 'stop-commands'; readonly token: string }
  | { readonly kind: 'group'; readonly title: string }
  | { readonly kind: 'end-group' };

const SET_OUTPUT = /^::set-output\s+name=([a-zA-Z_][a-zA-Z0-9_-]*)::(.*)$/s;
// One blank before parameters, not several. Two ways to read blanks would make a long line cost its square.
const TRANSFER = /^::(attach|upload|download|put)(?:\s(.*?))?::(.*)$/s;
const DOWNLOAD_HERE = /^::download(?:\s(.*))?$/s;
const MISSING_REPORT = /^::missing-report\stype=([^,]*?)::(.+)$/s;
const VERSION = /^::version::(.+)$/s;
/** The names of the commit follow a tab, as git lists them. */
const CHECKOUT = /^::checkout commit=([0-9a-f]{40}|[0-9a-f]{64})::([^\t]+)(?:\t(.*))?$/s;
/** `grafted` is before it where git fetched a part of the history. */
const BRANCH = /^(?:grafted, )?HEAD -> ([^\s,]+)/;
const MESSAGE = /^::(?:(debug)|(notice|warning|error)(?:\s.*?)?)::(.*)$/s;
const ADD_MASK = /^::add-mask::(.*)$/s;
const GROUP = /^::group::(.*)$/s;
const END_GROUP = /^::endgroup::/;
const STOP_COMMANDS = /^::stop-commands::(\w+)$/;

/** True for the few lines that are worth a closer look. */
export function mayBeCommand(line: string): boolean {
  return line.charCodeAt(0) === 58 && line.charCodeAt(1) === 58;
}

/** Reads one line of standard output, without blanks at its end; null when it is an ordinary line. */
export function parseWorkflowCommand(line: string): WorkflowCommand | null {
  return (
    parseSetOutput(line) ??
    parseTransfer(line) ??
    parseDownloadHere(line) ??
    parseMissingReport(line) ??
    parseVersion(line) ??
    parseCheckout(line) ??
    parseMessage(line) ??
    parseAddMask(line) ??
    parseStopCommands(line) ??
    parseGroup(line)
  );
}

function parseSetOutput(line: string): WorkflowCommand | null {
  const [, name, value] = SET_OUTPUT.exec(line) ?? [];
  return name === undefined || value === undefined ? null : { kind: 'set-output', name, value };
}

function parseTransfer(line: string): WorkflowCommand | null {
  const [, transfer, list = '', path] = TRANSFER.exec(line) ?? [];
  if (!isTransfer(transfer) || path === undefined) return null;
  return { kind: 'transfer', transfer, parameters: parseParameters(list), path: path.trim() };
}

/** A download without a path does not need the colons before it. A line with other words than parameters is no command. */
function parseDownloadHere(line: string): WorkflowCommand | null {
  const match = DOWNLOAD_HERE.exec(line);
  const parameters = match === null ? null : parseParameters(match[1] ?? '');
  if (parameters === null || parameters.invalid.length > 0) return null;
  return { kind: 'transfer', transfer: 'download', parameters, path: '' };
}

function parseMissingReport(line: string): WorkflowCommand | null {
  const [, type, path] = MISSING_REPORT.exec(line) ?? [];
  if (type === undefined || path === undefined) return null;
  return { kind: 'missing-report', type: type.trim(), path: path.trim() };
}

function parseVersion(line: string): WorkflowCommand | null {
  const text = VERSION.exec(line)?.[1]?.trim() ?? '';
  return text === '' ? null : { kind: 'version', text };
}

function parseCheckout(line: string): WorkflowCommand | null {
  const [, commit, repository, names = ''] = CHECKOUT.exec(line) ?? [];
  if (commit === undefined || repository === undefined) return null;
  return { kind: 'checkout', repository, commit, branch: BRANCH.exec(names)?.[1] ?? null };
}

function isTransfer(text: string | undefined): text is TransferKind {
  return text === 'attach' || text === 'upload' || text === 'download' || text === 'put';
}

/** Reads `k=v,k=v`; blanks around names and values do not count, and a later value of a name wins. */
export function parseParameters(list: string): CommandParameters {
  const pieces = list.trim() === '' ? [] : list.split(',').map((piece) => piece.trim());
  const values = pieces
    .filter((piece) => piece.includes('='))
    .map((piece): [string, string] => {
      const equals = piece.indexOf('=');
      return [piece.slice(0, equals).trimEnd(), piece.slice(equals + 1).trimStart()];
    });
  return {
    values: Object.fromEntries(values),
    invalid: pieces.filter((piece) => !piece.includes('=')),
  };
}

function parseMessage(line: string): WorkflowCommand | null {
  const [, debug, other, message] = MESSAGE.exec(line) ?? [];
  const level = debug ?? other;
  return level === undefined || message === undefined
    ? null
    : { kind: 'message', level: level.toUpperCase(), message };
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['%25', '%'],
  ['%0D', '\r'],
  ['%0A', '\n'],
]);

/** Decodes line breaks and percent signs that the author escaped for other services. */
export const decodedValue = (value: string): string =>
  value.replace(/%(?:25|0D|0A)/g, (code) => CODES.get(code) ?? code);

function parseAddMask(line: string): WorkflowCommand | null {
  const [, text] = ADD_MASK.exec(line) ?? [];
  return text === undefined ? null : { kind: 'add-mask', text };
}

function parseStopCommands(line: string): WorkflowCommand | null {
  const [, token] = STOP_COMMANDS.exec(line) ?? [];
  return token === undefined ? null : { kind: 'stop-commands', token };
}

function parseGroup(line: string): WorkflowCommand | null {
  if (END_GROUP.test(line)) return { kind: 'end-group' };
  const [, title] = GROUP.exec(line) ?? [];
  return title === undefined ? null : { kind: 'group', title: title.trim() };
}
