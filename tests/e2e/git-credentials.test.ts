/** Checkouts of repositories that ask for a password, with a real server and a real agent. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GitRepositories } from '../support/git-repositories.ts';
import { allEvents, ended, logTexts, type Manifest, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const PASSWORD = `p'a$(x) "^&%s\\n/@:ß`;

let bench: Workbench;
let server: ServerChild;
let repositories: GitRepositories;
let commits: readonly string[];

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'], name: 'one' });
  repositories = await GitRepositories.open(bench.path('private git'));
  const texts = ['first', 'second'];
  commits = texts.map((text) => repositories.commit('shop', { 'file.txt': text }));
  repositories.protect('shop', `reader:${PASSWORD}`);
});

afterAll(async () => {
  await repositories.end();
  await bench.close();
});

const endpointWith = (password: string): string =>
  repositories.url.replace('//', `//reader:${encodeURIComponent(password)}@`);

const run = async (endpoint: string, steps: readonly Manifest[]): Promise<string> => {
  const shop = { name: 'shop', type: 'git', repository: 'shop.git', endpoint };
  const id = await start(server, {
    metadata: { name: 'checkout' },
    resources: { repositories: [shop] },
    jobs: { main: { 'runs-on': 'linux', steps } },
  });
  await ended(server, id);
  return id;
};

const checkout = (inputs: Manifest): Manifest => ({
  uses: 'actions/checkout@v3',
  with: { repository: `\${{ resources.repositories.shop }}`, path: 'x', ...inputs },
  // Git tells each command that it starts, with all words.
  variables: { GIT_TRACE: '1' },
});

test.each([
  ['a branch', () => ({ ref: 'main' })],
  ['a commit', () => ({ ref: commits[0] })],
  ['all of the history', () => ({ 'fetch-depth': 0 })],
  ['a plain address', () => ({ repository: `${repositories.url}/shop.git` })],
])(
  'credentials are used for %s, and are in no command, no output and no file',
  async (_what, inputs) => {
    const look = `cat x/.git/config x/file.txt; echo; ! grep -r -e 'reader' -e "p'a" . ; env | grep -c GIT_PASSWORD`;
    const id = await run(endpointWith(PASSWORD), [
      checkout(inputs()),
      sh(look, { 'continue-on-error': true }),
    ]);
    const log = (await logTexts(server, id)).join('\n');
    expect(log).toMatch(/^(?:first|second)$/m);
    expect(log).toContain('remote-http');
    expect(log).toContain(`url = ${repositories.url}/shop.git`);
    expect(log).toMatch(/^0$/m);
    // A mask in the log would show that the password was printed.
    expect(log).not.toContain('***');
    expect(JSON.stringify(await allEvents(server, id))).not.toContain("p'a$");
  },
);

test('a single file is fetched with credentials', async () => {
  const fetch = {
    uses: 'tutti/fetch-file@v1',
    with: { repository: `\${{ resources.repositories.shop }}`, path: 'file.txt' },
    id: 'fetch',
  };
  const id = await run(endpointWith(PASSWORD), [
    fetch,
    sh(`echo "of \${{ steps.fetch.outputs.commit }}"`),
  ]);
  expect(await logTexts(server, id)).toContain(`of ${commits[1]}`);
});

test('wrong credentials fail the step at once', async () => {
  const id = await run(endpointWith('wrong'), [checkout({})]);
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).toContain('Authentication failed');
});
