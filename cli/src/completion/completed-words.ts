/** Completes a command line from the definitions of the commands, so that completion matches them. */
import type { Argument, Command, Option } from 'commander';

export interface Word {
  readonly word: string;
  readonly description?: string;
}

/** Words that a server, the configuration of the command line, or the documentation knows. */
export type LiveKind =
  | 'workflows'
  | 'agents'
  | 'subscriptions'
  | 'namespaces'
  | 'providers'
  | 'jobs'
  | 'gates'
  | 'contexts'
  | 'orchestrators'
  | 'users'
  | 'pages';

export interface Completed {
  readonly words: readonly Word[];
  /** Further words that may follow. */
  readonly more: LiveKind | 'files' | 'directories' | null;
}

const NOTHING: Completed = { words: [], more: null };
const more = (kind: Exclude<Completed['more'], null>): Completed => ({ words: [], more: kind });
const choices = (words: readonly string[]): Completed => ({
  words: words.map((word) => ({ word })),
  more: null,
});

/** `typed` contains the words before the current one. */
export function completedWords(
  program: Command,
  typed: readonly string[],
  current: string,
): Completed {
  const place = placeAfter(program, typed);
  const option = place.option ?? optionWithValue(place, current);
  if (option !== null) return optionValue(option);
  if (current.startsWith('-')) return { words: optionsOf(place).flatMap(flagWords), more: null };
  return argumentWords(place);
}

interface Place {
  readonly program: Command;
  readonly command: Command;
  /** The names of the command, without that of the program. */
  readonly path: readonly string[];
  /** Number of given arguments. */
  readonly count: number;
  /** The option that waits for its value. */
  readonly option: Option | null;
}

function placeAfter(program: Command, typed: readonly string[]): Place {
  let place: Place = { program, command: program, path: [], count: 0, option: null };
  for (const word of typed) place = placeBehind(place, word);
  return place;
}

function placeBehind(place: Place, word: string): Place {
  // bash hands over `--name=value` as three words.
  if (place.option !== null) return word === '=' ? place : { ...place, option: null };
  if (word.startsWith('-')) return { ...place, option: takesNext(place, word) };
  const next = visible(place.command).find(
    (each) => each.name() === word || each.aliases().includes(word),
  );
  if (next === undefined) return { ...place, count: place.count + 1 };
  return { ...place, command: next, path: [...place.path, next.name()] };
}

const visible = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');

/** A noun without a verb lists, and accepts the options of `list`; `report` saves. */
const listOf = ({ commands }: Command) =>
  commands.find((each) => each.name() === 'list' || each.name() === 'save');

function optionsOf({ program, command }: Place): readonly Option[] {
  const own = [command, listOf(command)].flatMap(
    (each) => each?.createHelp().visibleOptions(each) ?? [],
  );
  const ofAll = program.options.filter(({ long }) => long === '--debug' || long === '--no-color');
  const options = [...own, ...ofAll];
  return options.filter(
    ({ long }, index) => options.findIndex((other) => other.long === long) === index,
  );
}

const flagWords = ({ short, long, description }: Option): readonly Word[] =>
  [short, long]
    .filter((flag) => flag !== undefined)
    .map((word) => ({ word, description: firstSentence(description) }));

const firstSentence = (text: string): string =>
  text
    .split(/\.(?:\s|$)|[;:(]/, 1)
    .join('')
    .trim();

function takesNext(place: Place, flag: string): Option | null {
  const option = optionsOf(place).find(({ short, long }) => flag === short || flag === long);
  return option?.required || option?.optional ? option : null;
}

/** The option of `--name=value`. */
const optionWithValue = (place: Place, word: string): Option | null =>
  /^--[^=]+=/.test(word) ? takesNext(place, word.split('=', 1).join('')) : null;

const BY_FLAG: Readonly<Record<string, LiveKind>> = {
  '--context': 'contexts',
  '--orchestrator': 'orchestrators',
  '--user': 'users',
  '--namespace': 'namespaces',
  '--job': 'jobs',
  '--jobs': 'jobs',
  '--gate': 'gates',
};

const OUTCOMES = ['success', 'failure', 'error', 'skipped'];
const STATES = ['broken', 'flaky', 'unsure', 'new', 'stable'];

function optionValue({ argChoices, long = '', defaultValue, description, flags }: Option) {
  if (argChoices !== undefined) return choices(argChoices);
  const live = BY_FLAG[long];
  if (live !== undefined) return more(live);
  if (long === '--outcome') return choices(OUTCOMES);
  if (long === '--state') return choices(STATES);
  if (long === '--report') return choices(['html']);
  // The option accepts more values than a list can hold.
  if (long === '--output' && defaultValue === 'table') {
    return choices([...namedIn(description), 'custom-columns=']);
  }
  const placeholder = /[<[]([^\]>]+)[\]>]/.exec(flags)?.[1] ?? '';
  if (/^(?:file|path|name=path)$/.test(placeholder)) return more('files');
  return /^(?:dir|directory)$/.test(placeholder) ? more('directories') : NOTHING;
}

/** Names in a list such as `table, wide: for people; name: the ids alone`. */
const namedIn = (description: string): readonly string[] =>
  description
    .split(';')
    .flatMap((part) => part.split(':', 1).join('').split(','))
    .map((name) => name.trim())
    .filter((name) => /^[a-z]+$/.test(name));

/** The subcommands, if the command has no argument yet; and values of its argument. */
function argumentWords({ command, path, count }: Place): Completed {
  const below = count > 0 ? [] : visible(command);
  const names = below.map((each) => ({
    word: each.name(),
    description: firstSentence(each.description()),
  }));
  const given = (listOf(command) ?? command).registeredArguments;
  const argument = given[Math.min(count, given.length - 1)];
  const values = argument === undefined ? NOTHING : argumentValue(argument, path, count);
  // Ids look different from command names; file names do not.
  const isShown = names.length === 0 || !/^(?:files|directories)$/.test(values.more ?? '');
  return { words: [...names, ...values.words], more: isShown ? values.more : null };
}

const OF_CONFIG: readonly (readonly [RegExp, LiveKind])[] = [
  [/-context$/, 'contexts'],
  [/-orchestrator$/, 'orchestrators'],
  [/-credentials$/, 'users'],
];
const IDS: readonly LiveKind[] = ['agents', 'subscriptions'];

function argumentValue(argument: Argument, path: readonly string[], count: number): Completed {
  const [noun = '', verb = ''] = path;
  const name = argument.name();
  if (argument.argChoices !== undefined) return choices(argument.argChoices);
  // The first argument is a run; later ones are attachments or a destination.
  if (noun === 'attachments' && verb === 'copy') return more(count === 0 ? 'workflows' : 'files');
  if (/^(?:files?|paths?|backup)$/.test(name)) return more('files');
  if (noun === 'config') {
    const of = OF_CONFIG.find(([pattern]) => pattern.test(verb))?.[1];
    return of === undefined ? NOTHING : more(of);
  }
  if (noun === 'providers') return more('providers');
  if (noun === 'docs') return more('pages');
  if (!/^ids?$/.test(name)) return NOTHING;
  return more(IDS.find((one) => one === noun) ?? 'workflows');
}
