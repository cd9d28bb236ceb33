/** What can be typed where: read from the commands themselves, so that completion knows what they know. */
import type { Argument, Command, Option } from 'commander';

/** Those that there are scripts for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What is asked of `tutti __complete` while somebody types. */
export const LIVE_KINDS = [
  'workflows',
  'agents',
  'subscriptions',
  'namespaces',
  'providers',
  'contexts',
  'orchestrators',
  'users',
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

export type ValueKind =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' | 'directories' | 'anything' }
  | { readonly kind: 'live'; readonly of: LiveKind };

export interface CompletedOption {
  /** `-o`, `--output`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Null where it takes none. */
  readonly value: ValueKind | null;
}

export interface CompletedCommand {
  /** The words behind `tutti`; none for itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** Other names of the last word. */
  readonly aliases: readonly string[];
  readonly options: readonly CompletedOption[];
  /** In their order; the last one may come again. */
  readonly arguments: readonly ValueKind[];
}

const ANYTHING: ValueKind = { kind: 'anything' };

/** The program itself first, then each command before those below it. Hidden ones are left out. */
export function completionTable(program: Command): readonly CompletedCommand[] {
  const debug = optionsOf(program).filter(({ flags }) => flags.includes('--debug'));
  return entriesOf(program, [], debug);
}

function entriesOf(
  command: Command,
  path: readonly string[],
  everywhere: readonly CompletedOption[],
): readonly CompletedCommand[] {
  // A noun alone lists.
  const list = command.commands.find((each) => each.name() === 'list');
  const own: CompletedCommand = {
    path,
    description: firstSentence(command.description()),
    aliases: path.length === 0 ? [] : command.aliases(),
    options: joined([
      ...optionsOf(command),
      ...(list === undefined ? [] : optionsOf(list)),
      ...(path.length === 0 ? [] : everywhere),
    ]),
    arguments: (list ?? command).registeredArguments.flatMap((argument) =>
      argumentKinds(argument, path),
    ),
  };
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  return [own, ...below.flatMap((each) => entriesOf(each, [...path, each.name()], everywhere))];
}

/** Those of the same flags once. */
const joined = (options: readonly CompletedOption[]): readonly CompletedOption[] =>
  options.filter(
    (option, index) =>
      options.findIndex((other) => other.flags.at(-1) === option.flags.at(-1)) === index,
  );

const optionsOf = (command: Command): readonly CompletedOption[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
      description: firstSentence(option.description),
      value: option.required || option.optional ? optionKind(option) : null,
    }));

const firstSentence = (text: string): string =>
  text
    .split(/\.(?:\s|$)|[;:(]/, 1)
    .join('')
    .trim();

const BY_FLAG: Readonly<Record<string, LiveKind>> = {
  '--context': 'contexts',
  '--orchestrator': 'orchestrators',
  '--user': 'users',
  '--namespace': 'namespaces',
};

function optionKind(option: Option): ValueKind {
  if (option.argChoices !== undefined) return { kind: 'words', words: option.argChoices };
  const of = BY_FLAG[option.long ?? ''];
  if (of !== undefined) return { kind: 'live', of };
  // It takes more than can be listed.
  if (option.long === '--output' && option.defaultValue === 'table') {
    return { kind: 'words', words: [...namedIn(option.description), 'custom-columns='] };
  }
  return placeKind(/[<[]([^\]>]+)[\]>]/.exec(option.flags)?.[1] ?? '');
}

/** Of `table, wide: for people; name: the ids alone`, the names. */
const namedIn = (description: string): readonly string[] =>
  description
    .split(';')
    .flatMap((part) => part.split(':', 1).join('').split(','))
    .map((name) => name.trim())
    .filter((name) => /^[a-z]+$/.test(name));

function placeKind(placeholder: string): ValueKind {
  if (/^(?:file|path|name=path)$/.test(placeholder)) return { kind: 'files' };
  return /^(?:dir|directory)$/.test(placeholder) ? { kind: 'directories' } : ANYTHING;
}

const OF_CONFIG: readonly (readonly [RegExp, LiveKind])[] = [
  [/-context$/, 'contexts'],
  [/-orchestrator$/, 'orchestrators'],
  [/-credentials$/, 'users'],
];
const FILES = /^(?:files?|paths?|backup)$/;
const IDS: readonly LiveKind[] = ['agents', 'subscriptions'];

/** One, and more where the words of an argument mean different things by their places. */
function argumentKinds(argument: Argument, path: readonly string[]): readonly ValueKind[] {
  // A run, then what is copied, or already where to.
  if (path.join(' ') === 'attachments copy') {
    return [{ kind: 'live', of: 'workflows' }, { kind: 'files' }];
  }
  return [argumentKind(argument, path)];
}

function argumentKind(argument: Argument, path: readonly string[]): ValueKind {
  const [noun = '', verb = ''] = path;
  const name = argument.name();
  if (argument.argChoices !== undefined) return { kind: 'words', words: argument.argChoices };
  if (FILES.test(name)) return { kind: 'files' };
  if (noun === 'config') {
    const of = OF_CONFIG.find(([pattern]) => pattern.test(verb))?.[1];
    return of === undefined ? ANYTHING : { kind: 'live', of };
  }
  if (noun === 'providers') return { kind: 'live', of: 'providers' };
  if (!/^ids?$/.test(name)) return ANYTHING;
  return { kind: 'live', of: IDS.find((one) => one === noun) ?? 'workflows' };
}
