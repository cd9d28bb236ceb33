// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Scripts, shells and variables in workflows, on our own agent and on existing ones. */
import { describe, expect, test } from 'vitest';
import {
  allEvents,
  ended,
  logTexts,
  type Manifest,
  oneJob,
  only,
  sh,
  start,
} from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { workOneJob } from '../support/working-agent.ts';

const { bench, server } = await sharedServer({ tags: ['linux', 'own'], name: "the agent's é" });

interface Kind {
  readonly name: string;
  readonly tag: string;
  /** Null for our own agent, which is there already. */
  readonly version: string | undefined | null;
}

const kinds: readonly Kind[] = [
  { name: 'our own agent', tag: 'own', version: null },
  { name: 'an agent of the first version', tag: 'first', version: undefined },
  { name: 'an agent of the second version', tag: 'second', version: '2.0' },
];

async function run({ tag, version }: Kind, steps: readonly Manifest[], more: Manifest = {}) {
  const id = await start(server, { ...oneJob('scripts', steps, { 'runs-on': tag }), ...more });
  if (version !== null) {
    const workspaceDir = bench.path("it's a wörkspace");
    const scriptPath = bench.path('my "scripts" $x');
    await workOneJob(server, { tag, workspaceDir, scriptPath, ...(version && { version }) });
  }
  return { id, status: await ended(server, id), texts: await logTexts(server, id) };
}

/** Names and contents of the files that a run attached and uploaded. */
async function filesOf(id: string): Promise<Readonly<Record<string, string>>> {
  const events = await allEvents(server, id);
  const lists = [...only(events, 'ExecutionResult'), ...only(events, 'WorkflowResult')];
  const files: Record<string, string> = {};
  for (const [path, { uuid }] of lists.flatMap(({ metadata }) =>
    Object.entries(metadata.attachments ?? {}),
  )) {
    const { text } = await server.call('GET', `/workflows/${id}/files/${uuid}`);
    files[path.replace(/^[^_]*_[^_]*_/, '')] = text;
  }
  return files;
}

const DIRECTORIES = ['plain', 'two words', "it's", 'say "hi"', 'süß日本', '-rf', '#1', 'a&b;c'];

