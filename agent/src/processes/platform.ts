/** What differs between operating systems: how a command line is run, and how all of its processes are ended. */
import { tmpdir } from 'node:os';

export interface Platform {
  /** The program, and how to start it, that runs a command line as the system's shell does. */
  readonly shell: (commandLine: string, environment: Environment) => Invocation;
  /** A program with its arguments, started without a shell. */
  readonly program: (words: readonly string[]) => Invocation;
  /**
   * What becomes the same program once it reads its last argument, as a line, from descriptor 3; null where there is no such
   * thing. Without a line it ends.
   */
  readonly prepared: (invocation: Invocation, mark?: number | null) => Invocation | null;
  /** The same program with the mark, once it runs. */
  readonly marked: (invocation: Invocation, mark: number) => Invocation;
  readonly kill: KillMethod;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  /** A process group of its own, so that the command can be ended with everything it started. */
  readonly detached: boolean;
  /** The command line is quoted for `cmd` already. */
  readonly windowsVerbatimArguments: boolean;
}

/**
 * - `process-group`: signals to the group; a polite one first;
 * - `process-tree`: a program that is given the process id and ends the process with its descendants at once.
 */
export type KillMethod =
  | { readonly by: 'process-group' }
  | {
      readonly by: 'process-tree';
      readonly file: string;
      readonly args: (pid: number) => readonly string[];
    };

export const SHELL = '/bin/sh';

/**
 * For a shell, which hands the mark on to all that it starts: see `process-mark.ts`. It is a limit, and shells do not agree on the
 * letter for it.
 */
export const setMark = (mark: number): string =>
  `ulimit -w ${mark} 2> /dev/null || ulimit -x ${mark} 2> /dev/null;`;

/** The process stays the same one, and keeps nothing of what it was told through. */
const WAIT_FOR_ARGUMENT = 'IFS= read -r argument <&3 && exec "$@" "$argument" 3<&-';

/**
 * For a job that has a user of its own: neither it nor what it starts becomes another one, also not by a program that an earlier job left
 * with the rights of its own user. Linux alone.
 */
export const withoutNewRights = ({ file, args, ...how }: Invocation): Invocation => ({
  file: 'setpriv',
  args: ['--no-new-privs', '--', file, ...args],
  ...how,
});

const unix: Platform = {
  shell: (commandLine) => ({
    file: SHELL,
    args: ['-c', commandLine],
    detached: true,
    windowsVerbatimArguments: false,
  }),
  program: ([file = '', ...args]) => ({
    file,
    args,
    detached: true,
    windowsVerbatimArguments: false,
  }),
  prepared: ({ file, args, ...how }, mark = null) => ({
    file: SHELL,
    args: [
      '-c',
      `${mark === null ? '' : setMark(mark)} ${WAIT_FOR_ARGUMENT}`.trim(),
      ...[SHELL, file, ...args.slice(0, -1)],
    ],
    ...how,
  }),
  marked: ({ file, args, ...how }, mark) => ({
    file: SHELL,
    args: ['-c', `${setMark(mark)} exec "$@"`, SHELL, file, ...args],
    ...how,
  }),
  kill: { by: 'process-group' },
};

const windows: Platform = {
  shell: (commandLine, environment) => ({
    file: environment.ComSpec || 'cmd.exe',
    // With /s, cmd takes away exactly the outer quotes, whatever the command line has inside.
    args: ['/d', '/s', '/c', `"${commandLine}"`],
    // A detached process would open a console window; the tree is found by taskkill without a group.
    detached: false,
    windowsVerbatimArguments: true,
  }),
  program: ([file = '', ...args]) => ({
    file,
    args,
    detached: false,
    windowsVerbatimArguments: false,
  }),
  prepared: () => null,
  marked: (invocation) => invocation,
  kill: {
    by: 'process-tree',
    file: 'taskkill',
    args: (pid) => ['/PID', String(pid), '/T', '/F'],
  },
};

export const platformOf = (name: NodeJS.Platform): Platform => (name === 'win32' ? windows : unix);

/** Tokens of the agent and where it finds them: steps have no business with them. Compared without regard to case. */
const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'TUTTI_TOKEN',
  'TUTTI_TOKEN_FILE',
  'TUTTI_AGENT_TOKEN',
  'TUTTI_AGENT_TOKEN_FILE',
  'OPENTF_TOKEN',
]);

/** The environment of commands: the agent's own without its tokens. */
export function commandEnvironment(own: Environment): Environment {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => !SECRET_VARIABLES.has(name.toUpperCase())),
  );
}

/** Where commands run unless the agent is told otherwise. */
export const defaultWorkspaceDir = (): string => tmpdir();
