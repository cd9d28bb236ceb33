/** Query parameters and paging, through an app, because the framework reads the query. */
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerError } from './errors.ts';
import { pageLinks, queryPage } from './paging.ts';
import { registerProcessedQuery, setProcessedQuery } from './processed-query.ts';
import { queryChoice, queryFlag, queryInteger, queryText } from './query.ts';

let app: FastifyInstance;
beforeAll(() => {
  app = fastify();
  app.setErrorHandler(answerError);
  app.get('/text', (request) => ({ value: queryText(request, 'name') }));
  app.get('/flag', (request) => ({ value: queryFlag(request, 'dryRun') }));
  app.get('/choice', (request) => ({ value: queryChoice(request, 'verb', ['list', 'get']) }));
  app.get('/number', (request) => ({
    value: queryInteger(request, 'timeout', { min: 1, max: 60 }),
  }));
  app.get('/page', (request) => queryPage(request));
  registerProcessedQuery(app);
  const schema = { parameters: { expand: {}, fieldSelector: {}, page: {} } };
  app.get('/processed', { schema }, (request) => queryPage(request));
  app.get('/processed-first', { schema }, (request, reply) => {
    setProcessedQuery(request, reply, ['expand']);
    return {};
  });
  app.get('/items', (request) => ({
    link: pageLinks(request, queryPage(request), { total: 250 }),
  }));
  app.get('/uncounted', (request) => ({
    link: pageLinks(request, queryPage(request), { total: 101, hasMore: true }),
  }));
});
afterAll(() => app.close());

const get = async (url: string) => (await app.inject(url)).json();

describe('a text', () => {
  test.each([
    ['', null],
    ['?name=', ''],
    ['?name', ''],
    ['?name=a', 'a'],
    ['?name=a+b%20c', 'a b c'],
    ['?name=kind==X', 'kind==X'],
    ['?name=a&name=a', 'a'],
    ['?toString=1', null],
  ])('%s is %j', async (query, value) => {
    expect(await get(`/text${query}`)).toEqual({ value });
  });

  test('given twice with different values is refused', async () => {
    expect(await get('/text?name=a&name=b')).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Parameter "name" is given several times with different values.',
    });
  });
});

test.each([
  ['', false],
  ['?dryRun', true],
  ['?dryRun=', true],
  ['?dryRun=True', true],
  ['?dryRun=&dryRun=', true],
  ['?dryRun=false', false],
  ['?dryRun=0', false],
])('the flag of %j is %j', async (query, value) => {
  expect(await get(`/flag${query}`)).toEqual({ value });
});

test.each([
  ['/flag?dryRun=maybe', 'Parameter "dryRun" must be true or false, not "maybe".'],
  ['/choice?verb=put', 'Parameter "verb" must be one of list, get, not "put".'],
  ['/number?timeout=61', 'Parameter "timeout" must be an integer from 1 to 60, not "61".'],
  ['/number?timeout=1.5', 'Parameter "timeout" must be an integer from 1 to 60, not "1.5".'],
  ['/page?page=0', 'Parameter "page" must be an integer of 1 or more, not "0".'],
  ['/page?page=', 'Parameter "page" must be an integer of 1 or more, not "".'],
  ['/page?per_page=-1', 'Parameter "per_page" must be an integer of 1 or more, not "-1".'],
  ['/page?per_page=x', 'Parameter "per_page" must be an integer of 1 or more, not "x".'],
])('%s is refused', async (url, message) => {
  expect(await get(url)).toMatchObject({ code: 422, reason: 'Invalid', message, details: null });
});

test.each([
  ['', { page: 1, perPage: 100 }],
  ['?page=3&per_page=20', { page: 3, perPage: 20 }],
  ['?per_page=1000', { page: 1, perPage: 1000 }],
  ['?per_page=1001', { page: 1, perPage: 1000 }],
  ['?page=2&page=2', { page: 2, perPage: 100 }],
  ['?page=9007199254740993', { page: 9007199254740, perPage: 100 }],
  [`?page=${'9'.repeat(400)}&per_page=${'9'.repeat(400)}`, { page: 9007199254740, perPage: 1000 }],
  // HTTP 8: Pages have 100 items, 1000 at most, and begin with 1; their numbers may have any length.
])('the page of %j is %j', async (query, page) => {
  expect(await get(`/page${query}`)).toEqual(page);
});

