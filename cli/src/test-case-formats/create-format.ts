import type { FormatContext, TestCaseFormat, TestCaseFormatName } from './test-case-format.ts';

/** Each is loaded where it is asked for. */
export async function createTestCaseFormat(
  name: TestCaseFormatName,
  context: FormatContext,
): Promise<TestCaseFormat> {
  switch (name) {
    case 'table':
    case 'wide':
      return (await import('./table-format.ts')).createTableFormat(name === 'wide');
    case 'json':
      return (await import('./document-format.ts')).createJsonFormat();
    case 'yaml':
      return await (await import('./document-format.ts')).createYamlFormat();
    case 'junit':
      return (await import('./junit-format.ts')).createJunitFormat(context);
    case 'ctrf':
      return (await import('./ctrf-format.ts')).createCtrfFormat(context);
  }
}
