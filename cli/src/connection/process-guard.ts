/**
 * Ends what steps run when this process is killed and can do nothing any more: a shell of its own session reads which process groups there
 * are, and ends those that are left when nobody can write to it any more.
 */
import { type ChildProcess, spawn } from 'node:child_process';

export interface ProcessGuard {
  note(pid: number, phase: 'began' | 'ended'): void;
  /** Nothing runs any more. */
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

/** Where there are no process groups, processes that a killed command leaves go on. */
export function guardProcesses(platform: NodeJS.Platform = process.platform): ProcessGuard {
  let shell: ChildProcess | null = null;
  const open = (): ChildProcess => {
    const opened = spawn('/bin/sh', ['-c', SCRIPT], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without it, runs go on as well.
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
