/** `tutti import-config`: converts existing configurations, and reports settings that it could not convert. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { ImportPlan, PlannedFile, SourceDocument } from '@tutti/import-config';
import { portableYaml } from '@tutti/manifests/documents';
import { type ImportResult, importDocument, importText } from '../import-config/import-view.ts';
import { type OutputFormat, printDocument } from '../options/output-format.ts';
import { asCalled } from '../terminal/command-name.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';

export interface ImportConfigOptions {
  readonly saveTo: string;
  readonly map?: Readonly<Record<string, string>>;
  readonly context?: string;
  readonly authorizationMode?: string;
  readonly authorizationPolicyFile?: string;
  readonly tokenAuthFile?: string;
  readonly trustedkeysAuthFile?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

const CONFIG_FILE = 'server.yaml';

/**
 * Converts an existing configuration, by default that of the client. Resolves with the exit code: 1 if a setting could not be carried over.
 */
export async function importConfig(
  paths: readonly string[],
  options: ImportConfigOptions,
  io: Io,
): Promise<number> {
  const documents = await readDocuments(paths.length > 0 ? paths : [clientFile(io)]);
  const { loadFileChecks } = await import('@tutti/server');
  const { importConfiguration } = await import('@tutti/import-config');
  const plan = await importConfiguration(documents, wishesOf(options), await loadFileChecks());
  const files = await write(plan, options);
  const { items } = plan;
  const isWritten = options.dryRun !== true;
  const result: ImportResult = { directory: options.saveTo, isWritten, files, items };
  if (options.output === 'json') printDocument(importDocument(result), io);
  else io.screen.write(`${importText(result, io.command)}${nextStep(result, io)}`);
  const isWhole = items.every(({ outcome }) => outcome !== 'left-out');
  return isWhole ? EXIT_CODES.done : EXIT_CODES.failed;
}

/** The default path of existing clients. */
function clientFile({ env }: Io): string {
  const file = env.OPENTF_CONFIG || join(env.HOME || '.', '.opentf/config');
  if (existsSync(file)) return file;
  throw new UsageError(
    `There is no configuration of a client at ${file}.`,
    'name the files, or directories of files, that are to be imported.',
  );
}

/** If one file cannot be read, none is written: its settings would be missing without a message. */
async function readDocuments(paths: readonly string[]): Promise<readonly SourceDocument[]> {
  const { readSources } = await import('@tutti/import-config');
  const { documents, problems } = await readSources(paths);
  const [problem] = problems;
  if (problem !== undefined) {
    const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    throw new UsageError(
      `Nothing was imported: ${problem.replace(/\.$/, '')}${others}.`,
      'correct the file, or name the others without it.',
    );
  }
  return documents;
}

function wishesOf(options: ImportConfigOptions) {
  return {
    mappings: Object.entries(options.map ?? {}).map(([there, here]) => ({ there, here })),
    context: options.context ?? null,
    started: {
      authorization_mode: options.authorizationMode,
      authorization_policy_file: options.authorizationPolicyFile,
      token_auth_file: options.tokenAuthFile,
      trustedkeys_auth_file: options.trustedkeysAuthFile,
    },
  };
}

/** Writes the files. A server's own checks have already accepted them. */
async function write(
  plan: ImportPlan,
  { saveTo, force, dryRun }: ImportConfigOptions,
): Promise<readonly PlannedFile[]> {
  const { loadConfig, loadFileChecks } = await import('@tutti/server');
  const { writePlan } = await import('../import-config/write-plan.ts');
  const { stringify } = await import('yaml');
  const filesIn = (directory: string): readonly PlannedFile[] => {
    if (!plan.hasConfig) return plan.files;
    const content = `${HEAD}${portableYaml({ stringify }, plan.config(directory))}`;
    return [...plan.files, { path: CONFIG_FILE, content, isSecret: false }];
  };
  const directory = resolve(saveTo);
  const how = { directory, force: force === true, isDryRun: dryRun === true };
  const files = filesIn(directory);
  if (files.length === 0) return files;
  await writePlan(filesIn, how, async (checked) => {
    if (!plan.hasConfig) return;
    const { checkConfiguredFiles } = await loadFileChecks();
    await checkConfiguredFiles(loadConfig({ file: join(checked, CONFIG_FILE), env: {} }));
  });
  return files;
}

const HEAD = '# Made by tutti import-config. "tutti docs reference/settings" has all keys.\n';

function nextStep({ files, directory, isWritten }: ImportResult, { command }: Io): string {
  if (files.length === 0) return 'There is nothing to write.\n';
  if (!isWritten) return '';
  const hasConfig = files.some(({ path }) => path === CONFIG_FILE);
  const client = files.find(({ path }) => path.startsWith('clients/'));
  const start = asCalled(`tutti server --config ${join(directory, CONFIG_FILE)}`, command);
  return [
    ...(hasConfig ? [`To start the server: ${start}`] : []),
    ...(client ? [`For commands: set -a; . ${shellPath(directory, client.path)}; set +a`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** Shells search for a file without a slash in `PATH`. */
function shellPath(directory: string, path: string): string {
  const joined = join(directory, path);
  return isAbsolute(joined) ? joined : `./${joined}`;
}
