/** The functions that existing workflows call, with the inputs that they give (wire facts 10.6). */
import { type ProviderFunction, parseFunctionName } from '@tutti/sdk';
import { expect, test } from 'vitest';
import { builtInManifest, manifestPrefixes } from './built-in-manifests.ts';
import { codeProviders } from './built-in-providers.ts';
import { createProviderCatalog } from './provider-catalog.ts';

const catalog = createProviderCatalog({
  code: codeProviders,
  manifests: { prefixes: manifestPrefixes, load: builtInManifest },
});

async function functionNamed(name: string): Promise<ProviderFunction> {
  const parsed = parseFunctionName(name);
  const found = parsed === null ? null : await catalog.find(parsed);
  if (found === null) throw new Error(`There is no function ${name}.`);
  return found;
}

const TECHNOLOGIES = ['cucumber', 'cucumber5', 'cypress', 'junit', 'robotframework', 'soapui'];
const NAMED_ALONE = ['agilitest', 'katalon', 'playwright', 'postman', 'ranorex', 'skf', 'uft'];

test.each<[name: string, required: readonly string[], others: readonly string[]]>([
  ['actions/checkout@v1', ['repository'], ['ref', 'path']],
  ['actions/checkout@v2', ['repository'], ['ref', 'path']],
  ['actions/create-file@v1', ['data', 'format', 'path'], []],
  ['actions/delete-file@v1', ['path'], []],
  ['actions/get-files@v1', ['pattern'], []],
  ['actions/get-file@v1', ['path'], ['type']],
  // Either of the two says which file.
  ['actions/put-file@v1', ['path'], ['file', 'data']],
  ['cucumber/cucumber@v1', ['test'], ['tag', 'tags', 'reporters', 'extra-options']],
  ['cucumber5/cucumber@v1', ['test'], ['tag', 'tags', 'reporters', 'extra-options']],
  [
    'postman/postman@v1',
    ['collection'],
    [
      'folder',
      'environment',
      'iteration-data',
      'globals',
      'iteration-count',
      'delay-request',
      'timeout-request',
      'bail',
      'extra-options',
    ],
  ],
  [
    'cypress/cypress@v1',
    [],
    ['browser', 'reporter', 'reporter-options', 'headless', 'env', 'config-file'],
  ],
  ['junit/junit@v1', ['datasource'], []],
  ['junit/mvntest@v1', ['test'], ['properties']],
  ['robotframework/robot@v1', ['datasource'], ['test', 'report_for_allure']],
  [
    'soapui/soapui@v1',
    ['project'],
    ['testcase', 'testsuite', 'user', 'host', 'endpoint', 'properties', 'format', 'type', 'target'],
  ],
  ['playwright/npx@v1', [], ['test', 'reporters']],
  ...[...TECHNOLOGIES, ...NAMED_ALONE].flatMap(
    (technology): readonly [string, readonly string[], readonly string[]][] => [
      [`${technology}/execute@v1`, ['test'], []],
      [`${technology}/params@v1`, ['data', 'format'], []],
    ],
  ),
])('%s requires %j and takes %j', async (name, required, others) => {
  const { inputs } = await functionNamed(name);
  const wanted = Object.entries(inputs).filter(([, input]) => input.required === true);
  expect(wanted.map(([input]) => input).sort()).toEqual([...required].sort());
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining([...required, ...others]));
});

test('actions/prepare-inception takes an input of any name', async () => {
  const { inputs } = await functionNamed('actions/prepare-inception@v1');
  expect(Object.keys(inputs)).toEqual(['{name}']);
});
