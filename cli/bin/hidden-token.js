/**
 * Hides the token of an agent from its jobs. The system shows environment and arguments of a process to all processes of its user. Plain
 * JavaScript, as is all that starts the program.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Names the file with the hidden variables of this process. */
const HANDED_OVER = 'TUTTI_HANDED_OVER';

const TOKEN_VARIABLES = ['TUTTI_TOKEN', 'TUTTI_AGENT_TOKEN', 'OPENTF_TOKEN'];

/**
 * An agent that was started with a token restarts itself in the same process, without the token. Everything else stays the same. `leading`
 * counts the arguments before those of the user that the restart repeats.
 */
export function hideToken(leading) {
  const { env, argv, execPath, execArgv } = process;
  if (env[HANDED_OVER] !== undefined) takeOver(env[HANDED_OVER]);
  const command = argv.slice(2).find((word) => !word.startsWith('-'));
  const args = withoutToken(argv);
  const names = TOKEN_VARIABLES.filter((name) => env[name] !== undefined);
  const isSeen = names.length > 0 || args.length < argv.length;
  // A process whose end depends on a channel to another one would lose that channel.
  if (command !== 'agent' || !isSeen || process.connected || !process.execve || isHidden) return;
  const kept = { ...env };
  for (const name of names) delete kept[name];
  try {
    const variables = Object.fromEntries(names.map((name) => [name, env[name]]));
    kept[HANDED_OVER] = handOver({ variables, argv });
    process.execve(execPath, [execPath, ...execArgv, ...args.slice(2 - leading)], kept);
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
  // Sets them in the memory of this process only.
  Object.assign(process.env, variables);
  process.argv.splice(0, Number.POSITIVE_INFINITY, ...argv);
}

/** Arguments without the forms that the command line reads: `--token VALUE` and `--token=VALUE`. */
function withoutToken(argv) {
  return argv.filter(
    (word, index) =>
      !(word === '--token' || word.startsWith('--token=') || argv[index - 1] === '--token'),
  );
}