test.each([
  ['/processed?expand=manifest&fieldSelector=a&other=1', 'expand,fieldSelector'],
  ['/processed?fieldSelector=', 'fieldSelector'],
  ['/processed?other=1', undefined],
  ['/processed', undefined],
  ['/processed?page=0', undefined],
  ['/processed-first?expand&page=1', 'expand'],
  ['/text?name=a', undefined],
])('X-Processed-Query of %s is %j', async (url, header) => {
  expect((await app.inject(url)).headers['x-processed-query']).toBe(header);
});

describe('Link', () => {
  const link = async (url: string, headers: Record<string, string> = {}) => {
    const response = await app.inject({ url, headers: { host: 'orchestra:7774', ...headers } });
    return response.json().link;
  };
  const to = (page: number, rel: string, base = 'http://orchestra:7774/items', more = '') =>
    `<${base}?${more}page=${page}&per_page=100>; rel="${rel}"`;

  test('the first, a middle, the last and a page behind the end', async () => {
    expect(await link('/items')).toBe(`${to(2, 'next')},${to(3, 'last')}`);
    expect(await link('/items?page=2')).toBe(
      `${to(1, 'first')},${to(1, 'prev')},${to(3, 'next')},${to(3, 'last')}`,
    );
    expect(await link('/items?page=3')).toBe(`${to(1, 'first')},${to(2, 'prev')}`);
    expect(await link('/items?page=9')).toBe(`${to(1, 'first')},${to(3, 'prev')},${to(3, 'last')}`);
  });

  test('with a very long address, the next page alone', async () => {
    const more = `fieldSelector=${'x'.repeat(3_500)}&`;
    expect(await link(`/items?${more}page=2`)).toBe(to(3, 'next', undefined, more));
    expect(await link(`/items?${more}page=3`)).toBeNull();
  });

  test('an uncounted list has no last page', async () => {
    expect(await link('/uncounted')).toBe(to(2, 'next', 'http://orchestra:7774/uncounted'));
  });

  test('a listing of one page has none', async () => {
    expect(await link('/items?per_page=250')).toBeNull();
  });

  // HTTP 4.1: Links repeat `per_page` within its limits, and the selectors.
  test('selectors stay, once each, and per_page is the one that holds', async () => {
    const query = 'fieldSelector=kind%3D%3DX&fieldSelector=kind==X&labelSelector=a+b&per_page=2000';
    expect(await link(`/items?${query}`)).toBeNull();
    expect(await link('/items?fieldSelector=kind==X&fieldSelector=kind==X')).toBe(
      [
        to(2, 'next', undefined, 'fieldSelector=kind%3D%3DX&'),
        to(3, 'last', undefined, 'fieldSelector=kind%3D%3DX&'),
      ].join(','),
    );
  });

  test.each([
    [{ 'x-forwarded-proto': 'https' }, 'https://orchestra:7774/items'],
    [{ 'x-forwarded-host': 'tests.example.org' }, 'http://tests.example.org/items'],
    [{ 'x-forwarded-prefix': '/observer/' }, 'http://orchestra:7774/observer/items'],
    [
      { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'a.example, b.example' },
      'https://a.example/items',
    ],
    [
      { 'x-forwarded-host': 'bad host"', 'x-forwarded-proto': 'gopher' },
      'http://orchestra:7774/items',
    ],
    [{ 'x-forwarded-prefix': '//evil.example' }, 'http://orchestra:7774/items'],
    [
      { 'x-forwarded-host': 'a.example', 'x-forwarded-port': '8443' },
      'http://a.example:8443/items',
    ],
    [
      { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example', 'x-forwarded-port': '443' },
      'https://a.example/items',
    ],
    [
      { 'x-forwarded-host': 'a.example:8443', 'x-forwarded-port': '80' },
      'http://a.example:8443/items',
    ],
    [{ host: 'a', 'x-forwarded-port': '99999' }, 'http://a/items'],
    [{ host: '[::1]', 'x-forwarded-port': 'x' }, 'http://[::1]/items'],
    [{ host: '[::1]:80' }, 'http://[::1]/items'],
    [{ host: 'a:99999' }, 'http://localhost/items'],
  ])('behind a proxy with %j', async (headers, base) => {
    expect(await link('/items', headers)).toContain(to(2, 'next', base));
  });
});
