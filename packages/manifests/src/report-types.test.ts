import { expect, test } from 'vitest';
import { type ReportFormat, reportTypeOf, technologyOfType } from './report-types.ts';

test.each<[string, ReportFormat | null, string | null]>([
  ['application/vnd.opentestfactory.junit-surefire+xml', 'surefire', 'junit'],
  ['application/vnd.opentestfactory.node-test-surefire+xml', 'surefire', 'node-test'],
  ['application/vnd.opentestfactory.cucumber5-surefire+xml', 'surefire', 'cucumber5'],
  ['Application/vnd.OpenTestFactory.JUnit-Surefire+XML', 'surefire', 'JUnit'],
  ['application/vnd.opentestfactory.robotframework-output+xml', 'robot', 'robotframework'],
  ['application/vnd.opentestfactory.cucumber5-cucumber+json', 'cucumber', 'cucumber5'],
  ['application/vnd.opentestfactory.dotnet-trx+xml', 'trx', 'dotnet'],
  ['application/vnd.opentestfactory.dotnet-nunit+xml', 'nunit', 'dotnet'],
  ['application/vnd.opentestfactory.dotnet-xunit+xml', 'xunit', 'dotnet'],
  ['application/vnd.opentestfactory.perl-tap', 'tap', 'perl'],
  ['application/vnd.opentestfactory.playwright-ctrf+json', 'ctrf', 'playwright'],
  ['application/vnd.opentestfactory.go-gotest+json', 'gotest', 'go'],
  ['application/vnd.opentestfactory.cargo-surefire+xml', 'surefire', 'cargo'],
  ['application/vnd.opentestfactory.junit-surefire+xml; charset=utf-8', 'surefire', 'junit'],
  ['application/vnd.opentestfactory.junit-surefire+xml;charset=utf-8', 'surefire', 'junit'],
  ['application/vnd.opentestfactory.perl-tap ; version=14; x="a;b"', 'tap', 'perl'],
  ['application/xml; x=application/vnd.opentestfactory.junit-surefire+xml', null, null],
  ['application/vnd.opentestfactory.tap', null, null],
  ['application/vnd.opentestfactory.-surefire+xml', null, null],
  ['application/vnd.opentestfactory.surefire+xml', null, null],
  ['application/vnd.opentestfactory.a b-surefire+xml', null, null],
  ['application/vnd.opentestfactory.opentf-variables', null, null],
  ['application/xml', null, null],
  ['', null, null],
])('%s is of the format %s, and of the technology %s', (type, format, technology) => {
  expect(reportTypeOf(type)?.format ?? null).toBe(format);
  expect(technologyOfType(type)).toBe(technology);
});
