/** The check of `run`: a server takes steps that call unknown functions, because a plugin may come later. */
import { OrchestratorError } from '@tutti/manifests';
import type { ConnectionOptions } from '../connection/connection.ts';
import type { Io } from '../terminal/io.ts';
import { fullMessage, strictly } from './checked-file.ts';
import { functionsFor } from './known-functions.ts';
import { createReporter } from './workflow-reporter.ts';

interface CheckOptions extends ConnectionOptions {
  readonly local?: boolean | undefined;
  readonly strict?: boolean;
  /** Complains of a server that does not list its functions. A start leaves the check to such a server. */
  readonly dryRun: boolean;
}

/** Throws `Invalid` with all errors of a workflow that calls functions, each with its line. */
export async function refuseUnknownFunctions(
  text: string,
  options: CheckOptions,
  io: Io,
): Promise<void> {
  const functions = await functionsFor([text], options, options.dryRun ? io : quiet(io));
  if (functions === undefined || !(options.dryRun || functions.isComplete)) return;
  const report = (await createReporter(undefined, io.env, { functions }))(text);
  const { diagnostics } = options.strict === true ? strictly(report) : report;
  const lines = diagnostics.map((each) => ({ ...each, text: fullMessage(each) }));
  const errors = lines.filter(({ severity }) => severity === 'error');
  const [first, ...more] = errors.map(({ text, span }) =>
    span === null ? text : `${text} (line ${span.line}, column ${span.column})`,
  );
  if (first === undefined) return;
  throw new OrchestratorError('Invalid', first, { details: { error: more.join('\n') } });
}

function quiet(io: Io): Io {
  // Not a copy: reading standard input opens it.
  const own: Io = Object.create(io);
  own.complain = () => {};
  return own;
}
