/** The rights of tokens: what the server declares, what it checks, and what docs/operate/access.md says. */
import { expect, test } from 'vitest';
import { OWN_RIGHTS, RESOURCES } from '../../cli/src/tokens/access-words.ts';
import { rightRows, rightsTable } from './rights-table.ts';
import { readRepositoryFile, readSourceFiles } from './source-files.ts';

const KNOWN_EVERYWHERE: readonly string[] = RESOURCES;
const PAGE = 'docs/operate/access.md';

interface DescribedOperation {
  readonly 'x-right'?: { readonly resource: string; readonly verb: string };
}

/** Endpoints by the right that their routes declare, as the description of the interface has them. */
function endpointsByRight(): ReadonlyMap<string, readonly string[]> {
  const { paths }: { paths: Record<string, Record<string, DescribedOperation>> } = JSON.parse(
    readRepositoryFile('openapi.json'),
  );
  const found = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { 'x-right': right }] of Object.entries(operations)) {
      if (right === undefined) continue;
      const name = `${right.verb} ${right.resource}`;
      found.set(name, [...(found.get(name) ?? []), `${method.toUpperCase()} ${path}`]);
    }
  }
  return found;
}

const PAIRS = [
  // { resource: 'workflows', verb: 'get' }
  /resource: '(?<resource>[a-z]+)',\s*verb: '(?<verb>[a-z]+)'/g,
  // requireAccess(access, 'workflows', 'get', namespace), and access.namespaces('workflows', 'get')
  /'(?!(?:list|get|put|patch|create|delete)')(?<resource>[a-z]+)',\s*'(?<verb>list|get|create|delete)'/g,
  // checkReach(access, 'delete', agent), which is about agents
  /checkReach\([^,]+, '(?<verb>[a-z]+)'/g,
];

/** Every right that a check of the server names. */
function checkedRights(): ReadonlySet<string> {
  const sources = readSourceFiles().filter(
    ({ path }) => path.startsWith('server/src/') && !path.endsWith('.test.ts'),
  );
  const found = sources.flatMap(({ text }) =>
    PAIRS.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(
        ({ groups = {} }) => `${groups.verb} ${groups.resource ?? 'agents'}`,
      ),
    ),
  );
  return new Set(found);
}

const names = rightRows.map(({ right }) => right);

/** After a change of a right: `npx vitest run --project unit tests/structure/rights.test.ts -u`. */
test('docs/operate/access.md has every right, and the endpoints that need it', async () => {
  const page = readRepositoryFile(PAGE).replace(
    /(<!-- rights -->\n)[\s\S]*?(?=<!-- end -->)/,
    (_, mark: string) => `${mark}\n${rightsTable(endpointsByRight())}\n\n`,
  );
  await expect(page).toMatchFileSnapshot(`../../${PAGE}`);
});

test('tutti tokens check asks for every right', () => {
  const others = rightRows.filter(({ resource }) => !KNOWN_EVERYWHERE.includes(resource));
  const asked = OWN_RIGHTS.map(({ resource, verb }) => `${verb} ${resource}`);
  expect(asked).toEqual(others.map(({ right }) => right));
});

test('each right that a route or a check asks for is declared, and each that is declared is asked for', () => {
  expect([...checkedRights()].toSorted()).toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining([...endpointsByRight().keys()]));
});
