/** A program in Python that runs workloads with a tool's own library: `serve.py` is its other end. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Program } from './program.ts';
import type { RunningTool, Workload } from './tool.ts';

export interface PythonDriver {
  /** The folder of the environment's programs. */
  readonly programs: string;
  /** Path relative to this file. */
  readonly script: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when the program says that it is ready. */
export async function startPythonDriver(driver: PythonDriver): Promise<RunningTool> {
  const { programs, script, args, folder } = driver;
  // Python would write compiled files beside the sources.
  const env = { ...driver.env, PYTHONDONTWRITEBYTECODE: '1' };
  const file = fileURLToPath(new URL(script, import.meta.url));
  const command = { command: `${programs}/python`, args: [file, ...args], folder, env };
  const program = Program.start(command, { channel: true });
  // Descriptor 3 was asked for as a pipe, which is read here.
  const lines = createInterface({ input: program.child.stdio[3] as Readable });
  const closed = once(lines, 'close').then(() => ['']);
  const printed = async (words: string): Promise<void> => {
    const [line] = await Promise.race([once(lines, 'line'), closed]);
    if (line !== words) throw await program.failure(line === '' ? 'has ended' : String(line));
  };
  await printed('ready');
  return {
    run: async (workload: Workload) => {
      const done = printed('done');
      program.child.stdin?.write(`${JSON.stringify(workload)}\n`);
      await done;
    },
    stop: () => program.stop(),
  };
}
