/** Options for the display of a followed run. The environment gives defaults. */
import { type Command, Option } from 'commander';
import type { ClientContext } from '../client-config/client-context.ts';
import { type FoldingMarks, PROGRESSES, type Progress } from '../run-view/progress-kinds.ts';
import type { Io } from '../terminal/io.ts';
import { UsageError } from '../terminal/problem.ts';
import { addDisplayOptions, type DisplayOptions, withDisplayDefaults } from './display-options.ts';

export interface ViewOptions extends DisplayOptions {
  readonly progress?: Progress | undefined;
  readonly output?: ViewOutput | undefined;
  /** False with `--no-hints`: leaves out the next steps at the end. */
  readonly hints?: boolean | undefined;
}

export type ViewOutput = (typeof OUTPUTS)[number];

const OUTPUTS = ['text', 'json'] as const;
const VARIABLE = 'TUTTI_PROGRESS';

/** Adds `--progress`, `-o` and options for lines; `example` is a command that follows a run. */
export function addViewOptions(command: Command, example = 'tutti run demo.yaml --wait'): Command {
  command
    .addOption(
      new Option(
        '--progress <kind>',
        `how a run is shown. tree, line: the log, and on a terminal the state below it; plain: the log alone, without movement; none: the end alone (or ${VARIABLE})`,
      ).choices(PROGRESSES),
    )
    .addOption(
      new Option('-o, --output <format>', 'json: the events of the run, one a line, for programs')
        .choices(OUTPUTS)
        .default('text' satisfies ViewOutput),
    )
    .addHelpText('after', examplesOf(example));
  return addDisplayOptions(command);
}

const examplesOf = (example: string): string => `
Examples, for what is shown:
  ${example}
  ${example} --progress plain
  ${example} --job-depth 1 --step-depth 1 --output-prefix '{timestamp} [{job}] '
  ${example} -o json | jq -r .kind`;

/** The options, with defaults of the environment, then of the context. */
export function withViewDefaults<Options extends ViewOptions>(
  given: Options,
  context: ClientContext | null,
  env: Io['env'],
): Options {
  const options = withDisplayDefaults(given, context);
  const usual = context?.progress ?? null;
  if (usual === null || options.progress !== undefined || isSet(env[VARIABLE])) return options;
  return { ...options, progress: usual };
}

/** The kind of progress, or the marks to fold by: where a build server folds and nothing else was asked. */
export function progressOf(
  { progress }: ViewOptions,
  { env, screen }: Pick<Io, 'env' | 'screen'>,
): Progress | FoldingMarks {
  const asked = progress ?? progressIn(env[VARIABLE] ?? '');
  if (asked === 'plain' || asked === 'none') return asked;
  if (asked !== null && screen.isTerminal) return asked;
  const isOfBuild = isSet(env.CI) || marksOf(env) !== null;
  return screen.isTerminal && !isOfBuild ? 'tree' : (marksOf(env) ?? 'plain');
}

function progressIn(text: string): Progress | null {
  if (text === '') return null;
  const found = PROGRESSES.find((each) => each === text);
  if (found !== undefined) return found;
  throw new UsageError(
    `${VARIABLE} is "${text}", which is none of ${PROGRESSES.join(', ')}.`,
    'set it to one of them, or to nothing.',
  );
}

function marksOf(env: Io['env']): FoldingMarks | null {
  if (isSet(env.GITHUB_ACTIONS)) return 'github';
  if (isSet(env.GITLAB_CI)) return 'gitlab';
  return isSet(env.TF_BUILD) ? 'azure' : null;
}

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value.toLowerCase() !== 'false';

/** Writes for people: to standard error where programs read standard output, since they get documents alone. */
export const noticeWriter =
  ({ output }: Pick<ViewOptions, 'output'>, io: Pick<Io, 'complain' | 'screen'>) =>
  (text: string): void =>
    output === 'json' ? io.complain(text) : io.screen.write(text);
