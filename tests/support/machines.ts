/**
 * Three machines of a page, as folders on this one. Commands are given on `one`; `ssh` and `scp` reach `two` and `three`. Small programs
 * stand for these two and for `systemctl`. It runs the command of a real unit with its environment file.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../structure/source-files.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export const MACHINES = ['one', 'two', 'three'] as const;
export type Machine = (typeof MACHINES)[number];

const run = promisify(execFile);
/** Folders of real machines that pages do not make. */
const FOLDERS = ['root', 'usr/local/bin', 'etc/systemd/system', 'var/lib', 'units'];

/** The command of ours, as a page installs it. */
const TUTTI = `#!/bin/sh
exec ${process.execPath} ${join(ROOT, 'cli/bin/tutti.js')} "$@"
`;

const PROGRAMS: Readonly<Record<string, string>> = {
  ssh: `MACHINE=$1; shift
command=$(printf '%s' "$*" | sed "s#$BASE/one/#$BASE/$MACHINE/#g")
. "$BASE/enter"
exec sh -ec "$command"`,
  // The last word is the place, the ones before are options and files.
  scp: `for place; do :; done
machine=\${place%%:*}; path=\${place#*:}
set -- "$@" END
while [ "$2" != END ]; do set -- "$@" "$1"; shift; done
shift 2
case $path in /*) to=$(printf '%s' "$path" | sed "s#$BASE/one/#$BASE/$machine/#") ;; *) to=$BASE/$machine/root/$path ;; esac
exec cp "$@" "$to"`,
  systemctl: `for unit; do :; done
machine=$BASE/$MACHINE
file=$machine/etc/systemd/system/$unit.service
mapped() { sed -n "s#^$1=-\\{0,1\\}##p" "$file" | sed "s# /# $machine/#g; s#^/#$machine/#"; }
stop() {
  kill -TERM "$(cat "$machine/units/$unit")" || return 0
  while kill -0 "$(cat "$machine/units/$unit")" 2>/dev/null; do sleep 0.05; done
}
start() {
  environment=$(grep -v '^#' "$(mapped EnvironmentFile)")
  oldIFS=$IFS; IFS='
'
  set -- env $environment TUTTI_PORT="$(cat "$machine/port")"
  IFS=$oldIFS
  setsid "$@" $(mapped ExecStart) </dev/null >>"$machine/units/$unit.log" 2>&1 &
  echo $! >"$machine/units/$unit"
}
case $1 in
  stop) stop ;;
  restart) stop; start ;;
  enable | start) start ;;
esac`,
};

/** Sets the variables of a machine. */
const ENTER = `HOME=$BASE/$MACHINE/root
PATH=$BASE/programs:$BASE/$MACHINE/usr/local/bin:$TOOLS
export MACHINE HOME PATH
cd "$HOME"
`;

export interface MachinesOptions {
  readonly folder: string;
  /** Folders of further programs. */
  readonly tools: readonly string[];
  /** Texts of the page, each with the one that is here in its place. The editor makes the same changes. */
  readonly replaced: readonly (readonly [string, string])[];
}

export class Machines {
  readonly #options: MachinesOptions;
  readonly ports: Readonly<Record<Machine, number>>;
  /** Lines that set variables for all later blocks. */
  #exports = '';

  private constructor(options: MachinesOptions, ports: Readonly<Record<Machine, number>>) {
    this.#options = options;
    this.ports = ports;
  }

  static async open(options: MachinesOptions): Promise<Machines> {
    const ports = { one: await freePort(), two: await freePort(), three: await freePort() };
    const { folder } = options;
    for (const machine of MACHINES) {
      for (const path of FOLDERS) mkdirSync(join(folder, machine, path), { recursive: true });
      writeFileSync(join(folder, machine, 'port'), String(ports[machine]));
    }
    mkdirSync(join(folder, 'programs'));
    writeFileSync(join(folder, 'enter'), ENTER);
    const machines = new Machines(options, ports);
    const edits = options.replaced.map(([from, to]) => `s#${from}#${to}#g`).join('; ');
    const programs = { ...PROGRAMS, vi: `exec sed -i '${edits}' "$1"` };
    for (const [name, text] of Object.entries(programs)) {
      writeProgram(join(folder, 'programs', name), `#!/bin/sh\n${text}\n`);
    }
    return machines;
  }

  /** Puts the downloaded command into the folder where commands are given. */
  installer(name: string): void {
    writeProgram(this.path('one', 'root', name), TUTTI);
  }

  path(machine: Machine, ...parts: readonly string[]): string {
    return join(this.#options.folder, machine, ...parts);
  }

  /** Runs a block of a page on the first machine, and resolves with its output. Rejects if a command fails. */
  async run(block: string): Promise<string> {
    const { folder, tools, replaced } = this.#options;
    const edited = replaced.reduce((text, [from, to]) => text.replaceAll(from, to), block);
    const text = edited
      .replaceAll(/(?<=[\s"'])\/(etc|usr|var)\//g, `${folder}/one/$1/`)
      .replaceAll(/(?<=:)\/(etc|usr|var)\//g, `${folder}/one/$1/`);
    const path = [dirname(process.execPath), ...tools, process.env.PATH ?? ''].join(':');
    const script = `. "$BASE/enter"\n${this.#exports}${text}`;
    const env = {
      BASE: folder,
      MACHINE: 'one',
      TOOLS: path,
      PATH: path,
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    const { stdout } = await run('/bin/sh', ['-ec', script], { env }).catch((error) => {
      throw new Error(`${block}\n${error.stdout}\n${error.stderr}\n${this.logs()}`);
    });
    this.#exports += text.replaceAll(/^(?!export ).*\n/gm, '');
    return stdout;
  }

  /** The output of all units. */
  logs(): string {
    return MACHINES.flatMap((machine) => {
      const files = readdirSync(this.path(machine, 'units')).filter((name) =>
        name.endsWith('.log'),
      );
      return files.map((name) => `${machine}: ${readFileSync(this.path(machine, 'units', name))}`);
    }).join('\n');
  }

  /** Ends all units. */
  async close(): Promise<void> {
    for (const machine of MACHINES) {
      for (const name of readdirSync(this.path(machine, 'units'))) {
        if (name.endsWith('.log')) continue;
        const pid = Number(readFileSync(this.path(machine, 'units', name), 'utf8'));
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          continue;
        }
        await eventually('the end of a unit', () => !existsSync(`/proc/${pid}`));
      }
    }
  }
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}
