import { expect, test } from 'vitest';
import { given } from './testing/given.ts';
import { job, offer, workflow } from './testing/inputs.ts';

const expression = (text: string): string => ['$', `{{ ${text} }}`].join('');
const secrets = { TOKEN: 't%40ken' };
const variables = { HOST: 'example.org', CIRCLE: expression('resources.repositories.a.endpoint') };
const endpoint = `https://me:${expression('secrets.TOKEN')}@${expression('variables.HOST')}`;
const a = { name: 'a', type: 'github', repository: 'team/a', endpoint };
const wrong = { ...a, name: 'wrong', endpoint: `https://${expression('nothing.here')}` };
const tm = {
  name: 'tm',
  type: 'squashtm',
  testmanager: 'shop',
  endpoint: 'https://key@tm.example.org',
};
const resources = {
  files: ['data', { name: 'rules', url: 'https://u:filepass@example.org/rules' }],
  repositories: [a, wrong],
  testmanagers: [tm],
};

const start = (uses: Record<string, unknown>) =>
  given(
    workflow({ a: job([{ uses: 'a/b@v1', with: uses }]) }, { secrets, variables, resources }),
  ).when(offer('a'));

// Language 1.9: A resource may be given as a whole.
// Language 6.7: `resources`: test managers, repositories, files.
test('expressions read resources, with addresses that are evaluated', () => {
  const { events } = start({
    repository: expression('resources.repositories.a'),
    endpoint: expression('resources.testmanagers.tm.endpoint'),
    files: [expression('resources.files.data'), expression('resources.files.rules')],
    circle: expression('variables.CIRCLE'),
  });
  const address = 'https://me:t%40ken@example.org';
  expect(events.at(-1)).toMatchObject({
    step: {
      with: {
        repository: { ...a, endpoint: address },
        endpoint: tm.endpoint,
        files: ['data', 'rules'],
        circle: address,
      },
    },
  });
});

test('both parts of an address are evaluated', () => {
  const shop = { ...a, repository: `team/${expression('variables.HOST')}` };
  const project = { ...tm, testmanager: expression('opentf.namespace') };
  const { events } = given(
    workflow(
      {
        a: job([
          {
            uses: 'a/b@v1',
            with: {
              shop: expression('resources.repositories.a'),
              project: expression('resources.testmanagers.tm'),
            },
          },
        ]),
      },
      { secrets, variables, resources: { repositories: [shop], testmanagers: [project] } },
    ),
  ).when(offer('a'));
  expect(events.at(-1)).toMatchObject({
    contexts: { resources: { repositories: { a: { repository: 'team/example.org' } } } },
    step: {
      with: { shop: { repository: 'team/example.org' }, project: { testmanager: 'default' } },
    },
  });
});

test('an address that cannot be evaluated is an error of the step that uses it', () => {
  const { events } = start({ repository: expression('resources.repositories.wrong') });
  expect(events.map(({ kind }) => kind)).toContain('ExecutionError');
});

test('the variables in addresses cost as much as the expressions of one step may, and later ones are not there', () => {
  const long = 'x'.repeat(60_000);
  const copies = Array.from({ length: 100 }, (_, index) => [
    `V${index}`,
    expression('variables.LONG'),
  ]);
  const masksWith = (more: Readonly<Record<string, string>>) => {
    const all = { LONG: long, ...more, LAST: expression("'password'") };
    const repository = { ...a, endpoint: `https://me:${expression('variables.LAST')}@example.org` };
    const resources = { repositories: [repository] };
    return given(workflow({ a: job(['x']) }, { variables: all, resources })).run.masks;
  };
  expect(masksWith({})).toEqual(['password']);
  expect(masksWith(Object.fromEntries(copies))).not.toContain('password');
});

test('the last of several resources with one name counts, and the passwords of all are masked', () => {
  const repositories = ['one', 'two'].map((name) => ({
    ...a,
    repository: name,
    endpoint: `https://me:${name}word@example.org`,
  }));
  const uses = { uses: 'a/b@v1', with: { shop: expression('resources.repositories.a') } };
  const { run, events } = given(workflow({ a: job([uses]) }, { resources: { repositories } })).when(
    offer('a'),
  );
  expect(events.at(-1)).toMatchObject({
    contexts: { resources: { repositories: { a: { repository: 'two' } } } },
    step: { with: { shop: { repository: 'two' } } },
  });
  expect(run.masks).toEqual(expect.arrayContaining(['oneword', 'twoword']));
});

test('a password is masked in the form that addresses have when they are put together anew', () => {
  const odd = { ...a, endpoint: 'https://me:a^b@example.org' };
  const { run } = given(workflow({ a: job(['x']) }, { resources: { repositories: [odd] } }));
  expect(run.masks).toEqual(['a^b', 'a%5Eb']);
});

test('passwords and tokens in addresses are masked, as they stand there and as they are meant', () => {
  const { run } = start({});
  expect(run.masks).toEqual(['t%40ken', 'filepass', 't@ken', 'key']);
});
