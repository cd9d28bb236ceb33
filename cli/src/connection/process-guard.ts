/**
 * Kills the steps when this process is killed. A shell in its own session reads the running process groups. It kills the
 * remaining ones when its input ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';

export interface ProcessGuard {
  note(pid: number, phase: 'began' | 'ended'): void;
  /** Call it when no command runs. */
  close(): void;
}

const SCRIPT = `groups=" "
while IFS= read -r line; do
  group="\${line#?}"
  case "$line" in
    +*) groups="$groups$group " ;;
    -*) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done`;

/** Ends the processes of a command that is killed. Systems without process groups cannot do so. */
export function guardProcesses(platform: NodeJS.Platform = process.platform): ProcessGuard {
  let shell: ChildProcess | null = null;
  const open = (): ChildProcess => {
    const opened = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Runs also work without the guard.
    opened.on('error', () => undefined);
    opened.stdin?.on('error', () => undefined);
    opened.unref();
    return opened;
  };
  return {
    note(pid, phase) {
      if (platform === 'win32') return;
      shell ??= open();
      shell.stdin?.write(`${phase === 'began' ? '+' : '-'}${pid}\n`);
    },
    close: () => void shell?.stdin?.end(),
  };
}
