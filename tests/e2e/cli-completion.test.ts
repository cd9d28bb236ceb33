/** Completion in real shells, with the ids of a real server. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inPath, installedProgram } from '../support/debian-program.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const run = promisify(execFile);
const TUTTI = join(import.meta.dirname, '../../cli/bin/tutti.js');
const { bench, server, agent } = await sharedServer({ tags: ['linux', 'shell'] }, (own) => {
  const file = own.path('server-gates.yaml');
  writeFileSync(file, 'qualitygates: [{name: weekly, rules: [{rule: {threshold: 90%}}]}]\n');
  return { config: { qualityGates: { definitions: [file] } } };
});

const JOBS_FILE = join(bench.folder, 'jobs.yaml');
const GATES_FILE = join(bench.folder, 'gates.yaml');
writeFileSync(JOBS_FILE, 'metadata: {name: x}\njobs: {unit: {}, lint: {}}\n');
writeFileSync(GATES_FILE, 'qualitygates: [{name: nightly, rules: []}]\n');
/** A file that shells would make if they ran what stands in a name. */
const RAN = bench.path('ran');
/** Takes connections, and never answers. */
const silent = { server: createServer(() => {}), url: '' };
let env: Record<string, string>;
let workflow = '';
beforeAll(async () => {
  const bin = bench.path('bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'tutti'), `#!/bin/sh\nexec '${process.execPath}' '${TUTTI}' "$@"\n`);
  chmodSync(join(bin, 'tutti'), 0o755);
  const config = bench.path('config.yaml');
  const contexts = ['lab', 'staging', `$(touch ${RAN})`].map((name) => ({
    name,
    context: { orchestrator: 'o' },
  }));
  const orchestrators = [{ name: 'o', orchestrator: { server: server.url } }];
  writeFileSync(config, JSON.stringify({ contexts, orchestrators }));
  env = {
    HOME: bench.folder,
    PATH: [bin, process.env.PATH].join(delimiter),
    TUTTI_CLIENT_CONFIG: config,
    TUTTI_SERVER: server.url,
    TUTTI_TOKEN: server.token,
  };
  silent.server.listen(0, '127.0.0.1');
  await once(silent.server, 'listening');
  // It listens on an address, not on a pipe.
  silent.url = `http://127.0.0.1:${(silent.server.address() as AddressInfo).port}`;
  workflow = await start(server, oneJob('waiting', [sh('true')], { 'runs-on': 'nowhere' }));
  writeFileSync(join(bench.folder, 'setup.zsh'), ZSH_SETUP);
  writeFileSync(join(bench.folder, 'type.zsh'), ZSH_TYPING);
  for (const shell of SHELLS) {
    const { stdout } = await run('tutti', ['completion', shell], { env });
    writeFileSync(join(bench.folder, `tutti.${shell}`), stdout);
  }
});

/** Writes the offered words to a file, beside the terminal. */
const ZSH_SETUP = `
PROMPT=
autoload -Uz compinit; compinit -u -d $HOME/zcompdump
source $HOME/tutti.zsh
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a __hits
  builtin compadd -A __hits "$@"
  (( $#__hits )) && print -rl -- "\${__hits[@]}" >> $HOME/offers
  builtin compadd "$@"
}
tell-done() { print done >> $HOME/told }
comppostfuncs=(tell-done)
bindkey '^I' complete-word
print ready >> $HOME/told
`;
/** A shell with a terminal of its own, in which the line is typed and completed. */
const ZSH_TYPING = `
zmodload zsh/zpty
: > $HOME/offers
: > $HOME/told
zpty z zsh -f -i
zpty -w z "source $HOME/setup.zsh"
until grep -q ready $HOME/told; do zpty -r -t z > /dev/null; sleep 0.02; done
zpty -w -n z "$1"$'\\t'
until grep -q done $HOME/told; do zpty -r -t z > /dev/null; sleep 0.02; done
zpty -d z
cat $HOME/offers
`;

afterAll(() => void silent.server.close());

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const scriptOf = (shell: Shell) => join(bench.folder, `tutti.${shell}`);

/** The words that each shell offers for a line whose last word is being typed. */
const OFFERS: Readonly<Record<Shell, (line: string) => readonly string[]>> = {
  bash: (line) => [
    '-c',
    `source '${scriptOf('bash')}'
     read -ra COMP_WORDS <<< "$1"
     [[ $1 == *' ' ]] && COMP_WORDS+=('')
     COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
     _tutti
     printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    line,
  ],
  zsh: (line) => ['-f', join(bench.folder, 'type.zsh'), line],
  fish: (line) => [
    '--no-config',
    '-c',
    `source '${scriptOf('fish')}'; complete -C $argv[1] | string split -f 1 \\t; true`,
    line,
  ],
};

async function offered(shell: Shell, line: string, more = {}): Promise<readonly string[]> {
  const { stdout } = await run(inPath(shell) ?? shell, OFFERS[shell](line), {
    env: { ...env, ...more },
    timeout: 60_000,
  });
  const words = stdout.split('\n').map((word) => word.trim());
  return [...new Set(words.filter((word) => word !== ''))];
}

/** Some of what is offered, and some of what is not. */
const ROWS: readonly (readonly [
  line: string,
  has: () => readonly string[],
  not: readonly string[],
])[] = [
  ['tutti wor', () => ['workflows'], ['agents']],
  ['tutti ', () => ['run', 'agents', 'config', 'completion'], ['__complete', 'help']],
  ['tutti config ', () => ['use-context', 'set-orchestrator'], ['run']],
  ['tutti token ', () => ['create', 'rotate'], ['use-context']],
  ['tutti doctor --re', () => ['--repair'], ['--runs']],
  ['tutti doctor --deb', () => ['--debug'], []],
  ['tutti server --auth-ins', () => ['--auth-insecure-login'], []],
  ['tutti validate --format ', () => ['human', 'sarif'], ['table']],
  ['tutti agents -o ', () => ['table', 'yaml', 'name'], ['sarif']],
  ['tutti testcases -o ', () => ['wide', 'junit', 'ctrf'], []],
  ['tutti testcases --outcome ', () => ['success', 'skipped'], []],
  ['tutti tests --state ', () => ['flaky', 'broken'], []],
  ['tutti tests --sort ', () => ['impact', '-impact'], []],
  ['tutti logs --job ', () => ['main'], ['strict']],
  [`tutti run ${JOBS_FILE} --jobs `, () => ['unit', 'lint'], ['main']],
  ['tutti gate --gate ', () => ['strict', 'passing', 'weekly'], ['main']],
  [`tutti gate --definition ${GATES_FILE} --gate `, () => ['strict', 'nightly'], ['weekly']],
  ['tutti docs guides/i', () => ['guides/init'], ['reference/language']],
  ['tutti run a.yaml --wait --report ', () => ['html'], []],
  ['tutti status --no-co', () => ['--no-color'], []],
  ['tutti completion ', () => ['bash', 'fish', 'zsh'], []],
  ['tutti agents --context ', () => ['lab', 'staging'], []],
  ['tutti config use-context st', () => ['staging'], ['lab']],
  ['tutti status ', () => [workflow], []],
  ['tutti agents describe ', () => [agent.id], []],
  ['tutti attachments --type x ', () => [workflow, 'copy'], []],
  ['tutti attachments x ', () => [], ['copy', 'attachments']],
  ['tutti attachments copy ', () => [workflow], []],
  ['tutti attachments cp --force ', () => [workflow], []],
  ['tutti attachments copy x package.js', () => ['package.json'], []],
];

describe.each(SHELLS)('%s', (shell) => {
  const isThere = inPath(shell) !== null || installedProgram(shell, [shell]) !== null;

  test.runIf(isThere).each(ROWS)('offers for "%s" what can follow', async (line, has, not) => {
    const words = await offered(shell, line);
    expect(words).toEqual(expect.arrayContaining([...has()]));
    expect(words.filter((word) => not.includes(word))).toEqual([]);
  });

  test.runIf(isThere)('runs nothing that stands in the name of a context', async () => {
    expect(await offered(shell, 'tutti config use-context ')).toEqual(['lab', 'staging']);
    expect(existsSync(RAN)).toBe(false);
  });

  test.runIf(isThere).each([
    ['there is no server', () => 'http://127.0.0.1:1'],
    ['the server does not answer', () => silent.url],
  ])('offers only what it knows, and says nothing, where %s', async (_what, address) => {
    const TUTTI_SERVER = address();
    expect(await offered(shell, 'tutti status ', { TUTTI_SERVER })).toEqual([]);
    const gates = await offered(shell, 'tutti gate --gate ', { TUTTI_SERVER });
    expect(gates.toSorted()).toEqual(['passing', 'strict']);
  });
});
