/**
 * Keeps the token of an agent from its jobs: the system shows the environment and the arguments that a process was started with to all
 * processes of its user. Plain JavaScript, as is all that starts the program.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Names the file that has what this process was started without. */
const HANDED_OVER = 'TUTTI_HANDED_OVER';

const TOKEN_VARIABLES = ['TUTTI_TOKEN', 'TUTTI_AGENT_TOKEN', 'OPENTF_TOKEN'];

/** An agent that was given a token takes its own place once more, without it; everything else stays as it is. */
export function hideToken() {
  const { env, argv, execPath, execArgv } = process;
  if (env[HANDED_OVER] !== undefined) takeOver(env[HANDED_OVER]);
  const command = argv.slice(2).find((word) => !word.startsWith('-'));
  const args = withoutToken(argv);
  const names = TOKEN_VARIABLES.filter((name) => env[name] !== undefined);
  const isSeen = names.length > 0 || args.length < argv.length;
  // A process that ends with another one by a channel would lose that.
  if (command !== 'agent' || !isSeen || process.connected || !process.execve || isHidden) return;
  const kept = { ...env };
  for (const name of names) delete kept[name];
  try {
    const variables = Object.fromEntries(names.map((name) => [name, env[name]]));
    kept[HANDED_OVER] = handOver({ variables, argv });
    process.execve(execPath, [execPath, ...execArgv, ...args.slice(1)], kept);
  } catch (error) {
    console.error(`tutti: Jobs of this agent can see its token: ${error.message}`);
  }
}

let isHidden = false;

function handOver(what) {
  const file = join(mkdtempSync(join(tmpdir(), 'tutti-')), 'handed-over.json');
  writeFileSync(file, JSON.stringify(what), { mode: 0o600 });
  return file;
}

function takeOver(file) {
  isHidden = true;
  delete process.env[HANDED_OVER];
  const { variables, argv } = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(dirname(file), { recursive: true });
  // In the memory of this process alone.
  Object.assign(process.env, variables);
  process.argv.splice(0, Number.POSITIVE_INFINITY, ...argv);
}

/** As the command line reads it: `--token VALUE` and `--token=VALUE`. */
function withoutToken(argv) {
  return argv.filter(
    (word, index) =>
      !(word === '--token' || word.startsWith('--token=') || argv[index - 1] === '--token'),
  );
}
