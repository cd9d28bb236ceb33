/** Opens the report of a tool, and reads the files that the command lists for a test case. */
import { runCli, startCli } from '../e2e/cli-process.ts';
import type { SharedServer } from '../support/shared-server.ts';

const surroundings = ({ bench, server }: SharedServer) => ({
  cwd: bench.folder,
  env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url },
});

/** The files of a test case whose names fit, as `tutti testcases` names them. */
export async function evidenceOf(
  shared: SharedServer,
  id: string,
  name: string,
  wanted: RegExp,
): Promise<readonly string[]> {
  const { stdout } = await runCli(['testcases', id, name], surroundings(shared));
  const files = [...stdout.matchAll(/ report open \S+ (?:'([^']+)'|(\S+))$/gm)];
  return files
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .filter((file) => wanted.test(file));
}

/** Looks at the report while the command serves it. `args`: the id of the run, and perhaps a file. */
export async function whileOpen(
  shared: SharedServer,
  args: readonly string[],
  look: (address: string) => Promise<void>,
): Promise<void> {
  const command = startCli(['report', 'open', ...args, '--no-browser'], surroundings(shared));
  try {
    const [, address = ''] = await command.said(/^(http:.*)$/m);
    await look(address);
  } finally {
    command.kill('SIGINT');
    await command.ended;
  }
}
