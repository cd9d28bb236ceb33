/** Differences between operating systems: running a command line, and ending all of its processes. */
import { tmpdir } from 'node:os';

export interface Platform {
  /** The program, and how to start it, that runs a command line as the system's shell does. */
  readonly shell: (commandLine: string, environment: Environment) => Invocation;
  /** A program with its arguments, started without a shell. */
  readonly program: (words: readonly string[]) => Invocation;
  /**
   * A program that waits for its last argument, and then becomes the given program. The argument is a line on its standard
   * output, a socket. Without a line it ends. Null if the system has none.
   */
  readonly prepared: (invocation: Invocation, mark?: number | null) => Invocation | null;
  /** The program, run with the mark. */
  readonly marked: (invocation: Invocation, mark: number) => Invocation;
  readonly kill: KillMethod;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  /** Its own process group, so that the command can be ended with all its processes. */
  readonly detached: boolean;
  /** The command line is quoted for `cmd` already. */
  readonly windowsVerbatimArguments: boolean;
}

/**
 * - `process-group`: signals to the group, SIGTERM first;
 * - `process-tree`: a program that ends a process and its descendants at once.
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
 * Shell code that sets the mark for all its processes: see `process-mark.ts`. The mark is a limit, and shells use different
 * letters for it.
 */
export const setMark = (mark: number): string =>
  `ulimit -w ${mark} 2> /dev/null || ulimit -x ${mark} 2> /dev/null;`;

/** `exec` keeps the process. The program prints to the socket that brought the line. */
const WAIT_FOR_ARGUMENT = 'IFS= read -r argument <&1 && exec "$@" "$argument"';

/** The user of a job, or root. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs a process as the user of a job. Neither the process nor its children get other rights, even by a setuid program of an earlier job.
 * If Node.js changed the user, it would wait for the new process, which that user may stop. Linux only.
 */
export const asUser = ({ file, args, ...how }: Invocation, user: User): Invocation => ({
  file: SETPRIV,
  args: [...toUser(user), file, ...args],
  ...how,
});

export const SETPRIV = 'setpriv';

/** The arguments of `setpriv` before the program. */
export const toUser = ({ uid, gid }: User): readonly string[] => [
  ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--'],
];

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

/** The agent's tokens and their places: steps do not need them. Names are compared without case. */
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

/** The default folder for commands. */
export const defaultWorkspaceDir = (): string => tmpdir();
