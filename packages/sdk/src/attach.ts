/** Lines of scripts that hand files over as attachments (wire facts part 5). */
import { type ChannelOs, OrchestratorError, reportTypeOf } from '@tutti/manifests';
import { escapeEcho, quoteSh } from './quoting.ts';

export interface AttachOptions {
  /** The type by which interpreters know the file. */
  readonly type?: string;
  /** Shown instead of the file's own name. */
  readonly name?: string;
}

/** A line that attaches the file at this path. The path is absolute, or relative to the script. */
export function attach(os: ChannelOs, path: string, options: AttachOptions = {}): string {
  const head = attachHead(options);
  refuseBreaks(path);
  return os === 'windows' ? attachWindows(head, path) : attachUnix(head, path);
}

/** The workflow command that attaches a file, up to the path. */
export function attachHead(options: AttachOptions): string {
  return `::attach${parametersOf(options)}::`;
}

/** The workflow command about a missing report, up to its path. Null for files of types that are not read as test results. */
export function missingReportHead(type: string | undefined): string | null {
  if (type === undefined || reportTypeOf(type) === null) return null;
  return `::missing-report${parametersOf({ type })}::`;
}

function parametersOf(options: AttachOptions): string {
  const parameters = Object.entries(options).map(([name, value]) => parameter(name, value));
  return parameters.length === 0 ? '' : ` ${parameters.join(',')}`;
}

function parameter(name: string, value: string): string {
  if (!/^[^\s,:][^,:\r\n]*$/.test(value)) {
    throw new OrchestratorError(
      'Invalid',
      `${JSON.stringify(value)} cannot be the ${name} of an attachment.`,
    );
  }
  return `${name}=${value}`;
}

function attachUnix(head: string, path: string): string {
  const directory = path.startsWith('/') ? '' : '"$PWD"/';
  return `echo ${quoteSh(head)}${directory}${quoteSh(path)}`;
}

function attachWindows(head: string, path: string): string {
  const directory = /^(?:[a-z]:)?[\\/]/i.test(path) ? '' : '%CD%\\';
  return `@echo ${escapeEcho(head)}${directory}${escapeEcho(path.replaceAll('/', '\\'))}`;
}

function refuseBreaks(path: string): void {
  if (!/[\0\r\n]/.test(path) && path !== '') return;
  throw new OrchestratorError('Invalid', `${JSON.stringify(path)} cannot be attached.`);
}