describe.each(kinds)('$name', (kind) => {
  test('runs steps in directories of any name', async () => {
    const make = DIRECTORIES.map((name) => `'${name.replaceAll("'", `'"'"'`)}'`).join(' ');
    const show = 'printf "in <%s>\\n" "${PWD#"$OPENTF_WORKSPACE"/}"';
    const steps = DIRECTORIES.map((name) => sh(show, { 'working-directory': name }));
    const { status, texts } = await run(kind, [
      sh(`mkdir -- ${make}`),
      ...steps,
      sh(show, { shell: 'bash -eu {0}', 'working-directory': 'two words' }),
      sh(show, { 'working-directory': 'two words/../$NAME', variables: { NAME: 'two words' } }),
    ]);
    expect(status).toBe('DONE');
    expect(texts.filter((text) => text.startsWith('in '))).toEqual(
      [...DIRECTORIES, 'two words', 'two words'].map((name) => `in <${name}>`),
    );
  });

  test('attaches files whose paths are relative to the directory of the step', async () => {
    const attach = "echo inner > 'in é.txt'; echo '::attach::in é.txt'; echo ::upload::../out.txt";
    const { id, status } = await run(kind, [
      sh("mkdir 'sub dir'; echo top > out.txt; echo '::attach name=named.txt::./out.txt'"),
      sh(attach, { 'working-directory': 'sub dir' }),
      sh('cd "sub dir"; echo "::attach name=absolute.txt::$PWD/in é.txt"; echo ::attach::out.txt'),
    ]);
    expect(status).toBe('DONE');
    const out = { 'named.txt': 'top\n', 'out.txt': 'top\n' };
    expect(await filesOf(id)).toEqual({
      ...out,
      'in é.txt': 'inner\n',
      'absolute.txt': 'inner\n',
    });
  });

  test('attaches files out of the workspace that a hook gives', async () => {
    const used = bench.path(`gegeben & $used ${kind.tag}`);
    const before = [{ 'use-workspace': used }];
    const hooks = [{ name: 'elsewhere', events: [{ channel: 'setup' }], before }];
    const script = 'echo here > out.txt; echo ::attach::out.txt; echo "::download pattern=no::x"';
    const { id, texts } = await run(kind, [sh(script)], { hooks });
    expect(texts).toContain('ERROR,No artifact matching requested name/pattern found.');
    expect(await filesOf(id)).toEqual({ 'out.txt': 'here\n' });
  });

  test('runs scripts of all forms in the shells that they ask for', async () => {
    const { status, texts } = await run(kind, [
      sh('echo one\r\necho two\r\n'),
      sh(''),
      sh("cat <<'EOF'\n$CI ${CI}\nEND_OF_STEP_SCRIPT\nEOF"),
      sh('print("py", 1 + 1)\nprint("é", "$HOME")', { shell: 'python' }),
      sh('case "${BASH_VERSION-}" in "") echo sh ;; *) echo sh too ;; esac', { shell: 'sh' }),
      sh('console.log("node", process.argv.length)', { shell: 'node {0} a b' }),
      sh(`x=1\n${': a comment that is long\n'.repeat(50_000)}echo $x MiB`),
    ]);
    expect(status).toBe('DONE');
    const shown = [
      'one',
      'two',
      '$CI ${CI}',
      'END_OF_STEP_SCRIPT',
      'py 2',
      'é $HOME',
      'node 4',
      '1 MiB',
    ];
    expect(texts).toEqual(expect.arrayContaining(shown));
    expect(texts.some((text) => /^sh( too)?$/.test(text))).toBe(true);
  });

  // Language 3.7: The map is in the result, with the workspace, and the file is no attachment.
  test('has variables as they were written, and as steps left them', async () => {
    const json = '{"a":1,"b":["c d",2]}';
    const awkward = `'"\`$HOME\\ é {a,b} *`;
    const { id, status, texts } = await run(
      kind,
      [
        sh('printf "<%s>\\n" "$JSON" "$AWKWARD" "$PLAIN" "$LINES"'),
        sh('echo "export LEFT=é{1,2}" >> "$OPENTF_VARIABLES"', { id: 'left' }),
        sh(`echo 'export QUOTED="a  b"' >> "$OPENTF_VARIABLES"`),
        sh(`printf '<%s %s>\\n' "$QUOTED" '\${{ variables.QUOTED }}'`),
        sh('printf "<%s %s>\\n" "$LEFT" "${{ variables.LEFT }}" "$OWN" "${{ opentf.step }}"', {
          variables: { OWN: '${{ variables.PLAIN }}!' },
        }),
      ],
      {
        variables: {
          JSON: json,
          AWKWARD: { value: awkward, verbatim: true },
          PLAIN: 'CI is $CI',
          LINES: 'one\ntwo',
        },
      },
    );
    expect(status).toBe('DONE');
    expect(texts).toEqual(
      expect.arrayContaining([
        `<${json}>`,
        `<${awkward}>`,
        '<CI is true>',
        '<one',
        'two>',
        '<CI is true! run5>',
        '<a  b a  b>',
      ]),
    );
    expect(texts.some((text) => /^<é\S+ é\{1,2\}>$/.test(text))).toBe(true);
    const left = only(await allEvents(server, id), 'ExecutionResult').at(-2)?.variables;
    expect(left).toMatchObject({ LEFT: 'é{1,2}', OPENTF_WORKSPACE: expect.anything() });
  });

  test.each([
    ['exit 3', 3],
    ['false\necho not here', 1],
    ['no-such-command-anywhere', 127],
    ["sh -c 'kill -9 $$'", 137],
    // Language 3.8: The status is the exit code.
  ])('tells the status of a step that does `%s`: %i', async (script, code) => {
    const { id, status, texts } = await run(kind, [
      sh(script, { id: 'it' }),
      sh('echo it was a ${{ steps.it.outcome }}', { if: 'always()' }),
    ]);
    expect(status).toBe('FAILED');
    expect(texts).toEqual(expect.arrayContaining([`Status code was: ${code}`, 'it was a failure']));
    expect(texts).not.toContain('not here');
    const results = only(await allEvents(server, id), 'ExecutionResult');
    expect(results.map((result) => result.status)).toContain(code);
  });
});
