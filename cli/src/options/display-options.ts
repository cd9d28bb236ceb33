/** Options for the detail and the look of runs. The context gives defaults. */
import { type Command, Option } from 'commander';
import type { ClientContext, DisplayDefaults } from '../client-config/client-context.ts';
import { type Display, WHOLE_DISPLAY } from '../run-view/display.ts';
import { checkPrefix } from '../run-view/line-prefix.ts';
import { readWhole } from './option-values.ts';

/** Display options, and settings that only the configuration has. */
export interface DisplayOptions extends DisplayDefaults {
  readonly showAttachments?: boolean | undefined;
}

const HEADING = 'Lines about the run:';

/** Names and short forms are those of existing clients. */
export function addDisplayOptions(command: Command): Command {
  const options = [
    jobDepthOption(OUTPUT_OF_OTHERS),
    stepDepthOption(),
    commandLengthOption(),
    prefixOption(),
    new Option('-a, --show-notifications', 'show what services log, too'),
    new Option('--no-show-notifications').hideHelp(),
    new Option('--show-attachments', 'show a line for each file that is attached'),
    new Option(
      '-v, --verbose',
      'show commands of functions, channels, and with -a what is for debugging; --no-verbose and --no-show-notifications undo what the context says',
    ),
    new Option('--no-verbose').hideHelp(),
  ];
  for (const option of options) command.addOption(option.helpGroup(HEADING));
  return command;
}

const OUTPUT_OF_OTHERS = ', of the others what they print and what goes wrong';

/** The option `--job-depth`. `others` describes the lines that are shown of deeper jobs. */
export const jobDepthOption = (others = ', of the others what goes wrong'): Option =>
  new Option(
    '-j, --job-depth <number>',
    `show jobs within fewer bundles than that${others}; 0: all`,
  ).argParser(readWhole('--job-depth'));

export const stepDepthOption = (others = OUTPUT_OF_OTHERS): Option =>
  new Option(
    '-s, --step-depth <number>',
    `show steps within fewer functions than that${others}; 0: all`,
  ).argParser(readWhole('--step-depth'));

export const commandLengthOption = (): Option =>
  new Option(
    '-c, --max-command-length <number>',
    'show so many characters of commands; 0: all of their first line',
  ).argParser(readWhole('--max-command-length'));

/** The prefix of each line. */
export const prefixOption = (): Option =>
  new Option(
    '--output-prefix <text>',
    'what lines begin with, in place of time and job; {timestamp}, {time}, {job} and {job_id} are filled in',
  ).argParser(readPrefix);

function readPrefix(text: string): string {
  checkPrefix(text, '--output-prefix');
  return text;
}

/** The options, with defaults of the context. Throws `UsageError` for an invalid prefix. */
export function withDisplayDefaults<Options extends DisplayOptions>(
  options: Options,
  context: ClientContext | null,
): Options {
  if (context === null) return options;
  const { display, user, file } = context;
  const { outputPrefix = display.outputPrefix } = options;
  if (outputPrefix !== undefined)
    checkPrefix(outputPrefix, `output-prefix of user "${user}" in ${file}`);
  return { ...display, ...options };
}

export function displayOf(options: DisplayOptions): Display {
  return {
    jobDepth: options.jobDepth ?? WHOLE_DISPLAY.jobDepth,
    stepDepth: options.stepDepth ?? WHOLE_DISPLAY.stepDepth,
    commandLength: options.maxCommandLength ?? WHOLE_DISPLAY.commandLength,
    prefix: options.outputPrefix ?? WHOLE_DISPLAY.prefix,
    lineColors: options.lineColors ?? WHOLE_DISPLAY.lineColors,
    showsServices: options.showNotifications ?? WHOLE_DISPLAY.showsServices,
    showsFiles: options.showAttachments ?? WHOLE_DISPLAY.showsFiles,
    isVerbose: options.verbose ?? WHOLE_DISPLAY.isVerbose,
  };
}
