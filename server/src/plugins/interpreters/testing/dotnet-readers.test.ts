import { describe, expect, test } from 'vitest';
import type { CreateFormatReader } from '../format-reader.ts';
import { createNunitReader } from '../nunit/nunit-reader.ts';
import { createTrxReader } from '../trx/trx-reader.ts';
import { createXunitReader } from '../xunit/xunit-reader.ts';
import * as samples from './dotnet-samples.ts';
import { readText, shownCases } from './read-text.ts';

interface Sample {
  readonly producer: string;
  readonly reader: CreateFormatReader;
  readonly xml: string;
  readonly expected: readonly string[];
  readonly errors: readonly string[];
}

const table: readonly Sample[] = [
  {
    producer: 'TRX',
    reader: createTrxReader,
    xml: samples.trx,
    expected: [
      'Acme.CartTest#Adds SUCCESS 1500',
      'Acme.ListTest#Adds FAILURE 60000 Assert.AreEqual failed. Expected:<1>.',
      'Acme.ShipTest#Ships(city: "St. Gallen") SKIPPED 0 no carrier',
      'Acme.CartTest#Pays (Data Row 0) SUCCESS 1',
      'Acme.CartTest#Pays (Data Row 1) ERROR 0 Timeout',
      'null#Stops ERROR 0 no outcome',
    ],
    errors: ['The agent process stopped.'],
  },
  {
    producer: 'NUnit 3',
    reader: createNunitReader,
    xml: samples.nunit3,
    expected: [
      'Acme.CartTest#Adds(1.5,"a.b") SUCCESS 12',
      'Acme.CartTest#Removes FAILURE 200 Expected: 1\nBut was: 2',
      'Acme.CartTest#Throws ERROR 0 System.Exception : no',
      'Acme.CartTest#Ships SKIPPED 0 no carrier',
      'Acme.CartTest#Maybe SKIPPED 0',
      'Acme.DbTest#Reads SUCCESS 100',
      'Acme.dll > DbTest#Acme.dll > DbTest ERROR 0 TearDown : no connection',
    ],
    errors: ['Acme.dll > DbTest: TearDown : no connection'],
  },
  {
    producer: 'NUnit 2',
    reader: createNunitReader,
    xml: samples.nunit2,
    expected: [
      'Acme.CartTest#Adds SUCCESS 12',
      'Acme.CartTest#Removes FAILURE 200 no',
      'Acme.CartTest#Ships SKIPPED 0 no carrier',
      'Acme.CartTest#Old FAILURE 100 older',
      'Acme.CartTest#Older SKIPPED 0',
    ],
    errors: [],
  },
  {
    producer: 'xUnit.net',
    reader: createXunitReader,
    xml: samples.xunit,
    expected: [
      'Acme.dll#assembly-cleanup ERROR 0 disk full',
      'Acme.CartTest#Adds(price: 1.5) SUCCESS 12',
      'Acme.CartTest#Removes FAILURE 200 Assert.Equal() Failure',
      'Acme.CartTest#Given a cart SKIPPED 0 no carrier',
    ],
    errors: ['Acme.dll: disk full'],
  },
];

describe('reports of', () => {
  test.each(table)('$producer', async ({ reader, xml, expected, errors }) => {
    const reading = await readText(reader, xml);
    expect(reading.error).toBeNull();
    expect(shownCases(reading)).toEqual(expected);
    expect(reading.generalErrors).toEqual(errors);
  });
});

test('results of a TRX file that was cut off before the classes of its tests count all the same', async () => {
  const cut = samples.trx.slice(0, samples.trx.indexOf('<TestDefinitions>'));
  const { cases, error } = await readText(createTrxReader, cut);
  expect(error).toMatch(/unclosed tag: TestRun$/);
  expect(cases.map(({ suite, name }) => `${suite}#${name}`).slice(0, 3)).toEqual([
    'null#Adds',
    'null#Adds',
    'Acme.ShipTest#Ships(city: "St. Gallen")',
  ]);
});
