/** Only methods that check the old state change the states of agents, jobs and commands. Code for one kind of agent stays in its folder. */
import { expect, test } from 'vitest';
import { blankText } from './blank-text.ts';
import { importsOf, resolveImport } from './imports.ts';
import { isTestCode, readSourceFiles } from './source-files.ts';

const ROOM = 'server/src/plugins/agentchannel/';
const CLASSES = ['agent', 'command', 'job-session', 'transfer'].map((name) => `jobs/${name}.ts`);
const sources = readSourceFiles()
  .filter(({ path }) => path.startsWith(ROOM) && !isTestCode(path))
  .map(({ path, text }) => ({ path: path.slice(ROOM.length), text }));
const textOf = (path: string): string => sources.find((each) => each.path === path)?.text ?? '';

/** Names of the fields of classes that are assigned to after the beginning. */
const FIELDS = [...CLASSES, 'own/own-agent.ts', 'existing/existing-agent.ts'].flatMap((path) =>
  [
    ...textOf(path).matchAll(
      /^ {2}(?:override )?(?!readonly|abstract|get )(\w+)(?:: [^=;(]+)?(?: = .+)?;$/gm,
    ),
  ].map(([, name = '']) => name),
);
const ASSIGNED = new RegExp(
  `(?<!\\bthis)\\??\\.(?:${FIELDS.join('|')}) ?(?:(?:[-+|&?]{0,2})=(?![=>])|\\+\\+|--)|Object\\.assign\\((?!this\\b)`,
);

const assignmentsIn = (text: string): readonly string[] =>
  blankText(text, { keepStrings: true })
    .split('\n')
    .filter((line) => ASSIGNED.test(line));

test('nobody but the classes of agents, jobs, commands and files assigns to their fields', () => {
  const found = sources.flatMap(({ path, text }) =>
    assignmentsIn(text).map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['command.phase = x;', true],
  ['agent.session?.command.transfers = [];', true],
  ['transfer.moves += 1;', true],
  ['session.isRecorded ||= true;', true],
  ['Object.assign(command, { phase });', true],
  ['this.phase = x;', false],
  ['Object.assign(this, { phase });', false],
  ['if (command.phase === x) {', false],
  ['const isSame = ({ phase }) => command.phase >= phase;', false],
])('%s is an assignment from outside: %o', (line, expected) => {
  expect(assignmentsIn(line).length > 0).toBe(expected);
});

test.each(CLASSES)('the class of %s shows its states and transitions', (path) => {
  expect(textOf(path)).toMatch(
    /^ \* \| From \| Method \| To \|$[\s\S]*?^(?:export abstract )?class /m,
  );
});

/** Methods of a class that change its phase, and the phases that each asks for. */
function transitionsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const methods = text.matchAll(/^ {2}(#?\w+)\(.*?\{\n([\s\S]*?)^ {2}\}$/gm);
  const changes = /\bthis\.phase = |\.setPhase\(|\.(?:upsert|remove)Channel\(|#becomeFree\(/;
  const asked = /(?:checkPhase|#checkFrom)\(.*\)|===? '\w+'/g;
  return new Map(
    [...methods]
      .filter(([, name = '', body = '']) => !name.startsWith('#') && changes.test(body))
      .map(([, name = '', body = '']) => [name, namesIn(body.match(asked)?.join() ?? '', "'")]),
  );
}

/** The table of a class: each method with the phases it starts from. */
const tableOf = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...text.matchAll(/^ \* \| (.*?) ?\| `(\w+)`(?!\w)(?=:| \|).*\|$/gm)]
      .filter(([, , name = '']) => !name.startsWith('create'))
      .map(([, from = '', name = '']) => [name, namesIn(from, '`')]),
  );

const namesIn = (text: string, quote: string): readonly string[] =>
  [...text.matchAll(new RegExp(`${quote}(\\w+)${quote}`, 'g'))].map(([, name = '']) => name).sort();

test.each(['agent', 'command', 'transfer'])(
  'each method of %s that changes the phase asks for the phases of its table',
  (name) => {
    const text = textOf(`jobs/${name}.ts`);
    const transitions = transitionsOf(text);
    expect(transitions.size).toBeGreaterThan(1);
    expect(Object.fromEntries(transitions)).toEqual(Object.fromEntries(tableOf(text)));
  },
);

test('a transition that asks for no phase, or for another one, is found', () => {
  const text = `
 * | \`a\` | \`go\`: why | \`b\` |
class Thing {
  go(): void {
    this.phase = 'b';
  }
}`;
  expect(transitionsOf(text)).toEqual(new Map([['go', []]]));
  expect(tableOf(text)).toEqual(new Map([['go', ['a']]]));
});

test('a session asks which command it has before it begins or ends one', () => {
  const text = textOf('jobs/job-session.ts');
  const changes = text.match(/^.*\n.*this\.command = (?!null;$).*$|^.*this\.command = null;$/gm);
  expect(changes).toHaveLength(2);
  expect(changes?.every((change) => change.includes('if (this.command'))).toBe(true);
});

test('nobody but the class of agents changes the phase of a channel', () => {
  const found = sources.filter(({ text }) =>
    /\.(?:setPhase|upsertChannel|removeChannel)\(/.test(text),
  );
  expect(found.map(({ path }) => path)).toEqual(['jobs/agent.ts']);
});

test.each([
  ['own', ['existing']],
  ['existing', ['own']],
])('the folder %s imports nothing of %j', (folder, others) => {
  const imports = sources
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .flatMap(({ path, text }) =>
      importsOf(text).map(({ specifier }) => resolveImport(ROOM + path, specifier) ?? ''),
    );
  expect(imports.filter((path) => path.startsWith(`${ROOM}jobs/`)).length).toBeGreaterThan(5);
  const foldersOf = (path: string) => path.slice(ROOM.length).split('/').slice(0, -1).join('/');
  const wrong = imports.filter((path) => path.startsWith(ROOM) && others.includes(foldersOf(path)));
  expect(wrong).toEqual([]);
});

test('four places ask whether an agent is one of ours: where it registers, what it posts in either form, and who takes that', () => {
  const asks = sources.flatMap(({ path, text }) =>
    (text.match(/isOwn\(|\bisOurs (?:\?|&&)|!(?:\w+\.)?isOurs|if \((?:\w+\.)?isOurs/g) ?? []).map(
      () => path,
    ),
  );
  expect(asks).toEqual([
    'agents/create-agent.ts',
    'posts/byte-batch.ts',
    'posts/posts.ts',
    'routes/routes.ts',
  ]);
});
